"""Plain sockets against an ASGI application that is served, in this process, as Stoa is."""

import asyncio
import re
import select
import socket
import threading
import time
from types import TracebackType
from typing import Self

import msgspec

from stoa.http.wire import Application, Ready, Scope
from stoa.server.connections import Connections, Timeouts
from stoa.server.server import Server, loop_factory
from tests.support.answers import Answer
from tests.support.loops import LoopTime

ORIGIN = "http://stoa.test"
WAIT_S = 60
_STATUS = re.compile(rb"HTTP/1\.1 (\d+) ")


class Begins:
    """No answer is ready, and each call may begin without a task."""

    def find(self, scope: Scope) -> None:
        """See `Ready`."""

    def begins(self, url: bytes) -> bool:
        """See `Ready`."""
        return True

    def holds(self, url: bytes) -> bool:
        """See `Ready`."""
        return True

    def find_posted(self, scope: Scope, body: bytes) -> None:
        """See `Ready`."""


class Served:
    """A server in a thread of its own. With `exempt` its clients have no cap per address."""

    def __init__(
        self,
        app: Application,
        timeouts: Timeouts | None = None,
        *,
        exempt: bool = True,
        ready: Ready | None = None,
    ) -> None:
        self.app = app
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=2048)
        self.address: tuple[str, int] = self._listener.getsockname()
        self.connections = Connections(lambda _: exempt, timeouts)
        self.server = Server(app, self.connections, ORIGIN, ready)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._time: LoopTime | None = None
        self._thread = threading.Thread(target=self._run, daemon=True)

    def _run(self) -> None:
        with asyncio.Runner(loop_factory=loop_factory()) as runner:
            self._loop = runner.get_loop()
            self._time = LoopTime(self._loop)
            runner.run(self.server.serve(sockets=[self._listener]))

    def pass_time(self, seconds: float) -> None:
        """Let so much time pass at once, and let the server look at its connections."""

        async def look() -> None:
            assert self._time
            self._time.ahead_s += seconds
            self.connections.sweep(self._time())

        assert self._loop
        asyncio.run_coroutine_threadsafe(look(), self._loop).result(WAIT_S)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.end()
        assert self.has_ended()

    def end(self) -> None:
        """Ask it to end, as SIGTERM does."""
        self.server.should_exit = True

    def has_ended(self) -> bool:
        """Wait until it has ended."""
        self._thread.join(WAIT_S)
        return not self._thread.is_alive()

    def client(self, **options: int) -> "Client":
        """A connection to it."""
        return Client(self.address, **options)


class Client:
    """One connection. Leaving it as a context closes it."""

    def __init__(self, address: tuple[str, int], receive_buffer: int = 0) -> None:
        self.socket = socket.socket()
        if receive_buffer:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        self.socket.settimeout(WAIT_S)
        try:
            self.socket.connect(address)
        except OSError:
            self.socket.close()
            raise
        self.received = b""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.socket.close()

    def send(self, data: bytes) -> Self:
        """Send these bytes."""
        self.socket.sendall(data)
        return self

    def send_until_answered(self, piece: bytes, every_s: float) -> Self:
        """Send the piece again and again, slowly, until there is something to read."""
        deadline = time.monotonic() + WAIT_S
        while not select.select([self.socket], [], [], every_s)[0]:
            assert time.monotonic() < deadline, "never answered"
            self.socket.sendall(piece)
        return self

    def until(self, count: int) -> list[int]:
        """Read until there are so many answers; the statuses of all."""
        while len(self.statuses) < count:
            assert self._receive(), f"closed after {self.received!r}"
        return self.statuses

    def rest(self) -> list[int]:
        """Read until the server closes; the statuses of all answers."""
        while self._receive():
            pass
        return self.statuses

    def _receive(self) -> int:
        piece = self.socket.recv(65536)
        self.received += piece
        return len(piece)

    @property
    def statuses(self) -> list[int]:
        """The statuses of the answers received so far."""
        return [int(status) for status in _STATUS.findall(self.received)]

    @property
    def last(self) -> Answer:
        """The last answer received, which must be there as a whole."""
        *_, start = _STATUS.finditer(self.received)
        head, _, body = self.received[start.start() :].partition(b"\r\n\r\n")
        first, *lines = head.decode("latin-1").split("\r\n")
        pairs = [line.partition(": ") for line in lines]
        headers = [(name.lower(), value) for name, _, value in pairs]
        return Answer(int(first.split()[1]), headers, body)


def refusal_code(answer: Answer) -> str:
    """The code of a refusal that closes its connection, in the usual form."""
    assert answer.headers["connection"] == "close"
    assert answer.headers["content-type"] == "application/json"
    assert int(answer.headers["content-length"]) == len(answer.content)
    body = msgspec.json.decode(answer.content)
    assert body["requestId"] == answer.headers["x-request-id"]
    assert body["documentation"] == f"{ORIGIN}/docs/errors/{body['code']}"
    return body["code"]
