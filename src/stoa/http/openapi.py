"""The OpenAPI description, read off the table of operations."""

from typing import Any

from stoa.operations.table import Operation
from stoa.settings import Settings


def openapi_document(operations: list[Operation], settings: Settings) -> dict[str, Any]:
    """OpenAPI 3.1 of every operation."""
    return {"openapi": "3.1.0", "info": {"title": "Stoa", "version": "0.1.0"}, "paths": {}}
