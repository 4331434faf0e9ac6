"""A small HTTPS client for addresses that agents name, with bounds on time, size and where to."""

import asyncio
import ssl
from collections.abc import Mapping, Sequence
from typing import NamedTuple
from urllib.parse import urlsplit

import httpcore
import httpx

from stoa import __version__
from stoa.domain import limits
from stoa.domain.addresses import IPNetwork
from stoa.outgoing.reach import NotAllowed, Reach, Resolver

_AGENT = f"stoa/{__version__}"


class Response(NamedTuple):
    """What came back, with the names of its headers in lower case. Redirects are not followed."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class Unreachable(Exception):
    """There is no usable response; the message is one sentence for the agent that named the
    address, and tells nothing about the network of this service."""


class Outgoing:
    """Connects to addresses that agents name: https and public ones alone, and in the networks
    `allowed` also private ones and plain http."""

    def __init__(
        self, allowed: Sequence[IPNetwork] = (), tls: ssl.SSLContext | None = None
    ) -> None:
        self._allowed = tuple(allowed)
        self._tls = tls
        self._resolver = Resolver()
        self._slots = asyncio.Semaphore(limits.OUTGOING_AT_ONCE)

    async def get(self, url: str, headers: Mapping[str, str] | None = None) -> Response:
        """Get a document. Raises `Unreachable`."""
        return await self._ask("GET", url, b"", headers or {})

    async def post(self, url: str, body: bytes, headers: Mapping[str, str]) -> Response:
        """Send a body. Raises `Unreachable`."""
        return await self._ask("POST", url, body, headers)

    async def _ask(
        self, method: str, url: str, body: bytes, headers: Mapping[str, str]
    ) -> Response:
        plain = self._check(url)
        reach = Reach(self._resolver, self._allowed, plain=plain, seconds=limits.OUTGOING_MS / 1000)
        given = {"Accept-Encoding": "identity", "User-Agent": _AGENT, **headers}
        try:
            async with asyncio.timeout(limits.OUTGOING_MS / 1000), self._slots:
                return await self._exchange(reach, method, url, body, given)
        except NotAllowed:
            raise Unreachable("The address is not one that this service connects to.") from None
        except TimeoutError:
            raise Unreachable(
                f"The server did not answer within {limits.OUTGOING_MS // 1000} s."
            ) from None
        except (httpcore.NetworkError, httpcore.ProtocolError, httpcore.TimeoutException):
            raise Unreachable(
                "The server cannot be reached, has no valid certificate or does not speak HTTP."
            ) from None

    def _check(self, url: str) -> bool:
        """Whether the address is one of plain http. Raises `Unreachable` for one of neither."""
        try:
            parts = urlsplit(url)
            usable = bool(parts.hostname) and parts.port != 0
            usable = usable and url.isascii() and url.isprintable() and " " not in url
        except ValueError:
            usable, parts = False, urlsplit("")
        schemes = ("https", "http") if self._allowed else ("https",)
        if not usable or parts.scheme not in schemes or "@" in parts.netloc:
            raise Unreachable("The address must begin with https:// and name a host.")
        return parts.scheme == "http"

    async def _exchange(
        self, reach: Reach, method: str, url: str, body: bytes, headers: Mapping[str, str]
    ) -> Response:
        self._tls = self._tls or await asyncio.to_thread(httpx.create_ssl_context)
        async with (
            httpcore.AsyncConnectionPool(
                ssl_context=self._tls, max_connections=1, network_backend=reach
            ) as pool,
            pool.stream(method, url, headers=list(headers.items()), content=body) as response,
        ):
            names = {
                name.decode("latin-1").lower(): value.decode("latin-1")
                for name, value in response.headers
            }
            return Response(response.status, names, await _bounded(response))


async def _bounded(response: httpcore.Response) -> bytes:
    """The body. Raises `Unreachable` as soon as it is too large."""
    received = bytearray()
    async for part in response.aiter_stream():
        received += part
        if len(received) > limits.OUTGOING_BYTES:
            raise Unreachable(f"The server answered more than {limits.OUTGOING_BYTES // 1024} KiB.")
    return bytes(received)
