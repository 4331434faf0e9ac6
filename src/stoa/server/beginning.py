"""A call of the application that begins before there is a task for it: most reads never wait, so
that they need none."""

import asyncio
from collections.abc import Coroutine, Generator
from contextlib import suppress
from contextvars import Context, copy_context
from typing import Any, cast

from stoa.http.wire import Application, Message, Receive, Scope, Send, Whole
from stoa.server.exchange import Receiver, whole


class Begun:
    """A call for a request that is here as a whole, with this body. It is an application itself,
    for the task that goes on with the call where that has to wait; what was sent before is held
    until then."""

    __slots__ = ("_call", "_context", "_held", "_receiver", "_send", "_waits_for")

    def __init__(self, app: Application, scope: Scope, body: bytes = b"") -> None:
        self._receiver = _Arrived(body)
        self._call: Coroutine[Any, Any, None] | None = cast(
            Coroutine[Any, Any, None], app(scope, self._receiver, self.send)
        )
        self._held: list[Message] = []
        self._send: Send | None = None
        self._waits_for: object = None
        self._context = copy_context()

    def run(self) -> Whole | None:
        """Run the call until it ends or has to wait. The answer, if it is complete and safe to send
        in one write; else a task has to run this."""
        assert self._call
        try:
            self._waits_for = self._context.run(self._call.send, None)
        except StopIteration:
            self._call = None
            return whole(*self._held) if len(self._held) == 2 else None
        return None

    async def __call__(self, _scope: Scope, receive: Receive, send: Send) -> None:
        """Send what is held, and go on with the call."""
        self._send = send
        self._receiver.go_on(receive)
        for message in self._held:
            await send(message)
        if self._call:
            await _Rest(self._call, self._context, self._waits_for)

    async def send(self, message: Message) -> None:
        """The ASGI `send` of the call."""
        if self._send:
            await self._send(message)
        else:
            self._held.append(message)


class _Arrived(Receiver):
    """The ASGI `receive` of the call: behind the body nothing comes before the task."""

    __slots__ = ("_body", "_has_task", "_rest")

    def __init__(self, body: bytes) -> None:
        self._body: bytes | None = body
        self._rest: Receive | None = None
        self._has_task: asyncio.Event | None = None

    async def __call__(self) -> Message:
        body = self.take()
        if body is not None:
            return {"type": "http.request", "body": body, "more_body": False}
        if self._rest is None:
            self._has_task = self._has_task or asyncio.Event()
            await self._has_task.wait()
        assert self._rest
        return await self._rest()

    def take(self) -> bytes | None:
        """The whole body, once."""
        body, self._body = self._body, None
        return body

    def go_on(self, receive: Receive) -> None:
        """There is a task, whose `receive` says what comes now."""
        self._rest = receive
        if self._has_task:
            self._has_task.set()


class _Rest:
    """What is left of a call that waits for something: awaiting this waits for the same, and then
    for the end of the call. All of a call runs in one context."""

    def __init__(
        self, call: Coroutine[Any, Any, None], context: Context, waits_for: object
    ) -> None:
        self._call = call
        self._context = context
        self._waits_for = waits_for

    def __await__(self) -> Generator[Any, Any, None]:
        run, waits_for = self._context.run, self._waits_for
        with suppress(StopIteration):
            while True:
                try:
                    value = yield waits_for
                except BaseException as error:  # noqa: BLE001 - the call handles it
                    waits_for = run(self._call.throw, error)
                else:
                    waits_for = run(self._call.send, value)
