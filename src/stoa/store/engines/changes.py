"""Remembers which ids changed when, so that a cached answer can be known to be out of date."""

from stoa.store.tx import EVERYTHING

_MOST = 100_000


class Changes:
    """Marks are made by the writer after a commit and before its answers are released."""

    def __init__(self) -> None:
        self._now = 0
        self._floor = 0
        self._changed: dict[str, int] = {}

    def stamp(self) -> int:
        """A mark to take before reading what is to be cached."""
        return self._now

    def mark(self, keys: list[str]) -> None:
        """Everything that shows one of `keys` and was read before now is out of date."""
        mark = self._now + 1
        if len(self._changed) > _MOST or EVERYTHING in keys:
            self._floor, self._changed = mark, {}
        for key in keys:
            self._changed[key] = mark
        self._now = mark

    def fresh(self, key: str, stamp: int) -> bool:
        """Whether `key` has not changed since `stamp`."""
        changed = self._changed.get(key, 0)
        # Read after, as it is set before: a key that was just forgotten lies below the floor.
        return stamp >= changed and stamp >= self._floor
