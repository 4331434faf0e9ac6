"""The REST face: from an HTTP request to the runner and back."""

from collections.abc import Awaitable, Callable
from functools import cache, lru_cache
from typing import Any
from urllib.parse import parse_qsl

import msgspec

from stoa.calls import dry_runs, idempotency
from stoa.calls.encode import names_tag
from stoa.calls.incoming import EventStream, Incoming, Outcome
from stoa.calls.runner import Runner
from stoa.clock import Clock
from stoa.domain.errors import Refusal, invalid_field
from stoa.domain.signed import signed
from stoa.domain.webhooks import WebhookSigner
from stoa.http import answering, reading, streaming
from stoa.http.request import HttpRequest
from stoa.http.wire import HeaderLines, Send, header_lines
from stoa.metrics import PREFLIGHT
from stoa.operations.table import Operation
from stoa.rest.deprecation import announcing
from stoa.rest.router import RouteMatch, Router
from stoa.rest.unknown import unknown_path, wrong_method
from stoa.schemas import messages
from stoa.schemas.base import SignedMember, encode
from stoa.schemas.names import IN_QUERY, Names
from stoa.schemas.validation import GivenTwice, Shape, Values, names, shapes
from stoa.shortcuts.cached_answers import cache_key

_IDEMPOTENCY_KEY = idempotency.HEADER.lower().encode()
_OF_WRITES = (dry_runs.IN_QUERY, idempotency.HEADER)
"""What a write takes outside its body. In the body it is refused, with the right place."""
_LAST_EVENT_ID = streaming.LAST_EVENT_ID.lower().encode()

_QUERIES, _QUERY_BYTES = 512, 64
"""How many queries are cached as they were read, and the longest of them."""

_PREFERENCE_APPLIED = header_lines([(b"preference-applied", b"return=minimal")])


