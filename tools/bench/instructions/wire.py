"""Clients that hand the bytes of requests to a service in this process, without a socket."""

import asyncio
from collections.abc import Sequence
from typing import Any

from stoa.app import Service
from stoa.server.server import Server
from tools.bench.stage import TRUSTED, BenchFailed

_CONNECTIONS = 8
_STATUS = slice(9, 12)  # of "HTTP/1.1 200 OK"
_GOOD = (b"200", b"201", b"304")


def content(answer: bytes) -> bytes:
    """The body of an answer."""
    return answer.partition(b"\r\n\r\n")[2]


class _Wire(asyncio.Transport):
    """Keeps the answer that is written, whole or in pieces."""

    def __init__(self) -> None:
        super().__init__({"peername": (TRUSTED, 1), "sockname": (TRUSTED, 2)})
        self.written = b""
        self.begun = asyncio.Event()

    def write(self, data: Any) -> None:
        """Take a piece of an answer."""
        self.written += data
        self.begun.set()

    def writelines(self, list_of_data: Any) -> None:
        """Take several pieces."""
        self.write(b"".join(list_of_data))

    def get_write_buffer_size(self) -> int:
        """Nothing waits to be sent."""
        return 0

    def is_closing(self) -> bool:
        """The client stays."""
        return False

    def resume_reading(self) -> None:
        """Nothing was paused."""


class _Client:
    """One connection, which carries one request at a time."""

    def __init__(self, server: Server) -> None:
        protocol: Any = server.config.http_protocol_class
        state = server.server_state
        self._connection = protocol(config=server.config, server_state=state, app_state={})
        self._wire = _Wire()
        self._connection.connection_made(self._wire)

    def send(self, request: bytes) -> None:
        """Hand a request over."""
        self._wire.written = b""
        self._wire.begun.clear()
        self._connection.data_received(request)

    async def answer(self) -> bytes:
        """The answer to it. Raises `BenchFailed` when it is an error."""
        await self._wire.begun.wait()
        answer = self._wire.written
        if answer[_STATUS] not in _GOOD:
            raise BenchFailed(answer.decode())
        return answer


class Clients:
    """Some clients of a service."""

    def __init__(self, stoa: Service) -> None:
        self.origin = stoa.settings.origin
        server = stoa.server()
        server.config.load()
        self._clients = [_Client(server) for _ in range(_CONNECTIONS)]

    async def ask(self, request: bytes) -> bytes:
        """The answer to one request."""
        self._clients[0].send(request)
        return await self._clients[0].answer()

    async def ask_at_once(self, requests: Sequence[bytes]) -> list[bytes]:
        """The answers to requests that arrive together, so that writes share their commits."""
        answers: list[bytes] = []
        for first in range(0, len(requests), _CONNECTIONS):
            group = requests[first : first + _CONNECTIONS]
            asked = self._clients[: len(group)]
            for client, request in zip(asked, group, strict=True):
                client.send(request)
            answers += [await client.answer() for client in asked]
        return answers
