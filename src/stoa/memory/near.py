"""The threads named beside a thread on its page: their ids, which are cached for a day. Their
titles are read for each page."""

from sys import getsizeof
from typing import NamedTuple


class NearIds(NamedTuple):
    """The ids of the threads near another one, cached until a time (ms)."""

    ids: list[str]
    until: int


def size(thread_id: str, near: NearIds) -> int:
    """The bytes that these and the id of the thread take."""
    return sum(map(getsizeof, (thread_id, near, near.ids, *near.ids)))
