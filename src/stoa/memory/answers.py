"""Caches encoded answers, until data that they depend on changes.

An answer gets its data version before it is read. A change is recorded after its commit and before
its caller gets the response. So a client that knows of a write never gets an older answer, and an
answer that was read during a write is stale from the start.

What an answer shows of its authors is eventually consistent, within a minute. So before that time
is over the answer is checked: if none of them has changed since, it is as good as a new one, and
stays.

New answers and those in frequent use are stored as they are sent, the others compressed with LZ4,
which takes a quarter to a seventh of the memory; decompressing takes a tenth of the time of making
the answer. Most answers are read once: one that had no second reader before it would be compressed
is evicted, and its key remembered. If it is made again, it is compressed the next time.
"""

import sys
from collections import OrderedDict
from collections.abc import Callable, Set
from dataclasses import dataclass
from sys import intern

import lz4.block
import msgspec

from stoa import entropy
from stoa.domain import limits
from stoa.store.changes import Changes
from stoa.store.dependencies import eventual

_PLAIN_BYTES = 4 * 1024 * 1024
_LEAST_PART = 8
_ENTRY_BYTES = 900  # memory of an entry without its body and key
_SOON_MS = 10
"""A compressed answer that is read twice within this time is stored decompressed again."""
_MOST_REMEMBERED = 20_000
"""The most keys of evicted answers that are noted, as hashes; beyond that all are dropped, as an
order of them would take more memory than they do."""


class Validity(msgspec.Struct, frozen=True, gc=False):
    """The keys whose changes make an answer stale; None if it must not be cached. At `deadline`
    (ms) it changes without a write. It embeds these agents as they were at the data version
    `since`; some of their members are eventually consistent."""

    depends_on: frozenset[str] | None
    deadline: int | None = None
    embeds: Set[str] = frozenset()
    since: int = 0


class CachedAnswer(msgspec.Struct, gc=False):
    """An encoded answer that was read at `data_version`. It is valid until its `deadline` (ms) or
    until data that it depends on changes; from `check_at` (ms) on only if no agent that it
    `embeds` has changed after the data version `since`. `next_cursor` leads to the next page; an
    answer `for_parties` is the one for callers without a token. `head` are the header lines of a
    page that do not depend on the request; other answers have none. `operation` is the name of the
    one that made it. `used_at` (ms) is when it was read last, 0 if nobody has asked for it twice:
    then it is evicted instead of compressed."""

    kept: bytes
    etag: str
    depends_on: tuple[str, ...]
    data_version: int
    deadline: int | None
    embeds: tuple[str, ...]
    since: int
    check_at: int
    next_cursor: str | None = None
    for_parties: bool = False
    head: bytes = b""
    operation: str = ""
    used_at: int = 0
    is_compressed: bool = False

    @property
    def body(self) -> bytes:
        """The body; decompressed at each access if stored compressed."""
        return lz4.block.decompress(self.kept) if self.is_compressed else self.kept


@dataclass(slots=True)
class ValidityBuilder:
    """How long an unfinished answer is valid, as in `Validity`, by all that was read for it."""

    data_version: int
    depends_on: frozenset[str] = frozenset()
    deadline: int | None = None
    embeds: Set[str] = frozenset()
    since: int = sys.maxsize
    cacheable: bool = True
    next_cursor: str | None = None
    for_parties: bool = False
    head: bytes = b""
    operation: str = ""

    def add(self, read: Validity) -> None:
        """Add how long one read is valid."""
        if read.depends_on is None:
            self.cacheable = False
        else:
            own = self.depends_on
            self.depends_on = own | read.depends_on if own else read.depends_on
        if read.deadline is not None:
            self.deadline = min(read.deadline, self.deadline or read.deadline)
        self.embeds = self.embeds | read.embeds if self.embeds else read.embeds
        self.since = min(self.since, read.since)


