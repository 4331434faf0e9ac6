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
    """Keeps values in `most_bytes`; those that were not used for the longest time are evicted.

    `size` gives the bytes of a key and its value. For one thread at a time.
    """

    def __init__(self, most_bytes: int, size: Callable[[K, V], int]) -> None:
        self.kept_bytes = 0
        self._most_bytes = most_bytes
        self._size = size
        self._values: OrderedDict[K, V] = OrderedDict()
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
        found = self._values.get(key)
        if found is not None:
            self._values.move_to_end(key)
        return found

    def find_all(self, keys: Collection[K]) -> list[V | None]:
        """The values of these keys, None for those that are not there."""
        found, use = [*map(self._values.get, keys)], self._values.move_to_end
        for key, value in zip(keys, found, strict=True):
            if value is not None:
                use(key)
        return found

    def put(self, key: K, value: V) -> None:
        """Keep a value in the place of what this key had."""
        replaced = self._values.pop(key, None)
        if replaced is not None:
            self.kept_bytes -= self._weight(key, replaced)
        self._values[key] = value
        self._take(self._weight(key, value))

    def grow(self, key: K, value: V, more: int) -> None:
        """Note that a value, if it is there, takes so many bytes more, or less, than before."""
        if self._values.get(key) is value:
            self._take(more)

    def _take(self, wanted: int) -> None:
        self.kept_bytes += wanted
        while self.kept_bytes > self._most_bytes:
            self.kept_bytes -= self._weight(*self._values.popitem(last=False))

    def _weight(self, key: K, value: V) -> int:
        return self._size(key, value) + _ENTRY_BYTES
