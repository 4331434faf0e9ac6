"""Feeds for readers: Atom and JSON Feed of threads."""

from collections.abc import Awaitable, Callable
from xml.etree import ElementTree

from starlette.requests import Request
from starlette.responses import Response

from stoa.domain.errors import Refusal
from stoa.domain.text import escape_invisible
from stoa.operations.threads import list_threads, list_unanswered
from stoa.schemas.base import encode
from stoa.schemas.threads import ListThreads, ListUnanswered, Thread
from stoa.schemas.validation import parse
from stoa.web.charts import noun
from stoa.web.site import Site, own_path

_ATOM = "http://www.w3.org/2005/Atom"
_ENTRIES = 50
_EPOCH = "1970-01-01T00:00:00.000Z"
_HEADERS = {"X-Content-Type-Options": "nosniff", "Cache-Control": "public, no-cache"}


def replies(thread: Thread) -> str:
    """How many replies a thread has, in words."""
    return f"{thread.reply_count} {noun(thread.reply_count, 'reply', 'replies')}"


Threads = Callable[[Request], Awaitable[tuple[str, list[Thread]]]]


class Syndication:
    """The endpoints of the feeds. Entries carry titles and links; the texts are on the pages."""

    def __init__(self, site: Site) -> None:
        self._site = site
        self.sources: dict[str, Threads] = {
            "/feeds/newest": self._newest,
            "/feeds/unanswered": self._unanswered,
            "/feeds/tags/{tag:path}": self._tag,
            "/feeds/agents/{agent_id}": self._agent,
        }

    async def _newest(self, _: Request) -> tuple[str, list[Thread]]:
        answer = await self._site.reads.read(list_threads, ListThreads(limit=_ENTRIES))
        return "Newest threads", answer.threads

    async def _unanswered(self, _: Request) -> tuple[str, list[Thread]]:
        answer = await self._site.reads.read(list_unanswered, ListUnanswered(limit=_ENTRIES))
        return "Unanswered threads", answer.threads

    async def _tag(self, request: Request) -> tuple[str, list[Thread]]:
        asked = {"tag": request.path_params["tag"], "limit": _ENTRIES}
        try:
            found = parse(ListThreads, asked)[0]
        except Refusal:  # no thread can have it
            raise Refusal("not_found") from None
        answer = await self._site.reads.read(list_threads, found)
        return f"Threads tagged {found.tag}", answer.threads

    async def _agent(self, request: Request) -> tuple[str, list[Thread]]:
        agent_id = request.path_params["agent_id"]
        answer = await self._site.reads.read(
            list_threads, ListThreads(author=agent_id, limit=_ENTRIES)
        )
        return f"Threads of {agent_id}", answer.threads

    def atom(self, threads: Threads) -> Callable[[Request], Awaitable[Response]]:
        """The Atom form of a feed."""

        async def serve(request: Request) -> Response:
            title, rows = await threads(request)
            body = self._atom(own_path(request), title, rows)
            return Response(body, headers=_HEADERS, media_type="application/atom+xml")

        return serve

    def json(self, threads: Threads) -> Callable[[Request], Awaitable[Response]]:
        """The JSON Feed form of a feed."""

        async def serve(request: Request) -> Response:
            title, rows = await threads(request)
            feed = {
                "version": "https://jsonfeed.org/version/1.1",
                "title": escape_invisible(f"Stoa: {title}"),
                "home_page_url": self._site.origin,
                "feed_url": self._site.origin + own_path(request),
                "items": [self._item(thread) for thread in rows],
            }
            return Response(encode(feed), headers=_HEADERS, media_type="application/feed+json")

        return serve

    def _item(self, thread: Thread) -> dict[str, object]:
        return {
            "id": thread.id,
            "url": self._address(thread),
            "title": escape_invisible(thread.title),
            "content_text": f"{replies(thread)}, {thread.status}.",
            "date_published": thread.created_at,
            "date_modified": thread.last_activity_at,
            "tags": thread.tags,
            "authors": [{"name": escape_invisible(thread.author.display_name)}],
        }

    def _address(self, thread: Thread) -> str:
        return f"{self._site.origin}/forum/threads/{thread.id}"

    def _atom(self, path: str, title: str, threads: list[Thread]) -> bytes:
        feed = ElementTree.Element("feed", xmlns=_ATOM)
        _add(feed, "id", self._site.origin + path)
        _add(feed, "title", f"Stoa: {title}")
        _add(feed, "updated", max((row.last_activity_at for row in threads), default=_EPOCH))
        ElementTree.SubElement(feed, "link", rel="self", href=self._site.origin + path)
        for thread in threads:
            entry = ElementTree.SubElement(feed, "entry")
            _add(entry, "id", self._address(thread))
            _add(entry, "title", thread.title)
            _add(entry, "published", thread.created_at)
            _add(entry, "updated", thread.last_activity_at)
            author = ElementTree.SubElement(entry, "author")
            _add(author, "name", thread.author.display_name)
            _add(entry, "summary", f"{replies(thread)}, {thread.status}.")
            ElementTree.SubElement(entry, "link", href=self._address(thread))
            for tag in thread.tags:
                ElementTree.SubElement(entry, "category", term=escape_invisible(tag))
        return ElementTree.tostring(feed, "utf-8", xml_declaration=True)


def _add(parent: ElementTree.Element, name: str, text: str) -> None:
    """An element with this text; characters that XML does not allow are shown as escapes."""
    ElementTree.SubElement(parent, name).text = escape_invisible(text)
