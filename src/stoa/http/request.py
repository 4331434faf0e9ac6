"""One HTTP request as the doors see it: id, host, client address, headers."""

import re

from stoa.domain.addresses import client_address
from stoa.entropy import request_id
from stoa.http.proxies import Proxies
from stoa.http.wire import HeaderList, Headers, Message, Receive, Scope

_REQUEST_ID = re.compile(rb"[A-Za-z0-9._-]{1,64}")


async def no_body() -> Message:
    """The `receive` of a request that ends with its head."""
    return {"type": "http.request", "body": b"", "more_body": False}


class Request:
    """The request of an ASGI scope. `id_header` is for the answer; who knows `base_url`, for
    challenges, sets it."""

    __slots__ = (
        "address",
        "authorization",
        "base_url",
        "headers",
        "id",
        "id_header",
        "method",
        "path",
        "query",
        "receive",
    )

    def __init__(self, scope: Scope, receive: Receive, proxies: Proxies) -> None:
        lines: HeaderList = scope["headers"]
        headers: Headers = dict(lines)
        if len(headers) < len(lines):
            headers = _joined(lines)
        authorization = headers.get(b"authorization")
        client = scope.get("client")
        self.method: str = scope["method"]
        self.path: str = scope["path"]
        self.query: bytes = scope["query_string"]
        self.headers = headers
        self.receive = receive
        self.id = _id(headers.get(b"x-request-id"))
        self.id_header = (b"x-request-id", self.id.encode())
        peer = client[0] if client else ""
        if b"x-forwarded-for" in headers or b"forwarded" in headers:
            self.address = proxies.client(peer, lines)
        else:
            self.address = client_address(peer, (), (), ())
        self.base_url = ""
        self.authorization = None if authorization is None else authorization.decode("latin-1")


def _joined(lines: HeaderList) -> Headers:
    """Repeated headers as one list (RFC 9110, 5.3), so that none of them is overlooked: where only
    one value makes sense, two are none."""
    headers: Headers = {}
    for name, value in lines:
        headers[name] = b", ".join((headers[name], value)) if name in headers else value
    return headers


def _id(given: bytes | None) -> str:
    if given is not None and _REQUEST_ID.fullmatch(given):
        return given.decode()
    return request_id()
