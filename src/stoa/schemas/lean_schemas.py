"""JSON Schemas of lean forms, made from the full schemas and the declarations in `lean`."""

from collections.abc import Collection
from typing import Any, cast

import msgspec

from stoa.schemas.base import Answer, Resource
from stoa.schemas.json_schema import TEMPLATE, Schema, answer_schemas, rewritten
from stoa.schemas.lean import NOTICE, Lean
from stoa.schemas.lean_views import asides, collect, held, stays, wire_name

_NULL = {"type": "null"}
_NOTICE = {"type": "string", "examples": [NOTICE]}


def lean_name(kind: type[Resource]) -> str:
    """What the lean form of a type is called."""
    return f"Lean{kind.__name__}"


def lean_schemas(answers: Collection[type[Answer]]) -> dict[str, Schema]:
    """The schemas of the lean forms of answers, and of what they are made of, by their names."""
    kinds: dict[str, type[Resource]] = {}
    for answer in answers:
        collect(answer, kinds)
    schemas = _Schemas(kinds)
    for answer in answers:
        schemas.add(answer)
    names = [lean_name(kind) for kind in kinds.values()]
    return {name: schemas.components[name] for name in names if name in schemas.components}


class _Schemas:
    def __init__(self, kinds: dict[str, type[Resource]]) -> None:
        self._kinds = kinds
        self._full = answer_schemas(kinds.values())
        self.components: dict[str, Schema] = {}

    def add(self, kind: type[Resource]) -> None:
        """Add the lean form of a type, and of those that it refers to."""
        name = lean_name(kind)
        if name not in self.components:
            self.components[name] = {}  # which it may refer to itself
            self.components[name] = self._component(kind)

    def _component(self, kind: type[Resource]) -> Schema:
        schema = self._object(kind, kind.lean)
        if issubclass(kind, Answer):
            schema["properties"] = {"notice": _NOTICE, **schema["properties"]}
            schema["required"] = ["notice"]
        return schema

    def _object(self, kind: type[Resource], lean: Lean) -> Schema:
        """No member is required: empty ones are left out."""
        full = self._full[kind.__name__]
        members: dict[str, Schema] = full["properties"]
        properties = {
            wire_name(lean, field): self._member(lean, field, members[field.encode_name])
            for field in stays(kind, lean)
        }
        for field in stays(kind, lean):
            for aside in asides(field):
                whole = self._full[held(field.type)[0].__name__]
                properties[aside.encode_name] = whole["properties"][aside.encode_name]
        return {"type": "object", "description": full["description"], "properties": properties}

    def _member(self, lean: Lean, field: msgspec.structs.FieldInfo, schema: Schema) -> Schema:
        own = lean.members.get(field.name)
        if own is None:
            return rewritten(schema, self._changed)
        (kind,) = held(field.type)
        changed = self._object(kind, own)
        return {"type": "array", "items": changed} if schema.get("type") == "array" else changed

    def _changed(self, full: Schema) -> Schema:
        """A schema with lean forms in place of full ones, and without null."""
        schema = {name: _without_null(value) for name, value in full.items()}
        reference = schema.pop("$ref", None)
        if reference:
            return {**schema, **self._named(reference.rpartition("/")[2])}
        if not schema.get("examples", True):
            del schema["examples"]
        if isinstance(schema.get("required"), list):
            del schema["required"]  # an empty one is left out
        choices = schema.get("anyOf", ())
        if len(choices) == 1:
            return {**choices[0], **{key: one for key, one in schema.items() if key != "anyOf"}}
        return schema

    def _named(self, name: str) -> Schema:
        kind = self._kinds[name]
        if kind.lean.only is None:
            self.add(kind)
            return {"$ref": TEMPLATE.format(name=lean_name(kind))}
        wire = dict(zip(kind.__struct_fields__, kind.__struct_encode_fields__, strict=True))
        return self._full[name]["properties"][wire[kind.lean.only]]


def _without_null(value: Any) -> Any:
    if not isinstance(value, list):
        return value
    return [item for item in cast("list[Any]", value) if item not in (None, _NULL)]
