"""Whose the texts are that searches find, by their numbers. This never changes."""

from collections.abc import Mapping, Sequence
from threading import Lock

from stoa.caching import ByteCache

Whose = tuple[str, str | None]
"""A thread's id, and that of a reply, or None for the text of the thread itself."""

_MOST_BYTES = 8 * 1024 * 1024
_IDS_BYTES = 250


class Posts:
    """Those that were looked up, for all threads of a process."""

    def __init__(self) -> None:
        self._known: ByteCache[int, Whose] = ByteCache(_MOST_BYTES, lambda _number, _: _IDS_BYTES)
        self._lock = Lock()

    def known(self, numbers: Sequence[int]) -> dict[int, Whose]:
        """Those of these texts that were looked up."""
        find = self._known.find
        with self._lock:
            return {number: whose for number in numbers if (whose := find(number))}

    def keep(self, posts: Mapping[int, Whose]) -> None:
        """Cache these."""
        with self._lock:
            for number, whose in posts.items():
                self._known.put(number, whose)
