"""Writes outcomes of the runner as HTTP answers: headers, error bodies, 304."""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any
from urllib.parse import parse_qsl, quote, urlencode

import msgspec
from msgspec import UNSET

from stoa.domain.errors import Refusal
from stoa.domain.oauth import EVERY_SCOPE
from stoa.http.request import HttpRequest
from stoa.http.wire import HeaderLines, HeaderList, Send, header_lines
from stoa.operations.parts.buckets import BucketFull, Charge
from stoa.operations.parts.buckets import header_lines as rate_lines
from stoa.operations.parts.buckets import headers as rate_headers
from stoa.schemas.base import encode
from stoa.schemas.errors import ErrorBody, IssueItem

JSON = b"application/json"
PROBLEM = b"application/problem+json"
JOSE = b"application/jose"
_Q = re.compile(rb"[01](\.[0-9]{0,3})?")
_LEAST_Q = 0.001
"""Less is 0, by which a client refuses a media type."""

CORS: HeaderList = [
    (b"access-control-allow-origin", b"*"),
    (
        b"access-control-expose-headers",
        (
            b"ETag, Idempotent-Replayed, Link, Preference-Applied, Retry-After, X-RateLimit-Limit, "
            b"X-RateLimit-Remaining, X-RateLimit-Reset, X-RateLimit-Resource, X-Request-Id, "
            b"X-Stoa-Consistency"
        ),
    ),
]
PREFLIGHT: HeaderList = [
    (b"access-control-allow-origin", b"*"),
    (b"access-control-allow-methods", b"GET, HEAD, POST, OPTIONS"),
    (
        b"access-control-allow-headers",
        (
            b"Authorization, Content-Type, If-None-Match, Idempotency-Key, Last-Event-ID, "
            b"MCP-Protocol-Version, Prefer, X-Request-Id, X-Stoa-Consistency"
        ),
    ),
    (b"access-control-max-age", b"86400"),
]
NOSNIFF = (b"x-content-type-options", b"nosniff")
CONSISTENCY = b"x-stoa-consistency"
REPLAYED = (b"idempotent-replayed", b"true")
"""The header of a response that was stored by an earlier call with the same idempotency key."""
CACHE_PUBLIC = (b"cache-control", b"public, no-cache")
PUBLIC_LINES = header_lines([CACHE_PUBLIC])
TOKEN_LINES = header_lines([(b"cache-control", b"private, no-cache")])
NO_STORE = (b"cache-control", b"no-store")
PERSONAL_LINES = header_lines([NO_STORE])
JSON_HEADERS = ((b"content-type", JSON), NOSNIFF, *CORS)
VARY_LINES = header_lines([(b"vary", b"Authorization")])
_JSON_LINE = header_lines([(b"content-type", JSON)])
_JOSE_LINE = header_lines([(b"content-type", JOSE)])
VARY_BY_FORM = header_lines([(b"vary", b"Accept")])
_TEXT_LINES = header_lines(
    [
        (b"content-type", b"text/plain; charset=utf-8"),
        (b"content-disposition", b"attachment"),
        (b"vary", b"Accept"),
    ]
)
_SUCCESS = header_lines(JSON_HEADERS) + b"x-request-id: %b\r\n%b%b%b"
_MINIMAL = b"return=minimal"
_LINKS = 1024
_LINK_BYTES = 512
"""Addresses of next pages are cached up to their cursor, `_LINKS` of them, where the query of the
request is no longer than this."""
ERRORS = "/docs/errors"
"""The page that explains the codes of errors, one by one below it."""
CHALLENGES = {
    "missing_bearer_token": "Bearer",
    "invalid_or_expired_token": "Bearer",
    "insufficient_scope": f'Bearer error="insufficient_scope", scope="{EVERY_SCOPE}"',
}
"""The codes that are answered with `WWW-Authenticate` (RFC 6750, 3), and what it says."""


class RequestRefusal(Refusal):
    """A refusal of the HTTP request itself, with a header for its response."""

    def __init__(
        self,
        code: str,
        header: tuple[bytes, bytes],
        message: str | None = None,
        *,
        recovery: str | None = None,
        details: dict[str, Any] | None = None,
    ) -> None:
        super().__init__(code, message, recovery=recovery, details=details)
        self.header = header


def asks_for(request: HttpRequest, kind: bytes) -> bool:
    """Whether `Accept` names this media type, and likes it no less than JSON."""
    accept = request.headers.get(b"accept", b"").lower()
    if kind not in accept:
        return False
    liked: dict[bytes, float] = {}
    for part in accept.split(b","):
        name, *parameters = (piece.strip() for piece in part.split(b";"))
        q = next((one[2:] for one in parameters if one.startswith(b"q=")), b"1")
        liked.setdefault(name, float(q) if _Q.fullmatch(q) else 1)
    return liked.get(kind, 0) >= max(liked.get(JSON, 0), _LEAST_Q)


def method_not_allowed(methods: Sequence[str], recovery: str) -> RequestRefusal:
    """405 for a path that takes only these methods."""
    allowed = ", ".join(methods)
    return RequestRefusal(
        "method_not_allowed",
        (b"allow", allowed.encode()),
        f"This path takes only the {'methods' if len(methods) > 1 else 'method'} {allowed}.",
        recovery=recovery,
        details={"allowedMethods": list(methods)},
    )


