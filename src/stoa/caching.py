"""A cache that is bounded by the bytes it holds."""

from collections import OrderedDict
from collections.abc import Callable, Collection, Hashable, Mapping
from operator import attrgetter
from threading import Lock
from typing import Any, Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")

_ENTRY_BYTES = 300  # what an entry takes beside its key and its value

_BYTES = attrgetter("kept_bytes")

USUAL_MB = 112
"""The usual bound of all caches of a process (`STOA_CACHE_MB`)."""


def room(usual_bytes: int, cache_mb: int) -> int:
    """The bytes of a cache that has `usual_bytes` with the usual bound or a smaller one. With a
    larger one it has more in proportion."""
    return usual_bytes * max(cache_mb, USUAL_MB) // USUAL_MB


class ByteCache:
    """A cache of at most `most_bytes` for values of several kinds, for all threads of a process.
    When it is full, the kind that takes most of it evicts."""

    def __init__(self, most_bytes: int) -> None:
        self.kept_bytes = 0
        self.most_bytes = most_bytes
        self.kinds: list[CachedKind[Any, Any]] = []
        self.lock = Lock()

    def make_room(self, wanted: int) -> None:
        """Evict until so many bytes fit."""
        while self.kept_bytes + wanted > self.most_bytes:
            max(self.kinds, key=_BYTES).evict()


class CachedKind(Generic[K, V]):
    """Values of one kind in a cache, evicted with a second chance: one that was used since it was
    put, or last spared, is spared and counts as new. So a lookup reorders nothing.

    `size` gives the bytes of a key and its value.
    """

    def __init__(self, cache: ByteCache, size: Callable[[K, V], int]) -> None:
        self.kept_bytes = 0
        self._cache, self._lock = cache, cache.lock
        self._size = size
        self._values: OrderedDict[K, V] = OrderedDict()
        self._used: set[K] = set()
        cache.kinds.append(self)

    def get(self, key: K, make: Callable[[K], V]) -> V:
        """The value of this key, made of it when it is not there."""
        found = self.find(key)
        if found is None:
            found = make(key)
            self.put(key, found)
        return found

    def find(self, key: K) -> V | None:
        """The value of this key, if it is there."""
        with self._lock:
            found = self._values.get(key)
            if found is not None:
                self._used.add(key)
        return found

    def find_all(self, keys: Collection[K]) -> list[V | None]:
        """The values of these keys, None for those that are not there."""
        with self._lock:
            found = [*map(self._values.get, keys)]
            self._used.update(keys if all(found) else filter(self._values.__contains__, keys))
        return found

    def put(self, key: K, value: V) -> None:
        """Keep a value in the place of what this key had."""
        with self._lock:
            self._put(key, value)

    def put_all(self, values: Mapping[K, V]) -> None:
        """Keep these."""
        with self._lock:
            for key, value in values.items():
                self._put(key, value)

    def drop(self, key: K) -> None:
        """Forget what this key has."""
        with self._lock:
            self._drop(key)

    def evict(self) -> None:
        """Evict the oldest value, unless it was used; then it counts as new."""
        key, value = self._values.popitem(last=False)
        if key in self._used:
            self._used.remove(key)
            self._values[key] = value
        else:
            self._count(-self._weight(key, value))

    def _drop(self, key: K) -> None:
        dropped = self._values.pop(key, None)
        if dropped is not None:
            self._count(-self._weight(key, dropped))
            self._used.discard(key)

    def _put(self, key: K, value: V) -> None:
        self._drop(key)
        weight = self._weight(key, value)
        if weight <= self._cache.most_bytes:
            self._cache.make_room(weight)
            self._values[key] = value
            self._count(weight)

    def _count(self, more: int) -> None:
        self.kept_bytes += more
        self._cache.kept_bytes += more

    def _weight(self, key: K, value: V) -> int:
        return self._size(key, value) + _ENTRY_BYTES
