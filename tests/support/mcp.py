"""Speaks MCP to an application in this process, one message at a time."""

from collections.abc import Mapping
from typing import Any

from tests.support.answers import Answer
from tests.support.app import NOTHING, Agent, App

LATEST_HANDSHAKE = "2025-11-25"
ENVELOPE = "2026-07-28"
ERAS = (LATEST_HANDSHAKE, ENVELOPE)

Headers = Mapping[str, str]
_NONE: Headers = {}


class Mcp:
    """A client of `POST /mcp`, or of another path, that speaks one version of the protocol."""

    def __init__(self, app: App, version: str = LATEST_HANDSHAKE, path: str = "/mcp") -> None:
        self.app = app
        self.version = version
        self.path = path

    def send(self, body: Any, headers: Headers = _NONE, **options: Any) -> Answer:
        """POST a body as it is; options as in `App.ask`."""
        return self.app.call("POST", self.path, body, headers=dict(headers), **options)

    def ask(
        self,
        method: str,
        params: dict[str, Any] | None = None,
        headers: Headers = _NONE,
        **options: Any,
    ) -> Answer:
        """Send one request with the headers and the envelope that its version asks for."""
        message = self.message(method, params)
        return self.send(message, {**self.headers(message), **headers}, **options)

    def message(self, method: str, params: dict[str, Any] | None = None) -> dict[str, Any]:
        """A request."""
        params = dict(params or {})
        if self.version == ENVELOPE:
            params["_meta"] = {
                "io.modelcontextprotocol/protocolVersion": ENVELOPE,
                "io.modelcontextprotocol/clientCapabilities": {},
            }
        return {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}

    def headers(self, message: Mapping[str, Any]) -> dict[str, str]:
        """The headers that repeat what a message asks."""
        headers = {"mcp-protocol-version": self.version}
        if self.version == ENVELOPE:
            headers["mcp-method"] = message["method"]
            params = message["params"]
            named = "uri" if message["method"] == "resources/read" else "name"
            if named in params:
                headers["mcp-name"] = str(params[named])
        return headers

    def call(
        self, tool: str, arguments: Any = NOTHING, headers: Headers = _NONE, **options: Any
    ) -> Answer:
        """Call a tool and return the whole JSON-RPC answer."""
        params = {"name": tool} | ({} if arguments is NOTHING else {"arguments": arguments})
        return self.ask("tools/call", params, headers, **options)

    def result(
        self, tool: str, arguments: dict[str, Any], agent: Agent | None = None, **options: Any
    ) -> dict[str, Any]:
        """The `structuredContent` of a call as `agent`, which signs in by the argument."""
        if agent:
            arguments = {**arguments, "authorization": f"Bearer {agent.token}"}
        return self.call(tool, arguments, **options).ok()["result"]["structuredContent"]


def problem(answer: Answer) -> tuple[int, int]:
    """`(HTTP status, JSON-RPC error code)` of a protocol error."""
    return answer.status, answer["error"]["code"]
