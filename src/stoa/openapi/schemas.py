"""Schemas, parameters, bodies and examples of operations in OpenAPI."""

from collections.abc import Iterable, Mapping
from typing import Any

from stoa.calls import dry_runs, idempotency
from stoa.http import answering
from stoa.operations.table import Operation
from stoa.schemas.base import Receipt
from stoa.schemas.json_schema import (
    TEMPLATE,
    Schema,
    answer_schemas,
    example,
    example_of,
    merged,
    request_schemas,
    rewritten,
)
from stoa.schemas.lean_schemas import lean_name, lean_schemas
from stoa.schemas.minimal import WriteDone
from stoa.schemas.plain_schemas import without

_NULL = {"type": "null"}


class Schemas:
    """The schemas of these operations. `components` holds those that are referred to by name."""

    def __init__(self, operations: Iterable[Operation]) -> None:
        table = list(operations)
        # In the order of the table: sets would be in another order in each process.
        answers = dict.fromkeys(operation.response for operation in table)
        requests = dict.fromkeys(operation.request for operation in table)
        self._answers = answer_schemas(answers)
        self._options = request_schemas({operation.options: None for operation in table})
        self._requests = _apart(request_schemas(requests), self._answers)
        own = {operation.request.__name__ for operation in table}
        nested = {name: _sent(one) for name, one in self._requests.items() if name not in own}
        bodies = {
            operation.request.__name__: self._body_schema(operation)
            for operation in table
            if self.body_members(operation)
        }
        lean = {one.response: None for one in table if not one.gives_receipt}
        minimal = answer_schemas([WriteDone])
        self.components = {**self._answers, **lean_schemas(lean), **minimal, **nested, **bodies}

    def members(self, operation: Operation) -> dict[str, Schema]:
        """The schemas of all fields of a request."""
        return self._requests[operation.request.__name__].get("properties", {})

    def options(self, operation: Operation) -> dict[str, Schema]:
        """The schemas of what a call takes beside the fields of its request."""
        return self._options[operation.options.__name__]["properties"]

    def body_members(self, operation: Operation) -> dict[str, Schema]:
        """The schemas of the fields that travel in the body."""
        if operation.method == "GET":
            return {}
        members = self.members(operation)
        return {name: one for name, one in members.items() if name not in operation.path_fields}

    def _body_schema(self, operation: Operation) -> Schema:
        whole = self._requests[operation.request.__name__]
        members = self.body_members(operation)
        required = [name for name in whole.get("required", ()) if name in members]
        schema = without(whole, "required")
        schema |= {"properties": members, **({"required": required} if required else {})}
        return _sent(schema)

    def body(self, operation: Operation) -> dict[str, Any]:
        """The request body; one without members may be left out."""
        if not self.body_members(operation):
            content = {"schema": {"type": "object"}, "example": {}}
            return {"required": False, "content": {answering.JSON.decode(): content}}
        name = operation.request.__name__
        content = {"schema": {"$ref": TEMPLATE.format(name=name)}, "example": self.given(operation)}
        required = bool(self.components[name].get("required"))
        return {"required": required, "content": {answering.JSON.decode(): content}}

    def given(self, operation: Operation) -> dict[str, Any]:
        """An example of what the body of a call says."""
        return example_of(operation.request, self.components)

    def answer(self, operation: Operation) -> dict[str, Any]:
        """The schema and an example of a success."""
        name = operation.response.__name__
        value = example_of(operation.response, self._answers)
        if operation.writes and "receipt" in self._answers[name]["properties"]:
            value["receipt"] = example_of(Receipt, self._answers)
        value = merged(value, operation.request.example_answer)
        _tell_receipt(value, operation)
        short = lean_name(operation.response)
        forms = (name, WriteDone.__name__ if operation.gives_receipt else short)
        schema = {"anyOf": [{"$ref": TEMPLATE.format(name=form)} for form in forms]}
        return {"schema": schema, "example": value}


def _sent(schema: Schema) -> Schema:
    """An object of a body without the defaults of its members, which their descriptions tell:
    generators take a member that has a default for one that cannot be left out."""
    members = schema.get("properties", {})
    return {**schema, "properties": {name: _in_words(one) for name, one in members.items()}}


def _in_words(member: Schema) -> Schema:
    default = member.get("default")
    rest = without(member, "default")
    said = [rest.get("description", ""), f"`{default}` unless given." if default else ""]
    description = " ".join(filter(None, said))
    return {**rest, "description": description} if description else rest


