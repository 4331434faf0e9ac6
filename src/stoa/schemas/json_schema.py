"""JSON Schemas for readers: OpenAPI, MCP tools and the reference are made of these.

The same types validate; here their schemas also show bounds that code enforces, and say of answers
that every member is there but those that may be left out.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from copy import deepcopy
from functools import cache
from typing import Any, cast

from stoa.domain import ids, text
from stoa.schemas.base import Request, Resource, schema_components
from stoa.schemas.fields import ACTION_PATTERN, SHOWN, example_id

Schema = dict[str, Any]

TEMPLATE = "#/components/schemas/{name}"

_TITLES = {
    text.LABEL_PATTERN: "One line of text, without control, direction and tag characters",
    ACTION_PATTERN: "An action of moderation",
    text.NOT_BLANK_PATTERN: "Text that is not blank",
}
_ID_PATTERNS = {ids.pattern(prefix): example_id(prefix) for prefix in ids.PREFIXES.values()}


def request_schemas(kinds: Iterable[type[Request]]) -> dict[str, Schema]:
    """The schemas of requests, and of what they are made of, by the names of their types."""
    return _components(kinds)


def answer_schemas(kinds: Iterable[type[Resource]]) -> dict[str, Schema]:
    """The schemas of answers, and of what they are made of, by the names of their types."""
    schemas = _components(kinds)
    for schema in schemas.values():
        _require_all(schema)
    return schemas


def _components(kinds: Iterable[type[Any]]) -> dict[str, Schema]:
    return deepcopy(_described(tuple(kinds)))


@cache
def _described(kinds: tuple[type[Any], ...]) -> dict[str, Schema]:
    _, components = schema_components(kinds, TEMPLATE)
    return {name: rewritten(schema, _readable) for name, schema in components.items()}


def rewritten(node: Any, change: Callable[[Schema], Schema]) -> Any:
    """A schema, or what stands in one, with each of its objects changed, the inner ones first."""
    if isinstance(node, list):
        return [rewritten(item, change) for item in cast("list[Any]", node)]
    if not isinstance(node, dict):
        return node
    members = cast("Schema", node).items()
    return change({key: rewritten(value, change) for key, value in members})


def _readable(schema: Schema) -> Schema:
    """The schema with bounds in their place, portable patterns, one-line descriptions and plain
    numbers."""
    schema |= schema.pop(SHOWN, {})
    if schema.get("format") == "decimal":
        # An exact number: it is written as one, whatever the type is called.
        schema["type"] = "number"
        del schema["format"]
    if schema.get("pattern") in _TITLES:
        schema.setdefault("title", _TITLES[schema["pattern"]])
    if isinstance(schema.get("pattern"), str):
        schema["pattern"] = text.portable(schema["pattern"])
    if "enum" in schema and all(isinstance(value, str) for value in schema["enum"]):
        schema.setdefault("type", "string")
    if isinstance(schema.get("description"), str):
        schema["description"] = re.sub(r"\s+", " ", schema["description"]).strip()
    return schema


def _require_all(schema: Schema) -> None:
    """What has a default is always sent; only what has none and is not required may be left out."""
    members = schema.get("properties", {})
    required = set(schema.get("required", ()))
    for name, member in members.items():
        if "default" in member:
            default = member.pop("default")
            if isinstance(default, str):
                member.setdefault("examples", [default])
            required.add(name)
    if required:
        schema["required"] = [name for name in members if name in required]


def example(schema: Schema, schemas: Mapping[str, Schema]) -> Any:
    """A value that fits `schema`, made of the examples in it; `schemas` are those it refers to."""
    return _Examples(schemas).of(schema)


def example_of(kind: type[Resource | Request], schemas: Mapping[str, Schema]) -> dict[str, Any]:
    """A request or an answer of this kind."""
    return example({"$ref": TEMPLATE.format(name=kind.__name__)}, schemas)


class _Examples:
    def __init__(self, schemas: Mapping[str, Schema]) -> None:
        self._schemas = schemas
        self._inside: list[str] = []
        self._own = _own_examples(Resource) | _own_examples(Request)

    def of(self, schema: Schema) -> Any:
        """A value for one schema."""
        for place in ("examples", "enum"):
            if schema.get(place):
                return schema[place][0]
        if "const" in schema:
            return schema["const"]
        if "$ref" in schema:
            return self._of_named(schema["$ref"].rpartition("/")[2])
        if "anyOf" in schema:
            return self._of_any(schema["anyOf"])
        return self._of_type(schema)

    def _of_named(self, name: str) -> Any:
        self._inside.append(name)
        try:
            return merged(self.of(self._schemas[name]), self._own.get(name, {}))
        finally:
            self._inside.pop()

    def _of_any(self, choices: list[Schema]) -> Any:
        """Null where it is a choice and no other has an example of its own."""
        for choice in choices:
            if "examples" in choice:
                return choice["examples"][0]
        if any(choice.get("type") == "null" for choice in choices):
            return None
        return self.of(choices[0])

    def _of_type(self, schema: Schema) -> Any:
        match schema.get("type"):
            case "object":
                return self._of_object(schema)
            case "array":
                return self._of_array(schema)
            case "string":
                return _ID_PATTERNS.get(schema.get("pattern", ""), "text")
            case "integer" | "number":
                return schema.get("minimum", 0)
            case "boolean":
                return schema.get("default", False)
            case _:
                return None

    def _of_object(self, schema: Schema) -> dict[str, Any]:
        required = schema.get("required", ())
        return {
            name: self.of(member)
            for name, member in schema.get("properties", {}).items()
            if name in required or _has_example(member)
        }

    def _of_array(self, schema: Schema) -> list[Any]:
        items = schema.get("items", {})
        if items.get("$ref", "").rpartition("/")[2] in self._inside:
            return []
        return [self.of(items)] * max(1, schema.get("minItems", 1))


def _has_example(schema: Schema) -> bool:
    return "examples" in schema or any("examples" in choice for choice in schema.get("anyOf", ()))


def _own_examples(kind: type[Any]) -> dict[str, Any]:
    """What types say about their examples themselves, by the name of the type."""
    found: dict[str, Any] = {}
    for inner in kind.__subclasses__():
        found |= {inner.__name__: inner.example} | _own_examples(inner)
    return found


def merged(value: Any, over: dict[str, Any]) -> Any:
    """`value` with the members of `over`, objects within it member by member."""
    if not over or not isinstance(value, dict):
        return over or value
    result = dict(cast("dict[str, Any]", value))
    for name, own in over.items():
        result[name] = (
            merged(result.get(name), cast("dict[str, Any]", own)) if isinstance(own, dict) else own
        )
    return result
