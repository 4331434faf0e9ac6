"""Calls of tools that come again: their bytes are compared, and nothing of them is read again.

Clients repeat themselves: but for the id of the message, the same call comes in the same bytes with
the same headers. A call is remembered once it was read and checked.
"""

import re
from collections.abc import Callable
from typing import NamedTuple

from stoa.caching import ByteCache
from stoa.http.request import Request

_MOST_BYTES = 2 * 1024 * 1024
_LONGEST = 4_000
_ID = re.compile(rb'"id": ?(0|[1-9][0-9]{0,14}|"[A-Za-z0-9_-]{1,64}")(?=[,}])')
_PROBES = (b"0", b'"a"')
_SAME = (b"content-type", b"mcp-protocol-version", b"mcp-method", b"mcp-name")
"""Headers that are a part of the call."""
_NONE = (
    b"authorization",
    b"content-encoding",
    b"origin",
    b"x-mcp-readonly",
    b"x-mcp-toolsets",
)
"""Headers with which a call is always read."""

Asked = tuple[bytes | None, ...]
"""The body before and behind the id of the message, and the headers of the call."""


class Known(NamedTuple):
    """What answers a call: the key of the cached answer, and the first members of its result."""

    cache_key: str
    begin: bytes


class KnownCalls:
    """The calls that were checked and have an answer that may be cached."""

    def __init__(self) -> None:
        self._known: ByteCache[Asked, Known] = ByteCache(_MOST_BYTES, _size)

    def find(self, body: bytes, request: Request) -> tuple[bytes, Known] | None:
        """The id of the message and what answers it, if the call is known."""
        place = _ID.search(body) if _is_plain(body, request) else None
        if place is None:
            return None
        known = self._known.find(_asked(body, place, request))
        return (place[1], known) if known else None

    def remember(
        self, body: bytes, request: Request, known: Known, id_of: Callable[[bytes], bytes | None]
    ) -> None:
        """Remember a call that was checked. `id_of` reads the id of the message in a body."""
        place = _ID.search(body) if _is_plain(body, request) else None
        if place is None:
            return
        asked, (start, end) = _asked(body, place, request), place.span(1)
        if self._known.find(asked) == known:
            return
        # What looks like the id of the message may be a part of something else.
        if all(id_of(body[:start] + probe + body[end:]) == probe for probe in _PROBES):
            self._known.put(asked, known)


def _is_plain(body: bytes, request: Request) -> bool:
    return len(body) <= _LONGEST and request.headers.keys().isdisjoint(_NONE)


def _asked(body: bytes, place: re.Match[bytes], request: Request) -> Asked:
    start, end = place.span(1)
    return body[:start], body[end:], *map(request.headers.get, _SAME)


def _size(asked: Asked, known: Known) -> int:
    return sum(len(part or b"") for part in asked) + len(known.cache_key)
