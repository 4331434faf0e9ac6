"""Documents for programs, most of which do not change while the service runs."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping

from starlette.requests import Request
from starlette.responses import Response

from stoa.calls.encode import weak_tag

Endpoint = Callable[[Request], Awaitable[Response]]


HEADERS = {"X-Content-Type-Options": "nosniff", "Cache-Control": "public, no-cache"}
"""Of what may be kept and is asked about again. A cached answer is sent with these alone."""


def document(
    make: Callable[[], bytes], media_type: str, own: Mapping[str, str] | None = None
) -> Endpoint:
    """The endpoint of one document, which is made when it is first asked for, on a thread of its
    own: that may take a tenth of a second. Its `own` headers go before those of all documents."""
    made, tag = b"", ""

    async def serve(_: Request) -> Response:
        nonlocal made, tag
        if not made:
            made = await asyncio.to_thread(make)
            tag = weak_tag(made)
        headers = {**HEADERS, "ETag": tag, **(own or {})}
        return Response(made, media_type=media_type, headers=headers)

    return serve


def dated_document(make: Callable[[], bytes], media_type: str) -> Endpoint:
    """The endpoint of a short document that changes with time, made for each request."""

    async def serve(_: Request) -> Response:
        return Response(make(), media_type=media_type, headers=HEADERS)

    return serve
