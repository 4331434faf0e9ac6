"""JSON Schemas of requests for readers that resolve no references, such as clients of tools."""

from typing import TypeVar

from stoa.domain import ids, text
from stoa.schemas.base import Request
from stoa.schemas.json_schema import Schema, request_schemas

T = TypeVar("T")

_SEEN = r"\S"
_TEXTS = frozenset(map(text.portable, (text.LABEL_PATTERN, text.NOT_BLANK_PATTERN)))
_IDS = frozenset(ids.pattern(prefix) for prefix in ids.PREFIXES.values())


def plain_schema(request: type[Request]) -> Schema:
    """The schema of a request, without references, nulls and long patterns."""
    kinds = request_schemas([request])
    return _inlined(kinds[request.__name__], kinds)


def _inlined(schema: Schema, kinds: dict[str, Schema]) -> Schema:
    """`schema` without references, nulls (an argument is left out instead), titles and examples."""
    if "$ref" in schema:
        inner = without(_inlined(named(schema, kinds), kinds), "description")
        return {**inner, **without(schema, "$ref", "default")}
    if "anyOf" in schema:
        choices = [_inlined(one, kinds) for one in schema["anyOf"] if one != {"type": "null"}]
        rest = _tidy(without(schema, "anyOf"))
        return {**choices[0], **rest} if len(choices) == 1 else {"anyOf": choices, **rest}
    tidy = _tidy(schema)
    if "items" in tidy:
        tidy["items"] = _inlined(tidy["items"], kinds)
    if "properties" in tidy:
        properties: Schema = tidy["properties"]
        tidy["properties"] = {name: _inlined(one, kinds) for name, one in properties.items()}
    return tidy


def named(schema: Schema, kinds: dict[str, Schema]) -> Schema:
    """The schema that a reference names."""
    return kinds[schema["$ref"].rpartition("/")[2]]


def _tidy(schema: Schema) -> Schema:
    """What a client needs of one schema, in words that every dialect of JSON Schema has.

    The patterns against invisible text are long and in one dialect: their plain part takes the
    place of them and of their explanation. A name such as `threadId` tells what an id looks like.
    """
    tidy = without(schema, "title", "examples")
    if len(tidy.get("enum", ())) == 1 and "default" in tidy:
        tidy = without(tidy, "default", "description")  # there is nothing to choose
    for name in ("default", "required"):
        if not tidy.get(name, True):
            del tidy[name]
    patterns = {tidy.get("pattern"), *(one.get("pattern") for one in tidy.get("allOf", ()))}
    if patterns & _TEXTS:
        tidy = {**without(tidy, "allOf", "minLength", "description"), "pattern": _SEEN}
    if patterns & _IDS:
        del tidy["pattern"]
    return {"type": "string", **tidy} if "enum" in tidy else tidy


def without(mapping: dict[str, T], *names: str) -> dict[str, T]:
    """The members but for those of these names."""
    return {name: value for name, value in mapping.items() if name not in names}