def error_json(refusal: Refusal, origin: str, request_id: str) -> dict[str, Any]:
    """The members of an error body of the service at `origin`, those particular to the case
    included."""
    body = ErrorBody(
        error=refusal.message,
        code=refusal.code,
        retryable=refusal.kind.retryable,
        recovery=refusal.recovery,
        documentation=f"{origin}{ERRORS}/{refusal.code}",
        request_id=request_id,
        retry_after=UNSET if refusal.retry_after is None else refusal.retry_after,
        issues=[IssueItem(path=issue.path, message=issue.message) for issue in refusal.issues]
        or UNSET,
    )
    return {**msgspec.to_builtins(body), **refusal.details}


def problem_json(body: dict[str, Any], status: int, path: str) -> dict[str, Any]:
    """The error body with the members of RFC 9457 beside its own."""
    problem = {
        "type": body["documentation"],
        "title": body["error"],
        "status": status,
        "detail": body["recovery"],
        "instance": quote(path),
    }
    return {**problem, **body}


def retry_headers(refusal: Refusal, charge: Charge | None) -> HeaderList:
    """Rate headers (of the full bucket, if one is) and `Retry-After`."""
    if isinstance(refusal, BucketFull):
        charge = refusal.charge
    headers = rate_headers(charge) if charge else []
    if refusal.retry_after is not None:
        headers.append((b"retry-after", b"%d" % refusal.retry_after))
    return headers


def refusal_headers(refusal: Refusal, charge: Charge | None) -> HeaderList:
    """Those of `retry_headers`, and what the code needs."""
    headers = retry_headers(refusal, charge)
    if refusal.code in CHALLENGES:
        headers.append((b"www-authenticate", CHALLENGES[refusal.code].encode()))
    if isinstance(refusal, RequestRefusal):
        headers.append(refusal.header)
    return headers


def success_lines(
    request_id: bytes, caching: bytes, charge: Charge | None, etag: str | None
) -> bytes:
    """The header lines of every success over REST; `caching` are those about caches."""
    rates = rate_lines(charge) if charge else b""
    tag = b"etag: %b\r\n" % etag.encode() if etag else b""
    return _SUCCESS % (request_id, caching, rates, tag)


def as_text(lines: bytes, body: bytes, member: str) -> tuple[bytes, bytes]:
    """A JSON answer as the plain text of one of its members, which browsers save as a file."""
    return lines.replace(_JSON_LINE, _TEXT_LINES, 1), msgspec.json.decode(body)[member].encode()


def as_jose(lines: bytes) -> bytes:
    """The header lines of a JSON answer that is sent as a signed text."""
    return lines.replace(_JSON_LINE, _JOSE_LINE, 1)


def next_link(path: str, query: bytes, cursor: str) -> bytes:
    """The header line `Link: rel="next"` to the page behind `cursor`, with the same filters."""
    make = _remembered_page if len(query) <= _LINK_BYTES else _page
    return b'link: <%b%b>; rel="next"\r\n' % (make(path, query), cursor.encode())


def _page(path: str, query: bytes) -> bytes:
    """The address of any page, up to its cursor, which needs no escapes."""
    given = dict(parse_qsl(query.decode("ascii")))
    rest = {name: value for name, value in given.items() if name not in ("offset", "cursor")}
    return f"{quote(path)}?{urlencode({**rest, 'cursor': ''})}".encode()


_remembered_page = lru_cache(_LINKS)(_page)


def prefers_minimal(prefer: bytes) -> bool:
    """Whether a `Prefer` (RFC 7240) asks for the minimal answer to a write."""
    names = (part.partition(b";")[0] for part in prefer.lower().split(b","))
    return any(b"".join(name.split()).replace(b'"', b"") == _MINIMAL for name in names)


async def send_lines(
    send: Send, status: int, lines: bytes, body: bytes = b"", *, head: bool = False
) -> None:
    """Send one whole answer whose headers are lines already, of names and values that were
    checked."""
    if status not in (204, 304):
        lines = b"%bcontent-length: %d\r\n" % (lines, len(body))
    headers = HeaderLines(lines)
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": b"" if head else body})


async def send_answer(
    send: Send, status: int, headers: HeaderList, body: bytes = b"", *, head: bool = False
) -> None:
    """Send one whole answer; with `head` only its headers."""
    if status not in (204, 304):
        headers.append((b"content-length", b"%d" % len(body)))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": b"" if head else body})


async def send_refusal(
    send: Send, request: HttpRequest, refusal: Refusal, told: HeaderList
) -> None:
    """Send an error body that nothing keeps, with the headers `told` of the refusal."""
    body = encode(error_json(refusal, request.origin, request.id))
    headers = [(b"content-type", JSON), request.id_header, NOSNIFF, NO_STORE, *told]
    await send_answer(send, refusal.status, headers, body, head=request.method == "HEAD")


async def send_preflight(send: Send, id_header: tuple[bytes, bytes]) -> None:
    """Tell a browser what any origin may send."""
    await send_answer(send, 204, [*PREFLIGHT, id_header, NOSNIFF])
