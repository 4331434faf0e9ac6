"""`POST /mcp` and `POST /mcp/oauth`: the checks before a message is read, and the answer."""

import asyncio
import importlib
from collections.abc import Callable
from typing import TYPE_CHECKING

from stoa.calls.runner import Runner
from stoa.calls.subscribing import Subscribing
from stoa.domain.errors import Refusal
from stoa.http import answering, reading, streaming
from stoa.http.answering import method_not_allowed
from stoa.http.hosts import Hosts
from stoa.http.request import HttpRequest
from stoa.http.wire import HeaderList, Send
from stoa.mcp.gate import Gate
from stoa.operations.table import Operation
from stoa.shortcuts.known_calls import KnownCalls

if TYPE_CHECKING:
    from stoa.mcp.messages import McpReply
    from stoa.mcp.server import McpServer

PATH = "/mcp"

_CALLS = (b"tools/call", rb"tools\/call")
"""What stands in the body of a call, as almost all clients write it."""


class Mcp:
    """The endpoint. There is no CORS: web pages of other origins are refused.

    `skill` makes the text of the one skill. With a gate every request needs a valid token. Calls
    that may be answered from the cache are put among those `known`. What answers them is imported
    on a thread when the first message comes.
    """

    def __init__(
        self,
        runner: Runner,
        subscribing: Subscribing,
        operations: list[Operation],
        hosts: Hosts,
        skill: Callable[[], bytes],
        known: KnownCalls,
        gate: Gate | None = None,
    ) -> None:
        self._gate = gate
        self._charges = runner.charges
        self._hosts = hosts
        self._parts = (runner, subscribing, operations, hosts.origin, skill, known)
        self._server: McpServer | None = None

    async def __call__(self, request: HttpRequest, lines: HeaderList, send: Send) -> None:
        """Answer one request; `lines` are its headers with repeats."""
        try:
            reply = await self._answer(request, lines)
        except Refusal as refusal:
            return await self.refuse(request, send, refusal)
        headers = [(b"content-type", answering.JSON)] if reply.body else []
        headers += [request.id_header, answering.NOSNIFF, answering.NO_STORE, *reply.headers]
        if reply.frames:
            headers += [streaming.CONTENT_TYPE, streaming.UNBUFFERED]
            return await streaming.send_stream(send, request.receive, headers, reply.frames)
        return await answering.send_answer(send, reply.status, headers, reply.body)

    async def refuse(self, request: HttpRequest, send: Send, refusal: Refusal) -> None:
        """Answer with an error body, before there is a message to answer."""
        if self._gate:
            told = self._gate.explain(refusal, request)
        else:
            told = answering.refusal_headers(refusal, None)
        await answering.send_refusal(send, request, refusal, told)

    async def _answer(self, request: HttpRequest, lines: HeaderList) -> "McpReply":
        if self._gate:
            await self._gate.check(request)
        if request.method != "POST":
            how = f"Send a JSON-RPC message with POST {request.path}."
            raise method_not_allowed(["POST"], how)
        origin = request.headers.get(b"origin")
        if origin is not None and not self._hosts.allows_origin(origin.decode("latin-1")):
            refusal = Refusal("origin_forbidden")
            refusal.fill({"base_url": self._hosts.origin})
            raise refusal
        body = await reading.body_bytes(request.receive, request.headers)
        counted = None if _may_call(body) else await self._charges.count(request.address)
        server = self._server or await self._serve()
        reply = await server.answer(body, request, lines)
        if reply.charged and counted is not None:
            await self._charges.uncount(counted)
        elif not reply.charged and counted is None:
            await self._charges.count(request.address)
        return reply

    async def _serve(self) -> "McpServer":
        await asyncio.to_thread(importlib.import_module, "stoa.mcp.server")
        from stoa.mcp.server import McpServer

        self._server = McpServer(*self._parts, takes_token=self._gate is None)
        return self._server


def _may_call(body: bytes) -> bool:
    """Whether a body may be the call of a tool, which is charged to a bucket that its arguments
    name. Any other is charged before it is read."""
    return any(name in body for name in _CALLS)
