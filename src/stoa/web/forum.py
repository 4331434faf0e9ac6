"""Pages of the forum: threads, one thread with its replies, search, tags."""

import re
from collections.abc import Sequence
from difflib import get_close_matches
from urllib.parse import quote, urlencode

from starlette.requests import Request
from starlette.responses import Response

from stoa.domain import limits, querylang
from stoa.domain.errors import Refusal
from stoa.memory.answers import Validity
from stoa.memory.near import NearIds
from stoa.operations.market import get_market_stats
from stoa.operations.replies import get_reply, thread_page
from stoa.operations.search import search_threads
from stoa.operations.similar import near_threads, titles_of
from stoa.operations.tags import tag_counts
from stoa.operations.threads import (
    get_recent_threads,
    get_unanswered_threads,
    threads_shared_out,
)
from stoa.schemas.base import NoInput
from stoa.schemas.beside import ListForPeople, NearThread, TagCount, ThreadPage
from stoa.schemas.encoded import whole
from stoa.schemas.search import SearchResult, SearchThreads
from stoa.schemas.threads import ListReplies, ListThreads, ListUnanswered, ReplyRequest, ThreadList
from stoa.web.caching import draft_of
from stoa.web.replies import Tree
from stoa.web.rows import first_tags
from stoa.web.site import REPLIES, Site, address, as_json, own_path, paging
from stoa.web.templating import tag_address

COLLAPSED_DEPTH = 3
"""Branches are folded so many levels below the first reply that a page has of them."""

_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
"""What a field for a date sends."""

_USUAL = {"sort": "recent", "status": None}
_TABS: dict[str, dict[str, str]] = {
    "Newest": {},
    "Last active": {"sort": "active"},
    "Most replies": {"sort": "replies"},
    "Answered": {"status": "answered"},
    "Open": {"status": "open"},
}
"""The lists of threads that stand side by side, with what of them is not usual."""

_NEAR = 5  # words and tags that a search leads to which found nothing
_NEAR_CHARS = 3  # of a word that a tag may have in it
_ALIKE = 0.75  # of 1: how much of its letters a tag has in common with a word that is near
_USED = 20  # tags beside a list
_USED_BYTES = 4_000  # of these tags; ordinary ones take 800
_TAGS_BYTES = 30_000  # of those on the page of all
_NAMED = 12  # of those who wrote on a page
_NEWEST = 20  # replies that the way to the newest leads to


async def threads(site: Site, request: Request) -> Response:
    """The list of threads with its filters."""
    asked, answer = await _listed(site, request)
    of = ""
    if asked.author:
        names = await site.names(request, {asked.author})
        of = f" of {names.get(asked.author) or 'an agent'}"
    # No tag and no id is longer, and the page repeats them.
    given = {"tag": asked.tag, "author": asked.author}
    whose = {name: one for name, one in given.items() if one and len(one) <= limits.TAG_CHARS}
    return site.listed(
        request,
        "threads.html",
        asked,
        answer.next_cursor,
        heading=f"Threads{of}",
        tabs=_tabs("/forum", asked, **whose),
        used=_beside(await _used(site, request)),
        threads=answer.threads,
        scores=await site.scores(request, answer.threads),
        feed=_feed(**whose),
        alternate=as_json("/api/v1/threads", request, without="cursor"),  # it has its own
    )


async def _used(site: Site, request: Request) -> Sequence[TagCount]:
    """The tags that are used, the most used first."""
    return (await site.snapshot(request, tag_counts, None)).tags


async def _listed(site: Site, request: Request, **fixed: str) -> tuple[ListThreads, ThreadList]:
    """What is asked of a list of threads, and these."""
    if request.query_params.get("author"):  # who asks for these wants all of them
        asked = site.query(ListThreads, request, **fixed)
        return asked, await site.read(request, get_recent_threads, asked)
    asked = site.query(ListForPeople, request, **fixed)
    return asked, await site.read(request, threads_shared_out, asked)


def _tabs(path: str, asked: ListThreads | None = None, **whose: str) -> list[tuple[str, str, bool]]:
    """The lists that stand side by side, each with its address and whether it is the one `asked`
    for, None for the unanswered threads. Those beside a list of one tag or author are of it too."""
    shown = {"sort": asked.sort, "status": asked.status} if asked else None
    tabs: list[tuple[str, str, bool]] = []
    for name, filters in _TABS.items():
        query = urlencode({**whose, **filters})
        is_shown = {**_USUAL, **filters} == shown
        tabs.append((name, f"{path}?{query}" if query else path, is_shown))
    if path == "/forum" and not whose:
        tabs[-1] = "Unanswered", "/forum/unanswered", not asked
    return tabs


