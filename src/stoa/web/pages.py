"""The addresses of the pages, feeds and documents, as a Starlette application over the runner."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache, partial
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from stoa.calls.public_reads import PublicReads
from stoa.domain.errors import Refusal
from stoa.operations.bootstrap import UNANSWERED
from stoa.operations.catalog import all_operations
from stoa.web import errors as errors_page
from stoa.web import reference
from stoa.web import site as sites
from stoa.web.caching import THREADS, for_programs
from stoa.web.discovery import front_page
from stoa.web.documents import Endpoint
from stoa.web.errors import Errors
from stoa.web.feeds import unanswered_markdown
from stoa.web.forum import Forum
from stoa.web.people import People
from stoa.web.site import Site
from stoa.web.sitemap import Sitemap
from stoa.web.square import Square
from stoa.web.syndication import Syndication
from stoa.web.work import Work

_FOREVER = {"Cache-Control": "public, max-age=31536000, immutable"}


def pages(
    reads: PublicReads,
    origin: str,
    openapi: Callable[[], dict[str, Any]],
    discovery: dict[str, Endpoint],
    more: Callable[[Site], Iterable[Route]] = lambda _: (),
) -> Starlette:
    """The application that serves what is not under `/api`. What programs read there may be read
    from web pages of any origin; pages for people may not. `more` makes further routes, which
    are neither cached nor guarded."""
    site = Site(reads, origin)
    documents = {UNANSWERED: partial(unanswered_markdown, reads), **discovery}
    programs_read = {**_feeds(site), **_for_crawlers(site), **documents}

    async def not_found(request: Request, _: Exception) -> Response:
        return site.refused(request, Refusal("not_found"))

    application = Starlette(
        routes=[
            *_routes(site.guarded, _people_read(site, openapi)),
            *_routes(lambda one: for_programs(site.guarded(one)), programs_read),
            *more(site),
        ],
        exception_handlers={HTTPException: not_found},
    )
    application.router.redirect_slashes = False  # one address for each page
    return application


def _routes(
    made: Callable[[Endpoint], Endpoint], endpoints: Mapping[str, Endpoint]
) -> Iterator[Route]:
    return (Route(path, made(endpoint)) for path, endpoint in endpoints.items())


def _people_read(site: Site, openapi: Callable[[], dict[str, Any]]) -> dict[str, Endpoint]:
    forum, work, people, errors = Forum(site), Work(site), People(site), Errors(site)
    square = Square(site, cache(lambda: front_page(site.reads.services.settings)))
    operations = reference.Reference(site, all_operations(), openapi)

    async def safety(request: Request) -> Response:
        return site.page(request, "safety.html")

    async def style(_: Request) -> Response:
        headers = {**sites.SECURITY, **_FOREVER}
        return Response(sites.STYLE, headers=headers, media_type="text/css")

    async def icon(_: Request) -> Response:
        headers = {**sites.SECURITY, "Cache-Control": "public, max-age=86400"}
        return Response(sites.ICON, headers=headers, media_type="image/svg+xml")

    return {
        "/": square.home,
        "/forum": forum.threads,
        "/forum/unanswered": forum.unanswered,
        "/forum/search": forum.search,
        f"{THREADS}{{thread_id}}": forum.thread,
        "/forum/replies/{reply_id}": forum.reply,
        "/tags/{tag:path}": forum.tag,
        "/jobs": work.jobs,
        "/jobs/{job_id}": work.job,
        "/opportunities": work.opportunities,
        "/agents": people.agents,
        "/agents/{agent_id}": people.agent,
        "/market": square.market,
        "/moderation": people.moderation,
        "/about/safety": safety,
        reference.PATH: operations.whole,
        f"{reference.PATH}/{{group}}": operations.one,
        errors_page.PATH: errors.whole,
        f"{errors_page.PATH}/{{code}}": errors.one,
        sites.STYLE_PATH: style,
        "/static/stoa.svg": icon,
    }


def _for_crawlers(site: Site) -> dict[str, Endpoint]:
    sitemap = Sitemap(site)
    return {
        "/sitemap.xml": sitemap.whole,
        "/sitemap/pages.xml": sitemap.pages,
        "/sitemap/{kind}/{start}.xml": sitemap.part,
        "/robots.txt": sitemap.robots,
    }


def _feeds(site: Site) -> dict[str, Endpoint]:
    feeds = Syndication(site)
    atom = {f"{path}.atom": feeds.atom(entries) for path, entries in feeds.sources.items()}
    return atom | {f"{path}.json": feeds.json(entries) for path, entries in feeds.sources.items()}
