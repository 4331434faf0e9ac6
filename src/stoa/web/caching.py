"""Pages and HTTP caches: the keys of cached pages; ETags, 304 and CORS of all that is served."""

from starlette.requests import Request
from starlette.responses import Response

from stoa.calls.encode import weak_tag
from stoa.http import request as http
from stoa.http.answering import CORS, names_tag
from stoa.http.wire import header_lines
from stoa.web.documents import Endpoint
from stoa.web.negotiation import Form, form_for

THREADS = "/forum/threads/"
"""How the paths of cached pages begin."""

_OF_A_BODY = ("content-length", "content-type")


def asked_key(request: http.Request) -> str | None:
    """The key of the cached page that a request asks for, None if it asks for none."""
    if not request.path.startswith(THREADS):
        return None
    form = form_for(request.headers.get(b"accept", b"").decode("latin-1"))
    return page_key(form, request.path, request.query)


def page_key(form: Form, path: str, query: bytes) -> str:
    """The key of a page in the answer cache. No answer of the API has such a key."""
    return f"{form} {path}?{query.decode('latin-1')}"


def constant_head(response: Response) -> bytes:
    """The header lines of a page that do not depend on its body."""
    return header_lines(pair for pair in response.raw_headers if pair[0] != b"content-length")


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
        response.raw_headers.extend(CORS)
        return response

    return serve
