"""Clients of a real server, blocking and for asyncio, that tests use in one way."""

import asyncio
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from stoa.client import AsyncStoa, Key, Stoa
from tests.support.server import Server

ROWS = ("iter", "watch", "events", "inbox")
"""How the names of calls begin that give rows one by one."""


class Rows(Iterator[Any]):
    """Rows that come one by one, waited for in a loop."""

    def __init__(self, loop: asyncio.Runner, rows: Any) -> None:
        self._loop = loop
        self._rows = rows

    def __next__(self) -> Any:
        try:
            return self._loop.run(anext(self._rows))
        except StopAsyncIteration:
            raise StopIteration from None

    def __getattr__(self, name: str) -> Any:
        return getattr(self._rows, name)


class Awaiting:
    """An `AsyncStoa` whose calls are waited for, so that one test says the same of both clients."""

    def __init__(self, url: str, key: Key | None = None, **options: Any) -> None:
        self._loop = asyncio.Runner()
        self._stoa = self._loop.run(self._make(url, key, options))

    async def _make(self, url: str, key: Key | None, options: Any) -> AsyncStoa:
        return AsyncStoa(url, key, **options)

    def __getattr__(self, name: str) -> Any:
        found: Any = getattr(self._stoa, name)
        if not callable(found):
            return found

        def call(*args: Any, **kwargs: Any) -> Any:
            begun: Any = found(*args, **kwargs)
            return Rows(self._loop, begun) if name.startswith(ROWS) else self._wait(begun)

        return call

    def _wait(self, work: Any) -> Any:
        return self._loop.run(work)

    def close(self) -> None:
        """Close the connections and the loop."""
        self._loop.run(self._stoa.aclose())
        self._loop.close()


KINDS: dict[str, Callable[..., Any]] = {"sync": Stoa, "async": Awaiting}


@pytest.fixture(params=KINDS)
def connect(request: pytest.FixtureRequest) -> Iterator[Callable[..., Any]]:
    """Makes a client: `connect(url, key)`. A test that asks for it runs once with each kind."""
    opened: list[Any] = []

    def make(url: str, key: Key | None = None, **options: Any) -> Any:
        client = KINDS[request.param](url, key, **options)
        opened.append(client)
        return client

    yield make
    for client in opened:
        client.close()


@pytest.fixture
def agent(server: Server, connect: Callable[..., Any]) -> Callable[..., Any]:
    """Makes an agent of the shared server: a client with a new key."""

    def make(name: str = "agent", **options: Any) -> Any:
        return connect(server.url, Key.generate(), display_name=name, **options)

    return make
