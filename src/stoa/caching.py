"""A cache that is bounded by the memory of what it holds, and what all of them hold."""

from collections import OrderedDict
from collections.abc import Callable, Collection
from typing import Any, Generic, TypeVar
from weakref import ref

K = TypeVar("K")
V = TypeVar("V")

_ENTRY_BYTES = 300  # what an entry takes beside its key and its value

_caches: "list[ref[ByteCache[Any, Any]]]" = []


def kept_bytes() -> int:
    """What all caches of this process hold."""
    return sum(cache.kept_bytes for made in _caches if (cache := made()))


class ByteCache(Generic[K, V]):
    """Keeps values in `most_bytes`; the oldest that were not used lately are evicted.

    All that were used since they were put wait until the others are evicted, and are then taken for
    the oldest: so what is used again and again stays, and to find it moves nothing. `size` gives
    the bytes of a key and its value. For one thread at a time.
    """

    def __init__(self, most_bytes: int, size: Callable[[K, V], int]) -> None:
        self.kept_bytes = 0
        self._most_bytes = most_bytes
        self._size = size
        self._used: OrderedDict[K, V] = OrderedDict()
        self._unused: OrderedDict[K, V] = OrderedDict()
        _caches.append(ref(self, _caches.remove))

    def get(self, key: K, make: Callable[[K], V]) -> V:
        """The value of this key, made of it when it is not there."""
        found = self.find(key)
        if found is None:
            found = make(key)
            self.put(key, found)
        return found

    def find(self, key: K) -> V | None:
        """The value of this key, if it is there."""
        found = self._used.get(key)
        if found is None:
            found = self._unused.pop(key, None)
            if found is not None:
                self._used[key] = found
        return found

    def find_all(self, keys: Collection[K]) -> list[V | None]:
        """The values of these keys, None for those that are not there."""
        found = [*map(self._used.get, keys)]
        return found if all(found) else [*map(self.find, keys)]

    def put(self, key: K, value: V) -> None:
        """Keep a value in the place of what this key had."""
        for values in (self._used, self._unused):
            if key in values:
                self.kept_bytes -= self._weight(key, values.pop(key))
        weight = self._weight(key, value)
        if weight <= self._most_bytes:
            self._make_room(weight)
            self._unused[key] = value
            self.kept_bytes += weight

    def grow(self, key: K, value: V, more: int) -> None:
        """Note that a value, if it is there, takes so many bytes more, or less, than before."""
        if self._used.get(key) is value or self._unused.get(key) is value:
            self.kept_bytes += more
            self._make_room(0)

    def _make_room(self, wanted: int) -> None:
        while self.kept_bytes + wanted > self._most_bytes:
            if not self._unused:
                self._used, self._unused = self._unused, self._used
            self.kept_bytes -= self._weight(*self._unused.popitem(last=False))

    def _weight(self, key: K, value: V) -> int:
        return self._size(key, value) + _ENTRY_BYTES
