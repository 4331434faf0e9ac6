"""Search over titles, bodies and replies."""

import struct
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from msgspec import UNSET

from stoa.domain import base64url, limits, querylang
from stoa.domain.attributions import without_attribution
from stoa.domain.querylang import Query
from stoa.domain.snippets import PreparedText, Sought, prepared, snippet
from stoa.memory.searched import ListedThread, keep_texts
from stoa.operations.call import Call
from stoa.operations.parts import paging
from stoa.operations.related import kept_views, related
from stoa.operations.summaries import made, summaries
from stoa.operations.table import Effect, Mode, Toolset, operation
from stoa.operations.threads import found_thread
from stoa.schemas.base import iso, read_time
from stoa.schemas.content import UntrustedContent
from stoa.schemas.search import Match, SearchResult, SearchThreads
from stoa.search import finding
from stoa.search.finding import SearchPlace, TextsWanted
from stoa.search.following import catch_up
from stoa.search.similar import similar
from stoa.store import replies, search, threads
from stoa.store.opportunities import OpportunityRow
from stoa.store.places import AFTER_EVERYTHING, PagePart, RowPosition
from stoa.store.search import Narrowing
from stoa.store.threads import ThreadFilter

_LIGHT_CHARACTERS = 100_000
"""How many characters are prepared for snippets, or searched for one, in a millisecond."""


class SearchHits(NamedTuple):
    """The ids of the threads found, the id of the text of each that matches these words, and what
    gives the place of each; `total` counts all. With an `end` there may be more after it. `unknown`
    are words that no text has."""

    threads: dict[str, ListedThread]
    texts: Mapping[str, str]
    words: Query
    place_of: Callable[[str], paging.ListPosition]
    total: int
    is_partial: bool
    end: paging.ListPosition | None = None
    unknown: Sequence[str] = ()


@operation(
    "GET /api/v1/search",
    tag="threads",
    toolsets=(Toolset.DEFAULT, Toolset.ASK),
    effect=Effect(Mode.SLOW_READ, stepwise=True),
    errors=("not_found", "removed", "held"),
)
async def search_threads(call: Call, request: SearchThreads) -> SearchResult:
    """Search threads and their replies.

    It finds threads with all words of `q`, in any form, or with one that few texts have; words
    that no text has are left out if half remain, at least two. Several `tags` must all match.
    Without `q` the newest come first. `relatedOpportunities` match `q`, then the tags of the
    threads found.
    """
    query = querylang.parse(request.q or "")
    await catch_up(call.tx, call.services.index)
    if request.like:
        found = await _like(call, request, request.like)
    else:
        lists = query.is_empty and request.sort != "score"
        found = await (_newest if lists else _best)(call, request, query)
    matches = await _matches(call, found)
    rows = [*map(ListedThread.found, found.threads.values(), matches)]
    characters = sum([one.thread.characters for one in found.threads.values()])
    page = paging.cut(
        call.options, request, [*found.threads], rows, found.place_of, characters, end=found.end
    )
    shown = await _related(call, request, query, found, len(page.rows))
    beside = await kept_views(call, shown)
    return SearchResult(
        query=request.q,
        threads=page.rows,
        related_opportunities=beside[: page.budget.fitting(beside, least=0)],
        total=found.total,
        partial=found.is_partial or UNSET,
        unknown_words=[*found.unknown] or UNSET,
        **page.members,
    )


async def best_of_week(call: Call, _: None) -> SearchResult:
    """The threads of the last week that have an accepted reply, the best ones first. For the front
    page; not an operation of its own."""
    since = iso(call.now - 7 * limits.DAY_MS)
    return await search_threads(call, SearchThreads(sort="score", has_accepted=True, since=since))


async def _related(
    call: Call, request: SearchThreads, query: Query, found: SearchHits, count: int
) -> list[OpportunityRow]:
    """The opportunities beside the first page."""
    first = [*found.threads.values()][:count]
    tags = frozenset(request.tags or ()).union(*[one.thread.tags for one in first])
    return await related(call, query, tags, [] if query.is_empty else [*found.threads][:count])


