"""One HTTP/1.1 connection: uvicorn's protocol, stricter in reading and with an end to waiting.

A connection that waits for its client does so against a deadline: for a request to begin, for its
head, for the rest of its body, for its answer to be read. A sweep over all connections looks at the
deadlines, so that a request costs no timer.

A request that has more than one reading (RFC 9112, sections 3.2, 6 and 11.2) is answered with 400
and ends the connection, once the requests before it have their answers.
"""

from asyncio import Transport
from collections.abc import Awaitable
from enum import Enum, auto
from typing import Any, cast

import httptools
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

from stoa.domain import limits
from stoa.domain.addresses import UNKNOWN
from stoa.domain.errors import Refusal
from stoa.http.wire import Ready, Receive, Scope, Send
from stoa.server import raw
from stoa.server.connections import Connections
from stoa.server.receiving import Receiver
from stoa.server.sending import Sender


class _Stage(Enum):
    """What a connection is receiving."""

    NEW = auto()  # nothing yet
    HEAD = auto()
    BODY = auto()
    ANSWERED = auto()  # what ends the request whose answer was ready
    NOTHING = auto()  # between two requests
    LEFTOVERS = auto()  # of a request that has its answer; the connection ends with them


_NEW, _HEAD, _BODY, _ANSWERED, _NOTHING, _LEFTOVERS = (
    _Stage  # looked up many times for each request
)


class _Unclear(Exception):
    """A request that is well formed but has more than one reading, or may not be here."""


