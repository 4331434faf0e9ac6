"""What waits at a connection: an event for one task, and the memory that thousands of them take."""

import asyncio
import threading
import tracemalloc
from contextlib import ExitStack

from stoa.http import answering
from stoa.http.wire import Receive, Scope, Send
from stoa.server.flow import Signal
from tests.support.raw import WAIT_S, Begins, Served

REQUEST = b"GET / HTTP/1.1\r\nHost: stoa.test\r\n\r\n"
CONNECTIONS = 50
MOST_BYTES = 10_500
"""For each connection, with that of its client. With asyncio's events and deques it is 12,700."""


def test_a_signal_lets_its_task_go_on_until_it_is_cleared() -> None:
    assert asyncio.run(_signalled()) == ["set", "set", "waits", "waits", "set"]


async def _signalled() -> list[str]:
    signal, told = Signal(), list[str]()

    async def wait(seconds: float) -> None:
        try:
            async with asyncio.timeout(seconds):
                await signal.wait()
            told.append("set")
        except TimeoutError:
            told.append("waits")

    waiting = asyncio.create_task(wait(WAIT_S))
    await asyncio.sleep(0)
    signal.set()
    signal.set()
    await waiting
    await wait(WAIT_S)
    signal.clear()
    await wait(0.001)
    await wait(0.001)
    signal.set()
    await wait(WAIT_S)
    assert "set" in repr(signal)
    return told


class Face:
    """Counts the requests that wait until their clients are gone."""

    def __init__(self) -> None:
        self.waiting = threading.Semaphore(0)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        while (await receive())["type"] != "http.disconnect":
            self.waiting.release()
        await answering.send_answer(send, 200, [])


def test_a_connection_that_waits_takes_little_memory() -> None:
    face = Face()
    with ExitStack() as stack:
        served = stack.enter_context(Served(face, ready=Begins()))

        def wait() -> None:
            stack.enter_context(served.client()).send(REQUEST)
            assert face.waiting.acquire(timeout=WAIT_S)

        wait()
        tracemalloc.start()
        stack.callback(tracemalloc.stop)
        for _ in range(CONNECTIONS):
            wait()
        taken, _ = tracemalloc.get_traced_memory()
    assert taken / CONNECTIONS < MOST_BYTES