class Rest:
    """Serves every operation of the table at its path."""

    def __init__(
        self,
        runner: Runner,
        operations: list[Operation],
        signer: WebhookSigner,
        clock: Clock,
    ) -> None:
        self._runner, self._signer, self._clock = runner, signer, clock
        self._charges = runner.charges
        self._operations = operations
        self._router = Router(operations)

    def serves(self, path: str) -> bool:
        """Whether an operation has this path."""
        return self._router.find(path) is not None

    async def __call__(self, request: HttpRequest, send: Send) -> None:
        """Answer one request."""
        if request.method == "OPTIONS":
            request.operation = PREFLIGHT
            return await answering.send_preflight(send, request.id_header)
        path = request.path.removesuffix(streaming.PATH_END)
        found = self._router.find(path)
        if found and path != request.path and not _has_stream(found):
            found = None
        if found is None:
            refusal = await self._charges.rate_limit_address(request.address)
            refusal = refusal or self.unknown(request, request.path)
            return await self.refuse(request, send, refusal)
        operation = found.methods.get("GET" if request.method == "HEAD" else request.method)
        if operation is None:
            refusal = wrong_method(found, request.path, request.method, self._operations)
            return await self.refuse(request, send, refusal)
        request.operation = operation.name
        if operation.deprecated:
            send = announcing(send, operation.deprecated)
        incoming = self._incoming(request, operation, found.values)
        if path != request.path:
            incoming.streamed, incoming.values = True, _resumed(incoming.values, request)
            incoming.same_input = None
        outcome = await self._runner.call(operation, incoming)
        if outcome.following:
            return await self._stream(request, send, outcome, outcome.following)
        return await self._finish(request, send, operation, outcome)

    def unknown(self, request: HttpRequest, path: str) -> Refusal:
        """What a request is told for which no operation is at a path."""
        near = self._router.nearest(path, request.method)
        refusal = unknown_path(path, request.query, request.method, near, self._operations)
        refusal.fill({"base_url": request.base_url})
        return refusal

    def _incoming(
        self, request: HttpRequest, operation: Operation, path_values: tuple[str, ...]
    ) -> Incoming:
        known = _shapes(operation)
        given = zip(operation.path_fields, path_values, strict=True)
        in_path = {name: known[name].read(value) for name, value in given}
        is_get, options = operation.method == "GET", _option_names(operation)
        asked = cache_key(request.path, request.query) if is_get else None
        key = request.headers.get(_IDEMPOTENCY_KEY)

        async def values() -> Values:
            body = {} if is_get else await _body(request, operation)
            if not request.query:
                return {**body, **in_path}
            read = _remembered_query if len(request.query) <= _QUERY_BYTES else _query
            try:
                return together(body, read(operation, request.query))
            except GivenTwice as refusal:
                refusal.values = together(body, refusal.values)
                raise

        def together(body: Values, query: Values) -> Values:
            if is_get and query.keys().isdisjoint(in_path):
                return {**query, **in_path}
            # What the path names, and all parameters of a POST, become unknown ones.
            taken = in_path if is_get else query
            query = {f"{IN_QUERY}{n}" if n in taken else n: value for n, value in query.items()}
            if not is_get:
                query.pop(dry_runs.IN_QUERY, None)
            return {**query, **body, **in_path}

        def place(name: str) -> str:
            if name in in_path:
                return f"path.{name}"
            return f"{IN_QUERY}{name.removeprefix(IN_QUERY)}" if is_get else name

        return Incoming(
            authorization=request.authorization,
            address=request.address,
            base_url=request.base_url,
            values=values,
            place=place,
            in_path=in_path,
            cache_key=asked,
            same_input=asked,
            consistency=request.headers.get(answering.CONSISTENCY, b"").decode("latin-1"),
            idempotency_key=None if key is None else key.decode("latin-1"),
            dry_run=_dry_run(request.query) if request.query and not is_get else None,
            offered=_offered(operation),
            option_names=options,
            prefers_minimal=b"prefer" in request.headers
            and answering.prefers_minimal(request.headers[b"prefer"]),
            if_none_match=request.headers.get(b"if-none-match", b""),
        )

    async def _stream(
        self,
        request: HttpRequest,
        send: Send,
        outcome: Outcome,
        following: EventStream,
    ) -> None:
        own = request.id_header[1]
        lines = answering.success_lines(own, answering.PERSONAL_LINES, outcome.charge, outcome.etag)
        headers = [pair for pair in HeaderLines(lines) if pair[0] != streaming.CONTENT_TYPE[0]]
        headers += [streaming.CONTENT_TYPE, streaming.UNBUFFERED]
        if request.method == "HEAD":
            return await answering.send_answer(send, outcome.status, headers)
        frames = streaming.lines_of(following)
        return await streaming.send_stream(send, request.receive, headers, frames)

    async def _finish(
        self, request: HttpRequest, send: Send, operation: Operation, outcome: Outcome
    ) -> None:
        if outcome.refusal:
            return await self.refuse(request, send, outcome.refusal, outcome)
        member = operation.response.signed
        if member and answering.asks_for(request, answering.JOSE):
            outcome.etag = None  # the time of the signature changes
            lines = answering.as_jose(_lines(request, operation, outcome))
            body = self._signed(request.base_url, member, outcome.body)
            head = request.method == "HEAD"
            return await answering.send_lines(send, outcome.status, lines, body, head=head)
        lines = _lines(request, operation, outcome)
        known = request.headers.get(b"if-none-match")
        if known is not None and outcome.etag and names_tag(known, outcome.etag):
            return await answering.send_lines(send, 304, lines)
        if outcome.next_cursor:
            lines += answering.next_link(request.path, request.query, outcome.next_cursor)
        body, head = outcome.body, request.method == "HEAD"
        if operation.response.as_text and answering.JSON not in request.headers.get(b"accept", b""):
            lines, body = answering.as_text(lines, body, operation.response.as_text)
        return await answering.send_lines(send, outcome.status, lines, body, head=head)

    def _signed(self, base_url: str, member: SignedMember, body: bytes) -> bytes:
        """A member of a JSON answer as the claims of a text that the service signs."""
        said = msgspec.json.decode(body)[member.name]
        claims = {
            "iss": base_url,
            "sub": said[member.subject],
            "iat": self._clock() // 1000,
            member.name: said,
        }
        return signed(self._signer.key, self._signer.id, encode(claims)).encode()

    async def refuse(
        self, request: HttpRequest, send: Send, refusal: Refusal, outcome: Outcome | None = None
    ) -> None:
        """Answer with an error body."""
        body = answering.error_json(refusal, request.origin, request.id)
        content_type = answering.JSON
        if answering.asks_for(request, answering.PROBLEM):
            body = answering.problem_json(body, refusal.status, request.path)
            content_type = answering.PROBLEM
        headers = [
            (b"content-type", content_type),
            answering.NOSNIFF,
            *answering.CORS,
            request.id_header,
            answering.NO_STORE,
        ]
        headers += answering.refusal_headers(refusal, outcome.charge if outcome else None)
        head = request.method == "HEAD"
        await answering.send_answer(send, refusal.status, headers, encode(body), head=head)


