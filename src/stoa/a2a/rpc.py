"""JSON-RPC 2.0 as A2A 1.0 uses it: reads a request, writes results, and refusals as its errors."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

from stoa.domain.errors import Refusal
from stoa.http.rpc_ids import NO_ID, encoded_id
from stoa.schemas.base import encode

_INVALID_REQUEST, METHOD_NOT_FOUND, INVALID_PARAMS = -32600, -32601, -32602
PARSE_ERROR = -32700
NOT_FOUND, NOT_CANCELABLE, UNSUPPORTED = -32001, -32002, -32004
CONTENT_TYPE, NO_CARD, VERSION = -32005, -32007, -32009
_REASONS = {
    NOT_FOUND: "TASK_NOT_FOUND",
    NOT_CANCELABLE: "TASK_NOT_CANCELABLE",
    UNSUPPORTED: "UNSUPPORTED_OPERATION",
    CONTENT_TYPE: "CONTENT_TYPE_NOT_SUPPORTED",
    NO_CARD: "EXTENDED_AGENT_CARD_NOT_CONFIGURED",
    VERSION: "VERSION_NOT_SUPPORTED",
}
_DOMAIN = "a2a-protocol.org"
_TYPES = "type.googleapis.com/google"
_AS_HTTP = frozenset({401, 415, 429, 500, 503})
"""HTTP statuses that clients of HTTP react to themselves, so they are sent as they are; any other
refusal is a JSON-RPC error with status 200."""
_SCOPE = "insufficient_scope"

Params = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class TaskRequest:
    """One request. `id` is the JSON of its id."""

    id: bytes
    method: str
    params: dict[str, Any]


class RpcError(Exception):
    """An error of the protocol. `body` is the error body that the call has over REST; `http` is the
    status of an answer that clients of HTTP act on, 200 for any other."""

    def __init__(
        self, code: int, problem: str, body: Params | None = None, refusal: Refusal | None = None
    ) -> None:
        super().__init__(problem)
        self.code, self.body, self.refusal = code, body, refusal
        self.id = b"null"

    @property
    def http(self) -> int:
        """The HTTP status."""
        if self.refusal is None:
            return 200
        is_plain = self.refusal.status in _AS_HTTP or self.refusal.code == _SCOPE
        return self.refusal.status if is_plain else 200

    def encoded(self) -> bytes:
        """The JSON of the answer."""
        details: list[dict[str, Any]] = []
        if self.code in _REASONS:
            reason = {"reason": _REASONS[self.code], "domain": _DOMAIN}
            details.append({"@type": f"{_TYPES}.rpc.ErrorInfo", **reason})
        if self.body:
            details.append({"@type": f"{_TYPES}.protobuf.Struct", "value": self.body})
        error = {"code": self.code, "message": str(self), **({"data": details} if details else {})}
        return b'{"jsonrpc":"2.0","id":%b,"error":%b}' % (self.id, encode(error))


def refused(refusal: Refusal, body: Params, conflict: int = UNSUPPORTED) -> RpcError:
    """A refusal of an operation as an error; a state that does not allow it is a `conflict`."""
    codes = {403: UNSUPPORTED, 404: NOT_FOUND, 409: conflict, 410: NOT_FOUND, 415: CONTENT_TYPE}
    code = codes.get(refusal.status, INVALID_PARAMS)
    told = [f"{one.path}: {one.message}" if one.path else one.message for one in refusal.issues]
    return RpcError(code, " ".join([refusal.message, *told]), body, refusal)


def read(value: Any) -> TaskRequest:
    """The request that a decoded body is. Raises RpcError."""
    members = cast("dict[str, Any]", value) if isinstance(value, dict) else {}
    given, method, params = members.get("id"), members.get("method"), members.get("params", {})
    own = encoded_id(given)
    problem = None
    if members.get("jsonrpc") != "2.0" or not isinstance(method, str):
        problem = 'Send one request with `jsonrpc`: "2.0", `id`, `method` and `params`.'
    elif own is None:
        problem = NO_ID
    elif not isinstance(params, dict):
        problem = "`params` must be an object."
    if problem or own is None:
        failure = RpcError(_INVALID_REQUEST, problem or NO_ID)
        failure.id = own or b"null"
        raise failure
    return TaskRequest(own, cast("str", method), cast("dict[str, Any]", params))


def result(request_id: bytes, members: Params) -> bytes:
    """The JSON of a success."""
    return b'{"jsonrpc":"2.0","id":%b,"result":%b}' % (request_id, encode(members))


def wrong(problem: str) -> RpcError:
    """-32602: what is wrong with the parameters, as a sentence."""
    return RpcError(INVALID_PARAMS, problem)
