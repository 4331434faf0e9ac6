"""The sitemap and robots.txt: every page's address, for search engines.

A small Stoa has one file. With more than `PART` pages of one type `/sitemap.xml` lists parts, each
a range of ids. Ids grow with time, so a new page is in the last part, and the first ids of the
parts are cached: once a minute only the ids behind the last of these are read. Pages that are
restored, hidden or imported with an older id change earlier parts, so once an hour all are read
again.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache
from itertools import chain
from typing import Literal, get_args
from xml.sax.saxutils import escape

from starlette.requests import Request
from starlette.responses import Response

from stoa.calls.validity import Validity
from stoa.domain import limits
from stoa.domain.errors import Refusal
from stoa.operations import sitemap
from stoa.operations.catalog import all_operations
from stoa.web.caching import draft_of
from stoa.web.documents import HEADERS
from stoa.web.manual.endpoints import shown
from stoa.web.site import Site

PART = 5_000
"""Addresses in one file. The protocol allows 50,000; this many take milliseconds."""

_SCHEMA = "http://www.sitemaps.org/schemas/sitemap/0.9"
Kind = Literal["threads", "jobs", "agents"]
_KINDS: tuple[Kind, ...] = get_args(Kind)
_PLACES: dict[Kind, str] = {"threads": "/forum/threads", "jobs": "/jobs", "agents": "/agents"}


@cache
def _fixed() -> tuple[str, ...]:
    return (
        *(
            "/",
            "/forum",
            "/forum/unanswered",
            "/tags",
            "/jobs",
            "/opportunities",
            "/agents",
            "/market",
        ),
        *("/about", "/about/safety", "/docs", "/docs/api", "/docs/errors"),
        *dict.fromkeys(f"/docs/api/{operation.tag}" for operation in all_operations()),
        *(f"/docs/{name}" for name in shown()),
    )


@dataclass(slots=True)
class _Parts:
    """The ids with which the parts of one kind begin: complete as of `whole_at`, the first of them
    looked for at `begun_at`. Times in ms."""

    begun_at: int
    whole_at: int = 0
    starts: list[str] = field(default_factory=list[str])

    @property
    def ends_at(self) -> int:
        """When to look for more parts."""
        return self.whole_at + limits.SITEMAP_MS


class Sitemap:
    """The endpoints."""

    def __init__(self, site: Site) -> None:
        self._site = site
        self._parts: dict[Kind, _Parts] = {}

    async def whole(self, request: Request) -> Response:
        """All addresses, or the addresses of the parts. It depends on all ids, so it is not made
        anew when something is written: it may be a minute old."""
        draft, read = draft_of(request), self._site.reads.read
        parts = [await self._parts_of(kind) for kind in _KINDS]
        starts = {kind: found.starts for kind, found in zip(_KINDS, parts, strict=True)}
        if draft:
            end = min(found.ends_at for found in parts)
            draft.add(Validity(frozenset(), deadline=end))
        if all(len(ids) <= 1 for ids in starts.values()):
            found = [await read(sitemap.part, (kind, "", PART)) for kind in _KINDS]
            places = [_places(kind, ids) for kind, ids in zip(_KINDS, found, strict=True)]
            return _xml(self._file("urlset", "url", chain(_fixed(), *places)))
        parts = (f"/sitemap/{kind}/{start}.xml" for kind in _KINDS for start in starts[kind])
        return _xml(self._file("sitemapindex", "sitemap", ("/sitemap/pages.xml", *parts)))

    async def _parts_of(self, kind: Kind) -> _Parts:
        """The parts of one kind as they were a minute ago or later. Of those who ask at once, one
        looks and the others wait."""
        clock, flight = self._site.reads.clock, self._site.reads.flight
        key = f"sitemap {kind}"
        while not ((found := self._parts.get(kind)) and clock() < found.ends_at):
            if await flight.wait(key):
                continue
            with flight.making(key):
                await self._look(kind, clock())
        return found

    async def _look(self, kind: Kind, now: int) -> None:
        """Look for more parts, one with each read, so that other slow reads come between. Who looks
        next goes on where this ends."""
        found = self._parts.get(kind)
        if found is None or now >= found.begun_at + limits.SITEMAP_PARTS_MS:
            found = self._parts[kind] = _Parts(now)
        while True:
            last, size = (found.starts[-1], PART) if found.starts else ("", 0)
            # What is read so makes no cached answer out of date.
            more = await self._site.reads.read(sitemap.following, (kind, last, size))
            if not more:
                break
            found.starts += more
        found.whole_at = now

    async def pages(self, _: Request) -> Response:
        """The pages that are always there."""
        return _xml(self._file("urlset", "url", _fixed()))

    async def part(self, request: Request) -> Response:
        """The addresses of one kind from an id on."""
        kind = request.path_params["kind"]
        if kind not in _KINDS:
            raise Refusal("not_found")
        asked = kind, request.path_params["start"], PART
        ids = await self._site.read(request, sitemap.part, asked)
        if not ids:
            raise Refusal("not_found")
        return _xml(self._file("urlset", "url", _places(kind, ids)))

    def _file(self, root: str, element: str, paths: Iterable[str]) -> bytes:
        origin = escape(self._site.origin)
        entries = "".join(f"<{element}><loc>{origin}{path}</loc></{element}>\n" for path in paths)
        head = '<?xml version="1.0" encoding="utf-8"?>\n'
        return f'{head}<{root} xmlns="{_SCHEMA}">\n{entries}</{root}>\n'.encode()

    async def robots(self, _: Request) -> Response:
        """What crawlers may read: all but searches with filters or behind the first page, and those
        for what a thread asks or in a tag, which are without end."""
        lines = (
            "User-agent: *",
            "Disallow: /forum/search?*&",
            "Disallow: /forum/search?like=",
            "Disallow: /forum/search?tags=",
            f"Sitemap: {self._site.origin}/sitemap.xml",
        )
        text = "".join(f"{line}\n" for line in lines)
        return Response(text, headers=HEADERS, media_type="text/plain")


def _places(kind: Kind, ids: Iterable[str]) -> Iterable[str]:
    return (f"{_PLACES[kind]}/{found}" for found in ids)


def _xml(body: bytes) -> Response:
    return Response(body, headers=HEADERS, media_type="application/xml")
