"""Documents that do not change while the service runs, served from ready bytes."""

import hashlib
from collections.abc import Awaitable, Callable
from functools import cache

from starlette.requests import Request
from starlette.responses import Response

from stoa.http.answering import names_tag

Endpoint = Callable[[Request], Awaitable[Response]]


def document(make: Callable[[], bytes], media_type: str) -> Endpoint:
    """The endpoint of one document, which any site may read and ask for again by ETag. It is made
    when it is first asked for."""
    made = cache(lambda: _served(make(), media_type))

    async def serve(request: Request) -> Response:
        return await made()(request)

    return serve


def _served(body: bytes, media_type: str) -> Endpoint:
    etag = f'"{hashlib.sha256(body).hexdigest()[:24]}"'
    headers = {
        "Access-Control-Allow-Origin": "*",
        "Access-Control-Expose-Headers": "ETag, X-Request-Id",
        "Cache-Control": "public, no-cache",
        "ETag": etag,
    }

    async def serve(request: Request) -> Response:
        given = request.headers.get("if-none-match")
        if names_tag(given.encode("latin-1") if given is not None else None, etag):
            return Response(status_code=304, headers=headers)
        return Response(body, media_type=media_type, headers=headers)

    return serve
