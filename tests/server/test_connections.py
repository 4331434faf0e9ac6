"""Connections that wait for their clients: each kind of waiting ends, and places are limited."""

import asyncio
import select
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from dataclasses import replace
from typing import Any

import pytest

from stoa.domain import limits
from stoa.domain.errors import Refusal
from stoa.http import answering, reading
from stoa.http.wire import Receive, Scope, Send
from stoa.server.connections import Timeouts
from tests.support.processes import until
from tests.support.raw import WAIT_S, Client, Served, refusal_code

HOST = b"Host: stoa.test\r\n"
GET = b"GET / HTTP/1.1\r\n" + HOST + b"\r\n"
HOLD = b"GET /hold HTTP/1.1\r\n" + HOST + b"\r\n"
POST = b"POST /read HTTP/1.1\r\n" + HOST + b"Content-Type: application/json\r\n"

SHORT = 0.6
"""What ends after it, however slow the machine is."""
PATIENCE = 1000.0
"""What ends after it in the time of a test alone, which passes by `Served.pass_time`."""
LONG = 3600.0
ENDLESS = Timeouts(LONG, LONG, LONG, LONG, LONG, LONG)


class Rooms:
    """An application with a room for each kind of answer."""

    def __init__(self) -> None:
        self.held = threading.Semaphore(0)
        self.go_on = threading.Event()
        self.cut_off = threading.Event()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        match scope["path"]:
            case "/hold":
                self.held.release()
                assert await asyncio.to_thread(self.go_on.wait, WAIT_S)
                await answering.send_answer(send, 200, [], b"done")
            case "/wait":
                self.held.release()
                while (await receive())["type"] != "http.disconnect":
                    pass
                self.cut_off.set()
            case "/read":
                await read(scope, receive, send)
            case "/big":
                await self.tell_much(receive, send)
            case _:
                await answering.send_answer(send, 200, [], b"done")

    async def tell_much(self, receive: Receive, send: Send) -> None:
        """An answer larger than all buffers on the way."""
        body = b"x" * 32 * 1024 * 1024
        headers = [(b"content-length", b"%d" % (len(body) + 1))]
        await receive()
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": body, "more_body": True})
        message = await receive()
        if message["type"] == "http.disconnect":
            self.cut_off.set()


async def read(scope: Scope, receive: Receive, send: Send) -> None:
    """Read the body as every operation does."""
    try:
        await reading.body_bytes(receive, dict(scope["headers"]))
    except Refusal as refusal:
        lines = answering.refusal_headers(refusal, None)
        await answering.send_answer(send, refusal.status, lines)
    else:
        await answering.send_answer(send, 200, [], b"read")


@pytest.fixture
def rooms() -> Rooms:
    return Rooms()


@pytest.fixture
def timeouts(request: pytest.FixtureRequest) -> Timeouts:
    """Those of the test's own `with_timeouts`; endless otherwise."""
    return replace(ENDLESS, **getattr(request, "param", {}))


@pytest.fixture
def exempt() -> bool:
    return True


@pytest.fixture
def served(rooms: Rooms, timeouts: Timeouts, exempt: bool) -> Iterator[Served]:
    with Served(rooms, timeouts, exempt=exempt) as running:
        yield running


def with_patience(**values: float) -> pytest.MarkDecorator:
    """Serve with these timeouts, and with no others."""
    return pytest.mark.parametrize("timeouts", [values], indirect=True, ids=["_".join(values)])


@pytest.mark.parametrize("behind", [b"", GET], ids=["alone", "one behind it"])
def test_a_call_that_waits_learns_that_its_client_is_gone(
    served: Served, rooms: Rooms, behind: bytes
) -> None:
    with served.client() as client:
        client.send(GET.replace(b"/", b"/wait", 1) + behind)
        assert rooms.held.acquire(timeout=WAIT_S)
    assert rooms.cut_off.wait(WAIT_S)


def wait_for(served: Served, stage: str) -> None:
    """Wait until the beginning of a HEAD or BODY has arrived."""
    connections: Any = served.connections
    until(lambda: any(one._stage.name == stage for one in list(connections._open)))


def trickle(served: Served, client: Client, piece: bytes) -> None:
    """Send the piece again and again, with a tenth of the time between them, until there is
    something to read."""
    for _ in range(1000):
        if select.select([client.socket], [], [], 0.02)[0]:
            return
        client.send(piece)
        served.pass_time(PATIENCE / 10)
    pytest.fail("never answered")


@with_patience(header=PATIENCE)
def test_a_head_that_stops_is_answered_408_and_closed(served: Served):
    with served.client() as client:
        client.send(GET[:-3])
        wait_for(served, "HEAD")
        served.pass_time(PATIENCE + 1)
        assert client.rest() == [408]
        assert refusal_code(client.last) == "request_timeout"


