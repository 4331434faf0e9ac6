"""The I/O of the asyncio client: carries out the steps of `protocol`."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Sequence
from typing import Self, TypeVar

import httpx

from stoa.client import transport
from stoa.client.connection import BaseConnection
from stoa.client.errors import StoaError
from stoa.client.generated.models import RequestWarning
from stoa.client.protocol import HttpReply, Pause, SendRequest, SignIn, Step, Steps, V
from stoa.client.source import Source

E = TypeVar("E")


class AsyncRows(AsyncIterator[E]):
    """Rows of a list, or events as they happen."""

    def __init__(self, client: "AsyncConnection", source: Source[E]) -> None:
        self._client = client
        self._source = source
        self._rows = deque[E]()

    @property
    def cursor(self) -> str | None:
        """The place behind the last page that was taken whole. Begin there again to skip none."""
        return self._source.cursor

    @property
    def warnings(self) -> Sequence[RequestWarning]:
        """What the service ignored of the request for the last page, such as an unknown filter."""
        return self._source.warnings

    async def __anext__(self) -> E:
        while not self._rows:
            if not self._source.more:
                raise StopAsyncIteration
            self._rows.extend(await self._client.carry_out(self._source.page()))
        return self._rows.popleft()


class AsyncConnection(BaseConnection):
    """The asyncio client without its calls. Tasks may share it."""

    def _open(self, timeout: float) -> None:
        self._http = transport.opened(httpx.AsyncClient, self.url, timeout)
        self._signing_in = asyncio.Lock()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_error: object) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Close the connections."""
        await self._http.aclose()

    def rows_of(self, source: Source[E]) -> AsyncRows[E]:
        """Iterate over the rows of a source."""
        return AsyncRows(self, source)

    async def carry_out(self, steps: Steps[V]) -> V:
        """Carry out the steps of a call and return what they lead to."""
        try:
            step = next(steps)
            while True:
                try:
                    reply = await self._take(step)
                except StoaError as error:  # also of the steps of a sign-in
                    step = steps.throw(error)
                else:
                    step = steps.send(reply)
        except StopIteration as end:
            return end.value

    async def _take(self, step: Step) -> HttpReply | None:
        match step:
            case SendRequest():
                return await self._send(step)
            case Pause(seconds):
                await asyncio.sleep(seconds)
            case SignIn(steps):
                async with self._signing_in:
                    await self.carry_out(steps)
        return None

    async def _send(self, send: SendRequest) -> HttpReply:
        with transport.failing(self.url):
            sent = transport.request(self._http, send)
            return transport.reply(await self._http.send(sent))
