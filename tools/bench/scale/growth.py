"""How much slower each list is in a database that is a hundred times as large."""

import random
import statistics
import time
from collections import defaultdict
from functools import partial
from itertools import chain

from stoa.store.engines.postgres.store import PostgresStore
from stoa.store.tx import Tx
from tools.bench.machine import one_processor
from tools.bench.scale.cluster import Cluster
from tools.bench.scale.lists import List, Pick, clock, lists, pick
from tools.bench.scale.world import World

TIMEOUT_S = 60

Times = dict[str, list[float]]


async def compare(
    cluster: Cluster, small: tuple[str, World], large: tuple[str, World], rounds: int
) -> list[Times]:
    """Milliseconds of each list in both databases, given by name, asked in turn on one processor so
    that the rest of what the machine does falls on both."""
    sides = [await _Side.open(cluster.url(name), world) for name, world in (small, large)]
    try:
        for side in sides:
            await side.round()  # connections, plans and caches are warm from here on
            side.times.clear()
        backends = [await cluster.processes(name) for name, _ in (small, large)]
        with one_processor(chain.from_iterable(backends)):
            for _ in range(rounds):
                for side in sides:
                    await side.round()
        return [dict(side.times) for side in sides]
    finally:
        for side in sides:
            await side.store.close()


class _Side:
    def __init__(self, store: PostgresStore, world: World) -> None:
        self.store = store
        self.times: defaultdict[str, list[float]] = defaultdict(list)
        self._world = world
        self._lists = lists()
        self._chance = random.Random(5)

    @classmethod
    async def open(cls, url: str, world: World) -> "_Side":
        store = await PostgresStore(url, clock, connections=1, timeout_s=TIMEOUT_S).start()
        return cls(store, world)

    async def round(self) -> None:
        chosen = await self.store.read(lambda tx: pick(tx, self._world, self._chance))
        for name, ask in self._lists.items():
            start = time.perf_counter()
            await self.store.read(partial(_ask, ask, chosen))
            self.times[name].append(1000 * (time.perf_counter() - start))


async def _ask(ask: List, chosen: Pick, tx: Tx) -> None:
    await ask(tx, chosen)


def p50(times: list[float]) -> float:
    """The median, ms."""
    return statistics.median(times)


def p95(times: list[float]) -> float:
    """The value that one in twenty exceeds, ms."""
    return statistics.quantiles(times, n=20)[-1] if len(times) > 1 else times[0]
