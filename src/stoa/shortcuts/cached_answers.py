"""Cached answers that the server sends without calling the application: most reads."""

import re
from collections.abc import Callable, Mapping

from stoa.calls.encode import names_tag
from stoa.domain.oauth import AUTHORIZATION
from stoa.http import answering
from stoa.http.hosts import Hosts
from stoa.http.request import REQUEST, HttpRequest
from stoa.http.wire import InParts, Message, Scope, header_lines
from stoa.logs import log
from stoa.memory.answers import CachedAnswer
from stoa.memory.inboxes import EmptyAnswer
from stoa.metrics import PAGE
from stoa.operations.parts.buckets import Charge
from stoa.shortcuts.shortcut import Shortcut, ShortcutParts

FindPosted = Callable[[HttpRequest, bytes], InParts | None]

_API = "/api/"
_AUTHORIZATION = AUTHORIZATION.encode()
_TYPE = re.compile(rb"^content-type: .*\r\n", re.MULTILINE)
_FOR_ALL = answering.PUBLIC_LINES + answering.VARY_LINES


class ReadyReads(Shortcut[CachedAnswer]):
    """Answers GETs of the API without a token whose answers are cached."""

    def _find(self, request: HttpRequest, _body: bytes, now: int, /) -> CachedAnswer | None:
        return self._cache.get(cache_key(request.path, request.query), now)

    def _made(
        self, request: HttpRequest, found: CachedAnswer, charge: Charge, _now: int, /
    ) -> tuple[str, InParts]:
        caching = _FOR_ALL if found.for_parties else answering.PUBLIC_LINES
        return found.operation, read_parts(request, found, charge, caching)


class ReadyPages(Shortcut[CachedAnswer]):
    """Answers GETs of pages that are cached. `page_key` gives the key of the page that a request
    asks for."""

    def __init__(self, page_key: Callable[[HttpRequest], str], *shared: *ShortcutParts) -> None:
        super().__init__(*shared)
        self._page_key = page_key

    def _find(self, request: HttpRequest, _body: bytes, now: int, /) -> CachedAnswer | None:
        return self._cache.get(self._page_key(request), now)

    def _charge(self, request: HttpRequest, _found: CachedAnswer, _now: int, /) -> Charge | None:
        """Counts a request for a page, without a charge to a bucket."""
        return self._charges.count_at_once(request.address)

    def _made(
        self, request: HttpRequest, found: CachedAnswer, _charge: Charge, _now: int, /
    ) -> tuple[str, InParts]:
        own = [request.id_header, (b"etag", found.etag.encode())]
        known = request.headers.get(b"if-none-match")
        if known is not None and names_tag(known, found.etag):
            return PAGE, (304, _TYPE.sub(b"", found.head) + header_lines(own), b"")
        body = found.body
        own.append((b"content-length", b"%d" % len(body)))
        return PAGE, (200, found.head + header_lines(own), body)


def read_parts(
    request: HttpRequest, found: CachedAnswer | EmptyAnswer, charge: Charge, caching: bytes
) -> InParts:
    """The answer to a GET of the API, with these header lines about caches."""
    etag = found.etag
    lines = answering.success_lines(request.id_header[1], caching, charge, etag)
    known = request.headers.get(b"if-none-match")
    if known is not None and names_tag(known, etag):
        return 304, lines, b""
    if found.next_cursor:
        lines += answering.next_link(request.path, request.query, found.next_cursor)
    body = found.body
    return 200, b"%bcontent-length: %d\r\n" % (lines, len(body)), body


class ReadyAnswers:
    """All answers without a call of the application: `reads` of the API without a token, `signed`
    ones with one, `pages`, and answers to POSTs (`posted`), by path. With `begins`, calls for other
    GETs and such POSTs begin without a task: neither the store nor the limiter sets a timeout, for
    which asyncio needs one."""

    def __init__(
        self,
        hosts: Hosts,
        reads: FindPosted,
        signed: FindPosted,
        pages: FindPosted,
        posted: Mapping[bytes, FindPosted],
        *,
        begins: bool,
    ) -> None:
        self._hosts = hosts
        self._reads, self._pages, self._posted = reads, pages, posted
        self._signed = signed
        self._begins = begins

    def find(self, scope: Scope) -> InParts | None:
        """The whole answer to a GET without a body; None if the application has to answer."""
        answer = self._read if scope["path"].startswith(_API) else self._pages
        return self._found(scope, answer, b"")

    def _read(self, request: HttpRequest, body: bytes) -> InParts | None:
        answer = self._reads if request.authorization is None else self._signed
        return answer(request, body)

    def find_posted(self, scope: Scope, body: bytes) -> InParts | None:
        """The whole answer to a POST with this body, like `find`."""
        return self._found(scope, self._posted[scope["path"].encode()], body)

    def _found(self, scope: Scope, answer: FindPosted, body: bytes) -> InParts | None:
        try:
            request = scope[REQUEST] = HttpRequest(scope, _no_body, self._hosts)
            return answer(request, body)
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


def cache_key(path: str, query: bytes) -> str:
    """The cache key of equal GETs of the API. A space ends the path: the query has none on the
    wire, whereas an unescaped path may hold `?`."""
    return f"{path} {query.decode('latin-1')}"


def nothing_ready(_request: HttpRequest, _body: bytes) -> None:
    """Finds no answer: for POSTs that should begin without a task, as few of them wait."""


async def _no_body() -> Message:
    return {"type": "http.request", "body": b"", "more_body": False}
