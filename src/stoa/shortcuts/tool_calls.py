"""Calls of tools whose answers are cached, which the server answers without the application."""

from stoa.calls.answer_cache import AnswerCache
from stoa.clock import Clock
from stoa.http import answering
from stoa.http.hosts import Hosts
from stoa.http.request import HttpRequest
from stoa.http.wire import InParts, header_lines
from stoa.limits.charge import Charges
from stoa.metrics import Counters
from stoa.operations.parts.buckets import header_lines as rate_lines
from stoa.shortcuts.known_calls import KnownCalls
from stoa.shortcuts.tool_results import content, result

NO_STORE = (b"cache-control", b"no-store")
_ALWAYS = header_lines([(b"content-type", answering.JSON), answering.NOSNIFF, NO_STORE])
_LINES = _ALWAYS + b"x-request-id: %b\r\n%bcontent-length: %d\r\n"


class ReadyCalls:
    """Answers calls of `known` without a token, charged as any read."""

    def __init__(
        self,
        known: KnownCalls,
        cache: AnswerCache,
        charges: Charges,
        hosts: Hosts,
        clock: Clock,
        counters: Counters,
    ) -> None:
        self._known = known
        self._cache = cache
        self._charges = charges
        self._hosts = hosts
        self._clock = clock
        self._counters = counters

    def find(self, request: HttpRequest, body: bytes) -> InParts | None:
        """The whole answer; None, charging nothing, when it takes a call of the application."""
        found = self._known.find(body, request)
        if found is None or not self._hosts.allows(request.host):
            return None
        message_id, known = found
        now = self._clock()
        entry = self._cache.get(known.cache_key, now)
        charge = self._charges.take_read_at_once(now, request.address) if entry else None
        if entry is None or charge is None:
            return None
        begin, text, body, end = result(message_id, known.begin, *content(entry.body))
        self._counters.answered_at_once(entry.operation, 200)
        length = len(begin) + len(text) + len(body) + len(end)
        lines = _LINES % (request.id_header[1], rate_lines(charge), length)
        return 200, lines, begin, text, body, end
