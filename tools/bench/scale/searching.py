"""Fills either engine with a million texts, indexes them and asks the index."""

import time
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import apsw
import asyncpg

from stoa.domain import querylang
from stoa.search.finding import TextsWanted, find
from stoa.search.following import catch_up
from stoa.search.index import SearchIndex
from stoa.store import replies, search, threads
from stoa.store.engines.sqlite.file import connect, prepare
from stoa.store.tx import Tx
from tools.bench.scale.lists import PAGE
from tools.bench.scale.loading import copy, filled
from tools.bench.scale.posts import Search, Vocabulary, posts, searches, world_of
from tools.bench.scale.world import Row, World, into

TABLES = ("agent", "agent_capability", "reply", "thread", "thread_tag")
_BATCH = 10_000
WARM_UP = 5
"""Rounds that are not counted, until plans are made."""
# By way of the indexes: a large table that is read from end to end is not kept in memory.
_BY_INDEX = (
    "SET enable_seqscan = off; SET max_parallel_workers_per_gather = 0; SET work_mem = '256MB'"
)
_IN_ORDER = """
SET enable_bitmapscan = off; SELECT max(thread_id) FROM (SELECT thread_id FROM post ORDER BY id) p
"""


async def fill_postgresql(url: str, world: World) -> None:
    """Everything that a search reads."""
    async with filled(url) as connection:
        for table, rows in world.tables(TABLES):
            await copy(connection, table, rows)
        source = posts(world)
        while batch := list(islice(source, _BATCH)):
            await copy(connection, "post", iter(batch))


def fill_sqlite(path: Path, world: World) -> None:
    """The same in a file."""
    prepare(path)
    connection = connect(path, writer=True)
    connection.execute("PRAGMA foreign_keys = OFF; PRAGMA synchronous = OFF")
    for table, rows in world.tables(TABLES):
        _insert(connection, table, rows)
    source = posts(world)
    while batch := list(islice(source, _BATCH)):
        _insert(connection, "post", iter(batch))
    connection.execute("ANALYZE")
    connection.close()


def _insert(connection: apsw.Connection, table: str, rows: Iterator[Row]) -> None:
    while batch := list(islice(rows, _BATCH)):
        marks = ", ".join("?" * len(batch[0]))
        with connection:
            connection.executemany(f"INSERT INTO {into(table)} VALUES ({marks})", batch)  # noqa: S608 - our own names


async def read_postgresql(url: str) -> None:
    """Read the index and all texts once: a server that has run for a while has them in memory."""
    connection = await asyncpg.connect(url)
    try:
        for sql in (_BY_INDEX, _IN_ORDER):
            await connection.execute(sql)
    finally:
        await connection.close()


async def read_sqlite(path: Path) -> None:
    """The same for a file, in the memory of the system."""
    with path.open("rb") as file:
        while file.read(1 << 20):
            pass


Clock = Callable[[], float]
Read = Callable[[Callable[[Tx], Coroutine[Any, Any, None]]], Awaitable[None]]


async def indexed(read: Read, path: Path) -> SearchIndex:
    """An index of all texts, in a file."""
    index = SearchIndex(path)

    async def work(tx: Tx) -> None:
        await catch_up(tx, index)

    while index.behind:
        await read(work)
        while index.work():
            pass
    return index


async def _ask(wanted: Search, author: str, index: SearchIndex, tx: Tx) -> None:
    """What the operation reads for a search."""
    query = querylang.parse(wanted.words)
    await catch_up(tx, index)
    whose = author if wanted.by_one_author else None
    narrowed = search.Narrowing(whose, wanted.tags)
    page = TextsWanted(index.newest, PAGE, wanted.start)
    hits = await find(tx, index, query, narrowed, page)
    found = hits.texts
    await threads.many(tx, [*found])
    await replies.texts(
        tx, [text_id for thread_id, text_id in found.items() if text_id != thread_id]
    )


class Spent(NamedTuple):
    """Milliseconds of each round: until the answer, and of processors, which the rest of what the
    machine does disturbs less."""

    waited: list[float]
    worked: list[float]


async def times(
    read: Read, index: SearchIndex, rounds: int, posts: int, processor_s: Clock
) -> dict[str, Spent]:
    """What each kind of search took among so many posts, with other words each time.

    Some rounds to warm up come first.
    """
    author = world_of(posts).agent(0)
    vocabulary = Vocabulary(seed=12)
    spent = {name: Spent([], []) for name in searches()}
    for turn in range(-WARM_UP, rounds):
        for name, make in searches().items():
            wanted = make(vocabulary)
            start, used = time.perf_counter(), processor_s()
            await read(partial(_ask, wanted, author, index))
            took = time.perf_counter() - start, processor_s() - used
            if turn >= 0:
                spent[name].waited.append(1000 * took[0])
                spent[name].worked.append(1000 * took[1])
    return spent
