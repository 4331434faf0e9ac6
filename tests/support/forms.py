"""An application that makes each call in the other forms too, and says what is wrong with answers.

A read is also asked for in its short forms and as a tool. A write runs as a dry run before, and is
sent again under its idempotency key. No answer may be a defect, each must be as the OpenAPI
description or the schema of its tool says, and the Python client and `stoa agent` must take it.
Amounts get decimals and texts get characters that are easy to break something with.

An answer is compared with its schema once for each shape: which members it has, of which types.
"""

import io
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import redirect_stdout
from functools import cache
from inspect import getmembers, isfunction
from types import UnionType
from typing import Any, NamedTuple, cast, get_args, get_type_hints
from urllib.parse import parse_qsl

from jsonschema import Draft202012Validator

from stoa.cli.agent_print import Printer
from stoa.client import resources
from stoa.client.generated import operations as generated
from stoa.client.operation import ClientOperation
from stoa.domain.toolsets import Toolset
from stoa.operations.catalog import all_operations
from stoa.operations.table import Mode, Operation
from stoa.schemas.validation import shapes
from tests.support.answers import Answer
from tests.support.app import NOTHING, App, full_path
from tests.support.description import described, resolved, validator
from tests.support.mcp import ERAS, Mcp

DEFECT = 500
EVERY_TOOL = f"/mcp?toolsets={','.join(Toolset)}"
SHORT_FORMS = ("view=lean", "excerpt=40", "maxTokens=200", "view=lean&excerpt=40&maxTokens=200")
MINIMAL = {"Prefer": "return=minimal"}
AMOUNTS = ("rewardCredits", "bountyCredits", "credits", "amount")
TEXTS = ("title", "body", "description", "message", "reason", "note", "environment")
RICH = (
    " <b>&\"'</b> %s %(x)s {} {threadId} \\u0000 \\ \U0001f600 e\u0301\u0327 \u05d0\u0627 $1 ]]> |"
)
STEERING = "\x1b]0;mine\x07\x9b31m\u202e\nth_1 "
STEERS = frozenset("\x1b\x07\x9b\u202e")
ENDS_THE_SESSION = ("rotate_key", "retire_agent", "revoke_sessions")
"""A second call with the same token is refused."""
OF_NOW = frozenset({"get_me", "get_limits"})
"""What differs between two calls: how many are left."""
DRY = ("dryRun=true", "dryRun=true&view=lean")
REPLAYS = ("lean replay", "minimal replay", "full replay")
_IDS = re.compile(r'"((\w{2,3})_[0-9a-z]{26})"')


class Made(NamedTuple):
    """A call of an operation; `in_path` are the values of the fields in its path."""

    operation: Operation
    path: str
    in_path: tuple[str, ...]
    body: Any
    headers: dict[str, str]

    def with_query(self, more: str) -> str:
        """Its address with more parameters."""
        return f"{self.path}{'&' if '?' in self.path else '?'}{more}" if more else self.path

    @property
    def is_plain(self) -> bool:
        """Whether it asks for the full form, at once."""
        asked = {name for name, _ in parse_qsl(self.path.partition("?")[2])}
        names = {name.lower() for name in self.headers}
        special = asked & {"view", "excerpt", "maxTokens", "wait", "dryRun"}
        return not special and not names & {"prefer", "if-none-match", "idempotency-key"}

    @property
    def token(self) -> str:
        """The token that it was made with."""
        return self.headers.get("Authorization", "").removeprefix("Bearer ")

    @property
    def arguments(self) -> dict[str, Any]:
        """Its fields, as the arguments of the tool."""
        known = shapes(self.operation.request)
        values = dict(zip(self.operation.path_fields, self.in_path, strict=True))
        query = parse_qsl(self.path.partition("?")[2])
        read = {name: known[name].read(value) for name, value in query if name in known}
        body = cast("dict[str, Any]", self.body) if isinstance(self.body, dict) else {}  # pyright: ignore[reportUnknownMemberType]
        return {**read, **values, **body}


