"""A crowd of clients that trickle their requests does not keep others waiting."""

import resource
import socket
import threading
import time
from collections.abc import Callable, Generator
from contextlib import ExitStack, contextmanager

import httpx
import pytest

from stoa.domain import limits
from tests.support.processes import until
from tests.support.server import Server

CROWD = 2 * limits.CONNECTIONS
OTHER_FILES = 1000
BYTE_EVERY_S = 5
REQUESTS = 300
NOISE_S = 0.02
"""What a busy machine adds to the slowest of a few hundred requests by itself."""


@contextmanager
def open_files(wanted: int) -> Generator[None]:
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, max(wanted, before[1])))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)


class Crowd:
    """Clients that begin a request, send a byte every five seconds, and come back when cut off."""

    def __init__(self, address: tuple[str, int]) -> None:
        self._address = address
        self._leaving = threading.Event()
        self._thread = threading.Thread(target=self._trickle)
        self.bytes_sent = 0

    def __enter__(self) -> "Crowd":
        self._clients = [self._come() for _ in range(CROWD)]
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._leaving.set()
        self._thread.join()
        for client in self._clients:
            client.close()

    def _come(self) -> socket.socket:
        client = socket.create_connection(self._address)
        client.setblocking(False)
        return client

    def _trickle(self) -> None:
        place = 0
        while not self._leaving.wait(BYTE_EVERY_S / CROWD):
            place = (place + 1) % CROWD
            try:
                self.bytes_sent += self._clients[place].send(b"G" if place % 2 else b"\r\n")
            except OSError:
                self._clients[place].close()
                self._clients[place] = self._come()


def answers(http: httpx.Client) -> bool:
    """Whether a new connection is answered."""
    return http.get("/api/v1/threads", headers={"Connection": "close"}).is_success


def slowest(http: httpx.Client) -> float:
    """The time that 99 of 100 requests, each on a new connection, keep within."""
    times: list[float] = []
    for _ in range(REQUESTS):
        begun = time.monotonic()
        answered = answers(http)
        times.append(time.monotonic() - begun)
        assert answered
    return sorted(times)[REQUESTS * 99 // 100]


@pytest.mark.soak
def test_a_crowd_that_trickles_does_not_keep_others_waiting(start_server: Callable[..., Server]):
    server = start_server()
    with ExitStack() as stack:
        stack.enter_context(open_files(CROWD + OTHER_FILES))
        http = stack.enter_context(httpx.Client(base_url=server.url, timeout=60))
        alone = slowest(http)
        crowd = stack.enter_context(Crowd(server.address))
        # All of it comes at once; who came a moment ago makes no room yet.
        while not answers(http):
            continue
        crowded = slowest(http)
        assert crowd.bytes_sent
    assert crowded < 2 * alone + NOISE_S
    assert server.stop() == 0


@pytest.mark.soak
def test_more_clients_than_there_may_be_files_leave_nobody_without_an_answer(
    start_server: Callable[..., Server],
) -> None:
    server = start_server(program="few_files")
    assert '"event": "the limit of open files is low", "connections": 100}' in server.log
    with ExitStack() as stack:
        for _ in range(300):
            stack.enter_context(socket.create_connection(server.address))
        statuses = {httpx.get(f"{server.url}/healthz", timeout=60).status_code for _ in range(9)}
        assert statuses <= {200, 503}
        # Who came a moment ago makes no room yet.
        until(lambda: httpx.get(f"{server.url}/healthz", timeout=60).status_code == 200)
    assert server.stop() == 0
