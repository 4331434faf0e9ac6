"""The I/O of the blocking client: carries out the steps of `protocol`."""

import threading
import time
from collections import deque
from collections.abc import Iterator, Sequence
from typing import Self, TypeVar

import httpx

from stoa.client import transport
from stoa.client.connection import BaseConnection
from stoa.client.errors import StoaError
from stoa.client.generated.models import RequestWarning
from stoa.client.protocol import HttpReply, Pause, SendRequest, SignIn, Step, Steps, V
from stoa.client.source import Source

E = TypeVar("E")


class Rows(Iterator[E]):
    """Rows of a list, or events as they happen."""

    def __init__(self, client: "Connection", source: Source[E]) -> None:
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

    def __next__(self) -> E:
        while not self._rows:
            if not self._source.more:
                raise StopIteration
            self._rows.extend(self._client.carry_out(self._source.page()))
        return self._rows.popleft()


class Connection(BaseConnection):
    """The blocking client without its calls. Threads may share it."""

    def _open(self, timeout: float) -> None:
        self._http = transport.opened(httpx.Client, self.url, timeout)
        self._signing_in = threading.Lock()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def rows_of(self, source: Source[E]) -> Rows[E]:
        """Iterate over the rows of a source."""
        return Rows(self, source)

    def carry_out(self, steps: Steps[V]) -> V:
        """Carry out the steps of a call and return what they lead to."""
        try:
            step = next(steps)
            while True:
                try:
                    reply = self._take(step)
                except StoaError as error:  # also of the steps of a sign-in
                    step = steps.throw(error)
                else:
                    step = steps.send(reply)
        except StopIteration as end:
            return end.value

    def _take(self, step: Step) -> HttpReply | None:
        match step:
            case SendRequest():
                return self._send(step)
            case Pause(seconds):
                time.sleep(seconds)
            case SignIn(steps):
                with self._signing_in:
                    self.carry_out(steps)
        return None

    def _send(self, send: SendRequest) -> HttpReply:
        with transport.failing(self.url):
            sent = transport.request(self._http, send)
            return transport.reply(self._http.send(sent))
