"""Documents that do not change while the service runs, served from ready bytes."""

from collections.abc import Awaitable, Callable
from functools import cache

from starlette.requests import Request
from starlette.responses import Response

from stoa.calls.encode import weak_tag

Endpoint = Callable[[Request], Awaitable[Response]]


def document(make: Callable[[], bytes], media_type: str) -> Endpoint:
    """The endpoint of one document, which is made when it is first asked for."""
    made = cache(lambda: _with_tag(make()))

    async def serve(_: Request) -> Response:
        body, tag = made()
        headers = {"Cache-Control": "public, no-cache", "ETag": tag}
        return Response(body, media_type=media_type, headers=headers)

    return serve


def _with_tag(body: bytes) -> tuple[bytes, str]:
    return body, weak_tag(body)
