"""Which threads stand beside one on its page. What is kept is their ids, which the next day are
looked for again; what they say is read with each page."""

from sys import getsizeof
from typing import NamedTuple

from stoa.caching import ByteCache, CachedKind


class NearIds(NamedTuple):
    """The threads that are near another one, and until when (ms) they are not looked for again."""

    ids: list[str]
    until: int


def near_by_id(cache: ByteCache) -> CachedKind[str, NearIds]:
    """Those that are near a thread, by its id."""
    return CachedKind(cache, _size)


def _size(thread_id: str, near: NearIds) -> int:
    return sum(map(getsizeof, (thread_id, near, near.ids, *near.ids)))
