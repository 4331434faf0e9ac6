"""The newer era's requirements of each request: an envelope, and headers that repeat it.

The official SDK checks the same (`mcp.shared.inbound`), which a test compares; see `codes.py` for
why it is not used here.
"""

import base64
import re
from collections.abc import Mapping, Sequence
from typing import Any, cast

from stoa.mcp.codes import (
    CLIENT_CAPABILITIES_META_KEY,
    HEADER_MISMATCH,
    INVALID_PARAMS,
    PROTOCOL_VERSION_META_KEY,
    UNSUPPORTED_PROTOCOL_VERSION,
)
from stoa.mcp.messages import McpMessage, ProtocolError
from stoa.schemas.mcp_versions import ENVELOPE_VERSIONS

_VERSION, _METHOD, _NAME = "mcp-protocol-version", "mcp-method", "mcp-name"
_ROUTING = (_VERSION, _METHOD, _NAME)
_NAMED = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}
"""The parameter that `Mcp-Name` repeats, by method."""
_REQUIRED = (PROTOCOL_VERSION_META_KEY, CLIENT_CAPABILITIES_META_KEY)
_ENCODED = re.compile(r"=\?base64\?(.*)\?=")
"""A header's value that is no plain text."""


def check(message: McpMessage, lines: Sequence[tuple[str, str]]) -> None:
    """Refuse a message without its envelope, with headers that say otherwise, or of a version that
    is not spoken here; of a notification only the version counts. `lines` are those of the headers,
    with names in lower case. Raises ProtocolError."""
    headers = {name: text for name, text in lines if name in _ROUTING}
    spoken = headers[_VERSION]
    if message.id is None:
        _check_version(message, spoken)
        return
    names = [name for name, _ in lines if name in _ROUTING]
    for place, name in enumerate(names):
        if name in names[:place]:
            raise _refusal(message, HEADER_MISMATCH, f"{name} header appears more than once")
    meta = message.params.get("_meta")
    problem = _missing(meta)
    if problem:
        _check_version(message, spoken)  # one that nobody speaks here may well have no envelope
        raise _refusal(message, INVALID_PARAMS, problem)
    problem = _otherwise(message, cast("Mapping[str, Any]", meta), headers)
    if problem:
        raise _refusal(message, HEADER_MISMATCH, problem)
    _check_version(message, spoken)


def _missing(meta: Any) -> str | None:
    """What the envelope lacks."""
    if not isinstance(meta, dict):
        return (
            "params._meta must be an object carrying the required "
            f"{PROTOCOL_VERSION_META_KEY!r} and {CLIENT_CAPABILITIES_META_KEY!r} envelope keys"
        )
    missing = [key for key in _REQUIRED if key not in meta]
    if not missing:
        return None
    return f"params._meta is missing the required envelope key(s): {', '.join(missing)}"


def _otherwise(
    message: McpMessage, meta: Mapping[str, Any], headers: Mapping[str, str]
) -> str | None:
    """Which header says otherwise than the message."""
    if headers[_VERSION] != meta[PROTOCOL_VERSION_META_KEY]:
        return f"{_VERSION} header does not match the request envelope's protocol version"
    if headers.get(_METHOD) != message.method:
        return f"{_METHOD} header does not match the request body's method"
    key = _NAMED.get(message.method)
    named = None if key is None else message.params.get(key)
    if named is not None and _decoded(headers.get(_NAME)) != named:
        return f"{_NAME} header does not match the request body's {key!r} parameter"
    return None


def _decoded(value: str | None) -> str | None:
    """The value of a header, which may be in base64; None if that is not in its one form."""
    found = _ENCODED.fullmatch(value) if value else None
    if not found:
        return value
    try:
        decoded = base64.b64decode(found[1], validate=True)
        return decoded.decode() if base64.b64encode(decoded).decode() == found[1] else None
    except ValueError:  # no base64, or not of UTF-8
        return None


def _check_version(message: McpMessage, spoken: str) -> None:
    if spoken not in ENVELOPE_VERSIONS:
        data = {"supported": [*ENVELOPE_VERSIONS], "requested": spoken}
        problem = "Unsupported protocol version"
        raise _refusal(message, UNSUPPORTED_PROTOCOL_VERSION, problem, data)


def _refusal(message: McpMessage, code: int, problem: str, data: Any = None) -> ProtocolError:
    return ProtocolError(code, problem, data, message.id)
