"""Cached answers that the server sends without calling the application: what most reads get."""

import re
from collections.abc import Callable, Mapping

from stoa.calls.answer_cache import AnswerCache
from stoa.clock import Clock
from stoa.domain.oauth import AUTHORIZATION
from stoa.http import answering
from stoa.http.hosts import Hosts
from stoa.http.request import REQUEST, HttpRequest
from stoa.http.wire import InParts, Message, Scope, Whole, header_lines
from stoa.limits.charge import Charges
from stoa.logs import log
from stoa.metrics import PAGE, Counters

FindPosted = Callable[[HttpRequest, bytes], InParts | None]

_API = "/api/"
_AUTHORIZATION = AUTHORIZATION.encode()
_TYPE = re.compile(rb"^content-type: .*\r\n", re.MULTILINE)
_FOR_ALL = answering.PUBLIC_LINES + answering.VARY_LINES


class ReadyAnswers:
    """GETs whose answers are cached: those of the API without a token, and pages. `page_key` gives
    the key of the page that a request asks for. `posted` finds answers to POSTs, by path. With
    `begins`, calls for other GETs and such POSTs begin without a task: neither the store nor the
    limiter sets a timeout, for which asyncio needs one."""

    def __init__(
        self,
        cache: AnswerCache,
        charges: Charges,
        hosts: Hosts,
        clock: Clock,
        page_key: Callable[[HttpRequest], str],
        counters: Counters,
        posted: Mapping[bytes, FindPosted],
        *,
        begins: bool,
    ) -> None:
        self._cache = cache
        self._charges = charges
        self._hosts = hosts
        self._clock = clock
        self._page_key = page_key
        self._counters = counters
        self._posted = posted
        self._begins = begins

    def find(self, scope: Scope) -> Whole | None:
        """The whole answer to a GET without a body, charged as any read; None, charging nothing,
        when it takes a call of the application."""
        find = self._answer if scope["path"].startswith(_API) else self._page
        try:
            return find(scope)
        except Exception:
            log.exception("defect")
            return None

    def begins(self, url: bytes) -> bool:
        """See `Ready.begins`. A page of the authorization endpoint may connect to another machine,
        for which a task is needed."""
        return self._begins and url.startswith(b"/") and not url.startswith(_AUTHORIZATION)

    def holds(self, url: bytes) -> bool:
        """See `Ready.holds`."""
        return url in self._posted

    def find_posted(self, scope: Scope, body: bytes) -> InParts | None:
        """The whole answer to a POST with this body, like `find`."""
        try:
            request = scope[REQUEST] = HttpRequest(scope, _no_body, self._hosts)
            return self._posted[request.path.encode()](request, body)
        except Exception:
            log.exception("defect")
            return None

    def _answer(self, scope: Scope) -> Whole | None:
        now = self._clock()
        entry = self._cache.get(cache_key(scope["path"], scope["query_string"]), now)
        if entry is None:
            return None
        request = scope[REQUEST] = HttpRequest(scope, _no_body, self._hosts)
        if request.authorization is not None or not self._hosts.allows(request.host):
            return None
        charge = self._charges.take_read_at_once(now, request.address)
        if charge is None:
            return None
        etag = entry.etag
        caching = _FOR_ALL if entry.for_parties else answering.PUBLIC_LINES
        lines = answering.success_lines(request.id_header[1], caching, charge, etag)
        known = request.headers.get(b"if-none-match")
        if known is not None and answering.names_tag(known, etag):
            self._counters.answered_at_once(entry.operation, 304)
            return 304, lines, b""
        if entry.next_cursor:
            lines += answering.next_link(request.path, request.query, entry.next_cursor)
        self._counters.answered_at_once(entry.operation, 200)
        body = entry.body
        return 200, b"%bcontent-length: %d\r\n" % (lines, len(body)), body

    def _page(self, scope: Scope) -> Whole | None:
        request = scope[REQUEST] = HttpRequest(scope, _no_body, self._hosts)
        entry = self._cache.get(self._page_key(request), self._clock())
        if entry is None or not self._hosts.allows(request.host):
            return None
        if not self._charges.count_at_once(request.address):
            return None
        own = [request.id_header, (b"etag", entry.etag.encode())]
        known = request.headers.get(b"if-none-match")
        if known is not None and answering.names_tag(known, entry.etag):
            self._counters.answered_at_once(PAGE, 304)
            return 304, _TYPE.sub(b"", entry.head) + header_lines(own), b""
        body = entry.body
        own.append((b"content-length", b"%d" % len(body)))
        self._counters.answered_at_once(PAGE, 200)
        return 200, entry.head + header_lines(own), body


def cache_key(path: str, query: bytes) -> str:
    """What the same GETs of the API are cached under. A space ends the path: the query has none on
    the wire, whereas a path whose escapes were read may hold `?`."""
    return f"{path} {query.decode('latin-1')}"


def nothing_ready(_request: HttpRequest, _body: bytes) -> None:
    """Finds no answer: of POSTs that are best begun without a task, as few of them wait."""


async def _no_body() -> Message:
    return {"type": "http.request", "body": b"", "more_body": False}
