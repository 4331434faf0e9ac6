"""Counts the waiting calls of all processes of a server, so that their limits hold for all
together.

Each process writes its calls to its own cells in shared memory, which the others read; so each
process finds out which of its own calls exceed a limit. The cells of a killed process count until
another process takes its place, or until they have not been updated for some seconds.
"""

from collections.abc import Mapping, Sequence
from hashlib import blake2b

from stoa.clock import elapsed_ms
from stoa.domain import limits

_LOOKED, _USED, _FIRST = 0, 1, 2
"""The cells: when its process last looked, how many rows may be in use, then rows of two cells: an
owner and when it began to wait, 0 in a free row."""

_SILENT_MS = limits.HEARTBEATS_MISSED * limits.HEARTBEAT_MS
_STEPS_IN_MS = 1000


class SharedWaits:
    """The waiting calls of this process, in its `own` cells, and those `elsewhere`, except of a
    process that has not looked for `silent_ms`."""

    def __init__(
        self, own: memoryview, elsewhere: Sequence[memoryview], silent_ms: int = _SILENT_MS
    ) -> None:
        self._silent_ms = silent_ms
        own[:] = memoryview(bytes(own.nbytes)).cast("q")  # a worker before may have been killed
        self._own, self._elsewhere = own, elsewhere
        self._free = list(range(len(own) - 2, 0, -2))
        self._last = 0

    def enter(self, owner: str) -> tuple[int, int]:
        """Register a call that begins to wait: its row, and its place in the order of all calls."""
        self._last = max(self._last + 1, elapsed_ms() * _STEPS_IN_MS)
        row = self._free.pop()
        self._own[_USED] = max(self._own[_USED], row + 2)
        self._own[row] = _key(owner)
        self._own[row + 1] = self._last
        return row, self._last

    def leave(self, row: int) -> None:
        """Unregister a call."""
        self._own[row + 1] = 0
        self._free.append(row)

    def elsewhere(self) -> "Elsewhere":
        """The calls that wait in the other processes now. Notes that this process has looked."""
        now = elapsed_ms()
        self._own[_LOOKED] = now
        found: dict[int, list[int]] = {}
        for cells in self._elsewhere:
            if cells[_LOOKED] > now - self._silent_ms:
                rows = cells[_FIRST : cells[_USED]].tolist()
                for key, since in zip(rows[::2], rows[1::2], strict=True):
                    if since:
                        found.setdefault(key, []).append(since)
        return Elsewhere(found)


class Elsewhere:
    """The waiting calls of other processes."""

    def __init__(self, found: Mapping[int, Sequence[int]]) -> None:
        self._found = found

    def newer(self, owner: str, since: int) -> int:
        """How many calls of an owner began to wait after one here."""
        return sum(one > since for one in self._found.get(_key(owner), ()))

    def __bool__(self) -> bool:
        return bool(self._found)


def _key(owner: str) -> int:
    """The number of an owner in a cell."""
    return int.from_bytes(blake2b(owner.encode(), digest_size=8).digest(), "big", signed=True)
