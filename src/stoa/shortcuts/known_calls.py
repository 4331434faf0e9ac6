"""Repeated tool calls: one whose bytes are those of an earlier call is not parsed again.

Clients repeat themselves: except for the id of the message, the same call comes in the same bytes
with the same headers. A call is remembered after it was read and checked. Answers are the same
bytes too while they are cached.
"""

import re
from collections.abc import Callable
from typing import NamedTuple

from stoa.caching import ByteCache, CachedKind
from stoa.http.request import HttpRequest
from stoa.shortcuts.tool_results import as_text

_LONGEST = 4_000
_ID = re.compile(rb'"id": ?(0|[1-9][0-9]{0,14}|"[A-Za-z0-9_-]{1,64}")(?=[,}])')
_PROBES = (b"0", b'"a"')
_NONE = frozenset(
    (b"authorization", b"content-encoding", b"origin", b"x-mcp-readonly", b"x-mcp-toolsets")
)
"""Headers of calls that are always read."""

CallKey = tuple[bytes, bytes, *tuple[bytes | None, ...]]
"""The body before and after the id of the message, and the headers of the call."""


class Known(NamedTuple):
    """The answer to a call: the key of the cached answer, and the first members of its result."""

    cache_key: str
    begin: bytes


class KnownCalls:
    """The calls that were checked and have an answer that may be cached, and answers as texts."""

    def __init__(self, cache: ByteCache) -> None:
        self._known = CachedKind[CallKey, Known](cache, _size)
        self._texts = CachedKind[bytes, bytes](cache, lambda body, text: len(body) + len(text))

    def content(self, body: bytes) -> tuple[bytes, bytes]:
        """The body of an answer twice, as the protocol requires: as text with its surrounding JSON,
        and as JSON."""
        return self._texts.get(body, as_text), body

    def find(self, body: bytes, request: HttpRequest) -> tuple[bytes, Known] | None:
        """The id of the message and its answer, if the call is known."""
        parts = _parts(body, request)
        if parts is None:
            return None
        message_id, asked = parts
        known = self._known.find(asked)
        return (message_id, known) if known else None

    def remember(
        self,
        body: bytes,
        request: HttpRequest,
        known: Known,
        id_of: Callable[[bytes], bytes | None],
    ) -> None:
        """Remember a call that was checked. `id_of` reads the id of the message in a body."""
        parts = _parts(body, request)
        if parts is None:
            return
        _, asked = parts
        if self._known.find(asked) == known:
            return
        # What looks like the id of the message may be a part of something else.
        before, after, *_ = asked
        if all(id_of(b'%b"id":%b%b' % (before, probe, after)) == probe for probe in _PROBES):
            self._known.put(asked, known)


def _parts(body: bytes, request: HttpRequest) -> tuple[bytes, CallKey] | None:
    """The id of the message, and the call without it. None for a call that is always read, such as
    one with parameters in its address."""
    headers = request.headers
    if request.query or len(body) > _LONGEST or not _NONE.isdisjoint(headers):
        return None
    parts = _ID.split(body, 1)
    if len(parts) == 1:
        return None
    before, message_id, after = parts
    return message_id, (
        before,
        after,
        headers.get(b"content-type"),
        headers.get(b"mcp-protocol-version"),
        headers.get(b"mcp-method"),
        headers.get(b"mcp-name"),
    )


def _size(asked: CallKey, known: Known) -> int:
    return sum(len(part or b"") for part in asked) + len(known.cache_key)
