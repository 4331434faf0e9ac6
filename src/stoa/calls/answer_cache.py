"""Ready answers of public reads, kept until what they show changes.

An answer is marked before it is read, and a change is marked after its commit and before anybody
is told of it. So a write makes every answer from before it invisible to whoever knows of the write,
and an answer that was read while a write went on is out of date from the start.

The answers used last lie open, the others packed (LZ4): four to seven fit where one would lie open,
and to open one takes a tenth of the time in which it is made.
"""

from collections import OrderedDict

import lz4.block
import msgspec

from stoa.store.tx import Store

_OPEN_BYTES = 8 * 1024 * 1024
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


class _Shelf:
    """Entries up to so many bytes, the one used last at the end."""

    def __init__(self, most_bytes: int) -> None:
        self._entries: OrderedDict[str, Entry] = OrderedDict()
        self._room = most_bytes

    @property
    def overfull(self) -> bool:
        return self._room < 0

    def use(self, key: str) -> Entry | None:
        entry = self._entries.get(key)
        if entry:
            self._entries.move_to_end(key)
        return entry

    def put(self, key: str, entry: Entry) -> None:
        self._entries[key] = entry
        self._room -= _weight(key, entry)

    def drop(self, key: str) -> None:
        entry = self._entries.pop(key, None)
        if entry:
            self._room += _weight(key, entry)

    def drop_oldest(self) -> tuple[str, Entry]:
        key, entry = self._entries.popitem(last=False)
        self._room += _weight(key, entry)
        return key, entry


class AnswerCache:
    """Keeps answers in `most_bytes` of memory, and a few MB more for the open ones.

    Those that were not used for the longest time go first.
    """

    def __init__(self, store: Store, most_bytes: int) -> None:
        self._store = store
        self._open = _Shelf(min(_OPEN_BYTES, most_bytes))
        self._packed = _Shelf(most_bytes)

    def get(self, key: str, now: int) -> Entry | None:
        """The answer for this request, if it is still true."""
        entry = self._open.use(key)
        packed = None if entry else self._packed.use(key)
        kept = entry or packed
        if kept is None:
            return None
        if now >= kept.expires_at or not self._store.fresh(kept.shown_id, kept.stamp):
            self._drop(key)
            return None
        return entry or self._unpack(key, kept)

    def put(self, key: str, entry: Entry) -> None:
        """Keep an answer, unless it is out of date already; where others write too, all are."""
        if not self._store.fresh(entry.shown_id, entry.stamp):
            return
        self._drop(key)
        self._open.put(key, entry)
        self._make_room()

    def _unpack(self, key: str, packed: Entry) -> Entry:
        entry = msgspec.structs.replace(packed, body=lz4.block.decompress(packed.body))
        self._open.put(key, entry)
        self._make_room()
        return entry

    def _make_room(self) -> None:
        while self._open.overfull:
            key, entry = self._open.drop_oldest()
            if not self._packed.use(key):
                body = lz4.block.compress(entry.body)
                self._packed.put(key, msgspec.structs.replace(entry, body=body))
        while self._packed.overfull:
            self._packed.drop_oldest()

    def _drop(self, key: str) -> None:
        self._open.drop(key)
        self._packed.drop(key)


def _weight(key: str, entry: Entry) -> int:
    return len(key) + len(entry.body) + _ENTRY_BYTES
