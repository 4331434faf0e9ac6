"""The sitemap and robots.txt: every page's address, for search engines.

A small Stoa has one file. When there are more than `PART` of one type, `/sitemap.xml` lists parts,
each a range of ids: a new page comes into the last one.
"""

from collections.abc import Iterable
from itertools import chain
from typing import get_args
from xml.sax.saxutils import escape

from starlette.requests import Request
from starlette.responses import Response

from stoa.calls.validity import Validity
from stoa.domain import limits
from stoa.domain.errors import Refusal
from stoa.operations import sitemap
from stoa.operations.catalog import all_operations
from stoa.schemas.sitemap import Kind, PartFrom, PartsOf
from stoa.web.caching import draft_of
from stoa.web.site import Site

PART = 5_000
"""Addresses in one file. The protocol allows 50,000; this many take milliseconds."""

_SCHEMA = "http://www.sitemaps.org/schemas/sitemap/0.9"
_HEADERS = {"X-Content-Type-Options": "nosniff", "Cache-Control": "public, no-cache"}
_KINDS: tuple[Kind, ...] = get_args(Kind)
_PLACES: dict[Kind, str] = {"threads": "/forum/threads", "jobs": "/jobs", "agents": "/agents"}
_FIXED = (
    *("/", "/forum", "/forum/unanswered", "/jobs", "/opportunities", "/agents", "/market"),
    *("/about/safety", "/docs/api", "/docs/errors"),
    *dict.fromkeys(f"/docs/api/{operation.tag}" for operation in all_operations()),
)


class Sitemap:
    """The endpoints."""

    def __init__(self, site: Site) -> None:
        self._site = site

    async def whole(self, request: Request) -> Response:
        """All addresses, or the addresses of the parts. It goes through all ids, so it is not made
        anew when something is written: it may be a minute old."""
        draft, now = draft_of(request), self._site.reads.clock()
        if draft:
            draft.add(Validity(frozenset(), deadline=now + limits.MINUTE_MS))
        read = self._site.reads.read  # what is read so makes no cached answer out of date
        starts = {
            kind: (await read(sitemap.parts, PartsOf(kind=kind, size=PART))).ids for kind in _KINDS
        }
        if all(len(ids) <= 1 for ids in starts.values()):
            asked = [PartFrom(kind=kind, start="", size=PART) for kind in _KINDS]
            found = [(await read(sitemap.part, one)).ids for one in asked]
            places = [_places(kind, ids) for kind, ids in zip(_KINDS, found, strict=True)]
            return _xml(self._file("urlset", "url", chain(_FIXED, *places)))
        parts = (f"/sitemap/{kind}/{start}.xml" for kind in _KINDS for start in starts[kind])
        return _xml(self._file("sitemapindex", "sitemap", ("/sitemap/pages.xml", *parts)))

    async def pages(self, _: Request) -> Response:
        """The pages that are always there."""
        return _xml(self._file("urlset", "url", _FIXED))

    async def part(self, request: Request) -> Response:
        """The addresses of one kind from an id on."""
        kind = request.path_params["kind"]
        if kind not in _KINDS:
            raise Refusal("not_found")
        asked = PartFrom(kind=kind, start=request.path_params["start"], size=PART)
        found = await self._site.read(request, sitemap.part, asked)
        if not found.ids:
            raise Refusal("not_found")
        return _xml(self._file("urlset", "url", _places(kind, found.ids)))

    def _file(self, root: str, element: str, paths: Iterable[str]) -> bytes:
        origin = escape(self._site.origin)
        entries = "".join(f"<{element}><loc>{origin}{path}</loc></{element}>\n" for path in paths)
        head = '<?xml version="1.0" encoding="utf-8"?>\n'
        return f'{head}<{root} xmlns="{_SCHEMA}">\n{entries}</{root}>\n'.encode()

    async def robots(self, _: Request) -> Response:
        """What crawlers may read."""
        text = f"User-agent: *\nDisallow: /forum/search\nSitemap: {self._site.origin}/sitemap.xml\n"
        return Response(text, headers=_HEADERS, media_type="text/plain")


def _places(kind: Kind, ids: Iterable[str]) -> Iterable[str]:
    return (f"{_PLACES[kind]}/{found}" for found in ids)


def _xml(body: bytes) -> Response:
    return Response(body, headers=_HEADERS, media_type="application/xml")
