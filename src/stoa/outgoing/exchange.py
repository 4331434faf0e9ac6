"""One request and its response over a new connection, within bounds."""

import ssl
from collections.abc import Mapping

import httpcore
import httpx

from stoa.domain import limits
from stoa.logs import log
from stoa.outgoing.reach import NotAllowed, Reach
from stoa.outgoing.response import AddressUnreachable, Response, TooLarge

_NO_ANSWER = (
    "The server cannot be reached at a public address, has no valid certificate or does not speak "
    "HTTP."
)


def tls_context() -> ssl.SSLContext:
    """The TLS settings, read from files. Raises `AddressUnreachable` if the files are unusable."""
    try:
        return httpx.create_ssl_context()
    except OSError as error:
        recovery = "let SSL_CERT_FILE name a file of certificates (PEM), or unset it"
        log.exception("certificates cannot be read", reason=error.strerror, recovery=recovery)
        raise AddressUnreachable("This service can check no certificates now.") from None


async def exchange(
    reach: Reach,
    tls: ssl.SSLContext,
    method: str,
    url: str,
    body: bytes,
    headers: Mapping[str, str],
) -> Response:
    """Send and receive. Raises `AddressUnreachable`, also if `reach` forbids the address."""
    try:
        async with (
            httpcore.AsyncConnectionPool(
                ssl_context=tls, max_connections=1, network_backend=reach
            ) as pool,
            pool.stream(method, url, headers=list(headers.items()), content=body) as response,
        ):
            reach.left = limits.OUTGOING_RECEIVED
            names = {
                name.decode("latin-1").lower(): value.decode("latin-1")
                for name, value in response.headers
            }
            return Response(response.status, names, await _bounded(response))
    except (
        NotAllowed,
        httpcore.NetworkError,
        httpcore.ProtocolError,
        httpcore.TimeoutException,
        ssl.SSLError,  # of a connection that is open: httpcore translates none of these
    ) as error:
        # One sentence for all: an agent must not learn which names there are in private networks.
        raise AddressUnreachable(_NO_ANSWER) from error


async def _bounded(response: httpcore.Response) -> bytes:
    """The body. Raises `TooLarge` as soon as it is."""
    received = bytearray()
    async for part in response.aiter_stream():
        received += part
        if len(received) > limits.OUTGOING_BYTES:
            raise TooLarge
    return bytes(received)
