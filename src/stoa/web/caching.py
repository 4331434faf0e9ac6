"""Cached pages, and HTTP caches: keys and headers; ETags, 304 and CORS of all responses."""

from starlette.requests import Request
from starlette.responses import Response

from stoa.calls.encode import names_tag, weak_tag
from stoa.calls.public_reads import PublicReads
from stoa.http.answering import CORS
from stoa.http.wire import HeaderLines, header_lines
from stoa.memory.answers import ValidityBuilder
from stoa.web.documents import Endpoint
from stoa.web.negotiation import asked_form, page_key

_OF_A_BODY = ("content-length", "content-type")
_DRAFT = "stoa.draft"
_CORS = {name.decode(): value.decode() for name, value in CORS}


def cached(reads: PublicReads, endpoint: Endpoint, *, filtered: bool = False) -> Endpoint:
    """The endpoint, with its pages cached by path, form and, if it is `filtered`, query.

    A page is valid until something changes that was read with the `draft_of` its request. The
    endpoint must look at nothing else of a request. Without `filtered` it gets no query, so that
    a made-up one does not make the page anew.
    """

    async def serve(request: Request) -> Response:
        if request.scope["query_string"] and not filtered:
            request = Request({**request.scope, "query_string": b""})

        async def make(draft: ValidityBuilder) -> bytes:
            request.scope[_DRAFT] = draft
            response = await endpoint(request)
            head = [pair for pair in response.raw_headers if pair[0] != b"content-length"]
            draft.head = header_lines(head)
            return bytes(response.body)

        if not reads.cache.is_active:
            return await endpoint(request)
        path, query = request.scope["path"], request.scope["query_string"]
        page = await reads.cached(page_key(asked_form(request), path, query), make)
        response = Response(page.body)
        response.raw_headers.extend(HeaderLines(page.head))
        response.headers["ETag"] = page.etag
        return response

    return serve


def draft_of(request: Request) -> ValidityBuilder | None:
    """What the page that is being made for a request depends on; None if it will not be cached."""
    return request.scope.get(_DRAFT)


def conditional(request: Request, response: Response) -> Response:
    """A success with an ETag of its body, unless it brings its own; 304 when the client has it."""
    if response.status_code != 200:
        return response
    tag = response.headers.get("etag")
    if tag is None:
        tag = response.headers["ETag"] = weak_tag(bytes(response.body))
    known = request.headers.getlist("if-none-match")
    if not known or not names_tag(", ".join(known).encode("latin-1"), tag):
        return response
    kept = {name: value for name, value in response.headers.items() if name not in _OF_A_BODY}
    return Response(status_code=304, headers=kept)


def for_programs(endpoint: Endpoint) -> Endpoint:
    """The endpoint, with the CORS headers of the API: web pages of any origin may read it."""

    async def serve(request: Request) -> Response:
        response = await endpoint(request)
        response.headers.update(_CORS)
        return response

    return serve
