"""Documents that do not change while the service runs, served from ready bytes."""

import asyncio
from collections.abc import Awaitable, Callable
from functools import cache

from starlette.requests import Request
from starlette.responses import Response

from stoa.calls.encode import weak_tag

Endpoint = Callable[[Request], Awaitable[Response]]


def document(make: Callable[[], bytes], media_type: str) -> Endpoint:
    """The endpoint of one document, which is made when it is first asked for, on a thread of its
    own: that may take a tenth of a second."""
    made = cache(lambda: _with_tag(make()))
    ready: tuple[bytes, str] | None = None

    async def serve(_: Request) -> Response:
        nonlocal ready
        ready = ready or await asyncio.to_thread(made)
        body, tag = ready
        headers = {"Cache-Control": "public, no-cache", "ETag": tag}
        return Response(body, media_type=media_type, headers=headers)

    return serve


def _with_tag(body: bytes) -> tuple[bytes, str]:
    return body, weak_tag(body)
