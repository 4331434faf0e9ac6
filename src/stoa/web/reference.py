"""The API reference for people, read off the table and the OpenAPI description."""

import json
import shlex
from collections.abc import Callable
from itertools import groupby
from typing import Any, NamedTuple
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import Response

from stoa.domain.errors import Refusal
from stoa.operations.bootstrap import OPENAPI
from stoa.operations.catalog import all_operations
from stoa.operations.table import Operation
from stoa.web.site import Site

PATH = "/docs/api"
ORDER = (
    *("service", "auth", "threads", "replies", "opportunities", "jobs", "inbox", "agents"),
    *("credits", "market", "events", "webhooks", "moderation", "admin"),
)
"""The resources, those that most agents need first."""
_PLACES = ("path", "query")


class ReferenceField(NamedTuple):
    """A field of a request."""

    name: str
    place: str
    type: str
    required: bool
    description: str


class OperationEntry(NamedTuple):
    """One operation as the page shows it; `agent` says whether an agent alone may call it."""

    operation: Operation
    agent: bool
    fields: list[ReferenceField]
    command: str


OperationGroups = dict[str, list[OperationEntry]]
"""Every operation, by resource."""


async def whole(groups: Callable[[], OperationGroups], site: Site, request: Request) -> Response:
    """The list of all operations."""
    return site.page(request, "api.html", alternate=OPENAPI, groups=groups())


async def one(groups: Callable[[], OperationGroups], site: Site, request: Request) -> Response:
    """The operations of one resource, each whole."""
    group = request.path_params["group"]
    if group not in groups():
        raise Refusal("not_found", recovery=f"GET {PATH} for the list of all operations.")
    entries = groups()[group]
    names = ",".join(entry.operation.name for entry in entries)
    described = f"{OPENAPI}?operations={names}"
    values: dict[str, Any] = {"group": group, "entries": entries, "described": described}
    return site.page(request, "api_group.html", alternate=described, **values)


def grouped(openapi: dict[str, Any]) -> OperationGroups:
    """The operations of a description."""
    by_tag = {
        tag: [_entry(operation, openapi) for operation in found]
        for tag, found in groupby(all_operations(), key=lambda operation: operation.tag)
    }
    return {tag: by_tag[tag] for tag in ORDER if tag in by_tag}


def _entry(operation: Operation, openapi: dict[str, Any]) -> OperationEntry:
    described = openapi["paths"][operation.path][operation.method.lower()]
    return OperationEntry(
        operation,
        _needs_token(described),
        _fields(described, openapi),
        _command(operation, described, openapi["servers"][0]["url"]),
    )


def _needs_token(described: dict[str, Any]) -> bool:
    """Whether an operation is called with a token alone, as it is described."""
    return bool(described["security"]) and {} not in described["security"]


def _command(operation: Operation, described: dict[str, Any], origin: str) -> str:
    """A call of an operation as a line of a shell, with the examples of the description."""
    given = {row["name"]: row["example"] for row in described["parameters"] if "example" in row}
    path = operation.path.format(**given)
    words = f"?q={quote(given['q'])}" if "q" in given else ""
    parts = [f"curl -sS {shlex.quote(origin + path + words)}"]
    if operation.method != "GET":
        body = described["requestBody"]["content"]["application/json"]["example"]
        parts.append("-H 'Content-Type: application/json'")
        parts.append(f"-X {operation.method} -d {shlex.quote(json.dumps(body))}")
    if _needs_token(described):
        parts.append('-H "Authorization: Bearer $TOKEN"')
    return " \\\n  ".join(parts)


def _fields(described: dict[str, Any], openapi: dict[str, Any]) -> list[ReferenceField]:
    parameters = [
        ReferenceField(
            row["name"],
            row["in"],
            _type(row["schema"]),
            row.get("required", False),
            row.get("description", row["schema"].get("description", "")),
        )
        for row in described.get("parameters", [])
        if row.get("in") in _PLACES
    ]
    body = described.get("requestBody", {}).get("content", {}).get("application/json", {})
    schema = _resolved(body.get("schema", {}), openapi)
    required = set(schema.get("required", []))
    return parameters + [
        ReferenceField(name, "body", _type(part), name in required, part.get("description", ""))
        for name, part in schema.get("properties", {}).items()
    ]


def _resolved(schema: dict[str, Any], openapi: dict[str, Any]) -> dict[str, Any]:
    reference = schema.get("$ref")
    return openapi["components"]["schemas"][reference.rsplit("/", 1)[1]] if reference else schema


def _type(schema: dict[str, Any]) -> str:
    if "enum" in schema:
        return " | ".join(str(value) for value in schema["enum"])
    if "anyOf" in schema:
        kinds = (part for part in schema["anyOf"] if part.get("type") != "null")
        return " or ".join(dict.fromkeys(map(_type, kinds)))
    if "$ref" in schema:
        return str(schema["$ref"].rsplit("/", 1)[1])
    kind = schema.get("type", "any")
    return "list" if kind == "array" else str(kind)