@pytest.mark.promise("W7")
@with_patience(header=PATIENCE)
def test_a_head_that_trickles_is_answered_408_and_closed(served: Served):
    with served.client() as client:
        client.send(b"GET / HTTP/1.1\r\nX: ")
        wait_for(served, "HEAD")
        trickle(served, client, b"x")
        assert client.rest() == [408]


@with_patience(header=PATIENCE)
def test_a_second_head_that_trickles_is_cut_off_too(served: Served):
    with served.client() as client:
        client.send(GET).until(1)
        client.send(b"GET / HTTP/1.1\r\nX: ")
        wait_for(served, "HEAD")
        trickle(served, client, b"x")
        assert client.rest() == [200, 408]


@with_patience(header=PATIENCE)
def test_line_ends_before_a_request_buy_no_time(served: Served):
    with served.client() as client:
        trickle(served, client, b"\r\n")
        assert gone(client)
        assert client.statuses == []


@with_patience(header=PATIENCE)
def test_a_silent_connection_is_closed(served: Served):
    with served.client() as client, served.client() as used:
        used.send(GET).until(1)  # so that the first one has arrived
        served.pass_time(PATIENCE - 1)
        assert not select.select([client.socket], [], [], 0)[0]
        served.pass_time(2)
        assert client.rest() == []


@with_patience(idle=PATIENCE)
def test_a_connection_that_is_no_longer_used_is_closed(served: Served):
    with served.client() as client:
        client.send(GET).until(1)
        served.pass_time(PATIENCE + 1)
        assert client.rest() == [200]


@with_patience(header=PATIENCE, idle=PATIENCE, body=PATIENCE)
def test_a_connection_in_use_stays(served: Served):
    with served.client() as client:
        for asked in range(1, 6):
            assert client.send(GET).until(asked) == [200] * asked
            served.pass_time(PATIENCE / 2)


@with_patience(header=PATIENCE, idle=PATIENCE, body=PATIENCE, response=PATIENCE, linger=PATIENCE)
def test_a_slow_answer_is_waited_for(served: Served, rooms: Rooms):
    with served.client() as silent, served.client() as client:
        client.send(HOLD)
        assert rooms.held.acquire(timeout=WAIT_S)
        served.pass_time(2 * PATIENCE)
        assert silent.rest() == []
        rooms.go_on.set()
        assert client.until(1) == [200]


@with_patience(body=PATIENCE)
@pytest.mark.parametrize(
    ("header", "piece"),
    [(b"Content-Length: 1000", b" "), (b"Transfer-Encoding: chunked", b"1\r\n \r\n")],
    ids=["of a length", "in chunks"],
)
def test_a_body_that_trickles_is_answered_408_and_closed(
    served: Served, header: bytes, piece: bytes
):
    with served.client() as client:
        client.send(POST + header + b"\r\n\r\n")
        wait_for(served, "BODY")
        trickle(served, client, piece)
        assert client.until(1) == [408]
        assert refusal_code(client.last) == "request_timeout"
        assert client.last.headers["connection"] == "close"
        assert client.rest() == [408]


@with_patience(body=SHORT)
def test_the_rest_of_an_unread_body_is_not_waited_for(served: Served):
    with served.client() as client:
        client.send(b"GET / HTTP/1.1\r\n" + HOST + b"Content-Length: 1000\r\n\r\n")
        assert client.until(1) == [200]
        assert client.send_until_answered(b"x", 0.02).rest() == [200]


def test_a_connection_is_closed_with_the_rest_of_an_unread_body(served: Served):
    with served.client() as client:
        head = b"Connection: close\r\nContent-Length: 2\r\n\r\n"
        client.send(b"GET / HTTP/1.1\r\n" + HOST + head + b"x")
        assert client.rest() == [200]
        client.send(b"x")
        connections: Any = served.connections
        until(lambda: not connections._open)


@with_patience(linger=SHORT)
def test_a_client_that_goes_on_sending_after_a_refusal_is_cut_off_after_a_while(served: Served):
    with served.client() as client:
        head = POST + b"Content-Length: %d\r\n\r\n" % (limits.BODY_BYTES + 1)
        assert client.send(head).rest() == [413]
        deadline = time.monotonic() + WAIT_S
        with pytest.raises(ConnectionError):
            send_until(client, deadline)


def send_until(client: Client, deadline: float) -> None:
    while time.monotonic() < deadline:
        client.send(b"x" * 100)


@with_patience(response=SHORT)
def test_an_answer_that_is_not_read_is_given_up(served: Served, rooms: Rooms):
    with served.client(receive_buffer=4096) as client:
        client.send(b"GET /big HTTP/1.1\r\n" + HOST + b"\r\n")
        assert rooms.cut_off.wait(WAIT_S)


