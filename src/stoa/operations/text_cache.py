"""Texts of threads and replies, each made ready once for the snippets of searches.

A text never changes. Whether it is hidden is for the search to know that finds it.
"""

from collections.abc import Mapping, Sequence
from threading import Lock

from stoa.caching import ByteCache
from stoa.domain.snippets import Prepared

_MOST_BYTES = 16 * 1024 * 1024
_LONGEST = 10_000
"""Longer texts, in characters, are made ready anew for each search."""


def _size(_: str, text: Prepared) -> int:
    return text.bytes


class Texts:
    """Texts by the ids of their threads and replies, for all threads of a process."""

    def __init__(self) -> None:
        self._known: ByteCache[str, Prepared] = ByteCache(_MOST_BYTES, _size)
        self._lock = Lock()

    def known(self, ids: Sequence[str]) -> dict[str, Prepared]:
        """Those of these texts that are cached."""
        find = self._known.find
        with self._lock:
            return {one: text for one in ids if (text := find(one))}

    def keep(self, texts: Mapping[str, Prepared]) -> None:
        """Cache these."""
        with self._lock:
            for one, text in texts.items():
                if text.characters <= _LONGEST:
                    self._known.put(one, text)
