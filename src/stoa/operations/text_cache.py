"""Texts of threads and replies, each made ready once for the snippets of searches.

A text never changes. Whether it is hidden is for the search to know that finds it: the row of a
hidden thread is blank, and nothing is kept of it.
"""

from collections.abc import Collection, Mapping
from threading import Lock

from stoa.caching import ByteCache
from stoa.domain.snippets import PreparedText

_MOST_BYTES = 8 * 1024 * 1024
_LONGEST = 10_000
"""Longer texts, in characters, are made ready anew for each search."""


class TextCache:
    """Texts by the ids of their threads and replies, for all threads of a process."""

    def __init__(self) -> None:
        self._known: ByteCache[str, PreparedText] = ByteCache(_MOST_BYTES, _size)
        self._lock = Lock()

    def known(self, ids: Collection[str]) -> list[PreparedText | None]:
        """The texts with these ids, None for those that are not cached."""
        with self._lock:
            return self._known.find_all(ids)

    def keep(self, texts: Mapping[str, PreparedText]) -> None:
        """Cache these."""
        with self._lock:
            for text_id, text in texts.items():
                if text.characters <= _LONGEST:
                    self._known.put(text_id, text)


def _size(_: str, text: PreparedText) -> int:
    return text.bytes
