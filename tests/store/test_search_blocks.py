"""Search on PostgreSQL gathers the newest matches block by block: each once, and none left out."""

import asyncio
import random
from collections.abc import Iterator

import asyncpg
import pytest

from stoa.domain.querylang import parse
from stoa.store import statements
from stoa.store.engines.steps import steps
from stoa.store.tsquery import BLOCK_BITS, to_tsquery, to_tsvector
from tests.support.database import rows_of
from tests.support.postgresql import PostgreSQL

POSTS = 80_000
BLOCK = 1 << BLOCK_BITS
FIND = statements.load("postgresql")["search.find"]
FILL = """
INSERT INTO post_index (id, thread_id, document)
SELECT id, id::text,
  (CASE WHEN id % 977 = 0 THEN replace('''rare/B'':2 ''^rare/B'':2 ', 'B', block) ELSE '' END
   || CASE WHEN id % 40 = 0 THEN replace('''some/B'':3 ', 'B', block) ELSE '' END
   || replace('''every/B'':4', 'B', block))::tsvector
FROM generate_series(1, :posts::bigint) id, LATERAL (SELECT (id >> :bits)::text AS block) b
"""
EVERY = {"rare": 977, "some": 40, "every": 1}


@pytest.fixture(scope="module")
def url(postgresql: PostgreSQL) -> Iterator[str]:
    """A database with so many texts that several blocks are full."""
    url = postgresql.new()
    asyncio.run(rows_of(url, FILL, {"posts": POSTS, "bits": BLOCK_BITS}))
    yield url
    postgresql.drop(url)


def ranked(url: str, text: str, newest: int, matches: int) -> list[int]:
    """The numbers of the texts that are found, best first."""
    values = {"match": to_tsquery(parse(text)), "newest": newest, "matches": matches}
    rest = {"author": None, "tags": "[]", "limit": POSTS, "offset": 0}
    return [int(row[0]) for row in asyncio.run(rows_of(url, FIND, {**values, **rest}))]


def expected(step: int, newest: int, matches: int) -> list[int]:
    """The newest multiples of a number up to a limit, newest first."""
    return list(range(step, newest + 1, step))[-matches:][::-1]


@pytest.mark.parametrize("word", EVERY)
@pytest.mark.parametrize(
    "newest", [0, 1, BLOCK - 1, BLOCK, BLOCK + 1, 2 * BLOCK - 1, 2 * BLOCK, 4 * BLOCK + 1, POSTS]
)
def test_the_newest_matches_are_found_each_once(url: str, word: str, newest: int) -> None:
    for matches in (10, 3000):
        assert ranked(url, word, newest, matches) == expected(EVERY[word], newest, matches)


def test_wherever_a_search_begins_it_misses_nothing(url: str) -> None:
    chance = random.Random(6)
    for newest in (chance.randrange(POSTS) for _ in range(30)):
        assert ranked(url, "rare", newest, 10_000) == expected(977, newest, 10_000)


def test_what_is_left_out_and_side_by_side_is_looked_for_among_the_newest_with_the_words(
    url: str,
) -> None:
    newest = [number for number in expected(1, POSTS, 3000) if number % 40]
    assert ranked(url, "every -some", POSTS, 3000) == newest
    assert ranked(url, '"some every"', POSTS, 3000) == expected(40, POSTS, 3000)
    assert ranked(url, '"every some"', POSTS, 3000) == []
    assert ranked(url, '"rare some"', POSTS, 3000) == expected(977 * 40, POSTS, 3000)


def test_the_rarer_of_the_words_count_more(url: str) -> None:
    rare = [number for number in expected(977, POSTS, 10_000) if number > POSTS - 9_000]
    some = [number for number in expected(40, POSTS, 10_000) if number > POSTS - 9_000]
    (both,) = set(rare) & set(some)
    best = ranked(url, "every some rare", POSTS, 9_000)
    rare.remove(both)
    some.remove(both)
    assert best[: 1 + len(rare) + len(some)] == [both, *rare, *some]


def test_common_words_are_not_looked_for_further_than_needed(url: str) -> None:
    async def texts_read() -> int:
        connection = await asyncpg.connect(url)
        text, names = statements.positional(FIND)
        values = {"match": to_tsquery(parse("every")), "newest": POSTS, "matches": 5000}
        rest = {"author": None, "tags": "[]", "limit": 20, "offset": 0}
        given = {**values, **rest}
        plan = await connection.fetch(
            f"EXPLAIN (ANALYZE, TIMING OFF) {text}", *(given[name] for name in names)
        )
        await connection.close()
        (walked,) = [row[0] for row in plan if "Function Scan on generate_series" in row[0]]
        return int(float(walked.partition("actual rows=")[2].split()[0]))

    assert asyncio.run(texts_read()) == 1


def test_an_index_from_before_blocks_is_brought_to_them(postgresql: PostgreSQL) -> None:
    title, body, number = "Log of logs", "It's a log", 5 * BLOCK + 1
    old = "setweight('log:2 of:3 logs:4', 'A') || 'it:2 s:3 a:4 log:5' || '/12/20 /14/5'::tsvector"
    (step,) = [step for step in steps("postgresql") if step.number == 4]

    async def brought() -> bool:
        connection = await asyncpg.connect(url)
        await connection.execute(
            f"INSERT INTO post_index (id, thread_id, document) VALUES ({number}, '', {old})"
        )
        await connection.execute("INSERT INTO post_index VALUES (1, '', NULL, '/12/0 /14/0')")
        await connection.execute(step.sql)
        documents = await connection.fetch("SELECT document::text FROM post_index ORDER BY id")
        vectors = to_tsvector(title, number, title=True), to_tsvector(body, number)
        expected = await connection.fetchval(
            "SELECT ($1::text::tsvector || $2::text::tsvector)::text", *vectors
        )
        await connection.close()
        return [row[0] for row in documents] == ["", expected]

    url = postgresql.new()
    assert asyncio.run(brought())
    postgresql.drop(url)
