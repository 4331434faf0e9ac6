"""The two eras of the protocol: a handshake up to 2025-11-25, an envelope on each request since.

Nothing is remembered between messages in either. What the newer one checks of a request stands in
`envelope.py`.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

import msgspec

from stoa import __version__
from stoa.http.wire import HeaderList
from stoa.mcp import codes, envelope
from stoa.mcp.codes import INVALID_PARAMS, INVALID_REQUEST, PARSE_ERROR, SERVER_INFO_META_KEY
from stoa.mcp.messages import McpMessage, ProtocolError, read
from stoa.schemas.mcp_versions import ENVELOPE_VERSIONS, HANDSHAKE_VERSIONS

_encode = msgspec.json.encode

_OF_TEXT = frozenset({"2024-11-05", "2025-03-26"})
_CACHE_MS = 300_000
_EXTENSIONS: dict[str, dict[str, Any]] = {
    "io.modelcontextprotocol/events": {},
    "io.modelcontextprotocol/oauth-client-credentials": {},
    "io.modelcontextprotocol/skills": {},
}
"""What this service supports beside the protocol itself, by the ids of the extensions."""
_CAPABILITIES = {
    "resources": {"subscribe": False, "listChanged": False},
    "tools": {"listChanged": False},
    "extensions": _EXTENSIONS,
    "events": {},
}
"""`events` stands where the extension was before it had an id, too, which is where clients look."""
_REPLAYED = {"idempotentReplayed": True}
"""What `_meta` says of a result that is the stored one of an earlier call."""

ServerInfo = dict[str, str]
"""What a server says of itself."""

Answers = dict[str, Callable[[McpMessage], bytes]]
"""By method, what gives the JSON of the members of a result."""


def is_handshake(version: bytes | None) -> bool:
    """Whether the version header, or its absence, means the era of the handshake."""
    return version is None or version.decode("latin-1").strip() in HANDSHAKE_VERSIONS


def knows_text_alone(version: bytes | None) -> bool:
    """Whether the version has no structured results: 2024-11-05 and 2025-03-26."""
    return version is not None and version.decode("latin-1").strip() in _OF_TEXT


def server_info(address: str) -> ServerInfo:
    """Who answers, with the address of its pages."""
    return {"name": "stoa", "title": "Stoa", "version": __version__, "websiteUrl": address}


class HandshakeEra:
    """2024-11-05 to 2025-11-25."""

    every_result = b""
    """JSON members that all results begin with."""
    replayed_result = b'"_meta":%b,' % _encode(_REPLAYED)
    """The same for a result that is the stored one of an earlier call."""

    def __init__(self, info: ServerInfo, instructions: str, tools: bytes, others: Answers) -> None:
        # Nothing here leads back to this era, so that one is gone as soon as nobody has it.
        self.answers: Answers = {
            "initialize": partial(_initialized, info=info, instructions=instructions),
            "ping": lambda _message: b"",
            "tools/list": partial(_listed, members=b'"tools":%b' % tools),
            **others,
        }

    def read(self, value: Any, lines: HeaderList) -> McpMessage:  # noqa: ARG002
        """The message of a decoded body under these header lines, which say nothing more here.
        Raises ProtocolError."""
        return read(value)

    def status(self, code: int) -> int:
        """The HTTP status of a protocol error."""
        return 400 if code in (INVALID_REQUEST, PARSE_ERROR) else 200


class EnvelopeEra:
    """2026-07-28: every request carries its version, and headers that repeat what it asks.

    A list that headers have chosen is `private`: caches between clients look at the address alone.
    """

    def __init__(
        self,
        info: ServerInfo,
        instructions: str,
        tools: bytes,
        others: Answers,
        *,
        private: bool = False,
    ) -> None:
        stamp = {SERVER_INFO_META_KEY: {name: info[name] for name in ("name", "version")}}
        self.every_result = _complete(stamp)
        self.replayed_result = _complete(stamp | _REPLAYED)
        begin = b'%b"ttlMs":%d,"cacheScope":"%b",'
        public = begin % (self.every_result, _CACHE_MS, b"public")
        scope = b"private" if private else b"public"
        listing = begin % (self.every_result, _CACHE_MS, scope) + b'"tools":%b' % tools
        discovered = _members(
            _meta={SERVER_INFO_META_KEY: info},
            ttlMs=_CACHE_MS,
            cacheScope="public",
            supportedVersions=ENVELOPE_VERSIONS,
            capabilities=_CAPABILITIES,
            instructions=instructions,
            resultType="complete",
        )
        self.answers: Answers = {
            "server/discover": lambda _message: discovered,
            "tools/list": partial(_listed, members=listing),
            **{method: _beginning(public, answer) for method, answer in others.items()},
        }

    def read(self, value: Any, lines: HeaderList) -> McpMessage:
        """The message of a decoded body under these header lines. Raises ProtocolError."""
        message = read(value)
        headers = [(name.decode("latin-1"), text.decode("latin-1").strip()) for name, text in lines]
        envelope.check(message, headers)
        return message

    def status(self, code: int) -> int:
        """The HTTP status of a protocol error."""
        return codes.STATUSES.get(code, 200)


Era = HandshakeEra | EnvelopeEra


def _initialized(message: McpMessage, info: ServerInfo, instructions: str) -> bytes:
    wanted = message.params.get("protocolVersion")
    if not isinstance(wanted, str):
        raise ProtocolError(INVALID_PARAMS, "`protocolVersion` must be text.")
    known = wanted in HANDSHAKE_VERSIONS
    return _members(
        protocolVersion=wanted if known else HANDSHAKE_VERSIONS[-1],
        capabilities=_CAPABILITIES,
        serverInfo=info,
        instructions=instructions,
    )


def _listed(message: McpMessage, members: bytes) -> bytes:
    """These members of the list of tools, which is one page."""
    if message.params.get("cursor") is not None:
        raise ProtocolError(INVALID_PARAMS, "No such cursor: all tools are on the first page.")
    return members


def _beginning(
    begin: bytes, answer: Callable[[McpMessage], bytes]
) -> Callable[[McpMessage], bytes]:
    """The same answer with these members before its own."""
    return lambda message: begin + answer(message)


def _complete(meta: dict[str, Any]) -> bytes:
    return b'"resultType":"complete","_meta":%b,' % _encode(meta)


def _members(**members: object) -> bytes:
    """The JSON of these members."""
    return _encode(members)[1:-1]
