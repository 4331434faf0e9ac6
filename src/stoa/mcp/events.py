"""MCP Events: the types of events, polled page by page, streamed or delivered."""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from functools import partial
from http import HTTPStatus
from typing import Any, NamedTuple

import msgspec

from stoa.calls.incoming import EventStream, Incoming, Outcome
from stoa.calls.runner import Runner
from stoa.calls.subscribing import CallbackRefused, Subscribing
from stoa.domain import limits
from stoa.domain.errors import Refusal
from stoa.http import answering
from stoa.http.request import HttpRequest
from stoa.mcp import messages
from stoa.mcp.codes import INTERNAL_ERROR, INVALID_PARAMS
from stoa.mcp.eras import Era
from stoa.mcp.event_types import NOT_FOUND, chosen, count, cursor
from stoa.mcp.messages import McpMessage, McpReply, ProtocolError
from stoa.mcp.subscriptions import UNSUPPORTED, Subscriptions
from stoa.operations.parts.buckets import Charge
from stoa.operations.parts.buckets import headers as rate_headers
from stoa.operations.table import TABLE, Operation
from stoa.schemas.base import decode, encode, iso
from stoa.schemas.events import FROM_NOW, ToldEvent
from stoa.schemas.occurrences import TYPES, EventType, occurrence
from stoa.schemas.validation import Values
from stoa.shortcuts.tool_results import result

FORBIDDEN, RESOURCE_EXHAUSTED, CALLBACK_REFUSED = -32012, -32013, -32015

_SUBSCRIPTION = b"io.modelcontextprotocol/subscriptionId"
_CODES = {
    400: INVALID_PARAMS,
    401: FORBIDDEN,
    403: FORBIDDEN,
    404: NOT_FOUND,
    409: RESOURCE_EXHAUSTED,
    429: RESOURCE_EXHAUSTED,
}
"""The code of an error by the HTTP status of the refusal."""


class _Page(msgspec.Struct, rename="camel"):
    """What is read of an answer with events: of those of the inbox, what all of them have."""

    events: list[ToldEvent]
    limit: int
    next_cursor: str


class _Asked(NamedTuple):
    """What a message asks for: events of a type with these values for the fields of its operation,
    none older than so many ms."""

    of: EventType
    operation: Operation
    values: Values
    max_age_ms: int | None

    def place(self, field: str) -> str:
        """Where the value of a field stands in the message."""
        return "maxEvents" if field == "limit" else self.of.place(field)