class Watched(App):
    """The application. `wrong` has what is wrong with its answers, `forms` by operation the forms
    of its successes, and `ids` what was named in answers, by the prefix of the id."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.wrong: list[str] = []
        self.forms: dict[str, set[str]] = {}
        self.ids: dict[str, dict[str, None]] = {}
        self._shapes: set[tuple[str, str, frozenset[str]]] = set()
        self._keys = 0
        self._tools: dict[str, Any] = {}

    async def ask(
        self,
        method: str,
        path: str,
        body: Any = NOTHING,
        *,
        headers: Mapping[str, str] | Sequence[tuple[str, str]] = (),
        client: str = "127.0.0.1",
    ) -> Answer:
        """See `App.ask`; the call is made in its other forms too."""
        found = operation_at(method, full_path(path))
        given = dict(headers)
        if found is None:
            return await super().ask(method, path, body, headers=given, client=client)
        operation, in_path = found
        if isinstance(body, dict) and operation.takes_key:
            body = richer(cast("dict[str, Any]", body))
        made = Made(operation, full_path(path), in_path, body, given)
        if operation.takes_key and made.is_plain and made.token:
            return await self._write(made)
        answer = await self._sent(made, "")
        is_new = made.is_plain and self._judge(made, "full", answer)
        if is_new and method == "GET":
            await self._read(made, answer)
        return answer

    async def _sent(self, made: Made, query: str, **headers: str) -> Answer:
        more = {name.replace("_", "-"): value for name, value in headers.items()}
        return await super().ask(
            made.operation.method,
            made.with_query(query),
            made.body,
            headers={**made.headers, **more},
        )

    async def _read(self, made: Made, answer: Answer) -> None:
        """Ask for the short forms of a read whose full answer has a new shape, and as a tool."""
        for query in SHORT_FORMS:
            short = await self._sent(made, query)
            self._judge(made, query, short)
            if short.status != answer.status:
                self._note(made, query, f"is {short.status} and not {answer.status}")
        if made.operation.toolsets:
            for version in ERAS:
                told = await self._called(made, version)
                if not _same(made.operation, answer, told):
                    self._note(made, version, "differs from the answer over HTTP")
                await self._called(made, version, view="lean")

    async def _write(self, made: Made) -> Answer:
        """Make a write once as it is, after dry runs and before it is sent again."""
        for query in DRY:
            self._judge(made, query, await self._sent(made, query))
        self._judge(made, "dry minimal", await self._sent(made, DRY[0], **MINIMAL))
        self._keys += 1
        key = f"key-{self._keys}"
        again = {"Idempotency_Key": key}
        answer = await self._sent(made, "", **again)
        is_new = self._judge(made, "full", answer)
        if not is_new or answer.status >= 300 or made.operation.name in ENDS_THE_SESSION:
            return answer
        self._judge(made, "lean replay", await self._sent(made, "view=lean", **again))
        self._judge(made, "minimal replay", await self._sent(made, "", **again, **MINIMAL))
        whole = await self._sent(made, "", **again)
        self._judge(made, "full replay", whole)
        if whole.status != answer.status:
            self._note(made, "replay", f"is {whole.status} and not {answer.status}")
        if made.operation.toolsets:
            for version in ERAS:
                await self._called(made, version, idempotencyKey=key)
                await self._called(made, version, idempotencyKey=key, view="lean")
        return answer

    async def _called(self, made: Made, version: str, **more: Any) -> Any:
        """What the tool answers; the same is said as text."""
        client, form = Mcp(self, version), " ".join([version, *map(str, more.values())])
        if made.token:
            more["authorization"] = f"Bearer {made.token}"
        params = {"name": made.operation.name, "arguments": {**made.arguments, **more}}
        message = client.message("tools/call", params)
        answer = await super().ask("POST", EVERY_TOOL, message, headers=client.headers(message))
        result: Any = answer.json.get("result")
        if result is None or result["structuredContent"].get("code") == "forum_error":
            return self._note(made, form, answer.text[:500])
        told = result["structuredContent"]
        if made.operation.name not in self._tools:
            await self._list_tools(client)
        for error in self._tools[made.operation.name].iter_errors(told):
            self._note(made, form, f"as a tool: {error.message[:300]}")
        return told

    async def _list_tools(self, client: Mcp) -> None:
        message = client.message("tools/list")
        answer = await super().ask("POST", EVERY_TOOL, message, headers=client.headers(message))
        for tool in answer["result"]["tools"]:
            self._tools[tool["name"]] = Draft202012Validator(tool.get("outputSchema", True))

    def _judge(self, made: Made, form: str, answer: Answer) -> bool:
        """Note what is wrong with an answer; whether its shape is a new one."""
        name = made.operation.name
        if answer.status >= DEFECT:
            self._note(made, form, answer.text[:500])
            return False
        if answer.status < 300:
            self.forms.setdefault(name, set()).add(form)
        if not answer.headers.get("content-type", "").startswith("application/json"):
            return False
        for problem in _header_problems(made.operation, answer):
            self._note(made, form, problem)
        for named, prefix in _IDS.findall(answer.text):
            self.ids.setdefault(prefix, {})[named] = None
        body = answer.json
        shape = (name, form.partition("=")[0], frozenset([*_shape(body), str(body.get("code"))]))
        if shape in self._shapes:
            return False
        self._shapes.add(shape)
        for problem in described_problems(made.operation, answer.status, body):
            self._note(made, form, problem)
        if form.startswith("full") and answer.status < 300:
            for problem in _client_problems(name, answer.content):
                self._note(made, form, problem)
        return True

    def _note(self, made: Made, form: str, what: str) -> None:
        self.wrong.append(f"{made.operation.name} ({form}) {made.path}: {what}")


def forms_of(operation: Operation) -> set[str]:
    """The forms in which a success of an operation is asked for."""
    if not operation.takes_key:
        return {"full", *(SHORT_FORMS if operation.method == "GET" else ())}
    replays = () if operation.name in ENDS_THE_SESSION else REPLAYS
    return {"full", *DRY, "dry minimal", *replays}


def richer(body: dict[str, Any]) -> dict[str, Any]:
    """A body whose amounts have decimals, and whose texts are harder to handle."""
    found: dict[str, Any] = {}
    for name, value in body.items():
        if name in AMOUNTS and isinstance(value, int) and value:
            found[name] = value + 0.05
        elif name in TEXTS and isinstance(value, str) and not re.fullmatch("[a-z_]*", value):
            found[name] = value + RICH
        elif isinstance(value, dict):
            found[name] = richer(cast("dict[str, Any]", value))
        else:
            found[name] = value
    return found


def operation_at(method: str, path: str) -> tuple[Operation, tuple[str, ...]] | None:
    """The operation at an address, with the values in its path."""
    for operation, pattern in _routes():
        if operation.method == method and (found := pattern.fullmatch(path.partition("?")[0])):
            return operation, found.groups()
    return None


@cache
def _routes() -> list[tuple[Operation, re.Pattern[str]]]:
    """Those without fields first."""
    listed = sorted(all_operations(), key=lambda one: len(one.path_fields))
    return [(one, re.compile(re.sub(r"{\w+}", "([^/]+)", one.path))) for one in listed]


def _shape(value: Any, at: str = "") -> Iterator[str]:
    """Each member of JSON with its type."""
    if isinstance(value, dict):
        for name, one in cast("dict[str, Any]", value).items():
            yield from _shape(one, f"{at}.{name}")
    elif isinstance(value, list):
        for one in cast("list[Any]", value):
            yield from _shape(one, f"{at}[]")
    else:
        yield f"{at} {type(value).__name__}"


def _same(operation: Operation, answer: Answer, told: Any) -> bool:
    """Whether a tool said what was said over HTTP, as far as that does not change by itself."""
    if (
        told is None
        or answer.status >= 300
        or operation.effect.mode is Mode.SNAPSHOT
        or operation.name in OF_NOW
    ):
        return True
    said = answer.json
    return {**said, "warnings": None} == {**told, "warnings": None}


# --- What a schema and the client say.


@cache
def _described(operation: Operation, status: int) -> Any:
    """The response that is described; KeyError where no such status is."""
    return resolved(described(operation)["responses"][str(status)])


def _header_problems(operation: Operation, answer: Answer) -> Iterator[str]:
    """What of the headers of an answer is not as the OpenAPI description says."""
    for name, header in _described(operation, answer.status).get("headers", {}).items():
        whole, value = resolved(header), answer.headers.get(name.lower())
        schema = whole["schema"]
        if value is None:
            if whole.get("required"):
                yield f"{name} is missing"
        elif value not in schema.get("enum", [value]) or value != schema.get("const", value):
            yield f"{name}: {value} is not described"


@cache
def _validator(operation: Operation, status: int) -> Draft202012Validator:
    return validator(_described(operation, status)["content"]["application/json"]["schema"])


def described_problems(operation: Operation, status: int, body: Any) -> Iterator[str]:
    """What of an answer is not as the OpenAPI description says."""
    checking: Any = _validator(operation, status)
    for error in checking.iter_errors(body):
        yield f"{'.'.join(map(str, error.absolute_path))}: {error.message[:300]}"


@cache
def _client_operations() -> dict[str, ClientOperation[Any]]:
    known = vars(generated).values()
    return {one.name: one for one in known if isinstance(one, ClientOperation)}


@cache
def _printers() -> dict[Any, list[str]]:
    """The methods of the printer that take an answer alone, by the types of that."""
    found: dict[Any, list[str]] = {}
    for name, method in getmembers(Printer, isfunction):
        hints = get_type_hints(method)
        hints.pop("return", None)
        if not name.startswith("_") and len(hints) == 1:
            (kind,) = hints.values()
            for one in get_args(kind) if isinstance(kind, UnionType) else (kind,):
                found.setdefault(one, []).append(name)
    return found


def _client_problems(name: str, content: bytes) -> Iterator[str]:
    """Why the client cannot read an answer, or `stoa agent` cannot show it."""
    kind = _client_operations()[name].answer
    try:
        answer = resources.read(kind, resources.parse(content))
    except resources.WrongShape as error:
        yield f"the client: {error}"
        return
    steered = resources.read(kind, steering(answer.raw))
    for one in [answer, *_rows(answer), steered, *_rows(steered)]:
        for method in _printers().get(type(one), ()):
            for as_json in (True, False):
                shown = _printed(method, one, as_json=as_json)
                if method != "artifact" and (STEERS & set(shown) or "\nth_1" in shown):
                    yield f"{method} lets a text steer the terminal"


def _printed(method: str, answer: resources.Resource, *, as_json: bool) -> str:
    """What a method of the printer prints."""
    printed = io.BytesIO()
    with redirect_stdout(io.TextIOWrapper(printed, "utf-8")) as out:
        getattr(Printer(as_json), method)(answer)
        out.flush()
        return printed.getvalue().decode()


def steering(value: Any) -> Any:
    """An answer in which every text, also those that are no agent's, begins as one that would steer
    a terminal."""
    if isinstance(value, str):
        return STEERING + value
    if isinstance(value, list):
        return [steering(one) for one in cast("list[Any]", value)]
    if isinstance(value, dict):
        return {name: steering(one) for name, one in cast("dict[str, Any]", value).items()}
    return value


def _rows(answer: resources.Resource) -> Iterator[resources.Resource]:
    for name in answer.__struct_fields__:
        value = getattr(answer, name)
        if isinstance(value, list):
            rows = cast("list[Any]", value)
            yield from (row for row in rows if isinstance(row, resources.Resource))
