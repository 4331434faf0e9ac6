"""Third step: the answer, if it is cached.

An answer gets its stamp before it is read. A change is marked after its commit and before its
caller gets the response. So a client that knows of a write never gets an older answer, and an
answer that was read during a write is stale from the start.

Recently used answers are stored as they are, the others compressed with LZ4: this takes a quarter
to a seventh of the memory, and decompressing takes a tenth of the time of making the answer.
"""

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from sys import intern

import lz4.block
import msgspec

from stoa import entropy
from stoa.domain import limits
from stoa.store.changes import Changes

_PLAIN_BYTES = 4 * 1024 * 1024
_LEAST_PART = 8
_ENTRY_BYTES = 700  # memory of an entry without its body and key


class Entry(msgspec.Struct, frozen=True, gc=False):
    """An encoded answer that was read at `stamp`. It is valid until `expires_at` (ms) or until data
    that it depends on changes. `next_cursor` leads to the next page; an answer `for_parties` is the
    one for callers without a token. `head` are the header lines of a page that do not depend on the
    request; other answers have none. `operation` is the name of the one that made it."""

    body: bytes
    etag: str
    depends_on: tuple[str, ...]
    stamp: int
    expires_at: int
    next_cursor: str | None = None
    for_parties: bool = False
    head: bytes = b""
    operation: str = ""


@dataclass(slots=True)
class Draft:
    """What an unfinished answer depends on. At `expires_at` (ms) the answer changes without a
    write, because a deadline passes."""

    stamp: int
    depends_on: set[str] = field(default_factory=set[str])
    expires_at: int | None = None
    cacheable: bool = True
    next_cursor: str | None = None
    for_parties: bool = False
    head: bytes = b""
    operation: str = ""

    def add(self, depends_on: frozenset[str] | None, expires_at: int | None) -> None:
        """Add what a read depends on; None if that is unknown, so that it must not be cached."""
        if depends_on is None:
            self.cacheable = False
        else:
            self.depends_on |= depends_on
        if expires_at is not None:
            self.expires_at = min(expires_at, self.expires_at or expires_at)


class AnswerCache:
    """Caches answers in the part of `max_bytes` that `others` leave, which tells what other caches
    hold, but in an eighth of it at least.

    The least recently used answers are evicted first. Without `changes` nothing is cached.
    """

    def __init__(
        self, changes: Changes | None, max_bytes: int, others: Callable[[], int] = lambda: 0
    ) -> None:
        self._changes = changes
        self.is_active = changes is not None and max_bytes > 0
        self._max_bytes, self._others = max_bytes, others
        self._max_plain = min(_PLAIN_BYTES, max_bytes // _LEAST_PART // 2)
        self._plain, self._compressed = _LruEntries(), _LruEntries()

    def get(self, key: str, now: int) -> Entry | None:
        """The cached answer for this key, if it is still valid."""
        entry = self._plain.use(key)
        compressed = None if entry else self._compressed.use(key)
        found = entry or compressed
        if found is None or self._changes is None:
            return None
        if now >= found.expires_at or not self._changes.fresh(found.depends_on, found.stamp):
            self._plain.drop(key)
            self._compressed.drop(key)
            return None
        return entry or self._decompress(key, found)

    def draft(self) -> Draft:
        """Begin an answer. Call this before any of its data is read."""
        return Draft(self._changes.stamp() if self._changes else 0)

    def put(self, key: str, draft: Draft, body: bytes, etag: str, read_at: int) -> None:
        """Cache an answer that was read at `read_at` (ms), unless it is stale already."""
        changes = self._changes
        depends_on = tuple(map(intern, draft.depends_on))  # answers share their authors
        if changes is None or not draft.cacheable or not changes.fresh(depends_on, draft.stamp):
            return
        latest = read_at + entropy.lifetime(limits.KEPT_MS)
        expires_at = latest if draft.expires_at is None else min(latest, draft.expires_at)
        self._compressed.drop(key)
        told = (draft.next_cursor, draft.for_parties, draft.head, draft.operation)
        self._plain.put(key, Entry(body, etag, depends_on, draft.stamp, expires_at, *told))
        if self._plain.kept_bytes > self._max_plain:
            self._evict()

    def _decompress(self, key: str, compressed: Entry) -> Entry:
        entry = msgspec.structs.replace(compressed, body=lz4.block.decompress(compressed.body))
        self._plain.put(key, entry)
        self._evict()
        return entry

    def _evict(self) -> None:
        while self._plain.kept_bytes > self._max_plain:
            key, entry = self._plain.evict_oldest()
            if not self._compressed.use(key):
                body = lz4.block.compress(entry.body)
                self._compressed.put(key, msgspec.structs.replace(entry, body=body))
        left = max(self._max_bytes - self._others(), self._max_bytes // _LEAST_PART)
        while self._compressed.kept_bytes + self._plain.kept_bytes > left:
            self._compressed.evict_oldest()


class _LruEntries:
    """Entries in the order of their last use, with the bytes that they take."""

    def __init__(self) -> None:
        self._entries: OrderedDict[str, Entry] = OrderedDict()
        self.kept_bytes = 0

    def use(self, key: str) -> Entry | None:
        entry = self._entries.get(key)
        if entry:
            self._entries.move_to_end(key)
        return entry

    def put(self, key: str, entry: Entry) -> None:
        replaced = self._entries.pop(key, None)
        self._entries[key] = entry
        self.kept_bytes += _size(key, entry) - (_size(key, replaced) if replaced else 0)

    def drop(self, key: str) -> None:
        entry = self._entries.pop(key, None)
        if entry:
            self.kept_bytes -= _size(key, entry)

    def evict_oldest(self) -> tuple[str, Entry]:
        key, entry = self._entries.popitem(last=False)
        self.kept_bytes -= _size(key, entry)
        return key, entry


def _size(key: str, entry: Entry) -> int:
    return len(key) + len(entry.body) + _ENTRY_BYTES
