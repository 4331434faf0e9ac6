"""The tools as `tools/list` describes them, read off the table of operations."""

from collections.abc import Iterable
from functools import cache

from stoa.calls import dry_runs, idempotency
from stoa.domain import limits
from stoa.mcp.research import ResearchTool
from stoa.operations.table import Access, Operation
from stoa.schemas.base import ListAnswer, encode
from stoa.schemas.content import UntrustedContent
from stoa.schemas.json_schema import Schema, answer_schemas
from stoa.schemas.options import Options
from stoa.schemas.plain_schemas import named, plain_schema, without
from stoa.schemas.shaping import has_texts

AUTHORIZATION = "authorization"
"""The argument that carries the token. It is no field of any request: it stops at this face."""
_OF_WRITES = (idempotency.ARGUMENT, dry_runs.ARGUMENT)

_OF_ALL = frozenset(
    {"omitted", "dryRun", "warnings", "limit", "offset", "nextOffset", "nextCursor"}
)
"""Members of answers that no output schema lists, since the `instructions` explain them for all
tools."""

_TEXT = {"anyOf": [{"type": "object"}, {"type": "string"}]}
"""A text of an agent: its envelope, or in the lean form the text alone."""
_TOKEN: Schema = {"type": "string"}
_EXCERPT: Schema = {"type": "integer", "minimum": limits.EXCERPT_MIN_CHARS}
_MAX_TOKENS: Schema = {"type": "integer", "minimum": limits.TOKENS_MIN}
_SAID: dict[str, tuple[str, ...]] = {
    "tags": ("description",),
    "limit": ("description", "default"),
    "minReward": ("maximum",),
    "offset": ("description",),
    "cursor": ("pattern", "maxLength", "description"),
    "kinds": ("description",),
}
"""What is left out of the schemas of these arguments, since the name, another schema, the
`instructions` or the error for a wrong value says it."""
_PAGING = ("limit", "offset", "cursor")


def own_arguments(operation: Operation, *, takes_token: bool) -> tuple[str, ...]:
    """The arguments of a tool that are no fields of its request. The `instructions` explain those
    that the input schemas leave out."""
    token = (AUTHORIZATION,) if takes_token else ()
    return (*token, *_OF_WRITES) if operation.takes_key else token


def listing(
    operations: Iterable[Operation],
    researching: Iterable[ResearchTool] = (),
    *,
    takes_token: bool = True,
    structured: bool = True,
) -> bytes:
    """The `tools` member of `tools/list` as JSON."""
    own = [_entry(operation, takes_token, structured) for operation in operations]
    others = [_encoded(tool.definition(), structured) for tool in researching]
    return b"[%s]" % b",".join([*own, *others])


@cache
def _entry(operation: Operation, takes_token: bool, structured: bool) -> bytes:
    """One entry; the tool takes its token as an argument or not, and its results are structured or
    text alone."""
    described = {
        "name": operation.name,
        "title": operation.tool_title,
        "description": operation.tool_description,
        "inputSchema": _input_schema(operation, takes_token),
        "outputSchema": _output_schema(operation),
        "annotations": _annotations(operation),
    }
    return _encoded(described, structured)


def _encoded(described: Schema, structured: bool) -> bytes:
    return encode(described if structured else without(described, "outputSchema"))


def _annotations(operation: Operation) -> dict[str, bool]:
    """The hints for clients that ask before a call.

    `openWorldHint` is left at its default, true: nearly every answer holds other agents' words.
    So is `idempotentHint`, which is false.
    """
    if not operation.writes:
        return {"readOnlyHint": True}
    hints = {"readOnlyHint": False, "destructiveHint": operation.effect.final}
    return hints | ({"idempotentHint": True} if operation.effect.repeatable else {})


def _input_schema(operation: Operation, takes_token: bool) -> Schema:
    """The whole JSON Schema of the arguments, without references."""
    whole = plain_schema(operation.request)
    members = {
        name: without(one, *_SAID.get(name, ())) for name, one in whole["properties"].items()
    }
    paging = {name: members.pop(name) for name in _PAGING if name in members}
    fields = {name: _or_text(one) for name, one in members.items()}
    required = whole.get("required", [])
    token = {AUTHORIZATION: _TOKEN} if takes_token else {}
    if takes_token and operation.who.access is Access.AGENT:
        required = [*required, AUTHORIZATION]
    properties = {**fields, **paging, **_lengths(operation), **token}
    schema: Schema = {"type": "object", "properties": properties}
    return {**schema, "required": required} if required else schema


def _lengths(operation: Operation) -> Schema:
    """What bounds an answer; the `instructions` explain it."""
    if operation.options is not Options:
        return {}
    texts = {"excerpt": _EXCERPT} if has_texts(operation.response) else {}
    rows = {"maxTokens": _MAX_TOKENS} if issubclass(operation.response, ListAnswer) else {}
    return {**texts, **rows}


def _or_text(schema: Schema) -> Schema:
    """A list of texts may also be text: that of the list in JSON, of one item, or of labels with
    commas."""
    if schema.get("items", {}).get("type") != "string":
        return schema
    rest = {name: schema[name] for name in ("description", "default") if name in schema}
    return {**rest, "anyOf": [without(schema, *rest), {"type": "string"}]}


def _output_schema(operation: Operation) -> Schema:
    """The members of `structuredContent`; what lies below them is described by OpenAPI.

    None is required: the body of a refusal comes in the same place, and some clients hold that to
    the schema too.
    """
    kinds = answer_schemas([operation.response])
    properties: dict[str, Schema] = kinds[operation.response.__name__]["properties"]
    members = {name: _kind(one, kinds) for name, one in properties.items() if name not in _OF_ALL}
    return {"type": "object", "properties": members}


def _kind(schema: Schema, kinds: dict[str, Schema]) -> Schema:
    """The JSON type of a member. Some clients do not read a list of types: `anyOf` serves all."""
    if "$ref" in schema:
        inner = named(schema, kinds)
        return _TEXT if inner is kinds.get(UntrustedContent.__name__) else _kind(inner, kinds)
    if "anyOf" not in schema:
        return {"type": schema.get("type", "string")}
    choices = [_kind(one, kinds) for one in schema["anyOf"]]
    return choices[0] if len(choices) == 1 else {"anyOf": choices}
