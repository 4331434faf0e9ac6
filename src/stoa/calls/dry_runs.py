"""Dry runs: a write runs and is answered as usual, and is then undone."""

from stoa.calls.incoming import Incoming
from stoa.domain.errors import invalid_field
from stoa.operations.table import Operation
from stoa.schemas.validation import Values

ARGUMENT = "dryRun"
"""The query parameter of a write over REST, and the argument of a tool over MCP."""
IN_QUERY = f"query.{ARGUMENT}"

IN_BODY = frozenset({"admin"})
"""The tags of operations that also take `dryRun` in the body."""

_NOT_HERE = "Must be left out: this call has no dry run."
_NO_VALUE = "Must be true or false."


def asked_in_body(values: Values) -> bool:
    """Take `dryRun` out of a body that may have it; returns whether it asks for a dry run. Raises
    400 for a value that is neither true nor false."""
    given = values.pop(ARGUMENT, None)
    if not (given is None or isinstance(given, bool)):
        raise invalid_field(ARGUMENT, _NO_VALUE)
    return given is True


def checked(operation: Operation, incoming: Incoming) -> bool:
    """Whether a call with a value of `dryRun` is a dry run. Raises 400 for a value that is neither
    true nor false, and for a dry run of an operation that has none."""
    given, name = incoming.dry_run, incoming.dry_run_name
    if given is False or given == "false":
        return False
    if not operation.takes_key:
        raise invalid_field(name, _NOT_HERE)
    if not incoming.is_dry_run:
        raise invalid_field(name, _NO_VALUE)
    return True
