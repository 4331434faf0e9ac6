"""One HTTP request as the faces see it: id, host, client address, headers."""

import re

from stoa.domain.addresses import canonical
from stoa.domain.tokens import PREFIX
from stoa.entropy import request_id
from stoa.http.hosts import Hosts
from stoa.http.wire import HeaderList, Headers, Receive, Scope
from stoa.metrics import UNKNOWN

REQUEST = "stoa.request"
"""The member of the ASGI scope for a request that was read already."""

# A token in its place would be repeated in answers and traces.
_REQUEST_ID = re.compile(rb"(?!.*%b)[A-Za-z0-9._-]{1,64}" % PREFIX.encode())


class HttpRequest:
    """The request of an ASGI scope. `id_header` is for the answer, `operation` the name that the
    answer is counted under."""

    __slots__ = (
        "_hosts",
        "address",
        "authorization",
        "headers",
        "host",
        "id",
        "id_header",
        "method",
        "operation",
        "path",
        "query",
        "receive",
    )

    def __init__(self, scope: Scope, receive: Receive, hosts: Hosts) -> None:
        lines: HeaderList = scope["headers"]
        headers: Headers = dict(lines)
        if len(headers) < len(lines):
            headers = _joined(lines)
        authorization = headers.get(b"authorization")
        client = scope.get("client")
        self.operation = UNKNOWN
        self.method: str = scope["method"]
        self.path: str = scope["path"]
        self.query: bytes = scope["query_string"]
        self.headers = headers
        self.receive = receive
        given = headers.get(b"x-request-id")
        self.id = given.decode() if given and _REQUEST_ID.fullmatch(given) else request_id()
        self.id_header = (b"x-request-id", self.id.encode())
        peer = client[0] if client else ""
        if b"x-forwarded-for" in headers or b"forwarded" in headers:
            self.address = hosts.proxies.client(peer, headers)
        else:
            self.address = canonical(peer)
        self.host = headers.get(b"host", b"").decode("latin-1")
        self._hosts = hosts
        self.authorization = None if authorization is None else authorization.decode("latin-1")

    @property
    def origin(self) -> str:
        """The base address of this service, whatever the request calls it."""
        return self._hosts.origin

    @property
    def base_url(self) -> str:
        """The base address for challenges and texts."""
        return self._hosts.base_url(self.host)


def _joined(lines: HeaderList) -> Headers:
    """Repeated headers as one list (RFC 9110, 5.3), so that none of them is overlooked: where only
    one value makes sense, two are none."""
    headers: Headers = {}
    for name, value in lines:
        headers[name] = b", ".join((headers[name], value)) if name in headers else value
    return headers