def _apart(requests: dict[str, Schema], answers: Mapping[str, Schema]) -> dict[str, Schema]:
    """Requests' schemas, with new names for what answers call the same but describe otherwise."""
    renamed = {name for name, one in requests.items() if answers.get(name, one) != one}
    new = {TEMPLATE.format(name=name): TEMPLATE.format(name=f"{name}Input") for name in renamed}

    def referring(one: Schema) -> Schema:
        return one | {"$ref": new.get(one["$ref"], one["$ref"])} if "$ref" in one else one

    return {
        f"{name}Input" if name in renamed else name: rewritten(schema, referring)
        for name, schema in requests.items()
    }


def _tell_receipt(value: dict[str, Any], operation: Operation) -> None:
    """A receipt says what was done, and to what: the member that the answer begins with, or what
    the request's example says if that member is a plain value."""
    receipt = value.get("receipt")
    if not receipt:
        return
    kind, resource = next(iter(value.items()))
    receipt["action"] = operation.name
    if isinstance(resource, dict) and "id" in resource:
        receipt["resourceType"], receipt["resourceId"] = kind, resource["id"]


def parameters(operation: Operation, schemas: Schemas) -> list[dict[str, Any]]:
    """The path and query parameters of an operation, with the headers that it takes."""
    members = schemas.members(operation)
    found = [_parameter(name, "path", members[name]) for name in operation.path_fields]
    if operation.method == "GET":
        in_query = [name for name in members if name not in operation.path_fields]
        found += [_parameter(name, "query", members[name]) for name in in_query]
    found += [_parameter(name, "query", one) for name, one in schemas.options(operation).items()]
    for parameter in found:
        if "examples" in parameter["schema"] or parameter["in"] == "path":
            parameter["example"] = example(parameter["schema"], schemas.components)
    if operation.has_etag:
        found.append(_IF_NONE_MATCH)
    if operation.gives_receipt:
        found.append(_PREFER)
    return [*found, _DRY_RUN, _IDEMPOTENCY_KEY] if operation.takes_key else found


def _parameter(name: str, place: str, schema: Schema) -> dict[str, Any]:
    own = _without_null(schema)
    found: dict[str, Any] = {"name": name, "in": place, "required": place == "path"}
    if "description" in own:
        found["description"] = own.pop("description")
    if place == "query":
        found["allowEmptyValue"] = True  # it counts as absent
    if own.get("type") == "array":
        found |= {"style": "form", "explode": False}
    return {**found, "schema": own}


def _without_null(schema: Schema) -> Schema:
    """The schema of a value that is left out rather than null."""
    rest = without(schema, "anyOf")
    if rest.get("default", 0) is None:
        del rest["default"]
    choices = [choice for choice in schema.get("anyOf", ()) if choice != _NULL]
    if len(choices) == 1:
        return {**choices[0], **rest}
    if "enum" in rest:
        rest["enum"] = [value for value in rest["enum"] if value is not None]
    return {**rest, "anyOf": choices} if choices else rest


_DRY_RUN = {
    "name": dry_runs.ARGUMENT,
    "in": "query",
    "required": False,
    "description": "With `true` the call is answered as it would be, with `dryRun: true`, and "
    "nothing is done. It is charged to `reads`, and an `Idempotency-Key` is ignored.",
    "schema": {"type": "boolean", "default": False},
}

_IDEMPOTENCY_KEY = {
    "name": idempotency.HEADER,
    "in": "header",
    "required": False,
    "description": "Of your own making, such as a UUID. A client that repeats the call with the "
    "same key within a day gets the first answer, with `Idempotent-Replayed: true`, and nothing is "
    "done twice. A key that came with another call is refused with 422.",
    "schema": {"type": "string", "pattern": idempotency.PATTERN},
    "example": "0b1f6f0e-6f1c-4f3e-9d1a-2f6c3a1d9b77",
}

_PREFER = {
    "name": "Prefer",
    "in": "header",
    "required": False,
    "description": "With `return=minimal` the write is answered as with `view=lean`, and "
    "`Preference-Applied` says so. Other preferences are ignored.",
    "schema": {"type": "string"},
    "example": "return=minimal",
}

_IF_NONE_MATCH = {
    "name": "If-None-Match",
    "in": "header",
    "required": False,
    "description": "ETags of answers that the client has: 304 when one of them still holds.",
    "schema": {"type": "string"},
}