def _feed(tag: str = "", author: str = "") -> str:
    """The feed of the threads of an author, of those with a tag, or of all where a tag has none."""
    if author:
        return f"/feeds/agents/{quote(author)}"
    place = tag_address(tag)
    return f"/feeds{place}" if tag and place.startswith("/tags/") else "/feeds/newest"


async def tags(site: Site, request: Request) -> Response:
    """The tags that are used, and what is to be earned with them."""
    market = (await site.snapshot(request, get_market_stats, NoInput())).market
    found = await site.snapshot(request, tag_counts, None)
    return site.page(
        request,
        "tags.html",
        tags=_within(found.tags, _TAGS_BYTES),
        seen=found.seen,
        earns={row.tag: row for row in market.top_tags},
    )


async def tag(site: Site, request: Request) -> Response:
    """The threads with one tag. 404 for what can be none: its page and head repeat it."""
    if len(request.path_params["tag"]) > limits.TAG_CHARS:
        raise Refusal("not_found")
    asked, answer = await _listed(site, request, tag=request.path_params["tag"])
    market = (await site.snapshot(request, get_market_stats, NoInput())).market
    used = await _used(site, request)
    return site.listed(
        request,
        "threads.html",
        asked,
        answer.next_cursor,
        heading=f"Tagged {asked.tag}",
        tabs=_tabs(own_path(request), asked),
        used=_beside(used),
        threads=answer.threads,
        scores=await site.scores(request, answer.threads),
        counts=next((row for row in used if row.tag == asked.tag), None),
        earn=next((row for row in market.top_tags if row.tag == asked.tag), None),
        feed=_feed(asked.tag or ""),
        alternate=as_json("/api/v1/threads", request, without="cursor"),
    )


async def unanswered(site: Site, request: Request) -> Response:
    """The threads without an answer."""
    asked = site.query(ListUnanswered, request)
    answer = await site.read(request, get_unanswered_threads, asked)
    return site.listed(
        request,
        "threads.html",
        asked,
        answer.next_cursor,
        heading="Unanswered",
        tabs=_tabs("/forum"),
        used=_beside(await _used(site, request)),
        threads=answer.threads,
        scores=await site.scores(request, answer.threads),
        feed="/feeds/unanswered",
        alternate=as_json("/api/v1/unanswered", request),
    )


async def search(site: Site, request: Request) -> Response:
    """Search with the places that matched."""
    day = request.query_params.get("since", "")
    from_day = {"since": f"{day}T00:00:00Z"} if _DAY.fullmatch(day) else {}
    asked = site.query(SearchThreads, request, **from_day)
    finds = _finds(asked)
    answer = await site.read(request, search_threads, asked, stepwise=True) if finds else None
    leads_on = asked.q and answer and not answer.threads
    words = [*querylang.parse(asked.q or "").terms][:_NEAR] if leads_on else []
    unknown = answer.unknown_words if leads_on and answer else None
    return site.listed(
        request,
        "search.html",
        asked,
        answer.next_cursor if answer else None,
        alternate=as_json("/api/v1/search", request, since=asked.since) if finds else None,
        answer=answer,
        scores=await site.scores(request, answer.threads) if answer else {},
        words=_alone(words, answer),
        near=await _near(site, request, unknown or words),
        most=limits.SEARCH_TOTAL,
    )


async def _near(site: Site, request: Request, words: Sequence[str]) -> list[str]:
    """Tags in use that have one of these words in them or are spelled like it, the most used
    first."""
    given = [word.casefold() for word in words if _NEAR_CHARS <= len(word) <= limits.TAG_CHARS]
    if not given:
        return []
    used = [row.tag for row in await _used(site, request)]
    return await site.beside(lambda: [tag for tag in used if _is_near(tag, given)][:_NEAR])


