"""Dry runs: a write that runs as usual, is answered as usual and is then undone."""

from typing import Any

from stoa.domain.errors import invalid_field
from stoa.operations.table import Operation

ARGUMENT = "dryRun"
"""The query parameter of a write over REST, and the argument of a tool over MCP."""
IN_QUERY = f"query.{ARGUMENT}"

_NOT_HERE = "Must be left out: this call has no dry run."
_NO_VALUE = "Must be true or false."


def asked(operation: Operation, given: Any) -> bool:
    """Whether a call with this raw value is a dry run."""
    return operation.takes_key and (given is True or given == "true")


def checked(operation: Operation, given: Any, name: str) -> bool:
    """Like `asked`. Raises 400, under its `name`, for a value that is neither true nor false, and
    for a dry run of a call that has none."""
    if given is None or given is False or given == "false":
        return False
    if not operation.takes_key:
        raise invalid_field(name, _NOT_HERE)
    if not asked(operation, given):
        raise invalid_field(name, _NO_VALUE)
    return True
