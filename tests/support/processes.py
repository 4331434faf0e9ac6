"""The processes of a server, and connections that stay with one of several workers."""

import os
import resource
import time
from collections.abc import Callable, Generator
from contextlib import ExitStack, contextmanager

import httpx
import psutil
import pytest

from tests.support.server import Server, children

NO_ROOM = 4096
"""Bytes beyond which no file may grow: to a process this is as a disk that is full."""
ROOM = resource.RLIM_INFINITY
_LONGEST_PAUSE_S = 0.1

can_limit_files = pytest.mark.skipif(
    not hasattr(resource, "prlimit"), reason="only Linux limits another process"
)


def workers(server: Server) -> set[int]:
    """The processes that the supervisor runs now, ready or not."""
    return children(server.process.pid)


def parent_of(process: int) -> int:
    """The process that forked this one."""
    return psutil.Process(process).ppid()


def limit_files(process: int, most: int) -> None:
    """Let no file grow beyond this for a process and those that it forks from now on."""
    _, hard = resource.prlimit(process, resource.RLIMIT_FSIZE)
    resource.prlimit(process, resource.RLIMIT_FSIZE, (most, hard))


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
    """Look until it is so, less and less often, as a look can take as long as a test; the test's
    own time limit ends the wait."""
    pause = 0.01
    while not found():
        time.sleep(pause)
        pause = min(1.5 * pause, _LONGEST_PAUSE_S)


def process(client: httpx.Client) -> int:
    """The worker that serves this client's connection."""
    return client.get("/readyz").raise_for_status().json()["process"]


@contextmanager
def one_client_each(server: Server, count: int) -> Generator[dict[int, httpx.Client]]:
    """A client for each of so many workers, by process; each keeps its one connection. The test's
    own time limit ends the wait for a worker that does not serve yet."""
    found: dict[int, httpx.Client] = {}
    with ExitStack() as opened:
        while len(found) < count:
            client = httpx.Client(base_url=server.url, timeout=60)
            served_by = process(client)
            if served_by in found:
                client.close()
            else:
                found[served_by] = client
                opened.callback(client.close)
        yield found
