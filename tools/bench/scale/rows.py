"""What `make bench-scale` measures."""

import time
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from stoa.search.index import SearchIndex
from stoa.store import market
from stoa.store.engines.postgres.store import PostgresStore
from stoa.store.engines.sqlite.store import SqliteStore
from stoa.store.market import Finished
from tools.bench.machine import own_times
from tools.bench.registry import Result, at_most
from tools.bench.scale import cluster, growth, loading, searching, serving
from tools.bench.scale.cluster import Cluster
from tools.bench.scale.growth import p50, p95
from tools.bench.scale.lists import clock
from tools.bench.scale.posts import LONGEST, world_of
from tools.bench.scale.searching import WARM_UP, Spent
from tools.bench.scale.world import World

GROWTH_TARGET = 1.2
SEARCH_P95_MS = 50.0
INDEX_S = 300.0
"""In so long an index of a million texts is to be made."""


@dataclass(frozen=True)
class Given:
    """Where to measure, and how much: replies, posts, rounds, reads."""

    folder: Path
    cluster: Cluster
    small: int
    large: int
    posts: int
    rounds: int
    reads: int


Measure = Callable[[Given], Coroutine[Any, Any, list[Result]]]


def rows() -> Iterator[tuple[str, Measure]]:
    """Each measurement by name."""
    yield "lists", lists
    yield "market", market_reads
    yield "search on PostgreSQL", search_postgresql
    yield "search on SQLite", search_sqlite
    yield "start and memory", start_and_memory


async def lists(given: Given) -> list[Result]:
    """The median of every list with many replies, to that with few."""
    (small, large), results = await _loaded(given)
    huge = await given.cluster.setting("huge_pages_status")
    results.append(Result("huge pages of PostgreSQL", huge, detail="on with vm.nr_hugepages=1250"))
    few, many = await growth.compare(given.cluster, small, large, given.rounds)
    return [*results, *(_growth(name, few[name], many[name]) for name in few)]


async def _loaded(given: Given) -> tuple[list[tuple[str, World]], list[Result]]:
    """The names of the small and the large database, and what loading them took."""
    sides: list[tuple[str, World]] = []
    results: list[Result] = []
    for replies in (given.small, given.large):
        world = World(replies)
        name = f"replies_{replies}"
        if not await given.cluster.has(name):
            seconds = await loading.load(await given.cluster.create(name), world)
            results.append(Result(f"loading {replies:,} replies", f"{seconds:,.0f} s"))
        sides.append((name, world))
    return sides, results


async def market_reads(given: Given) -> list[Result]:
    """What the market takes: the first time, and when it was made before."""
    sides, results = await _loaded(given)
    for database, world in sides:
        url = given.cluster.url(database)
        store = await PostgresStore(url, clock, 1, growth.TIMEOUT_S).start()
        read = partial(store.read, partial(market.read, finished=Finished()), slow=True)
        try:
            first, *later = [await _spent_ms(read) for _ in range(given.rounds + 1)]
        finally:
            await store.close()
        name = f"market with {world.replies:,} replies"
        detail = f"p95 {p95(later):.0f} ms, the first time {first:.0f}"
        results.append(Result(name, f"{p50(later):.0f} ms", detail=detail))
    return results


async def _spent_ms(read: Callable[[], Awaitable[Any]]) -> float:
    start = time.perf_counter()
    await read()
    return 1000 * (time.perf_counter() - start)


def _growth(name: str, small: list[float], large: list[float]) -> Result:
    ratio = p50(large) / p50(small)
    detail = f"{p50(large):.2f} ms of {p50(small):.2f}, p95 {p95(large):.2f} of {p95(small):.2f}"
    target = f"<= {GROWTH_TARGET:.2f}"
    return Result(name, f"{ratio:.2f}", target, ratio <= GROWTH_TARGET, detail)


async def search_postgresql(given: Given) -> list[Result]:
    """Searches among many posts in PostgreSQL."""
    name = f"posts_{given.posts}"
    if not await given.cluster.has(name):
        url = await given.cluster.create(name)
        await searching.fill_postgresql(url, world_of(given.posts))
    took = await _spent_ms(partial(searching.read_postgresql, given.cluster.url(name)))
    store = await PostgresStore(given.cluster.url(name), clock, 1, growth.TIMEOUT_S).start()
    try:
        read = partial(store.read, single=True)
        index, made = await _indexed("PostgreSQL", given, read, given.folder / f"{name}-search")
        used = partial(cluster.processor_s, await given.cluster.processes(name))
        times = await searching.times(read, index, given.rounds, given.posts, used)
        index.close()
    finally:
        await store.close()
    return [made, _warmed("PostgreSQL", took), *_searches("PostgreSQL", times)]


async def search_sqlite(given: Given) -> list[Result]:
    """The same searches in a file."""
    path = _filled_sqlite(given)
    took = await _spent_ms(partial(searching.read_sqlite, path))
    store = await SqliteStore.open(path, clock)
    read = partial(store.read, slow=True)
    try:
        index, made = await _indexed("SQLite", given, read, Path(f"{path}-search"))
        used = partial(cluster.processor_s, [])
        times = await searching.times(read, index, given.rounds, given.posts, used)
        index.close()
    finally:
        await store.close()
    serving.settle(path)
    asked = list(serving.searches(path, given.posts))
    return [made, _warmed("SQLite", took), *_searches("SQLite", times), *asked]


async def _indexed(
    engine: str, given: Given, read: searching.Read, path: Path
) -> tuple[SearchIndex, Result]:
    """The search index, and how long it took to make it."""
    start = time.perf_counter()
    index = await searching.indexed(read, path)
    seconds = time.perf_counter() - start
    name, target = f"{engine}: an index of {given.posts:,} texts", INDEX_S * given.posts / 1_000_000
    return index, at_most(name, seconds, target, "s", "opened, where the folder has it already")


def _filled_sqlite(given: Given) -> Path:
    path = given.folder / f"posts_{given.posts}.db"
    if not path.exists():
        searching.fill_sqlite(path, world_of(given.posts))
    return path


async def start_and_memory(given: Given) -> list[Result]:
    """How a server starts over the file with many posts, and its memory after many reads."""
    path = _filled_sqlite(given)
    serving.settle(path)
    return [serving.ready(path), *serving.memory(path, given.posts, given.reads)]


def _warmed(engine: str, took_ms: float) -> Result:
    detail = f"the index and all texts read once, then {WARM_UP} rounds that are not counted"
    return Result(f"{engine}: warming up", f"{took_ms / 1000:.0f} s", detail=detail)


def _searches(engine: str, times: dict[str, Spent]) -> Iterator[Result]:
    for name, (waited, worked) in times.items():
        shown = f"{engine}: {name}"
        alone = own_times(p50(waited), len(waited))
        detail = (
            f"p50 {p50(waited):.1f} ms, processors {min(worked):.1f}, "
            f"p50 {p50(worked):.1f}, p95 {p95(worked):.1f}; "
            f"p95 of arithmetic as long {p95(alone):.1f}"
        )
        if name == LONGEST:  # the most that one can ask: seldom, and told
            yield Result(shown, f"{p95(waited):.1f} ms", detail=detail)
        else:
            yield at_most(shown, p95(waited), SEARCH_P95_MS, "ms", detail)
