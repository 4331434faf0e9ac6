"""Remembers what was changed when, so that an answer can be known to be out of date."""

from collections.abc import Collection, Iterable

_MOST = 100_000

EVERYTHING = ""
"""A key that stands for every key."""


class Changes:
    """Marks are made by the writer after a commit and before its answers are released."""

    def __init__(self) -> None:
        self._now = 0
        self._floor = 0
        self._changed: dict[str, int] = {}

    def stamp(self) -> int:
        """A mark to take before reading what is to be cached."""
        return self._now

    def mark(self, keys: Collection[str]) -> None:
        """Everything that depends on one of `keys` and was read before now is out of date."""
        mark = self._now + 1
        if len(self._changed) > _MOST or EVERYTHING in keys:
            self._floor, self._changed = mark, {}
        for key in keys:
            self._changed[key] = mark
        self._now = mark

    def fresh(self, keys: Iterable[str], stamp: int) -> bool:
        """Whether none of `keys` has changed since `stamp`."""
        changed = self._changed
        for key in keys:
            if changed.get(key, 0) > stamp:
                return False
        # Read last, as it is set first: a key that was just forgotten lies below the floor.
        return stamp >= self._floor
