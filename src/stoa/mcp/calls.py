"""`tools/call`: from the arguments of a tool to the runner, and its answer into a result."""

import difflib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, cast
from urllib.parse import urlencode

from stoa.calls import dry_runs, idempotency
from stoa.calls.incoming import Incoming
from stoa.calls.runner import Runner
from stoa.domain import limits
from stoa.domain.errors import InputIssue, Refusal, invalid, invalid_field
from stoa.domain.ids import prefix_of
from stoa.domain.wishes import wished, words_of
from stoa.http import answering, reading
from stoa.http.request import HttpRequest
from stoa.http.wire import HeaderList
from stoa.mcp.codes import INVALID_PARAMS
from stoa.mcp.connection import PLAIN, AddressOptions
from stoa.mcp.messages import McpMessage, ProtocolError
from stoa.mcp.research import Research
from stoa.mcp.tools import AUTHORIZATION, own_arguments
from stoa.operations.finding import known_as, meant
from stoa.operations.parts.buckets import headers as rate_headers
from stoa.operations.table import TABLE, Operation
from stoa.schemas import messages
from stoa.schemas.base import encode
from stoa.schemas.validation import Shape, Values, is_json_list, names, shapes
from stoa.shortcuts.cached_answers import cache_key
from stoa.shortcuts.known_calls import KnownCalls

_INTEGER_DIGITS = 18
_INTEGER_MOST = 10**_INTEGER_DIGITS

_AS_TOOL = {
    "get_artifact": "call get_job_submissions with `submissionId` and `artifact`",
    "get_submission": "call get_job_submissions with `submissionId`",
}
"""Operations that a tool of another name does too."""


@dataclass(frozen=True, slots=True)
class Called:
    """The pieces of a result's members as JSON, the headers of the HTTP answer, and whether the
    result is the stored one of an earlier call. `cache_key` is that of an answer without a token
    that may be cached."""

    members: tuple[bytes, ...]
    headers: HeaderList
    replayed: bool = False
    cache_key: str | None = None


class Tools:
    """The tools by name; `others` says of those that are not listed here how to get them."""

    def __init__(
        self,
        runner: Runner,
        operations: list[Operation],
        known: KnownCalls,
        *,
        takes_token: bool = True,
        others: Mapping[str, str] | None = None,
        research: Research | None = None,
    ) -> None:
        self._runner = runner
        self._known = known
        self._others = others or {}
        self._research = research
        self._takes_token = takes_token
        self._operations = {operation.name: operation for operation in operations}

    def _named(self, message: McpMessage) -> Operation:
        """The operation of the tool that a message calls. Raises ProtocolError for none."""
        name = message.params.get("name")
        if not isinstance(name, str):
            raise ProtocolError(INVALID_PARAMS, "`name` must be the name of a tool.")
        operation = self._operations.get(name)
        if operation is None:
            raise ProtocolError(INVALID_PARAMS, f"Unknown tool: {self._instead(name[:80])}")
        return operation

    def _instead(self, name: str) -> str:
        """What to do instead of calling a tool that is not listed here."""
        if name in self._others:
            return self._others[name]
        if name in TABLE:
            return f"{name} is not a tool: {_AS_TOOL.get(name) or _call(TABLE[name])}."
        known = known_as(name)
        wish = None if known else wished(words_of(name))
        if wish:
            call = _call(TABLE[wish.nearest])
            return f"{wish.because}. Call {call} {wish.to}. {self._others.get(call, '')}".rstrip()
        tools = filter(lambda one: one.toolsets, TABLE.values())
        near = [_call(known)] if known else [one.name for one in meant(name, tools)]
        near = near or _near(name, self._operations)
        if not near:
            return "`tools/list` names those of this connection, its `instructions` more sets."
        return f"did you mean {' or '.join(near)}? {self._others.get(near[0], '')}".rstrip()

    def check_long(self, message: McpMessage) -> None:
        """Raise ProtocolError for a long call of a tool that may wait: it is kept meanwhile."""
        operation = self._operations.get(str(message.params.get("name")))
        if operation and operation.effect.waits:
            most = limits.WAITING_BYTES // 1024
            problem = f"A call of `{operation.name}` has at most {most} KiB, since it may wait."
            raise ProtocolError(INVALID_PARAMS, problem)

    async def call(
        self, message: McpMessage, request: HttpRequest, wanted: AddressOptions
    ) -> Called:
        """Call the tool that a message names, with what is wanted of all calls; ProtocolError when
        there is no such tool. A refusal is a result too, but one of the token is raised where the
        token comes from the header alone, as clients of OAuth expect."""
        arguments = message.params.get("arguments")
        asked = self._research.asked(message.params) if self._research else None
        if asked:
            operation, arguments = asked.operation, asked.arguments
            wanted = PLAIN
        else:
            operation = self._named(message)
        request.operation = operation.name
        incoming = _incoming(operation, arguments, request, wanted, takes_token=self._takes_token)
        if asked:
            incoming.place, incoming.cache_key = asked.place, None
            incoming.values = incoming.values if asked.has_argument else asked.refused
        outcome = await self._runner.call(operation, incoming)
        refusal = outcome.refusal
        if refusal is None:
            headers = rate_headers(outcome.charge) if outcome.charge else []
            headers += [answering.REPLAYED] if outcome.replayed else []
            cache_key = incoming.cache_key if incoming.authorization is None else None
            body = asked.shaped(outcome.body) if asked else outcome.body
            return Called(self._known.content(body), headers, outcome.replayed, cache_key)
        if not self._takes_token and refusal.code in answering.CHALLENGES:
            raise refusal
        headers = answering.retry_headers(refusal, outcome.charge)
        told = asked.told(refusal) if asked else refusal
        body = encode(answering.error_json(told, request.origin, request.id))
        return Called((*self._known.content(body), b',"isError":true'), headers)


