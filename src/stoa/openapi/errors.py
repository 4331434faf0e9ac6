"""The refusals in OpenAPI: a schema and an example for each code, a response for each status."""

from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import Any

from stoa.domain.errors import CATALOGUE, ErrorKind
from stoa.http import answering
from stoa.http.error_reference import codes, example_body, own_schema
from stoa.openapi import headers
from stoa.operations.table import Charged, Operation
from stoa.schemas.errors import OWN_MEMBERS, ErrorBody, Problem
from stoa.schemas.json_schema import Schema, answer_schemas

_BEFORE_CHARGING = frozenset({401, 421})


def answered(operations: Iterable[Operation]) -> list[ErrorKind]:
    """The refusals that some of these operations may answer, in the order of the catalogue."""
    may = {code for operation in operations for code in codes(operation)}
    return [kind for kind in CATALOGUE.values() if kind.code in may]


def error_schemas(kinds: Iterable[ErrorKind]) -> dict[str, Schema]:
    """The common body, which names every code, a schema for each kind, and what they refer to."""
    with_own = dict.fromkeys(OWN_MEMBERS.values())  # a set is in another order in each process
    schemas = answer_schemas([ErrorBody, Problem, *with_own])
    schemas["ErrorBody"]["properties"]["code"]["enum"] = list(CATALOGUE)
    for own in with_own:
        del schemas[own.__name__]
    for kind in kinds:
        schemas[schema_name(kind.code)] = _body(kind, own_schema(kind.code))
    return schemas


def schema_name(code: str) -> str:
    """The name of a code's schema: `not_found` is `NotFoundError`."""
    return "".join(part.capitalize() for part in code.split("_")) + "Error"


def _body(kind: ErrorKind, own: Schema) -> Schema:
    fixed = {"code": {"const": kind.code}, "retryable": {"const": kind.retryable}}
    return {
        "title": kind.code,
        "description": f"{kind.cause} {kind.recovery}",
        "allOf": [{"$ref": "#/components/schemas/ErrorBody"}],
        "type": "object",
        "properties": {**fixed, **own.get("properties", {})},
        "required": [*fixed, *own.get("required", ())],
    }


def error_examples(kinds: Iterable[ErrorKind], origin: str) -> dict[str, Any]:
    """An example for each kind, by code."""
    return {
        kind.code: {"summary": kind.summary, "value": example_body(kind.code, origin)}
        for kind in kinds
    }


def error_responses(operations: Iterable[Operation]) -> dict[str, Any]:
    """The responses that the refusals of these operations refer to, by name."""
    found: dict[str, Any] = {}
    for operation in operations:
        charged = operation.who.charged is not Charged.NONE
        for kinds in _by_status(codes(operation)):
            found[_name(kinds, charged=charged)] = _response(kinds, charged=charged)
    return found


def refusals(operation: Operation) -> dict[str, Any]:
    """The refusals of an operation, by status."""
    charged = operation.who.charged is not Charged.NONE
    return {
        str(kinds[0].status): {"$ref": f"#/components/responses/{_name(kinds, charged=charged)}"}
        for kinds in _by_status(codes(operation))
    }


def _by_status(found: Sequence[str]) -> list[list[ErrorKind]]:
    kinds = sorted((CATALOGUE[code] for code in found), key=lambda kind: kind.status)
    return [list(group) for _, group in groupby(kinds, key=lambda kind: kind.status)]


def _name(kinds: Sequence[ErrorKind], *, charged: bool) -> str:
    names = [str(kinds[0].status), *(kind.code for kind in kinds)]
    return ".".join(names if charged or _uncounted(kinds) else [*names, "uncharged"])


def _uncounted(kinds: Sequence[ErrorKind]) -> bool:
    return kinds[0].status in _BEFORE_CHARGING


def _response(kinds: Sequence[ErrorKind], *, charged: bool) -> dict[str, Any]:
    names = [kind.code for kind in kinds]
    refs = [{"$ref": f"#/components/schemas/{schema_name(name)}"} for name in names]
    schema = refs[0] if len(refs) == 1 else {"oneOf": refs}  # `code` is another in each
    problem = {"allOf": [schema, {"$ref": "#/components/schemas/Problem"}]}
    examples = {name: {"$ref": f"#/components/examples/{name}"} for name in names}
    return {
        "description": " ".join(f"`{kind.code}`: {kind.cause}" for kind in kinds),
        "headers": _headers(kinds, charged=charged),
        "content": {
            answering.JSON.decode(): {"schema": schema, "examples": examples},
            answering.PROBLEM.decode(): {"schema": problem},
        },
    }


def _headers(kinds: Sequence[ErrorKind], *, charged: bool) -> dict[str, Any]:
    names = {kind.code for kind in kinds}
    found = headers.unkept(charged=charged and not _uncounted(kinds))
    own = {name: OWN_MEMBERS[name] for name in names & OWN_MEMBERS.keys()}
    waits = {name for name, kind in own.items() if "retry_after" in kind.__struct_fields__}
    if waits:
        found |= headers.named("Retry-After", always=waits == names)
    if names & answering.CHALLENGES.keys():
        found |= headers.named("WWW-Authenticate", always=names <= answering.CHALLENGES.keys())
    return found
