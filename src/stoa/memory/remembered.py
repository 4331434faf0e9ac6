"""Caches values computed from rows, until one of these rows changes.

A transaction gets no value that was computed in a transaction which began later: the value may be
made of rows that the snapshot of the earlier one does not have.
"""

import sys
from collections.abc import Callable, Collection, Mapping, Set
from typing import Generic, TypeVar

import msgspec

from stoa.caching import ByteCache, CachedKind, K
from stoa.store.changes import ChangesSeen

T = TypeVar("T")


class _Entry(msgspec.Struct, Generic[T], gc=False):
    """A value until `ends_at` (ms). At the data version `checked` nothing of `depends_on` had
    changed yet."""

    value: T
    depends_on: Collection[str]
    data_version: int
    ends_at: int = sys.maxsize
    checked: int = -1

    def is_fresh(self, seen: ChangesSeen) -> bool:
        """Whether nothing of that has changed yet, and it is not newer than what was seen."""
        changes, current = seen.changes, seen.changes.data_version()
        if self.checked != current:
            if not changes.fresh(self.depends_on, self.data_version):
                return False
            self.checked = current
        return self.data_version <= seen.data_version


class Remembered(Generic[T]):
    """Caches the latest value, for all threads of a process. There is no other to evict."""

    def __init__(self) -> None:
        self._entry: _Entry[T] | None = None

    @property
    def latest(self) -> T | None:
        """The value that was stored last, even a stale one."""
        return self._entry.value if self._entry else None

    def get(self, seen: ChangesSeen | None, now: int) -> T | None:
        """The value, if it is not stale now (ms)."""
        entry = self._entry
        if entry is None or seen is None or entry.data_version < 0 or now >= entry.ends_at:
            return None
        return entry.value if entry.is_fresh(seen) else None

    def keep(
        self, value: T, seen: ChangesSeen | None, depends_on: Set[str] | None, ends_at: int | None
    ) -> None:
        """Keep a value until something of `depends_on` changes, or until `ends_at` (ms). Without
        `seen` or `depends_on` it is stale at once. One that a transaction computed which began
        later stays."""
        if seen and self._entry and seen.data_version < self._entry.data_version:
            return
        data_version = seen.data_version if seen and depends_on is not None else -1
        ends_at = sys.maxsize if ends_at is None else ends_at
        self._entry = _Entry(value, depends_on or frozenset(), data_version, ends_at)


class RememberedById(Generic[K, T]):
    """Caches values computed from the rows of some owners, by an id or another key, until a row of
    one of these owners changes.

    They share a `cache` with others, for all threads of a process. `size` gives the bytes of a
    value, `owners` the ids of the owners of a key and its value (by default the key), `ends` when a
    value ends at the latest (ms).
    """

    def __init__(
        self,
        cache: ByteCache,
        size: Callable[[T], int],
        owners: Callable[[K, T], Collection[str]] | None = None,
        ends: Callable[[T], int] | None = None,
    ) -> None:
        self._known = CachedKind[K, _Entry[T]](cache, lambda _, entry: size(entry.value))
        self._owners, self._ends = owners, ends

    def fresh(self, keys: Collection[K], seen: ChangesSeen | None, now: int) -> dict[K, T]:
        """The values of these keys that are cached and not stale now (ms)."""
        if seen is None:
            return {}
        found = self._known.find_all(keys)
        current = seen.changes.data_version()
        is_newest = seen.data_version == current
        return {
            key: entry.value
            for key, entry in zip(keys, found, strict=True)
            if entry
            and now < entry.ends_at
            and ((is_newest and entry.checked == current) or entry.is_fresh(seen))
        }

    def get(self, key: K, seen: ChangesSeen | None, now: int) -> T | None:
        """The value of a key, if it is cached and not stale now (ms)."""
        entry = self._known.find(key) if seen else None
        if entry is None or seen is None or now >= entry.ends_at:
            return None
        return entry.value if entry.is_fresh(seen) else None

    def keep(self, values: Mapping[K, T], seen: ChangesSeen | None) -> None:
        """Cache values that were computed in the transaction of `seen`."""
        if seen is None:
            return
        for key, value in values.items():
            owners = self._owners(key, value) if self._owners else (str(key),)
            ends = self._ends(value) if self._ends else sys.maxsize
            self._known.put(key, _Entry(value, owners, seen.data_version, ends))
