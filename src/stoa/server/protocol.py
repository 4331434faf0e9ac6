"""One HTTP/1.1 connection: uvicorn's protocol with stricter parsing and with timeouts.

A connection that waits for its client has a timeout: for a request to begin, for its head, for the
rest of its body, for its response to be read. A sweep over all connections checks the timeouts, so
that no request needs a timer.

An ambiguous request (RFC 9112, sections 3.2, 6 and 11.2) gets a 400 response after the requests
before it have theirs, and the connection is closed.

Some of uvicorn's parts used here are private: tests/server/test_uvicorn_parts.py lists them and
fails when an upgrade changes one.
"""

import re
from asyncio import Transport
from collections import deque
from collections.abc import Awaitable, Callable
from enum import Enum, auto
from typing import Any, cast

import httptools
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

from stoa.clock import elapsed_ns
from stoa.domain import limits
from stoa.domain.addresses import UNKNOWN
from stoa.domain.errors import Refusal
from stoa.http.wire import Application, InParts, Ready, Receive, Scope, Send
from stoa.metrics import OVERLOAD, UNREADABLE
from stoa.server import raw
from stoa.server.beginning import StartedCall
from stoa.server.connections import Connections
from stoa.server.exchange import Sender
from stoa.server.flow import Flow, Signal

RefusedCallback = Callable[[str, Refusal, str], None]
"""Called with what the metrics call it, a refusal and the address of the peer."""


class _Stage(Enum):
    """What a connection is receiving."""

    NEW = auto()  # no byte yet
    HEAD = auto()
    BODY = auto()
    CACHED = auto()  # the end of a request that was answered from the cache
    NOTHING = auto()  # between two requests
    DRAINING = auto()  # the rest of an answered request, discarded before the connection closes


_NEW, _HEAD, _BODY, _CACHED, _NOTHING, _DRAINING = (
    _Stage  # faster than an attribute of the class, and read many times for each request
)

_ABSOLUTE = re.compile(rb"(?i:https?)://([^/?]+)(.*)", re.DOTALL)
_FRAGMENT, _ESCAPE = b"#%"
"""Bytes by their numbers: to look for bytes in bytes, Python first raises an error and drops it."""
_EMPTY = cast("deque[Any]", ())
"""The pipeline of most connections: a deque takes 760 bytes."""


_BEHIND = Refusal(
    "temporarily_unavailable", "The service has more to do than it can.", retry_after=1
)


class _AmbiguousRequest(Exception):
    """A request with valid syntax that is ambiguous, too large, or one too many in the pipeline."""


class _Trailers(list[tuple[bytes, bytes]]):
    """In the place of the headers behind a head: fields behind a body are no headers of the
    request, and as many as fit into a message would take ten times its bytes."""

    def append(self, _: tuple[bytes, bytes]) -> None:
        """Drop a field."""


_TRAILERS = _Trailers()


