"""Pieces of Markdown, and JSON Schemas in words."""

import json
import re
from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any

from stoa.openapi.document import openapi_document
from stoa.operations.catalog import all_operations
from stoa.schemas.base import encode
from stoa.settings import Settings

Schema = dict[str, Any]

_BOUNDS = {
    "minimum": "at least {}",
    "maximum": "at most {}",
    "exclusiveMinimum": "more than {}",
    "minLength": "at least {} characters",
    "maxLength": "at most {} characters",
    "maxItems": "at most {} items",
}
_TYPES = {
    "string": "text",
    "integer": "whole number",
    "number": "number",
    "boolean": "true or false",
    "object": "object",
    "null": "null",
}
_ID = re.compile(r"\^([a-z]+)_\[")
_FORMATS = {"date-time": "time", "date": "date"}


@cache
def document() -> Any:
    """The OpenAPI description under the default settings, as a client reads it."""
    return json.loads(encode(openapi_document(all_operations(), Settings())))


def page(title: str, *parts: str) -> str:
    """A whole page."""
    note = "<!-- Written by `make docs` from the code; changes here are lost. -->"
    return "\n\n".join([f"# {title}", note, *(part for part in parts if part)]) + "\n"


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table, or nothing when it has no rows."""
    lines = [_row(row) for row in rows]
    return "\n".join([_row(head), "|---" * len(head) + "|", *lines]) if lines else ""


def _row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def code(text: str, language: str) -> str:
    """A block of code."""
    return f"```{language}\n{text}\n```"


def pretty(value: Any) -> str:
    """JSON to read."""
    return code(json.dumps(value, indent=2, ensure_ascii=False), "json")


def words(schema: Schema) -> str:
    """What a schema takes, in words; objects link to the resources' page."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return f"[{name}](resources.md#{name.lower()})"
    if "anyOf" in schema:
        return " or ".join(words(choice) for choice in schema["anyOf"])
    if "maximum" in schema and schema["maximum"] == schema.get("minimum"):
        return f"`{schema['maximum']}`"
    if "enum" in schema:
        return " or ".join(f"`{value}`" for value in schema["enum"])
    if found := _ID.match(schema.get("pattern", "")):
        return f"id `{found[1]}_…`"
    if "const" in schema:
        return f"`{schema['const']}`"
    if schema.get("type") == "array":
        kind = f"list of {words(schema.get('items', {}))}"
    else:
        kind = _FORMATS.get(schema.get("format", ""), _TYPES.get(schema.get("type", ""), "any"))
    bounds = [text.format(schema[name]) for name, text in _BOUNDS.items() if _tells(schema, name)]
    return ", ".join([kind, *bounds])


def _tells(schema: Schema, bound: str) -> bool:
    return bound in schema and (bound, schema[bound]) not in (("minLength", 1), ("minimum", 0))