@with_patience(response=LONG)
def test_an_answer_that_is_read_arrives_whole(served: Served):
    with served.client() as client:
        client.send(b"GET /big HTTP/1.1\r\n" + HOST + b"\r\n")
        while len(client.received) < 32 * 1024 * 1024:
            client.received += client.socket.recv(1 << 20)
        assert client.statuses == [200]


@with_patience(connections=3)
def test_when_all_places_are_taken_the_next_is_told_so(served: Served):
    with ExitStack() as open_clients:
        for _ in range(3):
            open_clients.enter_context(served.client()).send(GET).until(1)
        with served.client() as client:
            assert client.rest() == [503]
            assert refusal_code(client.last) == "temporarily_unavailable"
            assert client.last.headers["retry-after"] == "1"


WAITING = {
    "between two requests": (b"", 1),
    "in a head": (b"GET / HT", 1),
    "in a body": (POST + b"Expect: 100-continue\r\nContent-Length: 9\r\n\r\n", 2),
}


@with_patience(connections=2, undisturbed=-1.0)
@pytest.mark.parametrize(("begun", "answers"), WAITING.values(), ids=WAITING)
def test_at_the_cap_a_connection_that_waits_for_its_client_is_closed(
    served: Served, rooms: Rooms, begun: bytes, answers: int
):
    with served.client() as busy, served.client() as waiting:
        busy.send(HOLD)
        assert rooms.held.acquire(timeout=WAIT_S)
        waiting.send(GET).until(1)
        waiting.send(begun).until(answers)
        with served.client() as newcomer:
            assert newcomer.send(GET).until(1) == [200]
        assert gone(waiting)
        rooms.go_on.set()
        assert busy.until(1) == [200]


@with_patience(connections=3, undisturbed=-1.0)
def test_at_the_cap_the_connection_that_has_waited_longest_is_closed_first(served: Served):
    with ExitStack() as open_clients:
        clients: list[Client] = []
        for _ in range(4):
            client = open_clients.enter_context(served.client())
            assert client.send(GET).until(1) == [200]
            clients.append(client)
        assert gone(clients[0])
        assert clients[1].send(GET).until(2) == [200, 200]


def gone(client: Client) -> bool:
    """Wait for the end of a connection, whichever end it is."""
    with suppress(ConnectionError):
        client.rest()
    return True


@with_patience(connections=2, undisturbed=-1.0)
def test_one_that_is_being_answered_keeps_its_place(served: Served, rooms: Rooms):
    with served.client() as first, served.client() as second:
        for client in (first, second):
            client.send(HOLD)
            assert rooms.held.acquire(timeout=WAIT_S)
        with served.client() as third:
            assert third.rest() == [503]
        rooms.go_on.set()
        assert first.until(1) == second.until(1) == [200]


@with_patience(per_address=2)
@pytest.mark.parametrize("exempt", [False])
def test_an_address_has_only_so_many_places(served: Served):
    with served.client() as first, served.client() as second:
        for client in (first, second):
            client.send(GET).until(1)
        with served.client() as third:
            assert third.rest() == [429]
            assert refusal_code(third.last) == "rate_limited"
            assert third.last.headers["retry-after"] == "1"
        assert first.send(GET).until(2) == [200, 200]


@with_patience(per_address=1)
@pytest.mark.parametrize("exempt", [False])
def test_a_place_is_free_once_the_server_has_closed_it(served: Served):
    empty_post = POST + b"Content-Length: 0\r\n\r\n"
    with ExitStack() as open_clients:
        for request in (GET, empty_post, GET):
            client = open_clients.enter_context(served.client())
            client.send(request[:-2] + b"Connection: close\r\n\r\n")
            assert client.rest() == [200]


@with_patience(per_address=2)
def test_the_exempt_have_no_cap_of_their_own(served: Served):
    with ExitStack() as open_clients:
        for _ in range(5):
            client = open_clients.enter_context(served.client())
            assert client.send(GET).until(1) == [200]


# --- While the server drains.


def refuses(served: Served) -> bool:
    """Whether no new connection is taken any more."""
    try:
        served.client().socket.close()
    except ConnectionError:
        return True
    return False


@with_patience(last_request=LONG)
def test_a_client_that_was_just_served_is_answered_once_more_and_told_so(served: Served):
    with served.client() as client, served.client() as other:
        for one in (client, other):
            assert one.send(GET).until(1) == [200]
        served.end()
        until(lambda: refuses(served))
        assert not select.select([client.socket, other.socket], [], [], SHORT)[0]  # not closed
        for one in (client, other):
            assert one.send(GET).rest() == [200, 200]
            assert one.last.headers["connection"] == "close"


@with_patience(last_request=0)
def test_a_client_that_has_been_silent_for_longer_is_not_waited_for(served: Served):
    with served.client() as client:
        assert client.send(GET).until(1) == [200]
        served.end()
        assert client.rest() == [200]
