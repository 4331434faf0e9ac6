"""Complete responses as bytes, sent by the server itself without the application."""

import msgspec
from uvicorn.protocols.http.httptools_impl import STATUS_LINE

from stoa.domain.errors import Refusal
from stoa.entropy import request_id as new_request_id
from stoa.http import answering
from stoa.http.wire import HeaderList, header_lines

AMBIGUOUS_REQUEST = Refusal(
    "invalid_request",
    "The bytes received are not one valid HTTP/1.1 request.",
    recovery="Send the call again with an HTTP library, without overlong or contradictory headers.",
)
UNESCAPED_URL = Refusal(
    "invalid_request",
    "The URL has a character that must be percent-encoded.",
    recovery="Send the call again with every character of the URL outside ASCII percent-encoded as "
    'UTF-8, such as `%C3%A9` for é; curl does it with `-G --data-urlencode "q=..."`.',
)


def error(
    refusal: Refusal, origin: str, server_headers: HeaderList, *, closes: bool = True
) -> bytes:
    """The response with this refusal, after which the connection is closed if it `closes`.

    `origin` is the base address of the service; `server_headers` are sent with every response.
    """
    request_id = new_request_id()
    body = msgspec.json.encode(answering.error_json(refusal, origin, request_id))
    headers: HeaderList = [
        (b"content-type", answering.JSON),
        (b"content-length", b"%d" % len(body)),
        (b"x-request-id", request_id.encode()),
        (b"cache-control", b"no-store"),
        answering.NOSNIFF,
        *answering.CORS,
        *answering.refusal_headers(refusal, None),
        *([(b"connection", b"close")] if closes else ()),
    ]
    return head(refusal.status, server_headers, header_lines(headers)) + body


def head(status: int, server_headers: HeaderList, lines: bytes) -> bytes:
    """The status line, the server's headers and these lines, up to the body."""
    return b"".join((STATUS_LINE[status], header_lines(server_headers), lines, b"\r\n"))
