"""Reading a thread through MCP against reading it over REST, both from the same Stoa."""

from collections.abc import Iterator
from typing import Any

import msgspec

from tools.bench.http_requests import HOST, get
from tools.bench.registry import Result, at_least, row
from tools.bench.rows.reads import thread_path
from tools.bench.stage import Side, Stage

CONNECTIONS = 32
TARGET = 0.70
HANDSHAKE, ENVELOPE = "2025-11-25", "2026-07-28"


@row
def mcp_thread_read(stage: Stage) -> Iterator[Result]:
    """`tools/call get_thread` in both eras of the protocol, calls a second against reads a second.

    A result has the body twice, as text and as itself.
    """
    thread = stage.world.threads[0]
    rest = [get(thread_path(thread), address) for address in stage.addresses]
    for version in (HANDSHAKE, ENVELOPE):
        tools = [
            post(*message(thread, version, number), address)
            for number, address in enumerate(stage.addresses)
        ]
        stage.stoa.ask("POST", "/mcp", *message(thread, version, 0)).read()  # loads the SDK
        found = stage.compare(Side(stage.stoa, tools), Side(stage.stoa, rest), CONNECTIONS)
        yield at_least(f"MCP thread read, {version}", found.ratio, TARGET, found.detail)


def message(thread: str, version: str, number: int) -> tuple[bytes, dict[str, str]]:
    """The body and the headers of a call of this number that reads a thread with its replies."""
    return called("get_thread", {"threadId": thread, "include": "replies"}, version, number)


def called(
    tool: str, arguments: dict[str, Any], version: str, number: int
) -> tuple[bytes, dict[str, str]]:
    """The body and the headers of a call of a tool."""
    params: dict[str, Any] = {"name": tool, "arguments": arguments}
    headers = {"MCP-Protocol-Version": version, "Content-Type": "application/json"}
    if version == ENVELOPE:
        params["_meta"] = {
            "io.modelcontextprotocol/protocolVersion": version,
            "io.modelcontextprotocol/clientCapabilities": {},
        }
        headers |= {"Mcp-Method": "tools/call", "Mcp-Name": tool}
    call = {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}
    return msgspec.json.encode(call), headers


def post(body: bytes, headers: dict[str, str], address: str, path: str = "/mcp") -> bytes:
    """The call as a trusted proxy passes it on for the client at `address`."""
    lines = {
        **headers,
        "X-Forwarded-For": address,
        "Host": HOST,
        "Accept": "application/json, text/event-stream",
        "Content-Length": str(len(body)),
    }
    head = "".join(f"{name}: {value}\r\n" for name, value in lines.items())
    return f"POST {path} HTTP/1.1\r\n{head}\r\n".encode() + body
