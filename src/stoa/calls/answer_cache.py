"""Third step: the answer, if it is cached.

An answer gets its stamp before it is read. A change is marked after its commit and before its
caller gets the response. So a client that knows of a write never gets an older answer, and an
answer that was read during a write is stale from the start.

What an answer shows of its authors may be a minute old. So before that time is over the answer is
checked: if none of them has changed since, it is as good as a new one, and stays.

New answers and those in frequent use lie open, the others are packed with LZ4: this takes a quarter
to a seventh of the memory, and opening takes a tenth of the time of making the answer. One that
nobody asked for again while it lay open is not packed but dropped, and its key remembered: most
answers are read once. If it is made again, it is packed in its turn.
"""

import sys
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field

import lz4.block
import msgspec

from stoa import entropy
from stoa.calls.validity import Validity
from stoa.domain import limits
from stoa.store.changes import Changes
from stoa.store.dependencies import late

_OPEN_BYTES = 4 * 1024 * 1024
_LEAST_PART = 8
_ENTRY_BYTES = 900  # memory of an entry without its body and key
_SOON_MS = 10
"""A packed answer that is asked for again so soon lies open from then on."""
_MOST_REMEMBERED = 20_000
"""So many keys of dropped answers; then all are forgotten."""


class CachedAnswer(msgspec.Struct, gc=False):
    """An encoded answer that was read at `stamp`. It is valid until its `deadline` (ms) or until
    data that it depends on changes; from `check_at` (ms) on only if no agent that it `embeds` has
    had a late change after the stamp `since`. `next_cursor` leads to the next page; an answer
    `for_parties` is the one for callers without a token. `head` are the header lines of a page that
    do not depend on the request; other answers have none. `operation` is the name of the one that
    made it. `used_at` (ms) is when it was asked for last, 0 if only now that it
    is made for the first time: then it is not worth to be packed."""

    kept: bytes
    etag: str
    depends_on: tuple[str, ...]
    stamp: int
    deadline: int | None
    embeds: tuple[str, ...]
    since: int
    check_at: int
    next_cursor: str | None = None
    for_parties: bool = False
    head: bytes = b""
    operation: str = ""
    used_at: int = 0
    is_packed: bool = False

    @property
    def body(self) -> bytes:
        """The answer itself; one that is packed is opened each time."""
        return lz4.block.decompress(self.kept) if self.is_packed else self.kept


@dataclass(slots=True)
class ValidityBuilder:
    """How long an unfinished answer is valid, as in `Validity`, by all that was read for it."""

    stamp: int
    depends_on: set[str] = field(default_factory=set[str])
    deadline: int | None = None
    embeds: set[str] = field(default_factory=set[str])
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
            self.depends_on |= read.depends_on
        if read.deadline is not None:
            self.deadline = min(read.deadline, self.deadline or read.deadline)
        self.embeds |= read.embeds
        self.since = min(self.since, read.since)


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
        self._max_open = min(_OPEN_BYTES, max_bytes // _LEAST_PART // 2)
        self._open, self._packed = _LruEntries(), _LruEntries()
        self._remembered = set[int]()

    def get(self, key: str, now: int) -> CachedAnswer | None:
        """The cached answer for this key, if it is still valid."""
        entry = self._open.use(key) or self._packed.use(key)
        if entry is None or self._changes is None:
            return None
        if not self._changes.fresh(entry.depends_on, entry.stamp) or (
            now >= entry.check_at and not self._may_stay(entry, now)
        ):
            self._open.drop(key)
            self._packed.drop(key)
            self._remember(key)
            return None
        if entry.is_packed and now - entry.used_at < _SOON_MS:
            self._lay_open(key, entry)
        entry.used_at = now
        return entry

    def _may_stay(self, entry: CachedAnswer, now: int) -> bool:
        """Whether a new answer would be the same; then the entry is checked again later."""
        assert self._changes
        is_over = entry.deadline is not None and now >= entry.deadline
        if is_over or not self._changes.fresh(late(entry.embeds), entry.since):
            return False
        entry.check_at = _check_at(now, entry.deadline)
        return True

    def draft(self) -> ValidityBuilder:
        """Begin an answer. Call this before any of its data is read."""
        return ValidityBuilder(self._changes.stamp() if self._changes else 0)

    def put(self, key: str, draft: ValidityBuilder, body: bytes, etag: str, read_at: int) -> None:
        """Cache an answer that was read at `read_at` (ms), unless it is stale already."""
        changes, deadline = self._changes, draft.deadline
        depends_on = tuple(draft.depends_on)
        if changes is None or not draft.cacheable or not changes.fresh(depends_on, draft.stamp):
            return
        self._packed.drop(key)
        embeds = tuple(draft.embeds)
        valid = (draft.stamp, deadline, embeds, draft.since, _check_at(read_at, deadline))
        told = (draft.next_cursor, draft.for_parties, draft.head, draft.operation)
        used_at = read_at if hash(key) in self._remembered else 0
        self._open.put(key, CachedAnswer(body, etag, depends_on, *valid, *told, used_at))
        if self._open.kept_bytes > self._max_open:
            self._evict()

    def _lay_open(self, key: str, entry: CachedAnswer) -> None:
        self._packed.drop(key)
        entry.kept, entry.is_packed = entry.body, False
        self._open.put(key, entry)
        self._evict()

    def _evict(self) -> None:
        while self._open.kept_bytes > self._max_open:
            key, entry = self._open.evict_oldest()
            if entry.used_at:
                entry.kept, entry.is_packed = lz4.block.compress(entry.kept), True
                self._packed.put(key, entry)
            else:
                self._remember(key)
        left = max(self._max_bytes - self._others(), self._max_bytes // _LEAST_PART)
        while self._packed.kept_bytes + self._open.kept_bytes > left:
            key, _ = self._packed.evict_oldest()
            self._remember(key)

    def _remember(self, key: str) -> None:
        """Note that an answer was asked for, and is not kept."""
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
    return len(key) + len(entry.kept) + _ENTRY_BYTES
