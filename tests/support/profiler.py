"""Counts calls of Stoa's own functions."""

import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import FrameType

import stoa as package

SOURCE = str(Path(package.__file__).parent)


class Profiler:
    """Counts calls of Stoa's functions by name, in every thread that starts after it."""

    def __init__(self) -> None:
        self.calls: Counter[str] | None = None

    def note(self, frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        if self.calls is not None and event == "call" and code.co_filename.startswith(SOURCE):
            self.calls[code.co_qualname] += 1

    def count(self, walk: Callable[[], object]) -> Counter[str]:
        """The calls that `walk` makes."""
        calls = self.calls = Counter()
        sys.setprofile(self.note)
        try:
            walk()
        finally:
            sys.setprofile(None)
            self.calls = None
        return calls
