"""Begins a call of the application without a task of asyncio: most reads never wait, so they need
none."""

from collections.abc import Awaitable, Callable, Coroutine, Generator
from contextvars import copy_context
from typing import Any, cast

from stoa.http.wire import Application, ArrivedBody, Message, Receive, Scope, Send, Whole
from stoa.server.exchange import whole
from stoa.server.flow import Signal


class StartedCall:
    """A call for a request that is here as a whole, with this body. It is an application itself,
    for the task that goes on with the call where that has to wait; what was sent before is held
    until then."""

    __slots__ = ("_call", "_context", "_held", "_receiver", "_send", "_waits_for")

    def __init__(self, app: Application, scope: Scope, body: bytes = b"") -> None:
        self._receiver = Arrived(body)
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
        has_ended = self._goes_on(self._call.send, None)
        return whole(*self._held) if has_ended and len(self._held) == 2 else None

    def _goes_on(self, step: Callable[[Any], object], value: object) -> bool:
        """Let the call go on until it has to wait or ends: whether it has ended. All of it runs in
        one context."""
        try:
            self._waits_for = self._context.run(step, value)
        except StopIteration:
            self._call = None
        return self._call is None

    def __call__(self, _scope: Scope, receive: Receive, send: Send) -> Awaitable[None]:
        """Awaiting this sends what is held, and goes on with the call."""
        self._send = send
        self._receiver.go_on(receive)
        return self

    def __await__(self) -> Generator[Any, Any, None]:
        held, self._held = self._held, []
        for message in held:
            yield from self.send(message).__await__()
        while self._call:
            try:
                value = yield self._waits_for
            except BaseException as error:  # noqa: BLE001 - the call handles it
                self._goes_on(self._call.throw, error)
            else:
                self._goes_on(self._call.send, value)

    async def send(self, message: Message) -> None:
        """The ASGI `send` of the call."""
        if self._send:
            await self._send(message)
        else:
            self._held.append(message)


class Arrived(ArrivedBody):
    """The ASGI `receive` of the call: behind the body nothing comes before the task."""

    __slots__ = ("_has_task", "_rest")

    def __init__(self, body: bytes) -> None:
        super().__init__(body)
        self._rest: Receive | None = None
        self._has_task: Signal | None = None

    async def __call__(self) -> Message:
        body = self.take()
        if body is not None:
            return {"type": "http.request", "body": body, "more_body": False}
        if self._rest is None:
            self._has_task = self._has_task or Signal()
            await self._has_task.wait()
        assert self._rest
        return await self._rest()

    def go_on(self, receive: Receive) -> None:
        """There is a task, whose `receive` says what comes now."""
        self._rest = receive
        if self._has_task:
            self._has_task.set()
