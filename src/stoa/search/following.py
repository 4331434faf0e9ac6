"""Updates the index from the event log, in the transaction of the read that needs it."""

from collections.abc import Iterable, Iterator, Sequence
from functools import partial

from stoa.domain.events import EventKind
from stoa.domain.paced import in_pieces
from stoa.logs import log
from stoa.search.index import LogPlace, SearchIndex
from stoa.store import events, search
from stoa.store.events import EventLogState, EventRow
from stoa.store.search import SearchText
from stoa.store.tx import Tx

_LIGHT_CHARACTERS = 10_000
"""How much text is indexed in under a millisecond."""
_STEP_CHARACTERS = 50_000
"""How much text one step indexes, which is also the longest text."""

NEW_TEXTS = {"thread.created", "reply.created", "text.added"}
"""Kinds of events whose subject has a new text for the index."""
CHANGED_THREADS = {"reply.accepted", "moderation.acted", "text.withdrawn"}
"""Kinds of events after which filters find other texts of the thread, or none."""


async def catch_up(tx: Tx, index: SearchIndex, most: int | None = None) -> None:
    """Read the commits since the last time, up to so many events, those `ahead` of the index by
    default, or so long texts, and as many of the texts from before the index. `index.behind` says
    whether there is more.

    On PostgreSQL each statement must see what is committed when it runs: in an older snapshot,
    events below the end of the log may be missing.
    """
    if not index.is_open:
        await tx.aside(index.open)
    elif index.is_busy:
        await tx.aside(index.wait)
    most = most or index.sizes.ahead
    version = tx.seen.data_version if tx.seen else None
    if version is not None and version == index.seen_version and not index.behind:
        return
    may_be_older = bool(tx.ran)  # than what others read meanwhile: only a first read begins it
    with index.lock:  # which may be made anew now
        read = index.place  # before the log, of which others may read more meanwhile
    state = await events.log(tx)
    if may_be_older and read and read.epoch == state.epoch and read.seq > state.newest:
        return
    if why := await _unfit(tx, index, read, state):
        log.info("search index is made anew", reason=why)
        index.clear(await _at(tx, state.newest, state.epoch), read)
    with index.lock:
        place = index.place
    assert place
    if place.seq < state.newest and not index.is_full:
        place = await _follow(tx, index, place, state, most)
    left = index.sizes.ahead_characters
    for _ in range(0, most, index.sizes.texts):
        if index.scanned is None or index.is_full or left <= 0:
            break
        left = await _scan(tx, index, index.scanned, state.newest, left)
    with index.lock:
        if not index.has_read_beyond(state.newest):  # or another search knows of more
            index.behind = place.seq < state.newest or index.scanned is not None
            index.seen_version = -1 if version is None else version


async def _unfit(
    tx: Tx, index: SearchIndex, place: LogPlace | None, state: EventLogState
) -> str | None:
    """Why the index is not of this database, or the log lacks events since; None if neither is
    so."""
    if place is None:
        return "nothing is in its file yet"
    if place.epoch != state.epoch or place.seq > state.newest:
        return "it is of another state of the database"
    if place.seq < state.deleted:
        return "the event log no longer has all that came since"
    # The last event that was deleted is not there to be compared.
    if index.is_checked or place.seq == state.deleted:
        return None
    index.is_checked = place == await _at(tx, place.seq, state.epoch)
    return None if index.is_checked else "it is of another database"


async def _at(tx: Tx, seq: int, epoch: int) -> LogPlace:
    rows = await events.between(tx, seq - 1, seq, 1)
    return LogPlace(epoch, seq, rows[0].id if rows else "")


async def _follow(
    tx: Tx, index: SearchIndex, place: LogPlace, state: EventLogState, most: int
) -> LogPlace:
    rows = await events.between(tx, place.seq, state.newest, most)
    upto, left = state.newest, index.sizes.ahead_characters
    for some in in_pieces(rows, index.sizes.followed):
        left -= await _refresh(tx, index, some, state.newest)
        last, upto = some[-1], some[-1].seq
        with index.lock:
            # Another search may have read further meanwhile.
            if index.place and index.place.seq < upto:
                index.place = LogPlace(place.epoch, upto, last.id)
        if left <= 0:
            break
    return LogPlace(place.epoch, upto, "")


async def _refresh(tx: Tx, index: SearchIndex, rows: Sequence[EventRow], newest: int) -> int:
    """Index the texts of these events, as they are now, unless another search has read the log
    beyond its `newest` row here: then it has these events too. Returns how many characters were
    read."""
    new = {row.subject_id for row in rows if row.kind in NEW_TEXTS}
    replies = {row.subject_id for row in rows if row.kind == EventKind.REPLY_CREATED}
    whole = {row.thread_id for row in rows if row.kind in CHANGED_THREADS and row.thread_id}
    if not new and not whole:
        return 0
    found = await search.numbered(tx, replies, new - replies, whole)
    if not index.mark(found, newest):
        return 0
    live = index.live
    unread = [
        text.number
        for text in found
        if text.is_shown and (text.number not in live or (text.reply_id or text.thread_id) in new)
    ]
    characters = 0
    for some in in_pieces(sorted(unread), index.sizes.texts):
        texts = await search.texts(tx, some)
        characters += sum(text.characters for text in texts)
        for step in _steps(texts):
            await _put(tx, index, step, newest)
    return characters


async def _scan(tx: Tx, index: SearchIndex, after: int, newest: int, left: int) -> int:
    """Index the next texts from before the index, and return how many characters are then left to
    be read; 0 if another search has read the log further meanwhile, so that these texts may be
    older than those that it indexed."""
    most = index.sizes.texts
    texts = await search.behind(tx, after, most)
    for some in _steps(texts):
        if left <= 0 or not await _put(tx, index, some, newest):
            return 0
        left -= sum(text.characters for text in some)
        with index.lock:
            if index.scanned is not None:
                index.scanned = max(index.scanned, some[-1].number)
    if len(texts) < most:
        with index.lock:
            if not index.has_read_beyond(newest):  # or there may be texts that came since
                index.scanned = None
    return left


def _steps(texts: Iterable[SearchText]) -> Iterator[list[SearchText]]:
    """These texts, in steps that a thread may work on although its caller has stopped waiting."""
    some: list[SearchText] = []
    characters = 0
    for text in texts:
        some.append(text)
        characters += text.characters
        if characters >= _STEP_CHARACTERS:
            yield some
            some, characters = [], 0
    if some:
        yield some


async def _put(tx: Tx, index: SearchIndex, texts: Sequence[SearchText], newest: int) -> bool:
    light = sum(text.characters for text in texts) <= _LIGHT_CHARACTERS
    return await tx.aside(partial(index.put, texts, newest), light=light)
