"""The doors through which one operation can be called, so that one test can try each."""

from typing import Any, Protocol
from urllib.parse import urlencode

from stoa.operations.catalog import all_operations
from stoa.operations.table import Operation
from tests.support.answers import Answer
from tests.support.app import NOTHING, Agent, App


class Door(Protocol):
    """Calls an operation by its tool name. The answer of every door reads like that of REST."""

    def call(self, tool: str, arguments: dict[str, Any], agent: Agent | None = None) -> Answer:
        """Call `tool` as `agent`, or as nobody."""
        ...


class Rest:
    """The REST door."""

    def __init__(self, app: App) -> None:
        self._app = app
        self._operations = {operation.tool: operation for operation in all_operations()}

    def call(self, tool: str, arguments: dict[str, Any], agent: Agent | None = None) -> Answer:
        """See `Door.call`."""
        operation = self._operations[tool]
        path, rest = _filled(operation, arguments)
        caller = agent or self._app
        if operation.method == "GET":
            query = {name: _as_text(value) for name, value in rest.items()}
            return caller.get(f"{path}?{urlencode(query)}" if query else path)
        return caller.call(operation.method, path, rest or NOTHING)


def _filled(operation: Operation, arguments: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    path, rest = operation.path, dict(arguments)
    for name in operation.path_fields:
        path = path.replace(f"{{{name}}}", rest.pop(name))
    return path, rest


def _as_text(value: Any) -> str:
    return ",".join(value) if isinstance(value, list) else str(value)  # pyright: ignore[reportUnknownArgumentType]
