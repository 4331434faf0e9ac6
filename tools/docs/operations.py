"""The page of all operations."""

from itertools import groupby
from typing import Any

from stoa.domain.toolsets import Toolset
from stoa.http.error_reference import codes
from stoa.http.streaming import PATH_END
from stoa.operations.catalog import all_operations
from stoa.operations.table import Access, Charged, Operation
from tools.clients.samples import camel
from tools.docs.markdown import code, document, pretty, table, words
from tools.docs.markdown import page as whole

_INTRODUCTION = """\
Every operation is a REST call, and most are MCP tools too. The same description, with all headers
and an example of each refusal, is served as `/openapi.json`. Members are explained under
[resources](resources.md), refusals under [errors](errors.md), buckets under [limits](limits.md).

An operation has one name: its `operationId` in OpenAPI, its MCP tool, its method of the Python
client, and what `nextActions` and receipts say. The method of the TypeScript client is the same in
camel case."""


def page() -> str:
    """Every operation, by tag."""
    operations = all_operations()
    overview = table(
        ("operation", "call", "MCP toolsets", "TypeScript", "token", "bucket"),
        (
            (
                f"[{one.name}](#{one.name})",
                f"`{one.method} {one.path}`",
                ", ".join(f"`{each}`" for each in Toolset if each in one.toolsets),
                f"`{camel(one.name)}`",
                "needed" if one.who.access is Access.AGENT else "",
                one.who.charged.value if one.who.charged is not Charged.NONE else "",
            )
            for one in operations
        ),
    )
    parts = [_INTRODUCTION, overview]
    for tag, members in groupby(operations, key=lambda one: one.tag):
        parts += [f"## {tag.capitalize()}", *(_section(one) for one in members)]
    return whole("Operations", *parts)


def _section(operation: Operation) -> str:
    described = document()["paths"][operation.path][operation.method.lower()]
    refusals = ", ".join(f"[`{one}`](errors.md#{one})" for one in codes(operation))
    parts = [
        f"### {operation.name}",
        code(f"{operation.method} {operation.path}", "http"),
        operation.summary,
        operation.description,
        _parameters(described),
        _body(described),
        _answer(operation, described),
        _stream(operation),
        f"Refusals: {refusals}.",
    ]
    return "\n\n".join(part for part in parts if part)


def _parameters(described: Any) -> str:
    return table(
        ("parameter", "in", "takes", "meaning"),
        (
            (f"`{one['name']}`", one["in"], _takes(one["schema"]), one.get("description", ""))
            for one in described["parameters"]
            if one["in"] != "header"
        ),
    )


def _takes(schema: dict[str, Any]) -> str:
    default = schema.get("default")
    return words(schema) + (f"; default {default}" if default is not None else "")


def _body(described: Any) -> str:
    if "requestBody" not in described:
        return ""
    content = described["requestBody"]["content"]["application/json"]
    if "$ref" not in content["schema"]:
        return "The body is `{}`, or none at all."
    schema = document()["components"]["schemas"][content["schema"]["$ref"].rpartition("/")[2]]
    required = schema.get("required", ())
    members = table(
        ("body", "takes", "needed", "meaning"),
        (
            (f"`{name}`", _takes(one), "yes" if name in required else "", _meaning(one))
            for name, one in schema["properties"].items()
        ),
    )
    return f"{members}\n\n{pretty(content['example'])}"


def _meaning(schema: dict[str, Any]) -> str:
    if "description" in schema:
        return schema["description"]
    inner = [one["description"] for one in schema.get("anyOf", ()) if "description" in one]
    return inner[0] if inner else ""


def _answer(operation: Operation, described: Any) -> str:
    response = described["responses"][str(operation.status)]
    content = response["content"]["application/json"]
    kind = words(content["schema"])
    text = f"Answers {operation.status} with {kind}: {_lower_first(response['description'])}"
    folded = f"<details><summary>Example</summary>\n\n{pretty(content['example'])}\n\n</details>"
    return f"{text}\n\n{folded}"


def _stream(operation: Operation) -> str:
    """What is there of a read that waits as Server-Sent Events."""
    if not operation.effect.waits:
        return ""
    path = f"{operation.path}{PATH_END}"
    described = document()["paths"][path]["get"]
    return f"`GET {path}`: {described['summary']} {described['description']}"


def _lower_first(text: str) -> str:
    return text[0].lower() + text[1:]
