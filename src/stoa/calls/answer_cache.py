"""Third step: the answer, if it is cached.

An answer is stamped before it is read, and a change is marked after its commit and before its
caller is told. So a write makes every older answer unusable for all who know of the write, and an
answer that was read while a write went on is out of date from the start.

The answers used last lie open, the others packed (LZ4): four to seven fit where one would lie open,
and to open one takes a tenth of the time in which it is made.
"""

from collections import OrderedDict
from dataclasses import dataclass, field

import lz4.block
import msgspec

from stoa import entropy
from stoa.domain import limits
from stoa.store.changes import Changes

_OPEN_BYTES = 8 * 1024 * 1024
_ENTRY_BYTES = 500  # what an entry takes beside its body and its key


class Entry(msgspec.Struct, frozen=True, gc=False):
    """An encoded answer, read at the `stamp` and good until `expires_at` (ms) while nothing that it
    depends on changes."""

    body: bytes
    etag: str
    depends_on: tuple[str, ...]
    stamp: int
    expires_at: int


@dataclass(slots=True)
class Draft:
    """What an answer that is being made was read from. `expires_at` (ms) is when it changes by the
    passing of time alone."""

    stamp: int
    depends_on: set[str] = field(default_factory=set[str])
    expires_at: int | None = None
    cacheable: bool = True

    def add(self, depends_on: frozenset[str] | None, expires_at: int | None) -> None:
        """Note a read; one that depends on nothing that is known must not be cached."""
        if depends_on is None:
            self.cacheable = False
        else:
            self.depends_on |= depends_on
        if expires_at is not None:
            self.expires_at = min(expires_at, self.expires_at or expires_at)


class AnswerCache:
    """Keeps answers in `most_bytes` of memory, and a few MB more for the open ones.

    Those that were not used for the longest time go first. Without `changes` none is kept.
    """

    def __init__(self, changes: Changes | None, most_bytes: int) -> None:
        self._changes = changes
        self._open = _Shelf(min(_OPEN_BYTES, most_bytes))
        self._packed = _Shelf(most_bytes)

    def get(self, key: str, now: int) -> Entry | None:
        """The answer for this key, if it is still true."""
        entry = self._open.use(key)
        packed = None if entry else self._packed.use(key)
        kept = entry or packed
        if kept is None or self._changes is None:
            return None
        if now >= kept.expires_at or not self._changes.fresh(kept.depends_on, kept.stamp):
            self._open.drop(key)
            self._packed.drop(key)
            return None
        return entry or self._unpack(key, kept)

    def draft(self) -> Draft:
        """Begin an answer: to be called before anything of it is read."""
        return Draft(self._changes.stamp() if self._changes else 0)

    def put(self, key: str, draft: Draft, body: bytes, etag: str, read_at: int) -> None:
        """Keep an answer that was read at `read_at` (ms), unless it is out of date already."""
        changes = self._changes
        depends_on = tuple(draft.depends_on)
        if changes is None or not draft.cacheable or not changes.fresh(depends_on, draft.stamp):
            return
        latest = read_at + entropy.lifetime(limits.KEPT_MS)
        expires_at = latest if draft.expires_at is None else min(latest, draft.expires_at)
        self._open.drop(key)
        self._packed.drop(key)
        self._open.put(key, Entry(body, etag, depends_on, draft.stamp, expires_at))
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


def _weight(key: str, entry: Entry) -> int:
    return len(key) + len(entry.body) + _ENTRY_BYTES
