"""The addresses of the pages, feeds and documents, as a Starlette application over the runner."""

from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from functools import cache, partial
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from stoa.calls.public_reads import PublicReads
from stoa.domain.errors import Refusal
from stoa.http.answering import method_not_allowed
from stoa.http.browser_headers import SECURITY
from stoa.http.wire import Application, Receive, Scope, Send
from stoa.operations.bootstrap import UNANSWERED
from stoa.web import (
    about,
    agents,
    caching,
    errors,
    forum,
    front,
    reference,
    syndication,
    texts,
    work,
)
from stoa.web import site as sites
from stoa.web.documents import Endpoint
from stoa.web.manual import endpoints as manual
from stoa.web.members import REFUSED
from stoa.web.site import Site
from stoa.web.sitemap import Sitemap

SiteEndpoint = Callable[[Site, Request], Awaitable[Response]]
"""The endpoint of a page, once it knows the site."""

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
    programs_read = {**_feeds(site), **_for_crawlers(site), **discovery}

    async def not_served(request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        return site.refused(request, _refusal(error))

    application = Starlette(
        routes=[
            *_routes(site.guarded, _people_read(site, openapi)),
            *_routes(lambda one: caching.for_programs(site.guarded(one)), programs_read),
            *more(site),
        ],
        exception_handlers={HTTPException: not_served},
        middleware=[Middleware(_Refusing, site)],
    )
    application.router.redirect_slashes = False  # one address for each page
    return application


class _Refusing:
    """Answers with the page of a refusal where one was found before the route was."""

    def __init__(self, application: Application, site: Site) -> None:
        self._application, self._site = application, site

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """The ASGI entry point."""
        refusal: Refusal | None = scope.get(REFUSED)
        answer = self._site.refused(Request(scope), refusal) if refusal else self._application
        await answer(scope, receive, send)


def _refusal(error: HTTPException) -> Refusal:
    """The refusal of an address that no route has, or that is not read in this way."""
    allowed = (error.headers or {}).get("Allow")
    if allowed is None:
        return Refusal("not_found")
    methods = sorted(allowed.split(", "))
    how = f"Send the request again with one of the methods {', '.join(methods)}."
    return method_not_allowed(methods, how)


def _routes(
    made: Callable[[Endpoint], Endpoint], endpoints: Mapping[str, Endpoint]
) -> Iterator[Route]:
    return (Route(path, made(endpoint)) for path, endpoint in endpoints.items())


def _people_read(site: Site, openapi: Callable[[], dict[str, Any]]) -> dict[str, Endpoint]:
    groups = cache(lambda: reference.grouped(openapi()))

    def cached(endpoint: SiteEndpoint, *, filtered: bool = False) -> Endpoint:
        return caching.cached(site.reads, partial(endpoint, site), filtered=filtered)

    filtered = partial(cached, filtered=True)

    async def style(_: Request) -> Response:
        headers = {**SECURITY, **_FOREVER}
        return Response(sites.STYLE, headers=headers, media_type="text/css")

    async def icon(_: Request) -> Response:
        headers = {**SECURITY, "Cache-Control": "public, max-age=86400"}
        return Response(sites.ICON, headers=headers, media_type="image/svg+xml")

    return {
        "/": cached(front.home),
        "/forum": filtered(forum.threads),
        "/forum/unanswered": filtered(forum.unanswered),
        "/forum/search": partial(forum.search, site),
        "/forum/threads/{thread_id}": filtered(forum.thread),
        "/forum/replies/{reply_id}": cached(forum.reply),
        **_in_parts("/forum/threads/{thread_id}", cached(texts.thread)),
        **_in_parts("/forum/replies/{reply_id}", cached(texts.reply)),
        "/tags": cached(forum.tags),
        "/tags/{tag:path}": filtered(forum.tag),
        "/jobs": filtered(work.jobs),
        "/jobs/{job_id}": filtered(work.job),
        **_in_parts("/jobs/{job_id}", filtered(texts.job)),
        "/opportunities": filtered(work.opportunities),
        "/agents": filtered(agents.agents),
        "/agents/{agent_id}": cached(agents.agent),
        "/agents/{agent_id}/answers": filtered(agents.answers),
        "/market": cached(front.market),
        "/moderation": partial(agents.moderation, site),
        "/about": cached(about.about),
        "/about/safety": cached(about.safety),
        reference.PATH: cached(partial(reference.whole, groups)),
        f"{reference.PATH}/{{group}}": cached(partial(reference.one, groups)),
        errors.PATH: cached(errors.whole),
        f"{errors.PATH}/{{code}}": partial(errors.one, site),
        manual.PATH: cached(manual.whole),
        f"{manual.PATH}/{{page:path}}": cached(manual.one),
        sites.STYLE_PATH: style,
        "/static/stoa.svg": icon,
    }


def _in_parts(path: str, endpoint: Endpoint) -> dict[str, Endpoint]:
    """The addresses of the texts of a page: the first part, and any other one by its number."""
    return {f"{path}/text": endpoint, f"{path}/text/{{part}}": endpoint}


def _for_crawlers(site: Site) -> dict[str, Endpoint]:
    sitemap = Sitemap(site)
    return {
        "/sitemap.xml": _cached_for_programs(site, sitemap.whole),
        "/sitemap/pages.xml": sitemap.pages,
        "/sitemap/{kind}/{start}.xml": _cached_for_programs(site, sitemap.part),
        "/robots.txt": sitemap.robots,
    }


def _feeds(site: Site) -> dict[str, Endpoint]:
    found: dict[str, Endpoint] = {UNANSWERED: partial(syndication.markdown, site)}
    for path, entries in syndication.SOURCES.items():
        found[f"{path}.atom"] = partial(syndication.atom, entries, site)
        found[f"{path}.json"] = partial(syndication.json, entries, site)
    return {path: _cached_for_programs(site, endpoint) for path, endpoint in found.items()}


def _cached_for_programs(site: Site, endpoint: Endpoint) -> Endpoint:
    """The endpoint, cached together with the headers for programs."""
    return caching.cached(site.reads, caching.for_programs(endpoint))
