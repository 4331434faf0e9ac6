"""The tools as `tools/list` describes them, read off the table of operations."""

from collections.abc import Iterable
from typing import Any, TypeVar

import msgspec

from stoa.domain import text
from stoa.operations.table import Access, Operation
from stoa.schemas.base import Page
from stoa.schemas.json_schema import answer_schemas, request_schemas

AUTHORIZATION = "authorization"
"""The argument that carries the token. It is no field of any request: it stops at this face."""

_TOKEN = {"type": "string", "description": "`Bearer <ACCESS_TOKEN>`"}
_SEEN = r"\S"
_PAGING = Page.__struct_encode_fields__

Schema = dict[str, Any]
T = TypeVar("T")


def title(operation: Operation) -> str:
    """The tool's name for people: `search_threads` is "Search threads"."""
    return (operation.tool or operation.name).replace("_", " ").capitalize()


def describe(operation: Operation) -> str:
    """What the tool does and when to use it."""
    return " ".join(part for part in (operation.summary, operation.description) if part)


def definition(operation: Operation) -> Schema:
    """One entry of `tools/list`."""
    return {
        "name": operation.tool,
        "title": title(operation),
        "description": describe(operation),
        "inputSchema": input_schema(operation),
        "outputSchema": output_schema(operation),
        "annotations": annotations(operation),
    }


def listing(operations: Iterable[Operation]) -> bytes:
    """The `tools` member of `tools/list` as JSON."""
    tools = [definition(operation) for operation in operations if operation.tool]
    return msgspec.json.encode(tools)


def annotations(operation: Operation) -> dict[str, bool]:
    """The hints for clients that ask before a call. What other agents wrote is an open world."""
    if not operation.writes:
        return {"readOnlyHint": True, "openWorldHint": True}
    return {
        "readOnlyHint": False,
        "destructiveHint": operation.final,
        "idempotentHint": operation.repeatable,
        "openWorldHint": True,
    }


def input_schema(operation: Operation) -> Schema:
    """The whole JSON Schema of the arguments, without references."""
    kinds = request_schemas([operation.request])
    whole = _inlined(kinds[operation.request.__name__], kinds)
    fields: Schema = whole["properties"]
    paging = {name: fields.pop(name) for name in _PAGING if name in fields}
    required: list[str] = whole.get("required", [])
    if operation.access is Access.AGENT:
        required = [*required, AUTHORIZATION]
    schema: Schema = {"type": "object", "properties": {**fields, **paging, AUTHORIZATION: _TOKEN}}
    return {**schema, "required": required} if required else schema


def _inlined(schema: Schema, kinds: dict[str, Schema]) -> Schema:
    """`schema` without references, nulls (an argument is left out instead), titles and examples."""
    if "$ref" in schema:
        named = _without(_inlined(_named(schema, kinds), kinds), "description")
        return {**named, **_without(schema, "$ref")}
    if "anyOf" in schema:
        choices = [_inlined(one, kinds) for one in schema["anyOf"] if one != {"type": "null"}]
        rest = _without(schema, "anyOf", "examples", *_no_default(schema))
        return {**choices[0], **rest} if len(choices) == 1 else {"anyOf": choices, **rest}
    tidy = _portable(_without(schema, "title", "examples"))
    if "items" in tidy:
        tidy["items"] = _inlined(tidy["items"], kinds)
    if "properties" in tidy:
        properties: Schema = tidy["properties"]
        tidy["properties"] = {name: _inlined(one, kinds) for name, one in properties.items()}
    return tidy


def _named(schema: Schema, kinds: dict[str, Schema]) -> Schema:
    return kinds[schema["$ref"].rpartition("/")[2]]


def _no_default(schema: Schema) -> list[str]:
    return [] if schema.get("default") else ["default"]


def _portable(schema: Schema) -> Schema:
    """The patterns against invisible text are long and in one dialect; this is their plain part."""
    patterns = [schema.get("pattern"), *(one.get("pattern") for one in schema.get("allOf", ()))]
    if text.LABEL_PATTERN in patterns or text.NOT_BLANK_PATTERN in patterns:
        schema = {**_without(schema, "allOf", "minLength"), "pattern": _SEEN}
    if "enum" in schema:
        schema = {"type": "string", **schema}
    return schema


def _without(mapping: dict[str, T], *names: str) -> dict[str, T]:
    return {name: value for name, value in mapping.items() if name not in names}


def output_schema(operation: Operation) -> Schema:
    """The members of `structuredContent`; what lies below them is described by OpenAPI."""
    kinds = answer_schemas([operation.response])
    whole = kinds[operation.response.__name__]
    properties: dict[str, Schema] = whole["properties"]
    members = {name: {"type": _types(one, kinds)} for name, one in properties.items()}
    return {"type": "object", "properties": members, "required": whole["required"]}


def _types(schema: Schema, kinds: dict[str, Schema]) -> str | list[str]:
    """The JSON type of a member, or its types."""
    if "$ref" in schema:
        return _types(_named(schema, kinds), kinds)
    if "anyOf" not in schema:
        return schema.get("type", "string")
    found = [_types(one, kinds) for one in schema["anyOf"]]
    flat = dict.fromkeys(name for one in found for name in ([one] if isinstance(one, str) else one))
    return list(flat) if len(flat) > 1 else next(iter(flat))