async def _newest(call: Call, request: SearchThreads, query: Query) -> SearchHits:
    """By creation: a page starts after a thread, even one that has moved since."""
    narrowed, index = _narrowed(request), call.services.index
    size = limits.SEARCH_TOTAL if narrowed.since else 0
    counted = await finding.find(call.tx, index, Query(), narrowed, TextsWanted(index.newest, size))
    if narrowed.since and counted.total < size and not counted.is_partial:
        known, end = await _all_since(call, request, counted.texts)
    else:
        known, end = await _page_of_newest(call, request, narrowed)

    def place_of(thread_id: str) -> paging.ListPosition:
        return (thread_id,)

    told = counted.total, counted.is_partial, end and end[1:]
    return SearchHits(known, {one: one for one in known}, query, place_of, *told)


ThreadsPage = tuple[dict[str, ListedThread], RowPosition | None]
"""Threads of a page by id, and its end if there may be more."""


async def _all_since(call: Call, request: SearchThreads, found: Iterable[str]) -> ThreadsPage:
    """A page of these threads, which are all since a time. One that was held may have an older id,
    so that it stands after threads that were created before that time."""
    (place,) = paging.place(request, (AFTER_EVERYTHING,))
    behind = [one for one in sorted(found, reverse=True) if one < place]
    return await _still_shown(call, behind[request.skip :][: request.size + 1], request.size + 1)


async def _still_shown(call: Call, ids: Sequence[str], size: int) -> ThreadsPage:
    """Those of these threads that are not hidden by now. If some are hidden and there are `size`
    ids, there may be more."""
    known = await summaries(call, ids)
    return known, (ids[-1], ids[-1]) if len(known) < len(ids) == size else None


async def _page_of_newest(call: Call, request: SearchThreads, narrowed: Narrowing) -> ThreadsPage:
    """A page of the newest threads. If a thousand or more match since a time, those with older ids
    are left out."""
    (place,) = paging.place(request, (AFTER_EVERYTHING,))
    part = PagePart((place, place), request.size + 1, request.skip)
    tags, end = request.tags or [], None
    if len(tags) > 1:
        end = await search.tagged_end(call.tx, tags, part.after)
        ids = await search.tagged(call.tx, narrowed, part._replace(upto=end))
        known, early = await _still_shown(call, ids, part.limit)
        end = early or end
    else:
        only = ThreadFilter(tags[0] if tags else None, request.author, narrowed.status)
        rows = await threads.page(call.tx, only, "recent", part)
        known = await made(call, rows)
    if narrowed.since:  # behind the first older one all are older
        first = iso(narrowed.since)
        recent = {one: it for one, it in known.items() if it.thread.created_at >= first}
        end = end if len(recent) == len(known) else None
        known = recent
    return known, end


async def _like(call: Call, request: SearchThreads, thread_id: str) -> SearchHits:
    """The few threads that seem to ask the same as a thread."""
    thread, index = await found_thread(call, thread_id), call.services.index
    asked = (thread.title, thread.body, limits.PAGE_MAX)
    alike = await similar(call.tx, index, *asked, but=thread_id)
    all_ids = [one.thread_id for one in alike]
    start = _behind_alike(all_ids, paging.place(request, None), request.skip)
    known = await summaries(call, all_ids[start : start + request.size + 1])
    words = Query(tuple((word,) for one in alike[:1] for word in one.matched_on))

    def place_of(thread_id: str) -> paging.ListPosition:
        return all_ids.index(thread_id), thread_id

    texts = {one: one for one in known}
    return SearchHits(known, texts, words, place_of, len(all_ids), index.behind)


def _behind_alike(ids: Sequence[str], place: tuple[int, str] | None, skip: int) -> int:
    """The number of the first thread of a page: after the last one of the page before, or its
    former place if that is hidden by now."""
    if place is None:
        return skip
    number, last = place
    return ids.index(last) + 1 if last in ids else number