class EventMethods:
    """Answers the methods of MCP Events. Where no call `takes_token`, a refusal of the token is
    raised, as clients of OAuth expect."""

    def __init__(self, runner: Runner, subscribing: Subscribing, *, takes_token: bool) -> None:
        self._runner = runner
        self._subscriptions = Subscriptions(subscribing)
        self._takes_token = takes_token
        writes = {"events/subscribe": self._subscribe, "events/unsubscribe": self._unsubscribe}
        self._reads = {
            "events/list": partial(self._list, _listing("poll", "push")),
            "events/poll": self._poll,
            "events/stream": self._stream,
            **dict.fromkeys(writes, _only_reads),
        }
        whole = partial(self._list, _listing("poll", "push", "webhook"))
        self.methods = {**self._reads, "events/list": whole, **writes}

    async def answer(
        self, message: McpMessage, request: HttpRequest, era: Era, *, only_reads: bool
    ) -> McpReply:
        """Answer one of the methods. Raises ProtocolError, and the refusal of a token."""
        methods = self._reads if only_reads else self.methods
        try:
            return await methods[message.method](message, request, era)
        except Refusal as refusal:
            return self._refused(message, request, era, refusal)

    async def _list(
        self, listing: bytes, message: McpMessage, _: HttpRequest, era: Era
    ) -> McpReply:
        if message.params.get("cursor") is not None:
            raise ProtocolError(INVALID_PARAMS, "No such cursor: all types are on the first page.")
        return _success(message.id, era, listing)

    async def _poll(self, message: McpMessage, request: HttpRequest, era: Era) -> McpReply:
        asked = _asked(message)
        outcome, truncated = await self._run(asked, request, streamed=False)
        if outcome.refusal:
            return self._refused(message, request, era, outcome.refusal, outcome.charge)
        page = decode(outcome.body, _Page)
        events = [one for one in page.events if one.at >= self._oldest(asked)]
        members = {
            "events": [occurrence(asked.of.name, one) for one in events],
            "cursor": page.next_cursor,
            "truncated": truncated or len(events) < len(page.events),
            "hasMore": len(page.events) == page.limit or not outcome.at_end,
            "nextPollMs": limits.EVENTS_POLL_MS,
        }
        return _success(message.id, era, encode(members)[1:-1], outcome.charge)

    async def _stream(self, message: McpMessage, request: HttpRequest, era: Era) -> McpReply:
        asked = _asked(message)
        outcome, truncated = await self._run(asked, request, streamed=True)
        if outcome.following is None:
            assert outcome.refusal
            return self._refused(message, request, era, outcome.refusal, outcome.charge)
        assert message.id
        # Not with the whole message, which may be long: a stream may last for days.
        frames = self._frames(asked, message.id, era, outcome.following, truncated=truncated)
        return McpReply(200, charged=outcome.charge is not None, frames=frames)

    async def _run(
        self, asked: _Asked, request: HttpRequest, *, streamed: bool
    ) -> tuple[Outcome, bool]:
        """The outcome of the operation, and whether it begins now because the events behind the
        cursor are no longer kept."""
        request.operation = asked.operation.name
        outcome = await self._runner.call(asked.operation, _incoming(asked, request, streamed))
        if outcome.status != HTTPStatus.GONE:
            return outcome, False
        if outcome.charge:  # the client has asked once
            await self._runner.charges.uncount(outcome.charge)
        asked = asked._replace(values={**asked.values, "cursor": FROM_NOW})
        return await self._runner.call(asked.operation, _incoming(asked, request, streamed)), True

    def _oldest(self, asked: _Asked) -> str:
        """The time of the oldest event that is wanted."""
        if asked.max_age_ms is None:
            return ""
        return iso(max(0, self._runner.clock() - asked.max_age_ms))

    async def _frames(
        self,
        asked: _Asked,
        message_id: bytes,
        era: Era,
        following: EventStream,
        *,
        truncated: bool,
    ) -> AsyncGenerator[bytes]:
        """The notifications of a stream, and its result when it ends."""
        told = partial(_notification, message_id)
        is_active = False
        try:
            async with aclosing(following):
                async for place, event in following:
                    if event is not None:
                        one = decode(event, ToldEvent)
                        if one.at >= self._oldest(asked):
                            yield told(b"event", occurrence(asked.of.name, one, place))
                    elif is_active:
                        yield told(b"heartbeat", {"cursor": place})
                    else:
                        yield told(b"active", {"cursor": place, "truncated": truncated})
                        is_active = True
        except Refusal as refusal:
            error = {"code": _code(refusal), "message": refusal.message}
            yield told(b"terminated", {"error": error})
        yield _frame(_success(message_id, era, b"").body)

    async def _subscribe(self, message: McpMessage, request: HttpRequest, era: Era) -> McpReply:
        try:
            made, charge = await self._subscriptions.subscribe(message.params, request)
        except CallbackRefused as refused:
            problem = "`delivery.url` did not answer a signed POST with its `challenge`."
            data = {"reason": str(refused)}
            raise ProtocolError(CALLBACK_REFUSED, problem, data, message.id) from None
        return _success(message.id, era, encode(made)[1:-1], charge)

    async def _unsubscribe(self, message: McpMessage, request: HttpRequest, era: Era) -> McpReply:
        charge = await self._subscriptions.unsubscribe(message.params, request)
        return _success(message.id, era, b"", charge)

    def _refused(
        self,
        message: McpMessage,
        request: HttpRequest,
        era: Era,
        refusal: Refusal,
        charge: Charge | None = None,
    ) -> McpReply:
        """The error that a refusal is. One of the token is raised where all need one."""
        if not self._takes_token and refusal.code in answering.CHALLENGES:
            raise refusal
        refusal.fill({"base_url": request.base_url})
        data = answering.error_json(refusal, request.origin, request.id)
        problem = " ".join((refusal.message, *(f"`{i.path}`: {i.message}" for i in refusal.issues)))
        failure = ProtocolError(_code(refusal), problem, data)
        headers = answering.retry_headers(refusal, charge)
        body = messages.error(message.id, failure)
        return McpReply(era.status(failure.code), body, headers, charged=charge is not None)


def _notification(message_id: bytes, kind: bytes, params: Any) -> bytes:
    """A notification of the stream that the message with this id asked for, as it is sent."""
    return _frame(
        b'{"jsonrpc":"2.0","method":"notifications/events/%b","params":{"_meta":{"%b":%b},%b}}'
        % (kind, _SUBSCRIPTION, message_id, encode(params)[1:-1])
    )


def _frame(body: bytes) -> bytes:
    return b"data: %b\n\n" % body


def _code(refusal: Refusal) -> int:
    return _CODES.get(refusal.status, INTERNAL_ERROR)


def _success(
    message_id: bytes | None, era: Era, members: bytes, charge: Charge | None = None
) -> McpReply:
    assert message_id
    begin = era.every_result if members else era.every_result.rstrip(b",") or b'"_meta":{}'
    headers = rate_headers(charge) if charge else []
    body = b"".join(result(message_id, begin, members))
    return McpReply(200, body, headers, charged=charge is not None)


def _listing(*delivery: str) -> bytes:
    """The members of the result of `events/list`, where events come in these ways."""
    listed = [
        {
            "name": one.name,
            "description": one.description,
            "delivery": delivery,
            "inputSchema": one.input_schema,
            "payloadSchema": one.payload_schema,
        }
        for one in TYPES
    ]
    return b'"events":%b' % encode(listed)


async def _only_reads(*_: object) -> McpReply:
    """Refuse what writes where a client asked for what reads."""
    told = "Subscriptions are written, and this connection asked for what reads: use events/poll."
    raise ProtocolError(UNSUPPORTED, told, {"feature": "delivery.mode", "value": "webhook"})


def _asked(message: McpMessage) -> _Asked:
    """What a message asks for. Raises ProtocolError."""
    of, values = chosen(message.params)
    values["cursor"] = cursor(message.params) or FROM_NOW
    most = message.params.get("maxEvents")
    if most is not None:
        values["limit"] = most
    max_age = count(message.params, "maxAgeMs")
    return _Asked(of, TABLE[of.operation], values, max_age)


def _incoming(asked: _Asked, request: HttpRequest, streamed: bool) -> Incoming:
    async def values() -> Values:
        return dict(asked.values)

    return Incoming(
        authorization=request.authorization,
        address=request.address,
        base_url=request.base_url,
        values=values,
        place=asked.place,
        streamed=streamed,
    )
