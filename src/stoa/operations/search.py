"""Search over titles, bodies and replies."""

import msgspec
from msgspec import UNSET

from stoa.domain import cursors, querylang
from stoa.domain.errors import invalid_field
from stoa.domain.querylang import Query
from stoa.operations import paging
from stoa.operations.call import Call
from stoa.operations.opportunities import related
from stoa.operations.table import Mode, operation
from stoa.operations.views import thread_views
from stoa.schemas.content import UntrustedContent
from stoa.schemas.search import FoundThread, Match, SearchResult, SearchThreads
from stoa.schemas.threads import Thread
from stoa.store import replies, search, threads
from stoa.store.threads import ThreadFilter, ThreadRow

Hit = tuple[ThreadRow, str | None, str]


@operation(
    "GET",
    "/api/v1/search",
    tag="threads",
    tool="search_threads",
    mode=Mode.SLOW_READ,
)
async def search_threads(call: Call, request: SearchThreads) -> SearchResult:
    """Search threads and their replies.

    `q` takes words, "phrases" that must be there and -words that must not. Texts with more of the
    words come first, a title counts more than a body. Several `tags` must all match; `author` is the
    id of a thread's author. Without `q` it lists the newest threads.
    """
    query = _query(request)
    place = paging.place("search", (int,), request)
    start = int(place[0]) if place else request.offset or 0
    if query.is_empty:
        hits = await _newest(call, request, start)
    else:
        hits = await _best(call, request, query, start)
    terms = querylang.highlight_terms(query)
    views = await thread_views(call, [row for row, _, _ in hits])
    found = [
        _found(view, reply_id, querylang.snippet(text, terms))
        for view, (_, reply_id, text) in zip(views, hits, strict=True)
    ]
    page = paging.cut(found, sum(len(row.body) for row, _, _ in hits), request)
    following = start + len(page.rows)
    return SearchResult(
        query=request.q,
        threads=page.rows,
        related_opportunities=await related(call, _related_tags(request, views)),
        limit=page.limit,
        offset=page.offset,
        next_offset=page.next_offset,
        next_cursor=cursors.encode("search", following) if page.more else None,
    )


def _related_tags(request: SearchThreads, threads: list[Thread]) -> list[str]:
    """What opportunities should have in common with a search: its tags, else those of what it found."""
    return request.tags or sorted({tag for thread in threads for tag in thread.tags})


def _query(request: SearchThreads) -> Query:
    try:
        return querylang.parse(request.q or "")
    except ValueError as error:
        raise invalid_field("query.q", str(error)) from error


async def _newest(call: Call, request: SearchThreads, start: int) -> list[Hit]:
    tags = request.tags or []
    if len(tags) > 1:
        ids = await search.tagged(call.tx, request.author, tags, request.size + 1, start)
        known = await threads.many(call.tx, ids)
        rows = [known[thread_id] for thread_id in ids]
    else:
        only = ThreadFilter(tags[0] if tags else None, request.author)
        rows = await threads.page(call.tx, only, "recent", None, request.size + 1, start)
    return [(row, None, row.body) for row in rows]


async def _best(call: Call, request: SearchThreads, query: Query, start: int) -> list[Hit]:
    found = await search.find(
        call.tx, query, request.author, request.tags or [], request.size + 1, start
    )
    rows = await threads.many(call.tx, [thread_id for thread_id, _ in found])
    texts = await replies.texts(call.tx, [reply_id for _, reply_id in found if reply_id])
    return [
        (rows[thread_id], reply_id, texts[reply_id] if reply_id else rows[thread_id].body)
        for thread_id, reply_id in found
    ]


def _found(thread: Thread, reply_id: str | None, snippet: str) -> FoundThread:
    match = Match(reply_id=reply_id or UNSET, snippet=UntrustedContent(body=snippet))
    return FoundThread(**msgspec.structs.asdict(thread), match=match)
