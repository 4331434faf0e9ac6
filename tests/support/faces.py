"""The faces through which one operation can be called, so that one test can try each."""

import json
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple
from urllib.parse import urlencode

from stoa.domain.errors import CATALOGUE
from stoa.domain.toolsets import Toolset
from stoa.operations.catalog import all_operations
from stoa.operations.table import Operation
from tests.support.answers import Answer
from tests.support.app import NOTHING, Agent, App
from tests.support.mcp import ERAS
from tests.support.mcp import Mcp as McpClient


class Manner(NamedTuple):
    """How a write is called: with an idempotency key, as a dry run, or neither."""

    key: str | None = None
    dry_run: bool = False


PLAIN = Manner()
_ALL_SETS = f"?toolsets={','.join(Toolset)}"


class Face:
    """Calls an operation by its tool name. The answer of every face reads like that of REST."""

    def __init__(self, app: App) -> None:
        self._app = app
        self._operations = {one.name: one for one in all_operations()}

    async def ask(
        self, tool: str, arguments: dict[str, Any], agent: Agent | None, manner: Manner
    ) -> Answer:
        """Call `tool` as `agent`, or as nobody, to be awaited or run together with others."""
        raise NotImplementedError

    def call(
        self,
        tool: str,
        arguments: dict[str, Any],
        agent: Agent | None = None,
        manner: Manner = PLAIN,
    ) -> Answer:
        """One call, waited for."""
        return self._app.run(self.ask(tool, arguments, agent, manner))


class Rest(Face):
    """The REST face."""

    async def ask(
        self, tool: str, arguments: dict[str, Any], agent: Agent | None, manner: Manner
    ) -> Answer:
        """See `Face.ask`."""
        operation = self._operations[tool]
        path, rest = _filled(operation, arguments)
        headers = {} if agent is None else agent.headers
        if operation.method == "GET":
            query = {name: _as_text(value) for name, value in rest.items()}
            path = f"{path}?{urlencode(query)}" if query else path
            return await self._app.ask("GET", path, headers=headers)
        path = f"{path}?dryRun=true" if manner.dry_run else path
        if manner.key is not None:
            headers = {**headers, "Idempotency-Key": manner.key}
        return await self._app.ask(operation.method, path, rest or NOTHING, headers=headers)


class Mcp(Face):
    """The MCP face, at one version of the protocol. Statuses are those REST would answer with."""

    def __init__(self, app: App, version: str) -> None:
        super().__init__(app)
        self._client = McpClient(app, version)

    async def ask(
        self, tool: str, arguments: dict[str, Any], agent: Agent | None, manner: Manner
    ) -> Answer:
        """See `Face.ask`."""
        more: dict[str, Any] = {"authorization": f"Bearer {agent.token}"} if agent else {}
        if manner.key is not None:
            more["idempotencyKey"] = manner.key
        if manner.dry_run:
            more["dryRun"] = True
        params = {"name": tool, "arguments": {**arguments, **more}}
        message = self._client.message("tools/call", params)
        headers = self._client.headers(message)
        sets = "" if self._operations[tool].tool else _ALL_SETS
        answer = (await self._app.ask("POST", f"/mcp{sets}", message, headers=headers)).ok()
        result = answer["result"]
        body: dict[str, Any] = result["structuredContent"]
        refused = result.get("isError", False)
        status = CATALOGUE[body["code"]].status if refused else self._operations[tool].status
        return Answer(status, answer.header_list, json.dumps(body).encode())


FACES: dict[str, Callable[[App], Face]] = {
    "rest": Rest,
    **{f"mcp-{version}": partial(Mcp, version=version) for version in ERAS},
}


def _filled(operation: Operation, arguments: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    path, rest = operation.path, dict(arguments)
    for name in operation.path_fields:
        path = path.replace(f"{{{name}}}", rest.pop(name))
    return path, rest


def _as_text(value: Any) -> str:
    return ",".join(value) if isinstance(value, list) else str(value)  # pyright: ignore[reportUnknownArgumentType]
