"""`POST /a2a`: the checks before a request is read, and its answer or stream of answers."""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any
from urllib.parse import parse_qsl

from stoa.a2a import rpc
from stoa.a2a.calls import Operations, TaskCall
from stoa.a2a.methods import Methods
from stoa.a2a.rpc import RpcError, TaskRequest
from stoa.calls.runner import Runner
from stoa.calls.task_store import TaskStore
from stoa.domain.errors import Refusal
from stoa.http import answering, reading, streaming
from stoa.http.answering import method_not_allowed
from stoa.http.request import HttpRequest
from stoa.http.wire import HeaderList, Send
from stoa.operations.bootstrap import A2A
from stoa.operations.parts.buckets import BucketFull
from stoa.operations.parts.buckets import headers as rate_headers
from stoa.operations.table import Operation
from stoa.schemas.tasks import TaskJson

_VERSION = "A2A-Version"
_SPOKEN = "1.0"
_OK, _WRONG_TYPE = 200, 415
_ABSENT = "0.3"
"""What a request without the header speaks, as the protocol has it."""


class TaskEndpoint:
    """The endpoint of A2A 1.0 over JSON-RPC."""

    def __init__(
        self, runner: Runner, store: TaskStore, operations: list[Operation], origin: str
    ) -> None:
        self._charges = runner.charges
        methods = Methods(Operations(runner, operations), store, origin)
        self._answers = {
            "SendMessage": methods.send,
            "GetTask": methods.get,
            "ListTasks": methods.listed,
            "CancelTask": methods.cancel,
            "CreateTaskPushNotificationConfig": methods.pushes.create,
            "GetTaskPushNotificationConfig": methods.pushes.get,
            "ListTaskPushNotificationConfigs": methods.pushes.listed,
            "DeleteTaskPushNotificationConfig": methods.pushes.delete,
        }
        self._streams = {
            "SendStreamingMessage": methods.send_streaming,
            "SubscribeToTask": methods.subscribe,
        }

    async def __call__(self, request: HttpRequest, send: Send) -> None:
        """Answer one request."""
        call = TaskCall(request)
        try:
            await self._answer(call, send)
        except RpcError as failure:
            is_counted = call.charge is not None or failure.http != _OK
            refusal = None
            if not is_counted:
                refusal = await self._charges.rate_limit_address(request.address)
            if refusal:
                await self.refuse(request, send, refusal)
            else:
                await _send_error(call, send, failure)
        except Refusal as refusal:
            await self.refuse(request, send, refusal)

    async def refuse(self, request: HttpRequest, send: Send, refusal: Refusal) -> None:
        """Answer with an error body, before there is a request to answer."""
        told = answering.refusal_headers(refusal, None)
        await answering.send_refusal(send, request, refusal, told)

    async def _read(self, request: HttpRequest) -> TaskRequest:
        """The request in a body. Raises RpcError, or Refusal before there is one."""
        if request.method != "POST":
            how = f"Send a JSON-RPC request of A2A {_SPOKEN} with POST {A2A}."
            raise method_not_allowed(["POST"], how)
        try:
            body = await reading.body_bytes(request.receive, request.headers)
        except Refusal as refusal:
            if refusal.status != _WRONG_TYPE:
                raise
            raise rpc.refused(refusal, _told(refusal, request)) from None
        try:
            return rpc.read(reading.parse_json(body))
        except Refusal as refusal:
            told = _told(refusal, request)
            raise RpcError(rpc.PARSE_ERROR, "The body cannot be read.", told) from None

    def _check(self, request: HttpRequest, asked: TaskRequest) -> None:
        version = request.headers.get(_VERSION.lower().encode(), b"").decode("latin-1").strip()
        in_query = dict(parse_qsl(request.query.decode("latin-1"))).get(_VERSION)
        if (version or in_query or _ABSENT) != _SPOKEN:
            problem = f"Send `{_VERSION}: {_SPOKEN}`: no other version is spoken here."
            raise RpcError(rpc.VERSION, problem)
        if asked.method == "GetExtendedAgentCard":
            raise RpcError(rpc.NO_CARD, "There is one card, which everyone can read.")
        if asked.method not in self._answers and asked.method not in self._streams:
            known = ", ".join([*self._answers, *self._streams])
            raise RpcError(rpc.METHOD_NOT_FOUND, f"The methods are: {known}.")

    async def _answer(self, call: TaskCall, send: Send) -> None:
        asked = await self._read(call.request)
        try:
            self._check(call.request, asked)
            if asked.method in self._streams:
                return await self._stream(call, asked, send)
            answer = await self._answers[asked.method](call, asked.params)
        except RpcError as failure:
            failure.id = asked.id
            raise
        except Refusal as refusal:
            refusal.fill({"base_url": call.request.base_url})
            failure = rpc.refused(refusal, _told(refusal, call.request))
            failure.id = asked.id
            raise failure from None
        headers = [(b"content-type", answering.JSON), *_common(call)]
        return await answering.send_answer(send, 200, headers, rpc.result(asked.id, answer))

    async def _stream(self, call: TaskCall, asked: TaskRequest, send: Send) -> None:
        """Send each answer as an event. A refusal of the first is the answer itself."""
        async with aclosing(self._streams[asked.method](call, asked.params)) as updates:
            first = await anext(updates)
            assert first
            asked.params.clear()  # a stream may last for days, and needs them no more
            headers = [streaming.CONTENT_TYPE, streaming.UNBUFFERED, *_common(call)]
            frames = _frames(asked, first, updates)
            await streaming.send_stream(send, call.request.receive, headers, frames)


def _told(refusal: Refusal, request: HttpRequest) -> dict[str, Any]:
    return answering.error_json(refusal, request.origin, request.id)


async def _frames(
    asked: TaskRequest, first: TaskJson, updates: AsyncGenerator[TaskJson | None]
) -> AsyncGenerator[bytes]:
    """Each update as an event, and a comment where nothing came; a refusal is the last event."""
    yield b"data: %b\n\n" % rpc.result(asked.id, first)
    try:
        async for update in updates:
            yield b"data: %b\n\n" % rpc.result(asked.id, update) if update else b":\n\n"
    except RpcError as failure:
        failure.id = asked.id
        yield b"data: %b\n\n" % failure.encoded()


def _common(call: TaskCall) -> HeaderList:
    """The headers of every answer to a request that could be read."""
    rates = rate_headers(call.charge) if call.charge else []
    replayed = [answering.REPLAYED] if call.replayed else []
    return [call.request.id_header, answering.NOSNIFF, answering.NO_STORE, *rates, *replayed]


async def _send_error(call: TaskCall, send: Send, failure: RpcError) -> None:
    if isinstance(failure.refusal, BucketFull):
        call.charge = failure.refusal.charge  # not that of a read before
    headers: HeaderList = [(b"content-type", answering.JSON), *_common(call)]
    if failure.refusal:
        told = answering.refusal_headers(failure.refusal, None)
        given = {name for name, _ in headers}
        headers += [pair for pair in told if pair[0] not in given]
    await answering.send_answer(send, failure.http, headers, failure.encoded())
