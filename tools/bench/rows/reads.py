"""Thread reads against an application that has the same answer ready."""

import statistics
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import cycle

from tools.bench import servers
from tools.bench.bare import Answer, Spec
from tools.bench.http_requests import get, with_header
from tools.bench.registry import Result, at_least, rate_at_least, row
from tools.bench.servers import Server
from tools.bench.stage import Comparison, Side, Stage

CONNECTIONS = (32, 64)
HOT_TARGET = 0.90
SPREAD_TARGET = 0.70
NOT_MODIFIED_TARGET = 1.0
COLD_TARGET = 4_500


def thread_path(thread_id: str) -> str:
    """The path of a thread with its replies."""
    return f"/api/v1/threads/{thread_id}?include=replies"


def yardstick(server: Server, path: str, headers: Mapping[str, str] | None = None) -> Spec:
    """A spec that answers with the bytes and headers of this server's answer at `path`."""
    return Spec(port=0, get=Answer.of(server.get(path, dict(headers or {}))))


def against_bare(stage: Stage, path: str, connections: int) -> Comparison:
    """An answer that everyone asks for, against an application that has it ready."""
    requests = [get(path, address) for address in stage.addresses]
    with servers.bare(yardstick(stage.stoa, path)) as bare:
        return stage.compare(Side(stage.stoa, requests), Side(bare, requests), connections)


@row
def hot_thread_read(stage: Stage) -> Iterator[Result]:
    """One thread with its replies, asked for by everyone."""
    yield from _reads(stage, "hot thread read", stage.world.threads[:1], HOT_TARGET)


@row
def spread_thread_read(stage: Stage) -> Iterator[Result]:
    """All threads with their replies, in turn: for the first time, and then again and again. An
    answer is kept from the second time on that it is made, so that is not measured."""
    threads = stage.world.threads
    side = Side(stage.stoa, thread_requests(stage, threads))
    rates = each_once(stage, side)
    each_once(stage, side)
    yield rate_at_least("first read of each thread", statistics.median(rates), COLD_TARGET)
    yield from _reads(stage, "spread thread read", threads, SPREAD_TARGET)


@row
def thread_read_without_cache(stage: Stage) -> Iterator[Result]:
    """All threads in turn, by a server that caches no answers."""
    server, world = stage.uncached
    side = Side(server, thread_requests(stage, world.threads))
    rates = [stage.run(side, CONNECTIONS[0]).per_second for _ in range(stage.rounds)]
    name = "thread read, answer cache off"
    yield rate_at_least(name, statistics.median(rates), COLD_TARGET)


@row
def not_modified(stage: Stage) -> Iterator[Result]:
    """304 for a thread that did not change, against the answer as a whole."""
    path = thread_path(stage.world.threads[0])
    tag = stage.stoa.get(path).headers["ETag"]
    whole = [get(path, address) for address in stage.addresses]
    known = [with_header(request, f"If-None-Match: {tag}") for request in whole]
    ours, theirs = Side(stage.stoa, known, (304,)), Side(stage.stoa, whole)
    found = stage.compare(ours, theirs, CONNECTIONS[0])
    yield at_least("304 / hot thread read", found.ratio, NOT_MODIFIED_TARGET, found.detail)


def thread_requests(stage: Stage, threads: list[str]) -> list[bytes]:
    """Reads of these threads in turn, each from another address."""
    return [
        get(thread_path(thread), address)
        for address, thread in zip(stage.addresses, cycle(threads), strict=False)
    ]


def each_once(stage: Stage, side: Side) -> list[float]:
    """Read each thread once, a part of them in each round; the answers a second of each."""
    requests = side.requests[: len(stage.world.threads)]
    size = -(-len(requests) // stage.rounds)
    parts = [requests[place : place + size] for place in range(0, len(requests), size)]
    return [
        stage.run(replace(side, requests=part), CONNECTIONS[0], once=True).per_second
        for part in parts
    ]


def _reads(stage: Stage, name: str, threads: list[str], target: float) -> Iterator[Result]:
    requests = thread_requests(stage, threads)
    with servers.bare(yardstick(stage.stoa, thread_path(threads[0]))) as bare:
        for connections in CONNECTIONS:
            found = stage.compare(Side(stage.stoa, requests), Side(bare, requests), connections)
            yield at_least(f"{name}, {connections} connections", found.ratio, target, found.detail)
