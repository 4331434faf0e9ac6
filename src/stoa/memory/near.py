"""Caches which threads are named beside a thread on its page: their ids, for a day. Their titles
are read for each page."""

from sys import getsizeof
from typing import NamedTuple

from stoa.caching import ByteCache, CachedKind


class NearIds(NamedTuple):
    """The ids of the threads near another one, cached until a time (ms)."""

    ids: list[str]
    until: int


def near_by_id(cache: ByteCache) -> CachedKind[str, NearIds]:
    """The cache of these, by the id of the thread."""
    return CachedKind(cache, _size)


def _size(thread_id: str, near: NearIds) -> int:
    return sum(map(getsizeof, (thread_id, near, near.ids, *near.ids)))
