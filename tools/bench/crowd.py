"""Clients that wait for events at a Stoa, each on a connection of its own."""

import asyncio
import resource
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from http import HTTPStatus

import msgspec

from tools.bench.servers import Server
from tools.bench.stage import BenchFailed

CALL = "/api/v1/inbox?wait=30&view=lean"
STREAM = "/api/v1/inbox/stream"
_OTHER_FILES = 1_000
_ASKED_S = 0.2
"""In this time a server takes what was sent to it."""


@dataclass
class Waiter:
    """A connection that asks for what has no answer yet."""

    path: str
    host: str
    token: str
    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter

    async def ask(self) -> None:
        """Ask; of a stream, the head of the answer is read too."""
        lines = f"Host: {self.host}\r\nAuthorization: Bearer {self.token}\r\n\r\n"
        self.writer.write(f"GET {self.path} HTTP/1.1\r\n{lines}".encode())
        if self.path == STREAM:
            await self.reader.readuntil(b":\n\n")

    async def woken(self) -> float:
        """When the next event was there, s, by the clock of `time.perf_counter`."""
        await self.reader.readuntil(b'"kind"')
        return time.perf_counter()


async def crowd(server: Server, path: str, tokens: Sequence[str]) -> list[Waiter]:
    """A waiter for each token, which has asked."""
    allow_files(len(tokens))
    waiters: list[Waiter] = []
    for token in tokens:
        reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
        waiters.append(Waiter(path, server.origin[7:], token, reader, writer))
        await waiters[-1].ask()
    return waiters


def allow_files(more: int) -> None:
    """Let this process open so many files more."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, soft + more + _OTHER_FILES), hard))


async def write(server: Server, path: str, token: str, body: object) -> None:
    """A POST that has an effect."""
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    answer = await asyncio.to_thread(server.ask, "POST", path, msgspec.json.encode(body), headers)
    if answer.status >= HTTPStatus.BAD_REQUEST:
        raise BenchFailed(f"{path}: {answer.status}")


async def waking_ms(
    server: Server, reader: str, calls: int, act: Callable[[], Awaitable[None]]
) -> list[float]:
    """How long after an act is begun so many calls are answered that wait for it, ms."""
    waiters = await crowd(server, f"{CALL}&cursor=now", [reader] * calls)
    await asyncio.sleep(_ASKED_S)
    begun = time.perf_counter()
    woken = asyncio.gather(*(waiter.woken() for waiter in waiters))
    await act()
    times = [1000 * (moment - begun) for moment in await woken]
    leave(waiters)
    return times


def leave(waiters: Sequence[Waiter]) -> None:
    """Close these connections."""
    for waiter in waiters:
        waiter.writer.close()
