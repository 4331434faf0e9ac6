"""A small HTTPS client for addresses that agents name, with bounds on time, size and targets."""

import asyncio
import ssl
from collections.abc import AsyncGenerator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, suppress
from urllib.parse import urlsplit

from stoa import __version__
from stoa.domain import limits
from stoa.domain.addresses import Network
from stoa.outgoing.response import AddressUnreachable, Response, TimedOut

_AGENT = f"stoa/{__version__}"


@asynccontextmanager
async def time_limit(seconds: float) -> AsyncGenerator[None]:
    """`asyncio.timeout` for calls of the application, which may have begun without the task that a
    time-out needs: they wait for it first."""
    if asyncio.current_task() is None:
        await asyncio.sleep(0)
    async with asyncio.timeout(seconds):
        yield


class Outgoing:
    """Connects to addresses that agents name: https and public ones alone, and in the networks
    `allowed` also private ones and plain http."""

    def __init__(
        self,
        allowed: Sequence[Network] = (),
        tls: ssl.SSLContext | None = None,
        at_once: int = limits.OUTGOING_AT_ONCE,
        most_ms: int = limits.OUTGOING_MS,
    ) -> None:
        """At most `at_once` connections are open; more wait, within the `most_ms` that all of a
        request may take."""
        self.most_ms = most_ms
        self._allowed = tuple(allowed)
        self._tls = tls
        # One for each connection, made as they are needed: a name server that does not answer takes
        # a thread for longer than the connection may take.
        self._threads = ThreadPoolExecutor(at_once, "names")
        self._slots = asyncio.Semaphore(at_once)

    def another(self, at_once: int) -> "Outgoing":
        """One for the same addresses, with threads and connections of its own: neither has to wait
        for the other."""
        return Outgoing(self._allowed, self._tls, at_once, self.most_ms)

    def prepare(self) -> ssl.SSLContext:
        """Load now what the first request would load."""
        from stoa.outgoing import exchange

        self._tls = self._tls or exchange.tls_context()
        return self._tls

    async def get(self, url: str, headers: Mapping[str, str] | None = None) -> Response:
        """Get a document. Raises `AddressUnreachable`."""
        return await self._ask("GET", url, b"", headers or {})

    async def post(self, url: str, body: bytes, headers: Mapping[str, str]) -> Response:
        """Send a body. Raises `AddressUnreachable`."""
        return await self._ask("POST", url, body, headers)

    async def _ask(
        self, method: str, url: str, body: bytes, headers: Mapping[str, str]
    ) -> Response:
        plain, seconds = self._check(url), self.most_ms / 1000
        given = {"Accept-Encoding": "identity", "User-Agent": _AGENT, **headers}
        try:
            async with time_limit(seconds), self._slots:
                # httpx takes a tenth of a second to import, on a busy machine many, and most
                # services never need it. Beside a thread that imports the event loop turns.
                tls = self._tls or await asyncio.to_thread(self.prepare)
                from stoa.outgoing import exchange
                from stoa.outgoing.reach import Reach

                reach = Reach(self._threads, self._allowed, plain=plain, seconds=seconds)
                return await exchange.exchange(reach, tls, method, url, body, given)
        except TimeoutError:
            raise TimedOut(f"The server did not answer within {seconds:g} s.") from None

    def _check(self, url: str) -> bool:
        """True for http, False for https. Raises `AddressUnreachable` for other addresses."""
        schemes = ("https", "http") if self._allowed else ("https",)
        with suppress(ValueError):
            parts = urlsplit(url)
            names_host = parts.hostname and parts.port != 0 and "@" not in parts.netloc
            is_clean = url.isascii() and url.isprintable() and " " not in url
            if names_host and is_clean and parts.scheme in schemes:
                return parts.scheme == "http"
        raise AddressUnreachable("The address must begin with https:// and name a host.")
