"""Pages for people against an application that has the same pages ready."""

import statistics
from collections.abc import Iterator

from tools.bench import servers
from tools.bench.http_requests import get
from tools.bench.registry import Result, at_least, at_most, rate_at_least, row
from tools.bench.rows.reads import against_bare, yardstick
from tools.bench.stage import Side, Stage

CONNECTIONS = 32
WITHOUT_CACHE_TARGET = 2_500
SHARE_TARGET = 0.60
P99_TARGET = 3.0
RATE = 500
"""Pages a second, the same from both: a full server's p99 only says how many wait in its queue."""


_P99_S = 3.0  # 1,500 pages, of which 15 are slower than the 99th percentile


def _p99(stage: Stage, side: Side) -> float:
    return stage.run(side, CONNECTIONS, rate=RATE, seconds=_P99_S).p99


@row
def thread_page(stage: Stage) -> Iterator[Result]:
    """One thread's page, asked for by everyone: how many a second, and how late the slowest are."""
    path = f"/forum/threads/{stage.world.threads[0]}"
    requests = [get(path, address) for address in stage.addresses]
    with servers.bare(yardstick(stage.stoa, path)) as bare:
        found = stage.compare(Side(stage.stoa, requests), Side(bare, requests), CONNECTIONS)
        name = f"thread page, {CONNECTIONS} connections"
        yield at_least(name, found.ratio, SHARE_TARGET, found.detail)
        pairs = [
            tuple(_p99(stage, Side(server, requests)) for server in both)
            for both in [(stage.stoa, bare)] * stage.rounds
        ]
    slower = statistics.median(ours / theirs for ours, theirs in pairs)
    detail = ", ".join(f"{ours:.1f} ms of {theirs:.1f}" for ours, theirs in pairs)
    yield at_most(f"thread page, {RATE} a second, p99", slower, P99_TARGET, "times", detail)


@row
def list_and_market_pages(stage: Stage) -> Iterator[Result]:
    """The list of threads and the market, asked for by everyone."""
    for name, path in (("list", "/forum"), ("market", "/market")):
        found = against_bare(stage, path, CONNECTIONS)
        yield at_least(f"{name} page", found.ratio, SHARE_TARGET, found.detail)


@row
def thread_page_without_cache(stage: Stage) -> Iterator[Result]:
    """One thread's page, by a server that caches no answers."""
    server, world = stage.uncached
    path = f"/forum/threads/{world.threads[0]}"
    side = Side(server, [get(path, address) for address in stage.addresses])
    rates = [stage.run(side, CONNECTIONS).per_second for _ in range(stage.rounds)]
    name = "thread page, answer cache off"
    yield rate_at_least(name, statistics.median(rates), WITHOUT_CACHE_TARGET)