class HttpConnection(HttpToolsProtocol):
    """A connection of the house `connections`; `documentation` is where error codes are told.

    What `ready` has an answer for is answered on the spot; all else is a task of the application.
    """

    parser: httptools.HttpRequestParser  # until the connection is lost

    def __init__(
        self,
        connections: Connections,
        documentation: str,
        ready: Ready | None,
        **uvicorn: Any,
    ) -> None:
        super().__init__(**uvicorn)
        self._house = connections
        self._documentation = documentation
        self._ready = ready
        self._time = self.loop.time
        self._stage = _NEW
        self._since = 0.0
        self._received = 0
        self._arriving = 0
        self._deaf = False
        self._owes_error = False
        self._running: RequestResponseCycle | None = None
        self._unread: object = None
        self._unread_since = 0.0

    @property
    def address(self) -> str:
        """The peer's address."""
        return self.client[0] if self.client else UNKNOWN

    def waits_since(self) -> float | None:
        """When it began to wait for its client, or None while the server is at work for it."""
        wants_body = self._stage is _BODY and self._running is self.cycle
        return None if self._answering() and not wants_body else self._since

    def make_room(self) -> None:
        """End it at once."""
        self.transport.abort()

    def check(self, now: float) -> None:
        """End it if it has waited for its client too long. While an operation waits for a body,
        `reading.body_bytes` holds the deadline."""
        if self._is_read_too_slowly(now):
            self.transport.abort()
        elif self._answering() or self.transport.is_closing():
            return
        elif now - self._since > self._patience():
            if self._stage is _HEAD:
                self._refuse(Refusal("request_timeout"))
            else:
                self.transport.close()

    def _patience(self) -> float:
        patience = self._house.patience
        match self._stage:
            case _Stage.NEW | _Stage.HEAD:
                return patience.header
            case _Stage.BODY:
                return patience.body
            case _Stage.ANSWERED | _Stage.NOTHING:
                return patience.idle
            case _Stage.LEFTOVERS:
                return patience.linger

    def _is_read_too_slowly(self, now: float) -> bool:
        answer = self.cycle or self
        if not self.transport.get_write_buffer_size():
            self._unread = None
        elif self._unread is not answer:
            self._unread, self._unread_since = answer, now
        waited = now - self._unread_since
        return self._unread is answer and waited > self._house.patience.response

    def _answering(self) -> bool:
        return self._running is not None and not self._running.response_complete

    # --- What the transport calls.

    def connection_made(self, transport: Transport) -> None:
        """Ask for a place in the house."""
        super().connection_made(transport)
        self._since = self._time()
        refusal = self._house.admit(self, self._since)
        if refusal:
            self._deaf = True
            transport.write(self._error(refusal))
            transport.close()

    def connection_lost(self, exc: Exception | None) -> None:
        """Give the place back."""
        if self._running is not None:  # the base knows only the request that came last
            self._running.disconnected = True
        super().connection_lost(exc)
        self._house.leave(self)

    def data_received(self, data: bytes) -> None:
        """Read on."""
        if self._deaf:
            return
        self._arriving = len(data)
        try:
            self.parser.feed_data(data)
        except httptools.HttpParserUpgrade:
            # No protocol is switched to: the request is answered, and what follows may be anything.
            self._deaf = True
            self.cycle.keep_alive = False
        except httptools.HttpParserError:
            self._unreadable()
        else:
            if self._stage is _HEAD or self._stage is _BODY:
                self._measure()

    def _measure(self) -> None:
        self._received += self._arriving
        limit = limits.HEADER_BYTES if self._stage is _HEAD else limits.MESSAGE_BYTES
        if self._received > limit:
            self._unreadable()

    def shutdown(self) -> None:
        """Finish what runs, then close. One that had an answer a moment ago is left open: its
        client may have sent the next request, which would be lost."""
        if self._answering():
            super().shutdown()
        elif self._time() - self._since > self._house.patience.last_request:
            self.transport.close()

    # --- What the parser calls.

    def on_message_begin(self) -> None:
        """The first byte of a request."""
        if self._stage is _LEFTOVERS or len(self.pipeline) >= limits.PIPELINED:
            raise _Unclear
        super().on_message_begin()
        self._received = 0
        if self._stage is not _NEW:
            self._since = self._time()
        self._stage = _HEAD

    def on_headers_complete(self) -> None:
        """Check the head and start the answer."""
        has_body = self._check_head([name for name, _ in self.headers])
        if not has_body and self._answer_at_once():
            self._stage = _ANSWERED
            return
        super().on_headers_complete()
        if self._house.draining:
            self.cycle.keep_alive = False
        self.headers = []  # what comes behind a body is no header and could pass for one
        self._stage = _BODY
        self._since = self._time()
        self._received = 0
        if has_body:
            self.cycle.transport = cast(Transport, _PoliteTransport(self.transport, self))

    def _answer_at_once(self) -> bool:
        """Answer a GET whose answer is ready and whose turn it is. False when it takes a task."""
        path, _, query = self.url.partition(b"?")
        if (
            self._ready is None
            or self._house.draining
            or self.parser.get_method() != b"GET"
            or not self.parser.should_keep_alive()
            or self.parser.should_upgrade()
            or self._answering()
            # A client that asks without reading waits for its answers in the ordinary way.
            or self.transport.get_write_buffer_size()
            or not path.isascii()
            or b"%" in path
        ):
            return False
        scope = cast(Scope, self.scope)
        scope.update(method="GET", path=path.decode(), query_string=query)
        answer = self._ready.find(scope)
        if answer is None:
            return False
        status, headers, body = answer
        head = raw.head(status, self.server_state.default_headers, headers)
        self.transport.writelines((head, body))
        self.server_state.total_requests += 1
        self._unread = None
        return True

    def _check_head(self, names: list[bytes]) -> bool:
        """Refuse what has more than one reading; returns whether a body follows."""
        hosts, version = names.count(b"host"), self.parser.get_http_version()
        if hosts > 1 or (version, hosts) not in (("1.1", 1), ("1.0", 1), ("1.0", 0)):
            raise _Unclear
        if self._received + self._arriving > limits.HEADER_BYTES:
            self._check_size()
        if b"transfer-encoding" not in names:
            return b"content-length" in names
        codings = [value.lower() for name, value in self.headers if name == b"transfer-encoding"]
        if codings != [b"chunked"] or version == "1.0":
            raise _Unclear
        return True

    def _check_size(self) -> None:
        if (
            len(self.url) + sum(len(name) + len(value) for name, value in self.headers)
            > limits.HEADER_BYTES
        ):
            raise _Unclear

    def on_message_complete(self) -> None:
        """The whole request is here."""
        if self._stage is not _ANSWERED:
            super().on_message_complete()
        if self._stage is _LEFTOVERS:
            self.transport.close()
        else:
            self._stage = _NOTHING
            self._since = self._time()

    # --- Answers.

    def _start_asgi_task(self, cycle: RequestResponseCycle, app: Any) -> None:
        self._running = cycle

        def answer(scope: Scope, receive: Receive, send: Send) -> Awaitable[None]:
            return app(scope, Receiver(cycle, receive), Sender(cycle, send))

        super()._start_asgi_task(cycle, cast(Any, answer))

    def on_response_complete(self) -> None:
        """Go on with the next request, if it is here. Instead of the base's: no timer."""
        self.server_state.total_requests += 1
        if self._stage is not _BODY:
            self._since = self._time()
        if self.transport.is_closing() or self._stage is _LEFTOVERS:
            return
        self.flow.resume_reading()
        if self.pipeline:
            self._start_asgi_task(*self.pipeline.pop())
        elif self._owes_error:
            self._refuse(raw.UNCLEAR)

    def _unreadable(self) -> None:
        """Nothing more can be read on this connection."""
        self._deaf = True
        if self._stage is _LEFTOVERS or (self._stage is _BODY and not self._drop()):
            self.transport.close()
        elif self._answering():
            self._owes_error = True
        else:
            self._refuse(raw.UNCLEAR)

    def _drop(self) -> bool:
        """Give up the request whose body is being received. False when it has begun to be answered:
        an error would be read as the answer to something else."""
        if self.pipeline:
            self.pipeline.popleft()
            return True
        self.cycle.disconnected = True
        self.cycle.message_event.set()
        self._running = None
        return not self.cycle.response_started

    def _refuse(self, refusal: Refusal) -> None:
        self._deaf = True
        self.transport.write(self._error(refusal))
        self.end()

    def end(self) -> None:
        """Close; when the client is still sending, only after it had time to read the answer."""
        if (self._stage is _NOTHING and not self._deaf) or self.transport.is_closing():
            self.transport.close()
            return
        # Closing now would make the machine answer further bytes with a reset, and a reset throws
        # away what the client has not read yet.
        self._stage = _LEFTOVERS
        self._since = self._time()
        self.transport.write_eof()
        self.flow.resume_reading()

    @property
    def ending(self) -> bool:
        """Whether nothing more will be answered."""
        return self._stage is _LEFTOVERS or self.transport.is_closing()

    def _error(self, refusal: Refusal) -> bytes:
        return raw.error(refusal, self._documentation, self.server_state.default_headers)


class _PoliteTransport:
    """The transport as an answer sees it whose request has a body: closing lets the client read."""

    def __init__(self, transport: Transport, connection: HttpConnection) -> None:
        self.write = transport.write
        self.close = connection.end
        self._connection = connection

    def is_closing(self) -> bool:
        """Whether nothing more can be written."""
        return self._connection.ending
