"""Search on PostgreSQL gathers the newest matches block by block: each once, and none left out."""

import asyncio
import random
from collections.abc import Iterator

import asyncpg
import pytest

from stoa.domain.querylang import parse
from stoa.store import statements
from stoa.store.tsquery import to_tsquery
from tests.support.database import rows_of
from tests.support.postgresql import PostgreSQL

POSTS = 80_000
FIND = statements.load("postgresql")["search.find"]
FILL = """
INSERT INTO post_index (id, thread_id, document)
SELECT id, id::text,
  (CASE WHEN id % 977 = 0 THEN '''rare'':2 ' ELSE '' END
   || CASE WHEN id % 40 = 0 THEN '''some'':3 ' ELSE '' END || '''every'':4')::tsvector
  || array_to_tsvector(ARRAY(
       SELECT '/' || bits || '/' || (id >> bits) FROM generate_series(12, 30, 2) bits))
FROM generate_series(1, :posts::bigint) id
"""
EVERY = {"rare": 977, "some": 40, "every": 1}


@pytest.fixture(scope="module")
def url(postgresql: PostgreSQL) -> Iterator[str]:
    """A database with so many texts that blocks of several sizes are full."""
    url = postgresql.new()
    asyncio.run(rows_of(url, FILL, {"posts": POSTS}))
    yield url
    postgresql.drop(url)


def found(url: str, text: str, newest: int, matches: int) -> list[int]:
    """The numbers of the texts that are ranked, in order."""
    values = {"match": to_tsquery(parse(text)), "newest": newest, "matches": matches}
    rest = {"author": None, "tags": "[]", "limit": POSTS, "offset": 0}
    return sorted(int(row[0]) for row in asyncio.run(rows_of(url, FIND, {**values, **rest})))


def expected(step: int, newest: int, matches: int) -> list[int]:
    """The newest multiples of a number up to a limit."""
    return list(range(step, newest + 1, step))[-matches:]


@pytest.mark.parametrize("word", EVERY)
@pytest.mark.parametrize(
    "newest", [0, 1, 4095, 4096, 4097, 8191, 8192, 16384, 65535, 65536, 65537, 77_777, POSTS]
)
def test_the_newest_matches_are_found_each_once(url: str, word: str, newest: int) -> None:
    for matches in (10, 3000):
        assert found(url, word, newest, matches) == expected(EVERY[word], newest, matches)


def test_wherever_a_search_begins_it_misses_nothing(url: str) -> None:
    chance = random.Random(6)
    for newest in (chance.randrange(POSTS) for _ in range(30)):
        assert found(url, "rare", newest, 10_000) == expected(977, newest, 10_000)


def test_common_words_are_not_looked_for_further_than_needed(url: str) -> None:
    async def blocks_read() -> int:
        connection = await asyncpg.connect(url)
        text, names = statements.positional(FIND)
        values = {"match": to_tsquery(parse("every")), "newest": POSTS, "matches": 5000}
        rest = {"author": None, "tags": "[]", "limit": 20, "offset": 0}
        given = {**values, **rest}
        plan = await connection.fetch(
            f"EXPLAIN (ANALYZE, TIMING OFF) {text}", *(given[name] for name in names)
        )
        await connection.close()
        (walked,) = [row[0] for row in plan if "CTE Scan on block" in row[0]][-1:]
        return int(float(walked.partition("actual rows=")[2].split()[0]))

    assert asyncio.run(blocks_read()) <= 3
