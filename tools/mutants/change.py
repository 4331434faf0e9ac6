"""One mutant: a piece of a file and what stands there instead."""

import difflib
from dataclasses import dataclass


@dataclass(frozen=True, order=True, slots=True)
class Mutant:
    """Bytes `start` to `end` of the file `path` become `new`."""

    path: str
    start: int
    end: int
    new: bytes

    def of(self, source: bytes) -> bytes:
        """The whole file with the change."""
        return source[: self.start] + self.new + source[self.end :]

    def line(self, source: bytes) -> int:
        """The number of the line in which the change begins."""
        return source.count(b"\n", 0, self.start) + 1

    def diff(self, source: bytes) -> list[str]:
        """The lines that go, with `-`, and those that come, with `+`."""
        old, new = (text.decode().splitlines() for text in (source, self.of(source)))
        lines = difflib.unified_diff(old, new, n=0, lineterm="")
        return [line for line in lines if not line.startswith(("---", "+++", "@@"))]