def _has_stream(found: RouteMatch) -> bool:
    """Whether the events that are read at a path come as a stream below it."""
    return any(operation.effect.waits for operation in found.methods.values())


def _resumed(
    values: Callable[[], Awaitable[Values]], request: HttpRequest
) -> Callable[[], Awaitable[Values]]:
    """The input of a stream, which goes on where it was interrupted."""
    last = request.headers.get(_LAST_EVENT_ID)
    if not last:  # some clients send an empty one before their first event
        return values

    async def read() -> Values:
        return {**await values(), "cursor": last.decode("latin-1")}

    return read


@cache
def _offered(operation: Operation) -> Names:
    own = _OF_WRITES if operation.takes_key else ()
    return names(operation.request, operation.path_fields, (*_option_names(operation), *own))


@cache
def _shapes(operation: Operation) -> dict[str, Shape]:
    return {**shapes(operation.request), **shapes(operation.options)}


def _query(operation: Operation, query: bytes) -> Values:
    """The parameters of a query, those of a POST as they stand."""
    known = _shapes(operation) if operation.method == "GET" else {}
    return reading.query_values(query, known)


_remembered_query = lru_cache(_QUERIES)(_query)


@cache
def _option_names(operation: Operation) -> dict[str, str]:
    """The options by the names that they have in the raw input: all are parameters."""
    at = "" if operation.method == "GET" else IN_QUERY
    return {at + name: name for name in shapes(operation.options)}


def _dry_run(query: bytes) -> str | None:
    """The text of the parameter that asks for a dry run, empty or not. An invalid query is refused
    when the input is read."""
    return dict(parse_qsl(query.decode("latin-1"), keep_blank_values=True)).get(dry_runs.ARGUMENT)


async def _body(request: HttpRequest, operation: Operation) -> dict[str, Any]:
    body = await reading.body_bytes(request.receive, request.headers)
    if not body.strip():
        return {}
    value = reading.parse_json(body)
    if not isinstance(value, dict):
        raise invalid_field("", messages.whole(operation.request, operation.path_fields))
    return value  # pyright: ignore[reportUnknownVariableType]


def _lines(request: HttpRequest, operation: Operation, outcome: Outcome) -> bytes:
    """The header lines of a success."""
    if operation.personal or outcome.private:
        caching = answering.PERSONAL_LINES
    else:
        caching = answering.PUBLIC_LINES if request.authorization is None else answering.TOKEN_LINES
    if operation.caching.for_parties:
        caching += answering.VARY_LINES
    if operation.response.signed:
        caching += answering.VARY_BY_FORM
    lines = answering.success_lines(request.id_header[1], caching, outcome.charge, outcome.etag)
    if outcome.consistency:
        lines += header_lines([(answering.CONSISTENCY, outcome.consistency.encode())])
    if outcome.replayed:
        lines += header_lines([answering.REPLAYED])
    prefer = request.headers.get(b"prefer")
    if outcome.minimal and prefer and answering.prefers_minimal(prefer):
        lines += _PREFERENCE_APPLIED
    return lines
