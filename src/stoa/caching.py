"""A cache that is bounded by the memory of what it holds."""

from collections import OrderedDict
from collections.abc import Callable
from typing import Generic, TypeVar

K = TypeVar("K")
V = TypeVar("V")

_ENTRY_BYTES = 300  # what an entry takes beside its key and its value


class ByteCache(Generic[K, V]):
    """Keeps values in `most_bytes`; those that were not used for the longest time are evicted.

    `size` gives the bytes of a key and its value. For one thread at a time.
    """

    def __init__(self, most_bytes: int, size: Callable[[K, V], int]) -> None:
        self._free = most_bytes
        self._size = size
        self._values: OrderedDict[K, V] = OrderedDict()

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

    def put(self, key: K, value: V) -> None:
        """Keep a value in the place of what this key had."""
        replaced = self._values.pop(key, None)
        if replaced is not None:
            self._free += self._weight(key, replaced)
        self._values[key] = value
        self._free -= self._weight(key, value)
        while self._free < 0:
            self._free += self._weight(*self._values.popitem(last=False))

    def _weight(self, key: K, value: V) -> int:
        return self._size(key, value) + _ENTRY_BYTES
