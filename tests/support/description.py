"""The OpenAPI description as a client reads it."""

import json
from functools import cache
from typing import Any

from jsonschema import Draft202012Validator

from stoa.openapi.document import openapi_document
from stoa.operations.catalog import all_operations
from stoa.operations.table import Operation
from stoa.schemas.base import encode
from stoa.settings import Settings


@cache
def document() -> Any:
    """The whole description."""
    return json.loads(encode(openapi_document(all_operations(), Settings())))


def described(operation: Operation) -> Any:
    """What the description says about an operation."""
    return document()["paths"][operation.path][operation.method.lower()]


def resolved(node: Any) -> Any:
    """The component that a reference names, or the node itself."""
    while "$ref" in node:
        found = document()
        for step in node["$ref"].removeprefix("#/").split("/"):
            found = found[step]
        node = found
    return node


def validator(schema: Any) -> Draft202012Validator:
    """What checks values by a schema of the description."""
    return Draft202012Validator({"allOf": [schema], "components": document()["components"]})
