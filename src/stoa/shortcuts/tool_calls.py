"""Tool calls with cached answers, which the server answers without the application."""

from stoa.http import answering
from stoa.http.request import HttpRequest
from stoa.http.wire import InParts, header_lines
from stoa.memory.answers import CachedAnswer
from stoa.operations.parts.buckets import Charge
from stoa.operations.parts.buckets import header_lines as rate_lines
from stoa.shortcuts.known_calls import KnownCalls
from stoa.shortcuts.shortcut import Shortcut, ShortcutParts
from stoa.shortcuts.tool_results import result

_ALWAYS = header_lines([(b"content-type", answering.JSON), answering.NOSNIFF, answering.NO_STORE])
_LINES = _ALWAYS + b"x-request-id: %b\r\n%bcontent-length: %d\r\n"


_Found = tuple[bytes, bytes, CachedAnswer]
"""The id of the message, the first members of its result, and the answer."""


class ReadyCalls(Shortcut[_Found]):
    """Answers calls of `known` without a token."""

    def __init__(self, known: KnownCalls, *shared: *ShortcutParts) -> None:
        super().__init__(*shared)
        self._known = known

    def _find(self, request: HttpRequest, body: bytes, now: int, /) -> _Found | None:
        found = self._known.find(body, request)
        if found is None:
            return None
        message_id, known = found
        entry = self._cache.get(known.cache_key, now)
        return (message_id, known.begin, entry) if entry else None

    def _made(
        self, request: HttpRequest, found: _Found, charge: Charge, _now: int, /
    ) -> tuple[str, InParts]:
        message_id, first, entry = found
        begin, text, body, end = result(message_id, first, *self._known.content(entry.body))
        length = len(begin) + len(text) + len(body) + len(end)
        lines = _LINES % (request.id_header[1], rate_lines(charge), length)
        return entry.operation, (200, lines, begin, text, body, end)
