"""Pages of the forum: threads, one thread with its replies, search, tags."""

from dataclasses import dataclass, field
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import Response

from stoa.operations.replies import get_reply, list_replies
from stoa.operations.search import search_threads
from stoa.operations.threads import get_thread, list_threads, list_unanswered
from stoa.schemas.search import SearchThreads
from stoa.schemas.threads import (
    GetReply,
    GetThread,
    ListReplies,
    ListThreads,
    ListUnanswered,
    Reply,
    Thread,
)
from stoa.web.site import ROWS, Site, as_json, paging

COLLAPSED_DEPTH = 3
"""Branches this deep are folded."""


@dataclass(slots=True)
class Branch:
    """A reply and what is below it on this page."""

    reply: Reply
    children: list["Branch"] = field(default_factory=list["Branch"])


def branches(replies: list[Reply]) -> list[Branch]:
    """The replies of a page as trees; one whose parent is on another page is a root here."""
    known: dict[str, Branch] = {}
    roots: list[Branch] = []
    for reply in replies:
        branch = known[reply.id] = Branch(reply)
        parent = known.get(reply.parent_reply_id or "")
        (parent.children if parent else roots).append(branch)
    return roots


class Forum:
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
        )

    async def thread(self, request: Request) -> Response:
        """One thread with its first replies, or those behind the cursor."""
        thread_id: str = request.path_params["thread_id"]
        read = await self._site.read(request, get_thread, GetThread(thread_id=thread_id))
        asked = self._site.query(ListReplies, request, threadId=thread_id, limit=ROWS)
        page = await self._site.read(request, list_replies, asked)
        alternate = f"/api/v1/threads/{quote(thread_id, safe='')}?include=replies"
        body = await self._site.render_bodies(
            request,
            "thread.html",
            alternate=alternate,
            thread=read.thread,
            replies=page.replies,
            branches=branches(page.replies),
            answers=sum(reply.kind == "answer" for reply in page.replies),
            accepted=await self._accepted(request, read.thread, page.replies),
            **paging(request, asked, page.next_cursor),
            collapsed=COLLAPSED_DEPTH,
        )
        return self._site.answer(request, body, alternate=alternate)

    async def _accepted(
        self, request: Request, thread: Thread, replies: list[Reply]
    ) -> Reply | None:
        """The accepted reply, wherever in the thread it stands."""
        if thread.accepted_reply_id is None:
            return None
        here = [reply for reply in replies if reply.id == thread.accepted_reply_id]
        if here:
            return here[0]
        asked = GetReply(reply_id=thread.accepted_reply_id)
        focus = await self._site.read(request, get_reply, asked)
        return focus.reply

    async def reply(self, request: Request) -> Response:
        """One reply with what is above and below it."""
        asked = GetReply(reply_id=request.path_params["reply_id"])
        focus = await self._site.read(request, get_reply, asked)
        alternate = f"/api/v1/replies/{focus.reply.id}"
        body = await self._site.render_bodies(
            request,
            "reply.html",
            alternate=alternate,
            focus=focus,
            thread=focus.thread,
            replies=focus.replies[:ROWS],
            branches=branches(focus.replies[:ROWS]),
            cut=len(focus.replies) > ROWS,
            collapsed=COLLAPSED_DEPTH * 3,
        )
        return self._site.answer(request, body, alternate=alternate)
