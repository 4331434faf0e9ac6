"""`make bench-scale` asks for words that the texts have."""

import asyncio
from functools import partial
from pathlib import Path

from stoa.domain import querylang
from stoa.search.finding import TextsWanted, find
from stoa.store.engines.sqlite.store import SqliteStore
from stoa.store.search import Narrowing
from stoa.store.tx import Tx
from tools.bench.scale.lists import clock
from tools.bench.scale.posts import Vocabulary, searches, world_of
from tools.bench.scale.searching import fill_sqlite, indexed

FOUND = ("the most common word", "two common words", "a phrase of two common words")


async def totals(path: Path) -> dict[str, int]:
    """How many threads the first search of each kind finds, and one without words."""
    store = await SqliteStore.open(path, clock, timeout_s=60)
    try:
        index = await indexed(partial(store.read, slow=True), path.with_suffix(".search"))

        async def work(tx: Tx) -> dict[str, int]:
            found: dict[str, int] = {}
            queries = {name: make(Vocabulary(seed=12)).words for name, make in searches().items()}
            for name, words in {"": "", **queries}.items():
                query = querylang.parse(words)
                hits = await find(tx, index, query, Narrowing(), TextsWanted(index.newest, 1))
                found[name] = hits.total
            return found

        found = await store.read(work, slow=True)
        index.close()
    finally:
        await store.close()
    return found


def test_searches_of_large_databases_find_texts(tmp_path: Path) -> None:
    fill_sqlite(tmp_path / "posts.db", world_of(420))
    found = asyncio.run(totals(tmp_path / "posts.db"))
    assert found[""] == 20
    assert [name for name in FOUND if not found[name]] == []
    assert found["a word that is nowhere"] == 0
