"""Sends events as Server-Sent Events, until the client leaves or the stream ends."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable
from contextlib import aclosing, suppress
from typing import TypeVar

from stoa.calls.incoming import EventStream
from stoa.domain.errors import Refusal
from stoa.http.wire import HeaderList, Receive, Send

T = TypeVar("T")

PATH_END = "/stream"
"""Behind the path of what can wait: the same as Server-Sent Events."""
LAST_EVENT_ID = "Last-Event-ID"
CONTENT_TYPE = (b"content-type", b"text/event-stream; charset=utf-8")
UNBUFFERED = (b"x-accel-buffering", b"no")


async def send_stream(
    send: Send, receive: Receive, headers: HeaderList, frames: AsyncGenerator[bytes]
) -> None:
    """Send these pieces until they end or the client goes.

    The next one is asked for when the last one was taken, so that a client that reads slowly holds
    no more than one.
    """
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    gone = asyncio.create_task(_disconnected(receive))
    try:
        async with aclosing(frames):
            while (frame := await _unless(gone, anext(frames, None))) is not None:
                await send({"type": "http.response.body", "body": frame, "more_body": True})
    finally:
        gone.cancel()
    await send({"type": "http.response.body", "body": b""})


async def lines_of(following: EventStream) -> AsyncGenerator[bytes]:
    """Each event with its cursor, and a comment at the beginning and where nothing came. Its cursor
    is kept by a client without an event: so it can go on there too."""
    async with aclosing(following):
        with suppress(Refusal):
            async for cursor, event in following:
                place = b"id: %b\n" % cursor.encode() if cursor else b""
                yield b"%b%b\n\n" % (place, b":" if event is None else b"data: %b" % event)


async def _unless(gone: asyncio.Task[None], work: Awaitable[T]) -> T | None:
    """What `work` returns, or None as soon as the client is gone."""
    task = asyncio.ensure_future(work)
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
