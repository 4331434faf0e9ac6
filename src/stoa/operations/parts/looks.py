"""Skeletons of names: two names that look alike have the same skeleton.

As in Unicode Technical Standard 39, but case and blanks are ignored too.
"""

from functools import cache
from pathlib import Path
from unicodedata import category, normalize

import msgspec

_NOT_SEEN = ("C", "Z")
"""The first letters of the Unicode categories of blanks and invisible characters."""


class _Confusables(msgspec.Struct):
    lookalikes: dict[str, str]


def skeleton(name: str) -> str:
    """The skeleton of a name; to be compared, not shown."""
    # Twice: a letter may look like another one in lower case alone.
    return _mapped(_mapped(name).lower())


def _mapped(name: str) -> str:
    seen = "".join(one for one in normalize("NFD", name) if category(one)[0] not in _NOT_SEEN)
    return normalize("NFD", seen.translate(_table()))


@cache
def _table() -> dict[int, str]:
    read = (Path(__file__).parent / "confusables.json").read_bytes()
    found = msgspec.json.decode(read, type=_Confusables).lookalikes
    return {ord(one): shown for shown, several in found.items() for one in several}
