"""Records which keys changed and when, so that a stale cached answer is noticed."""

from collections.abc import Callable, Collection
from threading import Lock

import msgspec

EVERYTHING = ""
"""Stands for all keys."""


class Changes:
    """The writer marks changed keys after each commit, before the callers get their outcomes.

    Any thread may mark. When there are more than `most` keys, all are dropped, and everything read
    before is stale.
    """

    def __init__(self, most: int = 100_000) -> None:
        self._most = most
        self._now = 0
        self._floor = 0
        self._changed: dict[str, int] = {}
        self._told: list[Callable[[], None]] = []
        self._marking = Lock()

    def listen(self, told: Callable[[], None]) -> None:
        """Call `told` after each mark, in the thread that marks."""
        self._told.append(told)

    def data_version(self) -> int:
        """The current mark. Take it before reading data that will be cached."""
        return self._now

    def mark(self, keys: Collection[str]) -> None:
        """Make every answer stale that depends on one of `keys` and was read before now."""
        with self._marking:
            mark = self._now + 1
            if len(self._changed) > self._most or EVERYTHING in keys:
                self._floor, self._changed = mark, {}
            for key in keys:
                self._changed[key] = mark
            self._now = mark
        for told in self._told:
            told()

    def fresh(self, keys: Collection[str], data_version: int) -> bool:
        """Whether none of `keys` has changed since `data_version`."""
        changed = self._changed
        if not changed.keys().isdisjoint(keys):
            for key in keys:
                if changed.get(key, 0) > data_version:
                    return False
        # Read last, because `mark` sets it first: a key that was just dropped is below the floor.
        return data_version >= self._floor


class ChangesSeen(msgspec.Struct, frozen=True, gc=False):
    """The changes, and their data version from before a transaction read anything."""

    changes: Changes
    data_version: int
