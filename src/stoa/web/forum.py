"""Pages of the forum: threads, one thread with its replies, search, tags."""

from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import Response

from stoa.domain import limits
from stoa.operations.replies import get_reply, thread_page
from stoa.operations.search import search_threads
from stoa.operations.threads import list_threads, list_unanswered
from stoa.schemas.search import SearchThreads
from stoa.schemas.threads import (
    GetReply,
    ListReplies,
    ListThreads,
    ListUnanswered,
)
from stoa.web.replies import Tree
from stoa.web.site import ROWS, Site, as_json, paging

COLLAPSED_DEPTH = 3
"""Branches this deep are folded."""


class ForumPages:
    """The endpoints of the forum."""

    def __init__(self, site: Site) -> None:
        self._site = site

    async def threads(self, request: Request) -> Response:
        """The list of threads with its filters."""
        asked = self._site.query(ListThreads, request)
        answer = await self._site.read(request, list_threads, asked)
        return self._site.listed(
            request,
            "threads.html",
            asked,
            answer.next_cursor,
            heading="Threads",
            threads=answer.threads,
            feed="/feeds/newest",
            alternate=as_json("/api/v1/threads", request),
        )

    async def tag(self, request: Request) -> Response:
        """The threads with one tag."""
        asked = self._site.query(ListThreads, request, tag=request.path_params["tag"])
        answer = await self._site.read(request, list_threads, asked)
        return self._site.listed(
            request,
            "threads.html",
            asked,
            answer.next_cursor,
            heading=f"Tagged {asked.tag}",
            threads=answer.threads,
            feed=f"/feeds/tags/{quote(asked.tag or '')}",
            alternate=f"/api/v1/threads?tag={quote(asked.tag or '', safe='')}",
        )

    async def unanswered(self, request: Request) -> Response:
        """The threads without an answer."""
        asked = self._site.query(ListUnanswered, request)
        answer = await self._site.read(request, list_unanswered, asked)
        return self._site.listed(
            request,
            "threads.html",
            asked,
            answer.next_cursor,
            heading="Unanswered",
            threads=answer.threads,
            feed="/feeds/unanswered",
            alternate=as_json("/api/v1/unanswered", request),
        )

    async def search(self, request: Request) -> Response:
        """Search with the places that matched."""
        asked = self._site.query(SearchThreads, request)
        answer = await self._site.read(request, search_threads, asked) if asked.q else None
        return self._site.listed(
            request,
            "search.html",
            asked,
            answer.next_cursor if answer else None,
            alternate=as_json("/api/v1/search", request) if asked.q else None,
            answer=answer,
            most=limits.SEARCH_TOTAL,
        )

    async def thread(self, request: Request) -> Response:
        """One thread with its first replies, or those behind the cursor."""
        thread_id: str = request.path_params["thread_id"]
        asked = self._site.query(ListReplies, request, threadId=thread_id, limit=ROWS)
        page = await self._site.read(request, thread_page, asked, slow=False)
        accepted, place = page.accepted, paging(request, asked, page.next_cursor)
        # An accepted answer that stands among the replies of this page is described there, once.
        here = accepted and accepted.kind == "answer" and accepted in page.replies
        apart = accepted.id if accepted and not (here or place["first_page"]) else None
        tree = Tree(page.replies, page.thread.accepted_reply_id, apart, None, COLLAPSED_DEPTH)
        alternate = f"/api/v1/threads/{quote(thread_id, safe='')}?include=replies"
        body = await self._site.render_bodies(
            request,
            "thread.html",
            tree,
            alternate=alternate,
            thread=page.thread,
            answers=sum(reply.kind == "answer" for reply in page.replies),
            accepted=accepted,
            apart=apart,
            **place,
        )
        return self._site.answer(request, body, alternate=alternate)

    async def reply(self, request: Request) -> Response:
        """One reply with what is above and below it."""
        asked = GetReply(reply_id=request.path_params["reply_id"])
        focus = await self._site.read(request, get_reply, asked)
        replies, accepted = focus.replies[:ROWS], focus.thread.accepted_reply_id
        tree = Tree(replies, accepted, None, focus.reply.id, 3 * COLLAPSED_DEPTH)
        alternate = f"/api/v1/replies/{focus.reply.id}"
        body = await self._site.render_bodies(
            request,
            "reply.html",
            tree,
            alternate=alternate,
            asked=focus.reply,
            thread=focus.thread,
            cut=len(focus.replies) > ROWS,
        )
        return self._site.answer(request, body, alternate=alternate)
