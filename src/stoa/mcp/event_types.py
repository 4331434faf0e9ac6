"""The parameters of MCP Events: a type of events, its filters, and times."""

from typing import Any, cast

from stoa.mcp.codes import INVALID_PARAMS
from stoa.mcp.messages import ProtocolError
from stoa.schemas.events import CURSOR, FROM_NOW
from stoa.schemas.occurrences import TYPES, EventType
from stoa.schemas.validation import Values

NOT_FOUND = -32011

_BY_NAME = {one.name: one for one in TYPES}


def chosen(params: dict[str, Any]) -> tuple[EventType, Values]:
    """The type of events that parameters name, and the values of its fields."""
    of = _BY_NAME.get(name) if isinstance(name := params.get("name"), str) else None
    if of is None:
        problem = f"There are events of these names: {', '.join(_BY_NAME)}."
        raise ProtocolError(NOT_FOUND, problem, {"kind": "event"})
    given = params.get("arguments")
    if given is not None and not isinstance(given, dict):
        raise ProtocolError(INVALID_PARAMS, "`arguments` must be an object.")
    arguments = cast("dict[str, Any]", given or {})
    unknown = arguments.keys() - of.fields.keys()
    if unknown:
        problem = f"The arguments of {of.name} are {', '.join(of.fields)}."
        raise ProtocolError(INVALID_PARAMS, problem)
    return of, {of.fields[name]: value for name, value in arguments.items() if value is not None}


def cursor(params: dict[str, Any]) -> str | None:
    """The place behind which events are wanted, None from now on. Raises ProtocolError."""
    given = params.get("cursor")
    if given is None or given == FROM_NOW:
        return None
    if isinstance(given, str) and CURSOR.reads(given):
        return given
    raise ProtocolError(INVALID_PARAMS, "`cursor` must be that of an earlier answer, or null.")


def count(params: dict[str, Any], name: str) -> int | None:
    """A number of ms, None without one. Raises ProtocolError."""
    value = params.get(name)
    if value is None or (isinstance(value, int) and not isinstance(value, bool) and value >= 0):
        return value
    raise ProtocolError(INVALID_PARAMS, f"`{name}` must be a number of milliseconds, 0 or more.")