class AnswerCache:
    """Caches answers in the part of `max_bytes` that `others` leave, which tells what other caches
    hold, but in an eighth of it at least.

    The least recently used answers are evicted first. Without `changes` nothing is cached. This is
    no `ByteCache`, as what leaves the first of its two parts is compressed and moves to the second.
    """

    def __init__(
        self, changes: Changes | None, max_bytes: int, others: Callable[[], int] = lambda: 0
    ) -> None:
        self._changes = changes or Changes()
        self.is_active = changes is not None and max_bytes > 0
        self._max_bytes, self._others = max_bytes, others
        # A sixteenth of a small cache, so that there is room for compressed answers too.
        self._max_plain = min(_PLAIN_BYTES, max_bytes // _LEAST_PART // 2)
        self._plain, self._compressed = _LruEntries(), _LruEntries()
        self._remembered = set[int]()

    def get(self, key: str, now: int) -> CachedAnswer | None:
        """The cached answer for this key, if it is still valid."""
        entry = self._plain.use(key) or self._compressed.use(key)
        if entry is None:
            return None
        if not self._changes.fresh(entry.depends_on, entry.data_version) or (
            now >= entry.check_at and not self._may_stay(entry, now)
        ):
            # It is stale but was asked for, so its successor will be compressed, not evicted.
            self._plain.drop(key)
            self._compressed.drop(key)
            self._remember(key)
            return None
        if entry.is_compressed and now - entry.used_at < _SOON_MS:
            self._decompress(key, entry)
        entry.used_at = now
        return entry

    def _may_stay(self, entry: CachedAnswer, now: int) -> bool:
        """Whether a new answer would be the same; if so, sets the time of the next check."""
        is_over = entry.deadline is not None and now >= entry.deadline
        if is_over or not self._changes.fresh(eventual(entry.embeds), entry.since):
            return False
        entry.check_at = _check_at(now, entry.deadline)
        return True

    def draft(self) -> ValidityBuilder:
        """Begin an answer. Call this before any of its data is read."""
        return ValidityBuilder(self._changes.data_version())

    def put(self, key: str, draft: ValidityBuilder, body: bytes, etag: str, read_at: int) -> None:
        """Cache an answer that was read at `read_at` (ms), unless it is stale already."""
        deadline, depends_on = draft.deadline, tuple(draft.depends_on)
        may_be_kept = self.is_active and draft.cacheable
        if not may_be_kept or not self._changes.fresh(depends_on, draft.data_version):
            return
        self._compressed.drop(key)
        embeds = tuple(map(intern, draft.embeds))  # which many answers have
        valid = (draft.data_version, deadline, embeds, draft.since, _check_at(read_at, deadline))
        told = (draft.next_cursor, draft.for_parties, draft.head, draft.operation)
        # Hashes take less memory than keys; two keys with one hash cost a compression, no more.
        used_at = read_at if hash(key) in self._remembered else 0
        self._plain.put(key, CachedAnswer(body, etag, depends_on, *valid, *told, used_at))
        if self._plain.kept_bytes > self._max_plain:
            self._evict()

    def _decompress(self, key: str, entry: CachedAnswer) -> None:
        self._compressed.drop(key)
        entry.kept, entry.is_compressed = entry.body, False
        self._plain.put(key, entry)
        self._evict()

    def _evict(self) -> None:
        while self._plain.kept_bytes > self._max_plain:
            key, entry = self._plain.evict_oldest()
            if entry.used_at:
                entry.kept, entry.is_compressed = lz4.block.compress(entry.kept), True
                self._compressed.put(key, entry)
            else:
                self._remember(key)
        # Plain answers are within their bound by now, so only compressed ones can be too many.
        least = self._max_bytes // _LEAST_PART
        if self._kept_bytes() > least:
            left = max(self._max_bytes - self._others(), least)
            while self._kept_bytes() > left:
                key, _ = self._compressed.evict_oldest()
                self._remember(key)

    def _kept_bytes(self) -> int:
        return self._compressed.kept_bytes + self._plain.kept_bytes

    def _remember(self, key: str) -> None:
        """Note that an answer was asked for, and is not stored."""
        if len(self._remembered) == _MOST_REMEMBERED:
            self._remembered.clear()
        self._remembered.add(hash(key))


class _LruEntries:
    """Entries in the order of their last use, with the bytes that they take."""

    def __init__(self) -> None:
        self._entries: OrderedDict[str, CachedAnswer] = OrderedDict()
        self.kept_bytes = 0

    def use(self, key: str) -> CachedAnswer | None:
        entry = self._entries.get(key)
        if entry:
            self._entries.move_to_end(key)
        return entry

    def put(self, key: str, entry: CachedAnswer) -> None:
        replaced = self._entries.pop(key, None)
        self._entries[key] = entry
        self.kept_bytes += _size(key, entry) - (_size(key, replaced) if replaced else 0)

    def drop(self, key: str) -> None:
        entry = self._entries.pop(key, None)
        if entry:
            self.kept_bytes -= _size(key, entry)

    def evict_oldest(self) -> tuple[str, CachedAnswer]:
        key, entry = self._entries.popitem(last=False)
        self.kept_bytes -= _size(key, entry)
        return key, entry


def _check_at(now: int, deadline: int | None) -> int:
    """When an answer of now has to be checked, ms."""
    latest = now + entropy.lifetime(limits.KEPT_MS)
    return latest if deadline is None else min(latest, deadline)


def _size(key: str, entry: CachedAnswer) -> int:
    return len(key) + len(entry.kept) + len(entry.head) + _ENTRY_BYTES
