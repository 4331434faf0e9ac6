"""The two eras of the protocol: a handshake up to 2025-11-25, an envelope on each request since.

Nothing is remembered between messages in either. Versions, codes and types are the official SDK's.
The checks of the newer era stand in `envelope.py`.
"""

from collections.abc import Callable
from typing import Any, Protocol

import msgspec
from mcp_types import (
    INVALID_PARAMS,
    INVALID_REQUEST,
    PARSE_ERROR,
    SERVER_INFO_META_KEY,
    DiscoverResult,
    Implementation,
    InitializeResult,
    ResourcesCapability,
    ServerCapabilities,
    ToolsCapability,
)
from mcp_types.version import (
    HANDSHAKE_PROTOCOL_VERSIONS,
    LATEST_HANDSHAKE_VERSION,
    MODERN_PROTOCOL_VERSIONS,
)
from pydantic import BaseModel

from stoa import __version__
from stoa.http.wire import HeaderList
from stoa.mcp import envelope
from stoa.mcp.messages import McpMessage, ProtocolError, read

_encode = msgspec.json.encode

_OF_TEXT = frozenset({"2024-11-05", "2025-03-26"})
_CACHE_MS = 300_000
_EXTENSIONS: dict[str, dict[str, Any]] = {
    "io.modelcontextprotocol/events": {},
    "io.modelcontextprotocol/oauth-client-credentials": {},
    "io.modelcontextprotocol/skills": {},
}
"""What this service supports beside the protocol itself, by the ids of the extensions."""
_CAPABILITIES = ServerCapabilities(
    tools=ToolsCapability(list_changed=False),
    resources=ResourcesCapability(subscribe=False, list_changed=False),
    extensions=_EXTENSIONS,
)
_REPLAYED = {"idempotentReplayed": True}
"""What `_meta` says of a result that is the stored one of an earlier call."""

Answers = dict[str, Callable[[McpMessage], bytes]]
"""By method, what gives the JSON of the members of a result."""


class Era(Protocol):
    """How messages of an era are checked and answered."""

    answers: Answers
    every_result: bytes
    replayed_result: bytes

    def read(self, value: Any, lines: HeaderList) -> McpMessage:
        """The message of a decoded body under these header lines. Raises ProtocolError."""
        ...

    def status(self, code: int) -> int:
        """The HTTP status of a protocol error."""
        ...


def is_handshake(version: bytes | None) -> bool:
    """Whether the version header, or its absence, means the era of the handshake."""
    return version is None or version.decode("latin-1").strip() in HANDSHAKE_PROTOCOL_VERSIONS


def knows_text_alone(version: bytes | None) -> bool:
    """Whether the version has no structured results: 2024-11-05 and 2025-03-26."""
    return version is not None and version.decode("latin-1").strip() in _OF_TEXT


def server_info(address: str) -> Implementation:
    """Who answers, with the address of its pages."""
    return Implementation(name="stoa", title="Stoa", version=__version__, website_url=address)


class HandshakeEra:
    """2024-11-05 to 2025-11-25."""

    every_result = b""
    """JSON members that all results begin with."""
    replayed_result = b'"_meta":%b,' % _encode(_REPLAYED)
    """The same for a result that is the stored one of an earlier call."""

    def __init__(
        self, info: Implementation, instructions: str, tools: bytes, others: Answers
    ) -> None:
        self._info = info
        self._instructions = instructions
        self._tools = tools
        self.answers: Answers = {
            "initialize": self._initialize,
            "ping": lambda _message: b"",
            "tools/list": self._list,
            **others,
        }

    def read(self, value: Any, lines: HeaderList) -> McpMessage:  # noqa: ARG002
        """See `Era.read`. Headers say nothing more here."""
        return read(value)

    def status(self, code: int) -> int:
        """See `Era.status`."""
        return 400 if code in (INVALID_REQUEST, PARSE_ERROR) else 200

    def _initialize(self, message: McpMessage) -> bytes:
        wanted = message.params.get("protocolVersion")
        if not isinstance(wanted, str):
            raise ProtocolError(INVALID_PARAMS, "`protocolVersion` must be text.")
        known = wanted in HANDSHAKE_PROTOCOL_VERSIONS
        return _announced(
            InitializeResult(
                protocol_version=wanted if known else LATEST_HANDSHAKE_VERSION,
                capabilities=_CAPABILITIES,
                server_info=self._info,
                instructions=self._instructions,
            )
        )

    def _list(self, message: McpMessage) -> bytes:
        _refuse_cursor(message)
        return b'"tools":%b' % self._tools


class EnvelopeEra:
    """2026-07-28: every request carries its version, and headers that repeat what it asks.

    A list that headers have chosen is `private`: caches between clients look at the address alone.
    """

    def __init__(
        self,
        info: Implementation,
        instructions: str,
        tools: bytes,
        others: Answers,
        *,
        private: bool = False,
    ) -> None:
        whole = info.model_dump(by_alias=True, exclude_none=True)
        stamp = {SERVER_INFO_META_KEY: {name: whole[name] for name in ("name", "version")}}
        self.every_result = _complete(stamp)
        self.replayed_result = _complete(stamp | _REPLAYED)
        begin = b'%b"ttlMs":%d,"cacheScope":"%b",'
        public = begin % (self.every_result, _CACHE_MS, b"public")
        scope = b"private" if private else b"public"
        self._listing = begin % (self.every_result, _CACHE_MS, scope) + b'"tools":%b' % tools
        discovered = DiscoverResult(
            supported_versions=list(MODERN_PROTOCOL_VERSIONS),
            capabilities=_CAPABILITIES,
            instructions=instructions,
            ttl_ms=_CACHE_MS,
            cache_scope="public",
            _meta={SERVER_INFO_META_KEY: whole},
        )
        self._discovered = _announced(discovered)
        self.answers: Answers = {
            "server/discover": lambda _message: self._discovered,
            "tools/list": self._list,
            **{method: _beginning(public, answer) for method, answer in others.items()},
        }

    def read(self, value: Any, lines: HeaderList) -> McpMessage:
        """See `Era.read`."""
        message = read(value)
        headers = [(name.decode("latin-1"), text.decode("latin-1").strip()) for name, text in lines]
        envelope.check(message, headers)
        return message

    def status(self, code: int) -> int:
        """See `Era.status`."""
        return envelope.STATUSES.get(code, 200)

    def _list(self, message: McpMessage) -> bytes:
        _refuse_cursor(message)
        return self._listing


def _refuse_cursor(message: McpMessage) -> None:
    if message.params.get("cursor") is not None:
        raise ProtocolError(INVALID_PARAMS, "No such cursor: all tools are on the first page.")


def _beginning(
    begin: bytes, answer: Callable[[McpMessage], bytes]
) -> Callable[[McpMessage], bytes]:
    """The same answer with these members before its own."""
    return lambda message: begin + answer(message)


def _complete(meta: dict[str, Any]) -> bytes:
    return b'"resultType":"complete","_meta":%b,' % _encode(meta)


def _announced(model: BaseModel) -> bytes:
    """The JSON of the members of what says what is offered. `events` stands where the extension was
    before it had an id, too, which is where clients look; the SDK knows no such capability."""
    members = model.model_dump(mode="json", by_alias=True, exclude_none=True)
    members["capabilities"]["events"] = {}
    return _encode(members)[1:-1]
