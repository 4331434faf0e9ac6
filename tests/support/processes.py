"""The processes of a server, and connections that stay with one of several workers."""

import os
import time
from collections.abc import Callable, Generator
from contextlib import ExitStack, contextmanager

import httpx

from tests.support.server import Server, children

_TRIES = 500


def workers(server: Server) -> set[int]:
    """The processes that the supervisor runs now, ready or not."""
    return children(server.process.pid)


def alive(pid: int) -> bool:
    """Whether there is such a process."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def has_ended(pid: int) -> bool:
    """Whether there is no such process any more."""
    return not alive(pid)


def until(found: Callable[[], bool]) -> None:
    """Look until it is so; the test's own time limit ends the wait."""
    while not found():
        time.sleep(0.01)


def process(client: httpx.Client) -> int:
    """The worker that serves this client's connection."""
    return client.get("/readyz").raise_for_status().json()["process"]


@contextmanager
def one_client_each(server: Server, count: int) -> Generator[dict[int, httpx.Client]]:
    """A client for each of so many workers, by process; each keeps its one connection."""
    found: dict[int, httpx.Client] = {}
    with ExitStack() as opened:
        for _ in range(_TRIES):
            client = opened.enter_context(httpx.Client(base_url=server.url, timeout=60))
            found.setdefault(process(client), client)
            if len(found) == count:
                yield found
                return
        raise AssertionError(f"{_TRIES} connections went to {len(found)} workers alone")
