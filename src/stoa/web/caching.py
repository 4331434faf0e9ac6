"""What each answer of the pages, feeds and documents goes through: its ETag, 304, CORS."""

from starlette.requests import Request
from starlette.responses import Response

from stoa.calls.encode import weak_tag
from stoa.http.answering import CORS, names_tag
from stoa.web.documents import Endpoint

_OF_A_BODY = ("content-length", "content-type")


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
