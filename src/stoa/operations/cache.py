"""Ready answers of public reads, kept until what they show changes.

An answer is marked before it is read, and a change is marked after its commit and before anybody
is told of it. So a write makes every answer from before it invisible to whoever knows of the write,
and an answer that was read while a write went on is out of date from the start.
"""

from collections import OrderedDict

import msgspec

from stoa.store.tx import Store

_MOST_BYTES = 32 * 1024 * 1024
_ENTRY_BYTES = 500  # what an entry takes beside its body and its key


class Entry(msgspec.Struct, frozen=True, gc=False):
    """An encoded answer. `stamp` is the store's mark from before it was read, `expires_at` in ms.

    It is out of date once anything of `shown_id` has changed.
    """

    body: bytes
    etag: str
    shown_id: str
    stamp: int
    expires_at: int


class AnswerCache:
    """Least recently used answers go first when the bytes run over."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._entries: OrderedDict[str, Entry] = OrderedDict()
        self._bytes = 0

    def get(self, key: str, now: int) -> Entry | None:
        """The answer for this request, if it is still true."""
        entry = self._entries.get(key)
        if entry is None:
            return None
        if now < entry.expires_at and self._store.fresh(entry.shown_id, entry.stamp):
            self._entries.move_to_end(key)
            return entry
        self._drop(key)
        return None

    def put(self, key: str, entry: Entry) -> None:
        """Keep an answer."""
        if key in self._entries:
            self._drop(key)
        self._entries[key] = entry
        self._bytes += _weight(key, entry)
        while self._bytes > _MOST_BYTES:
            self._drop(next(iter(self._entries)))

    def _drop(self, key: str) -> None:
        self._bytes -= _weight(key, self._entries.pop(key))


def _weight(key: str, entry: Entry) -> int:
    return len(key) + len(entry.body) + _ENTRY_BYTES
