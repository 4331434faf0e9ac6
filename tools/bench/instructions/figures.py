"""The committed figures, and what is wrong with counts beside them."""

import platform
from collections.abc import Iterator, Mapping
from pathlib import Path

import msgspec

FILE = Path(__file__).with_name("figures.json")
TOLERANCE = 0.10
ACCEPT = "make bench-check ACCEPT=1"

Counts = dict[str, int]
"""Instructions of one request of each set."""


def interpreter() -> str:
    """The Python that runs this. Each has figures of its own, since each compiles other code."""
    version, compiler = platform.python_version(), platform.python_compiler()
    return f"{platform.python_implementation()} {version}, {compiler}, {platform.machine()}"


def committed(file: Path, name: str) -> Counts:
    """The figures of an interpreter; empty when there are none."""
    return _load(file).get(name, {})


def accept(file: Path, name: str, counted: Counts) -> None:
    """Make these the figures of an interpreter. Those of others stay."""
    written = msgspec.json.encode({**_load(file), name: counted}, order="sorted")
    file.write_bytes(msgspec.json.format(written, indent=2) + b"\n")


def _load(file: Path) -> dict[str, Counts]:
    return msgspec.json.decode(file.read_bytes(), type=dict[str, Counts]) if file.exists() else {}


def complaints(counted: Mapping[str, int], figures: Mapping[str, int]) -> Iterator[str]:
    """A line for each set that takes too many instructions or has no figure, and for each figure
    that has no set."""
    for name, count in counted.items():
        figure = figures.get(name)
        if figure is None:
            yield f"{name}: {count:,} instructions, and no committed figure. Accept it: {ACCEPT}"
        elif count > figure * (1 + TOLERANCE):
            yield (
                f"{name}: {count:,} instructions, {count / figure - 1:.0%} more than the committed "
                f"{figure:,}. If they are worth it: {ACCEPT}"
            )
    for name in figures:
        if name not in counted:
            yield f"{name}: a committed figure, and nothing counted. Remove it: {ACCEPT}"