def _call(operation: Operation) -> str:
    """How an operation is called by a client of tools, from the default list or another."""
    if operation.toolsets:
        return operation.name
    return f"{operation.method} {operation.path} over HTTP"


def _near(name: str, tools: Iterable[str]) -> list[str]:
    """The tool whose name is nearest to one that is none, if both begin with nearly the same verb:
    what another verb does may be the opposite, and so may one with letters before it."""
    verb = name.partition("_")[0]
    alike = [
        tool
        for tool in tools
        if tool[0] == name[:1]
        and difflib.get_close_matches(verb, [tool.partition("_")[0]], 1, 0.85)
    ]
    return difflib.get_close_matches(name, alike, 1, 0.8)


def _incoming(
    operation: Operation,
    arguments: Any,
    request: HttpRequest,
    wanted: AddressOptions,
    *,
    takes_token: bool,
) -> Incoming:
    given = cast("Values", arguments) if isinstance(arguments, dict) else {}
    own = own_arguments(operation, takes_token=takes_token)
    token = given.get(AUTHORIZATION) if takes_token else None
    values, lists = _read(operation, given, own)
    if wanted.lean and values.get("view") is None:
        values["view"] = wanted.view
    key = given.get(idempotency.ARGUMENT) if operation.takes_key else None

    async def read() -> Values:
        if arguments is not None and not isinstance(arguments, dict):
            raise invalid_field("", messages.whole(operation.request))
        return {**values, **{name: _listed(name, text) for name, text in lists.items()}}

    return Incoming(
        authorization=_authorization(token, request.authorization),
        address=request.address,
        base_url=request.base_url,
        values=read,
        in_path={name: values[name] for name in operation.path_fields if name in values},
        cache_key=None if lists else _cache_key(operation, values),
        idempotency_key=key if key is None or isinstance(key, str) else "",
        key_name=idempotency.ARGUMENT,
        dry_run=given.get(dry_runs.ARGUMENT) if operation.takes_key else None,
        dry_run_name=dry_runs.ARGUMENT,
        offered=names(operation.request, besides=(*own, *shapes(operation.options))),
        option_names={name: name for name in shapes(operation.options)},
    )


def _authorization(given: Any, header: str | None) -> str | None:
    """The argument if there is one, else the header. What is no text is a bad token."""
    if given is None or given == "":
        return header
    return given if isinstance(given, str) else ""


def _read(
    operation: Operation, given: Values, own: tuple[str, ...]
) -> tuple[Values, dict[str, str]]:
    """The arguments as the operation's fields, without those of `own`, and those that
    are lists in the form of JSON text.

    Lists of labels may be comma text too. For what is read as a query over HTTP, numbers may be
    text, and nothing (null or empty text) counts as absent.
    """
    shaped = {**shapes(operation.request), **shapes(operation.options)}
    is_query = operation.method == "GET"
    values: Values = {}
    lists: dict[str, str] = {}
    for name, value in given.items():
        shape = shaped.get(name, Shape.TEXT)
        if name in own or (is_query and value in (None, "")):
            continue
        if shape.is_list and is_json_list(value):
            lists[name] = value
        else:
            values[name] = _value(value, shape, is_query=is_query)
    return values, lists


def _value(value: Any, shape: Shape, *, is_query: bool) -> Any:
    if isinstance(value, str) and (is_query or shape.is_list):
        return shape.read(value)
    if is_query and isinstance(value, int | Decimal) and not isinstance(value, bool):
        return _number(value, shape)
    return value


def _listed(name: str, text: str) -> Any:
    """The list in a text, which is read as strictly as a body."""
    try:
        return reading.parse_json(text.encode())
    except Refusal as refusal:
        issues = [
            InputIssue(f"{name}.{one.path}".rstrip("."), one.message) for one in refusal.issues
        ]
        raise invalid(*issues) from None


def _number(value: int | Decimal, shape: Shape) -> int | Decimal:
    """A number as a query is read: one with more digits than any count has is still a number."""
    if isinstance(value, int):
        return min(value, _INTEGER_MOST) if shape is Shape.NUMBER else value
    # 5.0 is an integer in JSON Schema. Arithmetic would round, or overflow on a huge exponent.
    is_short = value.adjusted() < _INTEGER_DIGITS
    return int(value) if is_short and value == value.to_integral_value() else value


def _cache_key(operation: Operation, values: Values) -> str | None:
    """The key that the same read has over HTTP, when it has one. Only an id is sure to be one
    segment of the path, which leads to no other operation."""
    known = shapes(operation.request).keys() | shapes(operation.options).keys()
    if not operation.caching.cached or not known >= values.keys():
        return None
    if not all(isinstance(value, str) for value in values.values()):
        return None
    query = dict(values)
    segments = {name: query.pop(name, "") for name in operation.path_fields}
    if not all(map(prefix_of, segments.values())):
        return None
    return cache_key(operation.path.format_map(segments), urlencode(query).encode())
