"""Sends what happens as Server-Sent Events, until the client goes or there is nothing to come."""

import asyncio
from collections.abc import AsyncGenerator, Coroutine
from contextlib import aclosing
from typing import Any, TypeVar

from stoa.calls.incoming import Streamed
from stoa.http.wire import HeaderList, Receive, Send

T = TypeVar("T")

PATH_END = "/stream"
"""Behind the path of what can wait: the same as Server-Sent Events."""
LAST_EVENT_ID = "Last-Event-ID"
CONTENT_TYPE = (b"content-type", b"text/event-stream; charset=utf-8")
UNBUFFERED = (b"x-accel-buffering", b"no")
_COMMENT = b":\n\n"


async def send_stream(
    send: Send, receive: Receive, headers: HeaderList, pages: AsyncGenerator[Streamed | None]
) -> None:
    """Send each of these pages as one event, and a comment in the place of None.

    The next page is asked for when the last one was taken, so that a client that reads slowly holds
    no more than one.
    """
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": _COMMENT, "more_body": True})
    gone = asyncio.create_task(_disconnected(receive))
    try:
        async with aclosing(pages):
            while (chunk := await _unless(gone, _next_chunk(pages))) is not None:
                await send({"type": "http.response.body", "body": chunk, "more_body": True})
    finally:
        gone.cancel()
    await send({"type": "http.response.body", "body": b""})


async def _next_chunk(pages: AsyncGenerator[Streamed | None]) -> bytes | None:
    """The next page as it is sent, None after the last."""
    async for page in pages:
        return _COMMENT if page is None else b"id: %b\ndata: %b\n\n" % page
    return None


async def _unless(gone: asyncio.Task[None], work: Coroutine[Any, Any, T]) -> T | None:
    """What `work` returns, or None as soon as the client is gone."""
    task = asyncio.create_task(work)
    try:
        await asyncio.wait((gone, task), return_when=asyncio.FIRST_COMPLETED)
        return task.result() if task.done() else None
    finally:
        if not task.done():
            task.cancel()
            await asyncio.wait((task,))


async def _disconnected(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
