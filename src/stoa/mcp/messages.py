"""JSON-RPC 2.0 as MCP uses it: reads one message, writes answers around ready JSON."""

from collections.abc import AsyncGenerator
from dataclasses import dataclass, field
from typing import Any, cast

import msgspec

from stoa.http.rpc_ids import NO_ID, encoded_id
from stoa.http.wire import HeaderList
from stoa.mcp.codes import INVALID_REQUEST

_encode = msgspec.json.encode


@dataclass(frozen=True, slots=True)
class McpMessage:
    """A request, or a notification when `id` is None. `id` is the JSON of the request's id."""

    id: bytes | None
    method: str
    params: dict[str, Any]


@dataclass(slots=True)
class McpReply:
    """An HTTP answer. `charged` says that the call was counted in a bucket of its own. In the place
    of a body there may be `frames`, which are sent one after another."""

    status: int
    body: bytes = b""
    headers: HeaderList = field(default_factory=list[tuple[bytes, bytes]])
    charged: bool = False
    frames: AsyncGenerator[bytes] | None = None


class ProtocolError(Exception):
    """A JSON-RPC error. `id` is the JSON of the id of the message it answers, if that has one."""

    def __init__(
        self, code: int, problem: str, data: Any = None, message_id: bytes | None = None
    ) -> None:
        super().__init__(problem)
        self.code = code
        self.data = data
        self.id = message_id


def read(value: Any) -> McpMessage:
    """The message that a decoded body is. Raises ProtocolError."""
    if not isinstance(value, dict):
        raise _malformed("Send one JSON-RPC message as an object; batches are not taken.")
    members = cast("dict[str, Any]", value)
    message_id = _id(members["id"]) if "id" in members else None
    method, params = members.get("method"), members.get("params", {})
    if members.get("jsonrpc") != "2.0":
        raise _malformed('`jsonrpc` must be "2.0".', message_id)
    if not isinstance(method, str):
        raise _malformed("`method` must be text.", message_id)
    if not isinstance(params, dict):
        raise _malformed("`params` must be an object.", message_id)
    return McpMessage(message_id, method, cast("dict[str, Any]", params))


def _id(value: Any) -> bytes:
    encoded = encoded_id(value)
    if encoded is None:
        raise _malformed(NO_ID)
    return encoded


def _malformed(problem: str, message_id: bytes | None = None) -> ProtocolError:
    return ProtocolError(INVALID_REQUEST, problem, message_id=message_id)


def error(message_id: bytes | None, failure: ProtocolError) -> bytes:
    """The JSON of a protocol error."""
    members = {"code": failure.code, "message": str(failure)}
    if failure.data is not None:
        members["data"] = failure.data
    return b'{"jsonrpc":"2.0","id":%b,"error":%b}' % (message_id or b"null", _encode(members))
