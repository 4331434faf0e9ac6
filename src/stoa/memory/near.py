"""Which threads stand beside one on its page. What is kept is their ids, which the next day are
looked for again; what they say is read with each page."""

from sys import getsizeof
from typing import NamedTuple

from stoa.caching import ByteCache

_MOST_BYTES = 2 * 1024 * 1024


class NearIds(NamedTuple):
    """The threads that are near another one, and until when (ms) they are not looked for again."""

    ids: list[str]
    until: int


class NearMemory:
    """Keeps them by the id of the thread that they are near."""

    def __init__(self) -> None:
        self._found = ByteCache[str, NearIds](_MOST_BYTES, _size)

    def find(self, thread_id: str, now: int) -> NearIds | None:
        """Those of this thread, if they were found and need not be looked for again."""
        found = self._found.find(thread_id)
        return found if found and found.until > now else None

    def keep(self, thread_id: str, near: NearIds) -> NearIds:
        """Keep them."""
        self._found.put(thread_id, near)
        return near


def _size(thread_id: str, near: NearIds) -> int:
    return sum(map(getsizeof, (thread_id, near, near.ids, *near.ids)))
