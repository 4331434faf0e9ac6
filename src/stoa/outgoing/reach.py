"""Connects to a host: resolves its name once, checks all its addresses, connects to one of them."""

import asyncio
import socket
from collections.abc import Iterable
from concurrent.futures import Executor
from typing import Any

import httpcore

from stoa.domain import limits
from stoa.domain.addresses import Network, is_public, is_trusted
from stoa.outgoing.response import TooLarge

_TRIED = 3
"""Addresses of a name that are tried; each may take an equal part of the time."""
_AT_ONCE = 1024
"""Bytes that are parsed in a few milliseconds, whatever they are."""


class NotAllowed(Exception):
    """The address is one that this service does not connect to."""


def _backend() -> httpcore.AsyncNetworkBackend:
    backend: Any = httpcore.AnyIOBackend  # which is another class where anyio is not installed
    return backend()


class _Received(httpcore.AsyncNetworkStream):
    """A connection from which no more is read than its `reach` has left, and little at a time,
    since it is parsed on the event loop: an answer may be of thousands of tiny parts."""

    def __init__(self, stream: httpcore.AsyncNetworkStream, reach: "Reach") -> None:
        self._stream, self._reach = stream, reach
        self.write, self.aclose = stream.write, stream.aclose
        self.get_extra_info = stream.get_extra_info

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:  # noqa: ASYNC109
        """Some bytes. Raises `TooLarge`."""
        part = await self._stream.read(min(max_bytes, _AT_ONCE), timeout)
        self._reach.left -= len(part)
        if self._reach.left < 0:
            raise TooLarge
        await asyncio.sleep(0)  # to read what was decrypted already does not wait
        return part

    async def start_tls(self, *given: Any, **named: Any) -> httpcore.AsyncNetworkStream:
        """The same over TLS."""
        return _Received(await self._stream.start_tls(*given, **named), self._reach)


class Reach(httpcore.AsyncNetworkBackend):
    """Connects to public addresses, and to private ones in `allowed`. Names are looked up on
    `threads`.

    A connection without TLS (`plain`) goes to addresses in `allowed` alone. So many bytes are
    `left` to be read: those of a head, until who has read that says how many more.
    """

    def __init__(
        self, threads: Executor, allowed: tuple[Network, ...], *, plain: bool, seconds: float
    ) -> None:
        self._threads = threads
        self._allowed = allowed
        self._plain = plain
        self._seconds = seconds / _TRIED
        self._inner = _backend()
        self.left = limits.OUTGOING_HEAD

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109, ARG002 - as httpcore declares it
        local_address: str | None = None,  # noqa: ARG002
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,  # noqa: ARG002
    ) -> httpcore.AsyncNetworkStream:
        """Connect to one of the addresses of the host. Raises `NotAllowed` if one of them is not
        allowed, and `httpcore.ConnectError` if none answers."""
        return _Received(await self._connected(host, port), self)

    async def _connected(self, host: str, port: int) -> httpcore.AsyncNetworkStream:
        addresses = await self._allowed_addresses(host, port)
        for address in addresses[: _TRIED - 1]:
            try:
                return await self._inner.connect_tcp(address, port, self._seconds)
            except (httpcore.ConnectError, httpcore.ConnectTimeout):
                continue
        return await self._inner.connect_tcp(addresses[-1], port, self._seconds)

    async def _allowed_addresses(self, host: str, port: int) -> list[str]:
        loop = asyncio.get_running_loop()
        try:
            found = await loop.run_in_executor(self._threads, _looked_up, host, port)
        except (OSError, UnicodeError) as error:
            raise httpcore.ConnectError("the name has no address") from error
        addresses = list(dict.fromkeys(found))
        if not addresses or not all(map(self._may_reach, addresses)):
            raise NotAllowed(host)
        return addresses[:_TRIED]

    def _may_reach(self, address: str) -> bool:
        if is_trusted(address, self._allowed):
            return True
        return not self._plain and is_public(address)

    async def sleep(self, seconds: float) -> None:
        """Wait between attempts, as httpcore asks."""
        await asyncio.sleep(seconds)


def _looked_up(host: str, port: int) -> list[str]:
    """The addresses of a name, or of a literal in any form."""
    return [str(row[4][0]) for row in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)]
