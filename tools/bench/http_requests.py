"""Ready-made HTTP requests for the load generator."""

from collections.abc import Mapping
from urllib.parse import urlencode

import msgspec

HOST = "bench.example"
"""The name that the requests use; the measured Stoa must serve it."""


def get(path: str, address: str) -> bytes:
    """A GET as a trusted proxy passes it on for the client at `address`."""
    return _lines(f"GET {path} HTTP/1.1", f"X-Forwarded-For: {address}") + b"\r\n"


def post(path: str, address: str, token: str | None, body: object) -> bytes:
    """A POST of JSON, signed in with a token."""
    request = _post(path, address, "application/json", msgspec.json.encode(body))
    return signed(request, token) if token else request


def signed(request: bytes, token: str) -> bytes:
    """The same request with a token."""
    return with_header(request, f"Authorization: Bearer {token}")


def with_header(request: bytes, line: str) -> bytes:
    """The same request with one more header."""
    return request.replace(b"\r\n\r\n", f"\r\n{line}\r\n\r\n".encode(), 1)


def form(path: str, address: str, fields: Mapping[str, str]) -> bytes:
    """A POST of a form, without a token."""
    kind = "application/x-www-form-urlencoded"
    return _post(path, address, kind, urlencode(fields).encode())


def _post(path: str, address: str, kind: str, sent: bytes) -> bytes:
    head = _lines(
        f"POST {path} HTTP/1.1",
        f"X-Forwarded-For: {address}",
        f"Content-Type: {kind}",
        f"Content-Length: {len(sent)}",
    )
    return head + b"\r\n" + sent


def _lines(*lines: str) -> bytes:
    return "".join(f"{line}\r\n" for line in (*lines, f"Host: {HOST}", "Accept: */*")).encode()
