"""An operation of the OpenAPI description in short: its input, and the names of its answers."""

from typing import Any

from stoa.http import answering
from stoa.operations.table import TABLE
from stoa.schemas.json_schema import rewritten
from stoa.schemas.plain_schemas import plain_schema, without

Node = dict[str, Any]

_SCHEMAS = "#/components/schemas/"
_KEPT = ("operationId", "summary", "description", "deprecated", "security")
_BESIDE = frozenset(
    {"view", "excerpt", "maxTokens", "If-None-Match", "Prefer", "dryRun", "Idempotency-Key"}
)
"""Parameters of many operations, which are named without a description."""
_DEPTH = 2
"""So deep the members of an answer are named: a list does not count."""
_OF_ALL = frozenset({"warnings", "dryRun", "omitted"})
_OF_MANY = frozenset({"receipt", "nextActions"})
"""Members that are the same in many answers."""
_REFUSAL: Node = {
    "type": "object",
    "properties": {name: {"type": "string"} for name in ("error", "code", "recovery")},
}


def brief(operation: Node, document: Node) -> Node:
    """An operation of this document as an agent needs it to make the call."""
    kept = {name: operation[name] for name in _KEPT if name in operation}
    parameters = [_parameter(one) for one in operation["parameters"]]
    body = {"requestBody": _body(operation)} if "requestBody" in operation else {}
    return {
        **kept,
        "parameters": parameters,
        **body,
        "responses": _responses(operation["responses"], document),
    }


def _parameter(parameter: Node) -> Node:
    left_out = {"allowEmptyValue", "example"}
    left_out |= {"description"} if parameter["name"] in _BESIDE else set()
    named = {
        name: value
        for name, value in parameter.items()
        if (name, value) != ("required", False) and name not in left_out
    }
    schema = rewritten(
        parameter["schema"], lambda one: without(one, "examples", "title", "pattern")
    )
    return {**named, "schema": schema}


def _body(operation: Node) -> Node:
    declared = TABLE[operation["operationId"]]
    schema = plain_schema(declared.request)
    path = declared.path_fields
    schema["properties"] = without(schema["properties"], *path)
    schema["required"] = [name for name in schema.get("required", ()) if name not in path]
    schema = schema if schema["required"] else without(schema, "required")
    sent = operation["requestBody"]
    example = sent["content"][answering.JSON.decode()]["example"]
    content = {answering.JSON.decode(): {"schema": schema, "example": example}}
    return {"required": sent["required"], "content": content}


def _responses(responses: Node, document: Node) -> Node:
    found: Node = {}
    codes: list[str] = []
    for status, response in responses.items():
        if "$ref" in response:
            _, *names = response["$ref"].rpartition("/")[2].split(".")
            codes += [name for name in names if name != "uncharged"]
        elif status != "304":
            found[status] = _success(response, document)
    told = f"Refused: {', '.join(codes)}. Each is explained at /docs/errors/{{code}}."
    content = {answering.JSON.decode(): {"schema": _REFUSAL}}
    return {**found, "default": {"description": told, "content": content}}


def _success(response: Node, document: Node) -> Node:
    content = {
        kind: {"schema": _outline(one["schema"], document, _DEPTH)}
        for kind, one in response["content"].items()
    }
    return {"description": response["description"], "content": content}


def _outline(schema: Node, document: Node, depth: int) -> Node:
    """The types of a schema alone: of an answer in several forms that of the first."""
    if "$ref" in schema:
        name = schema["$ref"].removeprefix(_SCHEMAS)
        return _outline(document["components"]["schemas"][name], document, depth)
    if "anyOf" in schema:
        return _outline(schema["anyOf"][0], document, depth)
    kind = schema.get("type")
    if kind == "array" and "items" in schema and depth:
        return {"type": kind, "items": _outline(schema["items"], document, depth)}
    if "properties" in schema and depth:
        members = schema["properties"].items()
        properties = {
            name: _outline(one, document, 0 if name in _OF_MANY else depth - 1)
            for name, one in members
            if name not in _OF_ALL
        }
        return {"type": "object", "properties": properties}
    return {"type": kind} if kind else {}
