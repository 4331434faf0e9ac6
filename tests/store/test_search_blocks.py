"""Search on PostgreSQL gathers the newest matches block by block: each once, and none left out."""

import asyncio
import json
import random
from collections.abc import Iterator
from typing import Any

import asyncpg
import pytest

from stoa.domain.querylang import parse
from stoa.store import statements
from stoa.store.tsquery import BLOCK_BITS, to_tsquery
from tests.support.database import rows_of
from tests.support.postgresql import PostgreSQL

POSTS = 80_000
BLOCK = 1 << BLOCK_BITS
STATEMENTS = statements.load("postgresql")
FILL = """
ALTER TABLE post DROP CONSTRAINT post_thread_id_fkey;
ALTER TABLE thread_tag DROP CONSTRAINT thread_tag_thread_id_fkey;
INSERT INTO post (id, thread_id) SELECT id, id::text FROM generate_series(1, 80000) id;
INSERT INTO post_index (id, words)
SELECT id, CASE WHEN id % 977 = 0 THEN ' rare' ELSE '' END
  || CASE WHEN id % 40 = 0 THEN ' some every ' ELSE ' every ' END
FROM generate_series(1, 80000) id;
INSERT INTO thread_tag (tag, thread_id, last_activity_at, reply_count)
SELECT 'by ' || step, id::text, 0, 0
FROM unnest(ARRAY[2, 7, 50]) step, generate_series(1, 80000) id WHERE id % step = 0
"""
EVERY = {"rare": 977, "some": 40, "every": 1}


@pytest.fixture(scope="module")
def url(postgresql: PostgreSQL) -> Iterator[str]:
    """A database with so many texts that many blocks are full."""
    url = postgresql.new()
    asyncio.run(_run(url, FILL))
    yield url
    postgresql.drop(url)


async def _run(url: str, sql: str) -> None:
    connection = await asyncpg.connect(url)
    await connection.execute(sql)
    await connection.close()


def asked(
    text: str,
    newest: int,
    matches: int,
    some: int = POSTS,
    limit: int = POSTS,
    tags: str = "[]",
) -> tuple[str, dict[str, Any]]:
    """The statement for a search, and its values."""
    query = parse(text)
    kind = "phrases" if query.quoted else "word" if len(query.include) == 1 else "words"
    values = {"match": to_tsquery(query), "newest": newest, "matches": matches, "some": some}
    rest = {
        "author": None,
        "tags": tags,
        "status": None,
        "since": 0,
        "recent": 0,
        "limit": limit,
        "offset": 0,
    }
    return STATEMENTS[f"search.find_{kind}"], {**values, **rest}


def ranked(url: str, text: str, newest: int, matches: int, **more: Any) -> list[int]:
    """The numbers of the texts that are found, best first."""
    rows = asyncio.run(rows_of(url, *asked(text, newest, matches, **more)))
    return [int(row[0]) for row in rows]


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
    assert ranked(url, 'every -"some every"', POSTS, 3000) == newest
    assert ranked(url, 'every -"every some"', POSTS, 3000) == expected(1, POSTS, 3000)
    assert ranked(url, 'every -rare -"some every"', POSTS, 3000) == [
        number for number in newest if number % 977
    ]
    assert ranked(url, '"every" -some', POSTS, 3000) == newest
    assert ranked(url, '"some every" "every" -rare', POSTS, 3000) == [
        number for number in expected(40, POSTS, 3000) if number % 977
    ]
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


def test_all_texts_are_looked_at_when_the_best_are_of_too_few_threads(url: str) -> None:
    for text in ("rare", "every some rare", '"some every" rare'):
        assert ranked(url, text, POSTS, 3000, some=10) == ranked(url, text, POSTS, 3000)


@pytest.mark.parametrize("text", ["every", "every some rare", '"every" some rare', '"every" -some'])
def test_the_best_are_the_same_whether_all_are_looked_at_or_not(url: str, text: str) -> None:
    every = ranked(url, text, POSTS, 9_000)
    for wanted in (1, 5, 10, 300):
        assert ranked(url, text, POSTS, 9_000, some=wanted, limit=wanted) == every[:wanted]


@pytest.mark.parametrize(("tags", "step"), [('["by 2", "by 7"]', 14), ('["by 7", "by 50"]', 350)])
@pytest.mark.parametrize("text", ["every", "every some rare", '"some every" rare'])
def test_threads_have_all_the_tags_whether_all_are_looked_at_or_not(
    url: str, text: str, tags: str, step: int
) -> None:
    every = [number for number in ranked(url, text, POSTS, 9_000) if number % step == 0]
    for wanted in (1, 5, 300):
        found = ranked(url, text, POSTS, 9_000, some=wanted, limit=wanted, tags=tags)
        assert found == every[:wanted]
    assert ranked(url, text, POSTS, 9_000, tags='["by 2", "elsewhere"]') == []


def test_common_words_are_not_looked_for_further_than_needed(url: str) -> None:
    async def texts_read(word: str) -> float:
        connection = await asyncpg.connect(url)
        text, values = asked(word, POSTS, 5000)
        sql, names = statements.positional(text)
        plan = await connection.fetchval(
            f"EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) {sql}", *(values[name] for name in names)
        )
        await connection.close()
        return sum(_texts_read(json.loads(plan)[0]["Plan"]))

    assert 5000 <= asyncio.run(texts_read("every")) <= 5000 + 2 * BLOCK


def _texts_read(plan: dict[str, Any]) -> Iterator[float]:
    if plan["Node Type"] == "Bitmap Heap Scan" and plan["Relation Name"] == "post_index":
        yield plan["Actual Rows"] * plan["Actual Loops"]
    for part in plan.get("Plans", []):
        yield from _texts_read(part)
