"""Reading a thread through MCP against reading it over REST, both from the same Stoa."""

from collections.abc import Iterator
from typing import Any

import msgspec

from bench.http_requests import HOST, get
from bench.registry import Result, at_least, row
from bench.rows.reads import thread_path
from bench.stage import Comparison, Side, Stage

CONNECTIONS = 32
TARGET = 0.50
HANDSHAKE, ENVELOPE = "2025-11-25", "2026-07-28"


@row
def mcp_thread_read(stage: Stage) -> Iterator[Result]:
    """`tools/call get_thread` in both eras of the protocol, by the bytes sent a second.

    A result carries the body twice, as text and as itself, so one call is worth two reads.
    """
    thread = stage.world.threads[0]
    rest = [get(thread_path(thread), address) for address in stage.addresses]
    rest_bytes = len(stage.stoa.get(thread_path(thread)).read())
    for version in (HANDSHAKE, ENVELOPE):
        body, headers = message(thread, version)
        tools = [post(body, headers, address) for address in stage.addresses]
        sent = len(stage.stoa.ask("POST", "/mcp", body, headers).read())
        found = stage.compare(Side(stage.stoa, tools), Side(stage.stoa, rest), CONNECTIONS)
        ratio = found.ratio * sent / rest_bytes
        yield at_least(
            f"MCP thread read, {version}", ratio, TARGET, detail(found, sent / rest_bytes)
        )


def detail(found: Comparison, size: float) -> str:
    """What the ratio is made of."""
    return f"calls {found.detail}; answers of {size:.2f} the size"


def message(thread: str, version: str) -> tuple[bytes, dict[str, str]]:
    """The body and the headers of a call that reads a thread with its replies."""
    params: dict[str, Any] = {
        "name": "get_thread",
        "arguments": {"threadId": thread, "include": "replies"},
    }
    headers = {"MCP-Protocol-Version": version, "Content-Type": "application/json"}
    if version == ENVELOPE:
        params["_meta"] = {
            "io.modelcontextprotocol/protocolVersion": version,
            "io.modelcontextprotocol/clientCapabilities": {},
        }
        headers |= {"Mcp-Method": "tools/call", "Mcp-Name": "get_thread"}
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    return msgspec.json.encode(call), headers


def post(body: bytes, headers: dict[str, str], address: str) -> bytes:
    """The call as a trusted proxy passes it on for the client at `address`."""
    lines = {
        **headers,
        "X-Forwarded-For": address,
        "Host": HOST,
        "Accept": "application/json, text/event-stream",
        "Content-Length": str(len(body)),
    }
    head = "".join(f"{name}: {value}\r\n" for name, value in lines.items())
    return b"POST /mcp HTTP/1.1\r\n" + head.encode() + b"\r\n" + body
