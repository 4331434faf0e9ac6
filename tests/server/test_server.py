"""The end of a server and of a connection: what runs is finished, nobody else is waited for."""

import asyncio
import socket
import threading
from collections.abc import Callable

import pytest

from stoa.http import answering
from stoa.http.wire import Receive, Scope, Send
from stoa.settings import Settings
from tests.support.raw import WAIT_S, Served
from tests.support.server import Server

HOST = b"Host: stoa.test\r\n"
GET = b"GET / HTTP/1.1\r\n" + HOST + b"\r\n"
HOLD = b"GET /hold HTTP/1.1\r\n" + HOST + b"\r\n"


class Hall:
    """An application where `/hold` waits for `go_on`."""

    def __init__(self) -> None:
        self.held = threading.Event()
        self.go_on = threading.Event()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["path"] == "/hold":
            self.held.set()
            assert await asyncio.to_thread(self.go_on.wait, WAIT_S)
        await answering.send_answer(send, 200, [], b"done")


def test_what_runs_is_answered_before_the_end():
    hall = Hall()
    with Served(hall) as served, served.client() as client:
        client.send(HOLD + GET)
        assert hall.held.wait(WAIT_S)
        served.end()
        hall.go_on.set()
        assert client.rest() == [200, 200]


def test_a_connection_that_waits_for_its_client_does_not_hold_up_the_end():
    with Served(Hall()) as served, served.client() as idle, served.client() as begun:
        idle.send(GET).until(1)
        begun.send(GET[:-4])
        served.end()
        assert idle.rest() == [200]
        assert begun.rest() == []
        assert served.has_ended()


def test_a_client_that_still_sends_what_was_refused_does_not_hold_up_the_end():
    with Served(Hall()) as served, served.client() as client:
        client.send(b"GET / HTTP/1.1\r\n" + HOST + HOST + b"\r\n")
        assert client.rest() == [400]
        served.end()
        assert served.has_ended()


@pytest.mark.soak
def test_the_operator_says_how_long_an_unused_connection_stays(
    start_server: Callable[..., Server],
) -> None:
    assert Settings().keep_alive_seconds == 75
    server = start_server(keep_alive_seconds=1)
    with socket.create_connection(server.address, timeout=WAIT_S) as connection:
        connection.sendall(b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        received = b""
        while part := connection.recv(4096):
            received += part
    assert received.startswith(b"HTTP/1.1 200")
    assert b"connection: close" not in received.lower()