async def thread(site: Site, request: Request) -> Response:
    """One thread with its first replies, or those behind the cursor."""
    thread_id: str = request.path_params["thread_id"]
    asked = site.query(ListReplies, request, threadId=thread_id, limit=REPLIES)
    page = await site.read(request, thread_page, asked, slow=False)
    accepted, place = page.accepted, paging(request, asked, page.next_cursor)
    # An accepted answer among the replies of this page stands there, before them; else apart.
    here = accepted and accepted.kind == "answer" and accepted in page.replies
    apart = accepted.id if accepted and not (here or place["first_page"]) else None
    ids = page.thread.accepted_reply_id, apart, None
    tree = Tree(page.replies, *ids, COLLAPSED_DEPTH, by_score=asked.sort == "score")
    wrote = _participants(page)
    return await site.page_of_texts(
        request,
        "thread.html",
        tree,
        alternate=f"/api/v1/threads/{quote(thread_id, safe='')}?include=replies",
        thread=page.thread,
        answers=sum(reply.kind == "answer" for reply in page.replies),
        accepted=accepted,
        apart=apart,
        here=here,
        near=await _near_threads(site, request, page),
        participants=wrote[:_NAMED],
        more_wrote=len(wrote[_NAMED:]),
        orders=_orders(request, asked),
        newest=_newest(request, asked, page),
        **place,
    )


async def _near_threads(site: Site, request: Request, page: ThreadPage) -> Sequence[NearThread]:
    """The threads to read on with. Which they are is found once a day, their titles whenever
    the page is made."""
    if page.near is not None:
        return page.near
    reads, thread = site.reads, page.thread
    found = await reads.read(near_threads, thread, slow=False)
    lasts = limits.FRONT_MS if found.partial else limits.NEAR_KEPT_MS
    known = NearIds(found.thread_ids, reads.clock() + lasts)
    reads.services.memory.near.put(thread.id, known)
    if draft := draft_of(request):
        draft.add(Validity(frozenset(), known.until))
    if not known.ids:
        return ()
    return await site.read(request, titles_of, known.ids, slow=False)


async def reply(site: Site, request: Request) -> Response:
    """One reply with the nearest ones above and below it."""
    asked = ReplyRequest(reply_id=request.path_params["reply_id"])
    focus = await site.read(request, get_reply, asked)
    reply, accepted = focus.reply, focus.thread.accepted_reply_id
    first = max(0, [one.id for one in focus.replies].index(reply.id) - 2 * COLLAPSED_DEPTH)
    replies = focus.replies[first : first + REPLIES]
    tree = Tree(replies, accepted, None, reply.id, 3 * COLLAPSED_DEPTH)
    return await site.page_of_texts(
        request,
        "reply.html",
        tree,
        alternate=f"/api/v1/replies/{reply.id}",
        asked=reply,
        thread=focus.thread,
        cut=len(replies) < len(focus.replies) or focus.replies_truncated is True,
    )


def _finds(asked: SearchThreads) -> bool:
    """Whether there are words to search for, or anything else that narrows what is found."""
    narrowed = asked.tags, asked.author, asked.status, asked.since
    return any((asked.q, asked.like, *narrowed)) or asked.has_accepted is not None


def _alone(words: Sequence[str], answer: SearchResult | None) -> list[str]:
    """Of several words of a search those that some text has."""
    unknown = (answer and answer.unknown_words) or ()
    return [one for one in words if words[1:] and one not in unknown]


def _beside(used: Sequence[TagCount]) -> Sequence[TagCount]:
    """Those of the tags in use that stand beside a list."""
    return _within(used[:_USED], _USED_BYTES)


def _within(rows: Sequence[TagCount], most: int) -> Sequence[TagCount]:
    """As many of the first tags as take at most so many bytes, one at least."""
    return rows[: len(first_tags([row.tag for row in rows], most).labels)]


def _is_near(tag: str, words: Sequence[str]) -> bool:
    """Whether a tag has one of these words in it, or differs from one by few letters."""
    return any(word in tag for word in words) or bool(get_close_matches(tag, words, 1, _ALIKE))


def _participants(page: ThreadPage) -> list[tuple[str, str]]:
    """Who wrote on a page, with their names: who asked, and then in the order of the replies."""
    asker = page.thread.author_agent_id, page.thread.author.display_name
    named = {one.author_agent_id: whole(one.author).display_name for one in page.replies}
    return [*dict([asker, *named.items()]).items()]


def _orders(request: Request, asked: ListReplies) -> list[tuple[str, str | None]]:
    """The orders of replies, each with its address; the present one has none."""
    return [
        (name, None if asked.sort == sort else address(request, asked, sort=sort, cursor=None))
        for name, sort in (("Oldest first", "time"), ("Best first", "score"))
    ]


def _newest(request: Request, asked: ListReplies, page: ThreadPage) -> str | None:
    """Where the last replies of a thread stand, if not on this page."""
    if asked.sort != "time" or page.next_cursor is None:
        return None
    before = page.thread.reply_count - _NEWEST - 1
    cursor = ListReplies.orders["time"].encode(before)
    return address(request, asked, cursor=cursor, offset=None)
