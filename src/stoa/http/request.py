"""One HTTP request as the doors see it: id, host, client address, headers."""

import re
from dataclasses import dataclass

from stoa.domain.addresses import IPNetwork, client_address
from stoa.entropy import random_bytes
from stoa.http.wire import Headers, Receive, Scope

_REQUEST_ID = re.compile(rb"[A-Za-z0-9._-]{1,64}")


@dataclass(slots=True)
class Request:
    """A request. `base_url` is the address that challenges are bound to."""

    method: str
    path: str
    query: bytes
    headers: Headers
    receive: Receive
    id: str
    address: str
    base_url: str
    authorization: str | None

    @property
    def id_header(self) -> tuple[bytes, bytes]:
        """`X-Request-Id` for the answer."""
        return (b"x-request-id", self.id.encode())


def read(scope: Scope, receive: Receive, trusted: tuple[IPNetwork, ...]) -> Request:
    """The request of an ASGI scope; its base address is not known here."""
    headers: Headers = dict(scope["headers"])
    given_id = headers.get(b"x-request-id", b"")
    authorization = headers.get(b"authorization")
    client = scope.get("client")
    peer = client[0] if client else ""
    return Request(
        method=scope["method"],
        path=scope["path"],
        query=scope["query_string"],
        headers=headers,
        receive=receive,
        id=given_id.decode() if _REQUEST_ID.fullmatch(given_id) else random_bytes(8).hex(),
        address=_address(scope, peer, trusted) if trusted else client_address(peer, (), (), ()),
        base_url="",
        authorization=None if authorization is None else authorization.decode("latin-1"),
    )


def _address(scope: Scope, peer: str, trusted: tuple[IPNetwork, ...]) -> str:
    lines: dict[bytes, list[str]] = {b"x-forwarded-for": [], b"forwarded": []}
    for name, value in scope["headers"]:
        if name in lines:
            lines[name].append(value.decode("latin-1"))
    return client_address(peer, lines[b"x-forwarded-for"], lines[b"forwarded"], trusted)
