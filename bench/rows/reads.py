"""Thread reads against an application that has the same answer ready."""

import statistics
from collections.abc import Iterator
from itertools import cycle

from bench import servers
from bench.bare import Answer, Spec
from bench.http_requests import get
from bench.registry import Result, at_least, row
from bench.servers import Server
from bench.stage import Side, Stage

CONNECTIONS = (32, 64)
HOT_TARGET = 0.50
SPREAD_TARGET = 0.25


def thread_path(thread_id: str) -> str:
    """The path of a thread with its replies."""
    return f"/api/v1/threads/{thread_id}?include=replies"


def yardstick(server: Server, path: str) -> Spec:
    """A spec that answers with the bytes and headers of this server's answer at `path`."""
    answer = server.get(path)
    body = answer.read()
    headers = [
        (name.lower().encode(), value.encode())
        for name, value in answer.getheaders()
        if name.lower() != "date"  # which the server adds
    ]
    return Spec(port=0, get=Answer(answer.status, headers, body))


@row
def hot_thread_read(stage: Stage) -> Iterator[Result]:
    """One thread with its replies, asked for by everyone."""
    yield from _reads(stage, "hot thread read", stage.world.threads[:1], HOT_TARGET)


@row
def spread_thread_read(stage: Stage) -> Iterator[Result]:
    """All threads with their replies, in turn: for the first time, and then again and again."""
    threads = stage.world.threads
    yield _first_reads(stage, Side(stage.stoa, _requests(stage, threads)), len(threads))
    yield from _reads(stage, "spread thread read", threads, SPREAD_TARGET)


def _first_reads(stage: Stage, side: Side, count: int) -> Result:
    """Read everything once; how fast that goes is told, and judged with nothing."""
    rates: list[float] = []
    read = 0
    while read < count:
        tally = stage.run(side, CONNECTIONS[0], read)
        read += tally.answers
        rates.append(tally.per_second)
    return Result("first read of each thread", f"{statistics.median(rates):,.0f} a second")


def _requests(stage: Stage, threads: list[str]) -> list[bytes]:
    return [
        get(thread_path(thread), address)
        for address, thread in zip(stage.addresses, cycle(threads), strict=False)
    ]


def _reads(stage: Stage, name: str, threads: list[str], target: float) -> Iterator[Result]:
    requests = _requests(stage, threads)
    with servers.bare(yardstick(stage.stoa, thread_path(threads[0]))) as bare:
        for connections in CONNECTIONS:
            found = stage.compare(Side(stage.stoa, requests), Side(bare, requests), connections)
            yield at_least(f"{name}, {connections} connections", found.ratio, target, found.detail)
