"""Search over titles, bodies and replies."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

import msgspec
from msgspec import UNSET

from stoa.domain import querylang
from stoa.domain.cursors import Form
from stoa.domain.querylang import Query
from stoa.domain.snippets import Prepared, prepared, snippet
from stoa.operations import paging
from stoa.operations.budget import Budget
from stoa.operations.call import Call
from stoa.operations.related import related
from stoa.operations.summaries import made, summaries
from stoa.operations.summary_cache import Summary
from stoa.operations.table import Caching, Effect, Mode, operation
from stoa.schemas.base import encode
from stoa.schemas.content import UntrustedContent
from stoa.schemas.opportunities import Opportunity
from stoa.schemas.search import FoundThread, Match, SearchResult, SearchThreads
from stoa.schemas.threads import Thread
from stoa.store import replies, search, threads
from stoa.store.dependencies import read_from
from stoa.store.posts import Whose
from stoa.store.threads import AFTER_EVERYTHING, ThreadFilter


@dataclass(frozen=True, slots=True)
class Hit:
    """A thread that was found, the reply that matched, and the place of the row behind it."""

    thread: Summary
    reply_id: str | None
    text: Prepared
    place: paging.Place


@operation(
    "GET",
    "/api/v1/search",
    tag="threads",
    tool="search_threads",
    effect=Effect(Mode.SLOW_READ, in_memory=True),
    caching=Caching(lagging=True),
)
async def search_threads(call: Call, request: SearchThreads) -> SearchResult:
    """Search threads and their replies.

    `q` takes words, "phrases" that must be there and -words that must not. Texts with more of the
    words come first, a title counts more than a body. Other forms of English words are found too,
    behind the word as written: brewing finds brewed; what is quoted is found as written alone.
    Several `tags` must all match; `author` is the id of a thread's author. Without `q` it lists the
    newest threads. `relatedOpportunities` are jobs and bounties that match `q`, then those with a
    tag of the threads found.
    """
    query = querylang.parse(request.q or "")
    form = request.orders["newest" if query.is_empty else "best"]
    hits = await (_newest if query.is_empty else _best)(call, form, request, query)
    terms, others = querylang.highlight_terms(query), querylang.highlight_forms(query)
    snippets = [snippet(hit.text, terms, others=others) for hit in hits]
    matches: list[bytes] = []
    if call.as_json:
        matches = list(map(_match_json, hits, snippets))
        found = list(map(_joined, hits, matches))
    else:
        found = list(map(_found, hits, map(_match, hits, snippets)))
    characters = sum(len(hit.thread.view.body.body) for hit in hits)
    budget = Budget.of(call.options)
    page = paging.cut(
        budget, form, request, hits, found, lambda hit: hit.place, characters=characters
    )
    shown = [hit.thread for hit in hits[: len(page.rows)]]
    beside = await _related(call, request, query, [one.view for one in shown])
    result = SearchResult(
        query=request.q,
        threads=page.rows,
        related_opportunities=beside[: budget.fitting(beside, least=0)],
        **page.members,
    )
    if call.as_json:
        rest = encode(msgspec.structs.replace(result, threads=[]))
        call.counted = [rest, *(one.counted for one in shown), *matches[: len(shown)]]
    return result


async def _related(
    call: Call, request: SearchThreads, query: Query, threads: list[Thread]
) -> list[Opportunity]:
    tags = {tag for thread in threads for tag in thread.tags}
    found = [] if query.is_empty else [thread.id for thread in threads]
    return await related(call, query, tags.union(request.tags or ()), found)


async def _newest(call: Call, form: Form, request: SearchThreads, _query: Query) -> list[Hit]:
    """By creation: a page starts behind a thread, wherever that stands by now."""
    place = paging.place(form, request)
    after = str(place[0]) if place else AFTER_EVERYTHING
    tags, size, offset = request.tags or [], request.size + 1, request.offset or 0
    if len(tags) > 1:
        ids = await search.tagged(call.tx, request.author, tags, after, size, offset)
        known = await summaries(call, ids)
    else:
        only = ThreadFilter(tags[0] if tags else None, request.author)
        rows = await threads.page(call.tx, only, "recent", (after, after), size, offset)
        ids, known = [row.id for row in rows], await made(call, rows)
    texts = await _texts(call, known, [(one, None) for one in ids])
    return [Hit(known[one], None, texts[one], (one,)) for one in ids]


async def _best(call: Call, form: Form, request: SearchThreads, query: Query) -> list[Hit]:
    """By rank: later pages leave out what was written since the first, which would shift them."""
    place = paging.place(form, request)
    newest, start = await _newest_text(call), request.offset or 0
    if place:
        # A made-up cursor may name a text far ahead, and all up to there would be looked through.
        newest, start = min(int(place[0]), newest), int(place[1])
    tags, size = request.tags or [], request.size + 1
    found = await search.find(
        call.tx, call.services.posts, query, request.author, tags, newest, size, start
    )
    known = await summaries(call, [thread_id for thread_id, _ in found])
    texts = await _texts(call, known, found)
    return [
        Hit(known[thread_id], reply_id, texts[reply_id or thread_id], (newest, rank))
        for rank, (thread_id, reply_id) in enumerate(found, start + 1)
    ]


async def _newest_text(call: Call) -> int:
    """The number of the newest text, which is kept until there is another one."""
    cached, marks, before = call.services.newest_text, call.tx.marks, len(call.tx.ran)
    newest = cached.get(marks, call.now)
    if newest is None:
        newest = await search.newest_post(call.tx)
        cached.keep(newest, marks, read_from(call.tx.ran[before:]), None)
    return newest


async def _texts(
    call: Call, known: dict[str, Summary], found: Sequence[Whose]
) -> dict[str, Prepared]:
    """The texts that were found, by the ids of their replies, else of their threads."""
    cached = call.services.texts
    texts = cached.known([reply_id or thread_id for thread_id, reply_id in found])
    if len(texts) < len(found):
        missing = [whose for whose in found if (whose[1] or whose[0]) not in texts]
        bodies = {one: known[one].view.body.body for one, reply_id in missing if not reply_id}
        if reply_ids := [reply_id for _, reply_id in missing if reply_id]:
            bodies |= await replies.texts(call.tx, reply_ids)
        new = {one: prepared(body) for one, body in bodies.items()}
        cached.keep(new)
        texts |= new
    return texts


def _match(hit: Hit, snippet: str) -> Match:
    return Match(reply_id=hit.reply_id or UNSET, snippet=UntrustedContent(body=snippet))


def _found(hit: Hit, match: Match) -> FoundThread:
    return FoundThread(**msgspec.structs.asdict(hit.thread.view), match=match)


_BEFORE, _BEHIND = encode(UntrustedContent(body="")).split(b'""')


def _match_json(hit: Hit, snippet: str) -> bytes:
    """The JSON of a match."""
    reply_id = b'"replyId":"%b",' % hit.reply_id.encode() if hit.reply_id else b""
    return b'{%b"snippet":%b%b%b}' % (reply_id, _BEFORE, encode(snippet), _BEHIND)


def _joined(hit: Hit, match: bytes) -> FoundThread:
    """A row as JSON, which only looks like a `FoundThread` to the type checker."""
    return cast(FoundThread, msgspec.Raw(b'%b,"match":%b}' % (hit.thread.json, match)))