class HttpConnection(HttpToolsProtocol):
    """A connection that is registered with `connections`. `origin` is the base address of
    the service.

    A GET, or a POST whose body came with its head, is answered without a task when its answer is
    cached in `ready`, or when its call begins there and does not wait; every other request is a
    task of the application. `refused` is told each refusal that is sent without the application.
    """

    app: Application
    parser: httptools.HttpRequestParser  # until the connection is lost

    __slots__ = (  # thousands may wait: with more than 30 attributes a dict takes 1.2 kB more
        "_arrived",
        "_arriving",
        "_begun",
        "_connections",
        "_error_pending",
        "_has_begun",
        "_held",
        "_ignore_input",
        "_origin",
        "_ready",
        "_received",
        "_refused",
        "_running",
        "_since",
        "_stage",
        "_time",
        "_unread",
        "_unread_since",
        "_unsent",
        "_version",
    )

    def __init__(
        self,
        connections: Connections,
        origin: str,
        ready: Ready | None,
        refused: RefusedCallback,
        **uvicorn: Any,
    ) -> None:
        super().__init__(**uvicorn)
        self._connections = connections
        self._origin = origin
        self._ready = ready
        self._refused = refused
        self._time = self.loop.time
        self._stage = _NEW
        self._since = 0.0
        self._received = 0
        self._version = ""  # of HTTP, in the last head
        self._arrived = b""  # what waits for its turn
        self._arriving = 0
        self._ignore_input = False
        self._error_pending: Refusal | None = None
        self._running: RequestResponseCycle | None = None
        self._held: list[bytes] | None = None
        self.pipeline = _EMPTY
        self._has_begun = False  # a call, for one of the requests that arrived together
        self._begun: StartedCall | None = None
        self._unread: object = None
        self._unread_since = 0.0
        self._unsent: tuple[bytes, ...] = ()

    @property
    def address(self) -> str:
        """The peer's address."""
        return self.client[0] if self.client else UNKNOWN

    def waits_since(self) -> float | None:
        """When the wait for the client began; None while the server works on a request."""
        # If the body belongs to a later pipelined request, the server still owes the response to
        # the earlier one.
        wants_body = self._stage is _BODY and self._running is self.cycle
        return None if self._arrived or (self._answering() and not wants_body) else self._since

    def abort(self) -> None:
        """Close the connection at once, without sending what is buffered."""
        self.transport.abort()

    def check(self, now: float) -> None:
        """Close the connection if its client has exceeded a timeout. A head or body that is waited
        for is refused."""
        if self._client_reads_too_slowly(now):
            self.transport.abort()
        elif self.waits_since() is None or self.transport.is_closing():
            return
        elif now - self._since > self._timeout():
            if self._stage is _HEAD or (self._answering() and self._abandon_request()):
                self._refuse(Refusal("request_timeout"))
            else:
                self.transport.close()

    def _timeout(self) -> float:
        timeouts = self._connections.timeouts
        match self._stage:
            case _Stage.NEW | _Stage.HEAD:
                return timeouts.header
            case _Stage.BODY:
                return timeouts.body
            case _Stage.CACHED | _Stage.NOTHING:
                return timeouts.idle
            case _Stage.DRAINING:
                return timeouts.linger

    def _client_reads_too_slowly(self, now: float) -> bool:
        # The time counts anew for each response.
        answer = self.cycle or self
        if not self.transport.get_write_buffer_size():
            self._unread = None
        elif self._unread is not answer:
            self._unread, self._unread_since = answer, now
        waited = now - self._unread_since
        return self._unread is answer and waited > self._connections.timeouts.response

    def _answering(self) -> bool:
        return self._running is not None and not self._running.response_complete

    # --- What the transport calls.

    def connection_made(self, transport: Transport) -> None:
        """Register the connection; over a cap, send the error and close."""
        super().connection_made(transport)
        self.flow = Flow(transport)
        self._since = self._time()
        refusal = self._connections.register(self, self._since)
        if refusal:
            self._ignore_input = True
            transport.write(self._error(refusal))
            transport.close()

    def connection_lost(self, exc: Exception | None) -> None:
        """Unregister the connection."""
        self._arrived = b""
        if self._running is not None:  # the base class knows only the latest request
            self._running.disconnected = True
            self._running.message_event.set()
        super().connection_lost(exc)
        self._connections.unregister(self)

    def data_received(self, data: bytes) -> None:
        """Parse the bytes, now or when it is their turn."""
        if self._arrived:  # one part at most waits, so that a client cannot fill the memory
            self.take_turn()
        elif self._waits(data):
            self._arrived = data
            return
        self._parse(data)

    def _waits(self, data: bytes) -> bool:
        """Whether these bytes wait for their turn. A GET does not wait for those that begin tasks,
        since most are answered without one."""
        if self._connections.calls.queues(self):
            return True
        return not data.startswith(b"GET ") and self._connections.tasks.queues(self)

    def take_turn(self) -> None:
        """Parse the bytes that waited for this, if there are any and the connection is open."""
        arrived, self._arrived = self._arrived, b""
        if arrived and not self.transport.is_closing():
            self._parse(arrived)

    def _parse(self, data: bytes) -> None:
        """Parse the bytes, unless input is ignored."""
        if self._ignore_input:
            return
        self._arriving, self._has_begun = len(data), False
        try:
            self.parser.feed_data(data)
            if self._held is not None:
                self._begin_held()
        except httptools.HttpParserUpgrade:
            # Upgrades are not supported: answer the request and ignore the bytes after it.
            self._ignore_input = True
            self.cycle.keep_alive = False
        except httptools.HttpParserError as error:
            # A request whose body is held back has no cycle yet; `_end_input` abandons the latest.
            self._begin_held()
            unescaped = isinstance(error, httptools.HttpParserInvalidURLError)
            self._end_input(raw.UNESCAPED_URL if unescaped else raw.AMBIGUOUS_REQUEST)
        else:
            if self._stage is _HEAD or self._stage is _BODY:
                self._measure()

    def _measure(self) -> None:
        self._received += self._arriving
        limit = limits.HEADER_BYTES if self._stage is _HEAD else limits.MESSAGE_BYTES
        if self._received > limit or len(self.headers) > limits.HEADER_LINES:
            self._end_input(raw.AMBIGUOUS_REQUEST)

    def eof_received(self) -> None:
        """Answer what has arrived, if no task is needed for it, and send what is not sent yet: the
        transport closes behind this."""
        self.take_turn()
        self.send_unsent()

    def send_unsent(self) -> None:
        """Send the answer that waits for the end of this turn of the event loop, if one does."""
        unsent, self._unsent = self._unsent, ()
        if unsent and not self.transport.is_closing():
            self.transport.writelines(unsent)

    def shutdown(self) -> None:
        """Close after the current response. One that was used within `last_request` seconds stays
        open: its client may have sent the next request, which would be lost."""
        if self._answering():
            super().shutdown()
        elif (
            not self._arrived
            and self._time() - self._since > self._connections.timeouts.last_request
        ):
            self.transport.close()

    # --- What the parser calls.

    def on_message_begin(self) -> None:
        """The first byte of a request."""
        # An exception here makes the parser fail, so the bytes behind are not parsed either.
        if self._stage is _DRAINING or len(self.pipeline) >= limits.PIPELINED:
            raise _AmbiguousRequest
        super().on_message_begin()
        self._received = 0
        if self._stage is not _NEW:  # whose time runs from the connection on
            self._since = self._time()
        self._stage = _HEAD

    def on_headers_complete(self) -> None:
        """Check the head and start the answer."""
        has_body = self._check_head([name for name, _ in self.headers])
        if not has_body and self._may_be_ready(b"GET") and self._answer_get():
            self._stage = _CACHED
        elif has_body and self._may_be_posted():
            self._held = []
        else:
            self._begin(has_body=has_body)
        self.headers = _TRAILERS

    def _begin(self, *, has_body: bool) -> None:
        """Start the task of a request whose head is complete."""
        if self._answering() and not self.pipeline:
            self.pipeline = deque()
        super().on_headers_complete()
        self._connections.tasks.spend(1)
        self.cycle.message_event = Signal()
        if self._connections.draining:
            self.cycle.keep_alive = False
        self._stage = _BODY
        self._since = self._time()
        self._received = 0
        # A client that still sends a body could lose the response to a close: see `end`.
        if has_body:
            self.cycle.transport = cast(Transport, _LingeringTransport(self.transport, self))

    def _may_be_ready(self, method: bytes) -> bool:
        """Whether this request may be answered without a task, as no earlier one is pending."""
        return (
            self._ready is not None
            and not self._connections.draining
            and self.parser.get_method() == method
            and self.parser.should_keep_alive()
            and self._version == "1.1"
            and not self.parser.should_upgrade()
            and (self._running is None or self._running.response_complete)
            # Back pressure: a client that does not read its responses gets no cached one.
            and not (self._unsent or self.transport.get_write_buffer_size())
        )

    def _answer_get(self) -> bool:
        """Answer a GET from the cache, or else by a call that does not wait. False: it needs a
        task."""
        # A path with escapes is decoded by the application.
        path, _, query = self.url.partition(b"?")
        if self._ready is None or not path.isascii() or _ESCAPE in path:
            return False
        scope = cast(Scope, self.scope)
        scope.update(method="GET", path=path.decode(), query_string=query)
        return self._send_ready(self._ready.find(scope)) or self._answer_begun(self._ready, b"")

    def _answer_posted(self, held: list[bytes]) -> bool:
        """Answer a POST whose body is complete, like a GET."""
        if self._ready is None:
            return False
        scope, body = cast(Scope, self.scope), b"".join(held)
        scope.update(method="POST", path=self.url.decode(), query_string=b"")
        found = self._ready.find_posted(scope, body)
        return self._send_ready(found) or self._answer_begun(self._ready, body)

    def _answer_begun(self, ready: Ready, body: bytes) -> bool:
        """Answer by a call that does not wait. False: a task has to go on with the call, if that
        was begun."""
        # One call for each part received: a client cannot keep the event loop by pipelining.
        if self._has_begun or not ready.begins(self.url):
            return False
        self._has_begun = True
        began_ns = elapsed_ns()
        if self._connections.calls.refuses:
            self._send(self._error(_BEHIND, OVERLOAD, closes=False))
            self._connections.calls.spend(elapsed_ns() - began_ns)
            return True
        begun = StartedCall(self.app, cast(Scope, self.scope), body)
        answer = begun.run()
        self._connections.calls.spend(elapsed_ns() - began_ns)
        if self._send_ready(answer):
            return True
        self._begun = begun
        return False

    def _send_ready(self, answer: InParts | None) -> bool:
        """Send an answer, if there is one."""
        if answer is None:
            return False
        status, lines, *body = answer
        self._send(raw.head(status, self.server_state.default_headers, lines), *body)
        return True

    def _send(self, *parts: bytes) -> None:
        """Send a whole answer at the end of this turn of the event loop: see `unsent.py`."""
        self._unsent = parts
        self._connections.unsent.add(self)
        self.server_state.total_requests += 1
        self._unread = None

    def _may_be_posted(self) -> bool:
        """Whether a POST may be answered without a task, so that its body is looked at first."""
        return (
            self._ready is not None
            and self._ready.holds(self.url)
            and self._may_be_ready(b"POST")
            # Such a client sends no body before the application asks for it.
            and not self.expect_100_continue
        )

    def _begin_held(self) -> None:
        """Start the task of a request whose body was held back, and hand the body to it, unless the
        call has begun with it."""
        held, self._held = self._held, None
        if held is not None:
            left = [] if self._begun else held
            self._begin(has_body=True)
            for part in left:
                super().on_body(part)

    def on_body(self, body: bytes) -> None:
        """Hold the body back, or pass it on."""
        if self._held is None:
            super().on_body(body)
        else:
            self._held.append(body)

    def _check_head(self, names: list[bytes]) -> bool:
        """Whether a body follows. Raises `_AmbiguousRequest` for an ambiguous or too large head."""
        # Two servers that read such a head differently can be made to see different requests
        # (request smuggling), so nothing is guessed.
        hosts = names.count(b"host")
        self._version = version = self.parser.get_http_version()
        if (version != "1.1" or hosts != 1) and (version != "1.0" or hosts > 1):
            raise _AmbiguousRequest
        if version == "1.0":  # whose clients know no interim response (RFC 9110, 10.1.1)
            self.expect_100_continue = False
        if _FRAGMENT in self.url:  # a fragment, which is for the client alone: others cut it off
            raise _AmbiguousRequest
        if len(names) > limits.HEADER_LINES:
            raise _AmbiguousRequest
        # What came with the head may be a body, so the head alone is counted only in this case.
        if self._received + self._arriving > limits.HEADER_BYTES:
            self._check_size()
        if not self.url.startswith(b"/"):
            self._cut_off_origin()
        if b"transfer-encoding" not in names:
            return b"content-length" in names
        codings = [value.lower() for name, value in self.headers if name == b"transfer-encoding"]
        if codings != [b"chunked"] or version == "1.0":
            raise _AmbiguousRequest
        return True

    def _cut_off_origin(self) -> None:
        """Leave the path of a target such as `http://host/path`, which every server has to take
        (RFC 9112, 3.2.2). Raises `_AmbiguousRequest` if it names another host than the header."""
        found = _ABSOLUTE.fullmatch(self.url)
        if found is None:
            return
        if found[1].lower() != dict(self.headers).get(b"host", b"").lower():
            raise _AmbiguousRequest
        self.url = found[2] if found[2].startswith(b"/") else b"/" + found[2]

    def _check_size(self) -> None:
        if (
            len(self.url) + sum(len(name) + len(value) for name, value in self.headers)
            > limits.HEADER_BYTES
        ):
            raise _AmbiguousRequest

    def on_message_complete(self) -> None:
        """The request is complete."""
        if self._held is not None:
            if self._answer_posted(self._held):
                self._held, self._stage = None, _CACHED
            else:
                self._begin_held()
        if self._stage is not _CACHED:
            super().on_message_complete()
        if self._stage is _DRAINING:
            self.transport.close()
        else:
            self._stage = _NOTHING
            self._since = self._time()

    # --- Answers.

    def _start_asgi_task(self, cycle: RequestResponseCycle, app: Any) -> None:
        # A call that had to wait goes on in the task, instead of running twice.
        begun, self._begun = self._begun, None
        self._running = cycle

        def answer(scope: Scope, receive: Receive, send: Send) -> Awaitable[None]:
            return (begun or app)(scope, receive, Sender(cycle, send))

        super()._start_asgi_task(cycle, cast(Any, answer))

    def on_response_complete(self) -> None:
        """Start the next pipelined request. Replaces the base method, which would set a timer."""
        self.server_state.total_requests += 1
        if self._stage is not _BODY:
            self._since = self._time()
        if self.transport.is_closing() or self._stage is _DRAINING:
            return
        self.flow.resume_reading()
        if self.pipeline:
            self._start_asgi_task(*self.pipeline.pop())
        elif self._error_pending is not None:
            self._refuse(self._error_pending)

    def _end_input(self, refusal: Refusal) -> None:
        """Ignore further input; send the refusal now, after the running response, or not at all."""
        self._ignore_input = True
        self.send_unsent()
        if self._stage is _DRAINING or (self._stage is _BODY and not self._abandon_request()):
            self.transport.close()
        elif self._answering():
            self._error_pending = refusal
        else:
            self._refuse(refusal)

    def _abandon_request(self) -> bool:
        """Abandon the request whose body is being received. False if its response has begun: an
        error sent now would be read as the response to another request."""
        if self.pipeline:
            self.pipeline.popleft()  # the newest: uvicorn adds on the left
            return True
        self.cycle.disconnected = True
        self.cycle.message_event.set()
        self._running = None
        return not self.cycle.response_started

    def _refuse(self, refusal: Refusal) -> None:
        self._ignore_input = True
        self.transport.write(self._error(refusal))
        self.end()

    def end(self) -> None:
        """Close the connection. A client that is still sending first gets time to read."""
        if (self._stage is _NOTHING and not self._ignore_input) or self.transport.is_closing():
            self.transport.close()
            return
        # After a close the kernel answers further bytes with a TCP reset, and a reset discards what
        # the client has not read yet.
        self._stage = _DRAINING
        self._since = self._time()
        self.transport.write_eof()
        self.flow.resume_reading()

    @property
    def ending(self) -> bool:
        """Whether no further response will be sent."""
        return self._stage is _DRAINING or self.transport.is_closing()

    def _error(self, refusal: Refusal, kind: str = UNREADABLE, *, closes: bool = True) -> bytes:
        self._refused(kind, refusal, self.address)
        headers = self.server_state.default_headers
        return raw.error(refusal, self._origin, headers, closes=closes)


class _LingeringTransport:
    """The transport of a response to a request with a body: `close` lets the client read first."""

    def __init__(self, transport: Transport, connection: HttpConnection) -> None:
        self.write = transport.write
        self.close = connection.end
        self._connection = connection

    def is_closing(self) -> bool:
        """Whether writes are no longer possible."""
        return self._connection.ending
