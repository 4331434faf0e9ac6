"""Texts that are hard to work on: shapes from `tests/data/hostile_texts.json`, at any length.

A shape is a list of `[unit, share]`. A unit with the share 0 stands there once; the others are
repeated until they fill their shares of the length. In a unit, `{n}` is the number of the
repetition, and `{nX}` the character X once more in each.
"""

import json
import re
from functools import cache
from pathlib import Path

_FILE = Path(__file__).parents[1] / "data" / "hostile_texts.json"
_NUMBERED = re.compile(r"\{n(.?)\}")

Shape = list[tuple[str, float]]


@cache
def shapes() -> dict[str, Shape]:
    """Every shape by its name."""
    return json.loads(_FILE.read_text(encoding="utf-8"))


def build(shape: Shape, length: int) -> str:
    """The text of this shape with so many characters, or one or two fewer."""
    shares = sum(share for _, share in shape) or 1
    free = max(0, length - sum(len(unit) for unit, share in shape if not share))
    parts = [_filled(unit, int(free * share / shares)) if share else unit for unit, share in shape]
    return "".join(parts)[:length]


def _filled(unit: str, length: int) -> str:
    if not _NUMBERED.search(unit):
        return (unit * (length // len(unit) + 1))[:length]
    pieces: list[str] = []
    left = length
    while left > 0:
        number = len(pieces)
        piece = _NUMBERED.sub(lambda found, n=number: found[1] * (n + 1) or str(n), unit)
        pieces.append(piece)
        left -= len(piece)
    return "".join(pieces)[:length]