async def _best(call: Call, request: SearchThreads, query: Query) -> SearchHits:
    """By rank, or the newest threads first. Later pages leave out threads that are newer than the
    first page, which would shift them."""
    named: paging.ListPosition | None = paging.place(request, None)
    index = call.services.index
    newest, after = index.newest, None
    if named:
        # A made-up cursor may name any text.
        newest, after = max(0, min(int(named[0]), newest)), _place(named)
    size = request.size + 1
    wanted = TextsWanted(newest, size, request.skip, request.sort, after)
    found = await finding.find(call.tx, index, query, _narrowed(request), wanted)
    known = await summaries(call, found.texts)
    texts = {one: found.texts[one] for one in known}

    def place_of(thread_id: str) -> paging.ListPosition:
        return newest, *_named(found.place(found.numbers[thread_id]))

    # Of a full page some threads may have been hidden meanwhile.
    end = None
    if found.last is not None and len(known) < size:
        end = newest, *_named(found.place(found.last))
    told = found.total, found.is_partial, end, found.unknown
    return SearchHits(known, texts, query, place_of, *told)


def _named(place: SearchPlace) -> paging.ListPosition:
    """A place in the form of a cursor, with two bytes for each rarity."""
    return base64url.encode(struct.pack(f">{len(place.rarities)}H", *place.rarities)), *place.key


def _place(named: paging.ListPosition) -> SearchPlace:
    """The place that a cursor names, without rarities if an invented one has none."""
    _, encoded, *key = named
    try:
        rarities = [*struct.iter_unpack(">H", base64url.decode(str(encoded)))]
    except (ValueError, struct.error):
        rarities = []
    return SearchPlace([one for (one,) in rarities], tuple(map(int, key)))


_NO_STATUS = "none"
"""A filter that no thread passes: an open thread has no accepted reply, and an answered one has
one."""


def _narrowed(request: SearchThreads) -> Narrowing:
    """The filters of the request."""
    statuses = {request.status} - {None}
    if request.has_accepted is not None:
        statuses.add("answered" if request.has_accepted else "open")
    status = statuses.pop() if statuses else None
    since = read_time(request.since) if request.since else None
    return Narrowing(
        request.author, request.tags or (), _NO_STATUS if statuses else status, since or 0
    )


async def _matches(call: Call, found: SearchHits) -> list[Match]:
    """How the texts of the threads match."""
    texts = await _texts(call, found.threads.values(), found.texts)
    sought = Sought(found.words.terms, found.words.other_terms)

    def cut() -> list[Match]:
        return [
            Match(
                reply_id=UNSET if text_id == thread_id else text_id,
                snippet=UntrustedContent(body=snippet(texts[text_id], sought)),
            )
            for thread_id, text_id in found.texts.items()
        ]

    long = sum(text.characters for text in texts.values() if not text.short)
    return await call.tx.aside(cut, light=long <= _LIGHT_CHARACTERS)


async def _texts(
    call: Call, known: Collection[ListedThread], found: Mapping[str, str]
) -> dict[str, PreparedText]:
    """The found texts; those not cached are cached from now on. One with additions may have more of
    them by now, and is made anew."""
    added = {one.thread.id for one in known if one.thread.extended}
    cached = zip(found.values(), call.services.memory.texts.find_all(found.values()), strict=True)
    texts = {text_id: text for text_id, text in cached if text and text_id not in added}
    missing = {text_id: whose for whose, text_id in found.items() if text_id not in texts}
    if missing:
        bodies = {one.thread.id: one.text() for one in known if one.thread.id in missing}
        if reply_ids := [text_id for text_id, whose in missing.items() if text_id != whose]:
            bodies |= await replies.texts(call.tx, reply_ids)
        whole = sum(len(bodies[text_id]) for text_id in missing)
        new = await call.tx.aside(
            lambda: {one: prepared(without_attribution(bodies[one])) for one in missing},
            light=whole <= _LIGHT_CHARACTERS,
        )
        keep_texts(call.services.memory.texts, new)
        texts |= new
    return texts
