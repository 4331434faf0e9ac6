"""Lists on PostgreSQL: each has an index in its order, and no page costs more than another."""

import asyncio
import json
from collections.abc import Coroutine, Iterable, Iterator
from typing import Any, TypeVar

import asyncpg
import pytest

from stoa.store import statements
from tests.store.test_filter_plans import COMMON, RARE, offers
from tests.store.test_inbox_plans import INBOXES, inbox_values
from tests.store.test_query_plans import (
    ANSWERS,
    BEST,
    BEST_LATE,
    FOCUS,
    FOLLOWING,
    PAGED,
    PAGES,
    SORTED_BY_NATURE,
    WIDE_TREES,
    page_values,
)
from tests.store.test_session_plans import CHANGES, KEY_CHANGE, OF_AGENT, SESSIONS, hashes
from tests.support.many_rows import FITTING, ROWS, TABLES, TOP, term
from tests.support.postgresql import PostgreSQL

T = TypeVar("T")
STATEMENTS = {
    name: statements.positional(sql) for name, sql in statements.load("postgresql").items()
}
# What is left when an index gives the order. A list that no index can serve is sorted all the same.
ONLY_IF_NEEDED = ("enable_seqscan", "enable_sort", "enable_bitmapscan", "enable_incremental_sort")


class Database:
    """One connection to a filled database."""

    def __init__(self, url: str) -> None:
        self._runner = asyncio.Runner()
        self.connection: asyncpg.Connection[Any] = self.run(asyncpg.connect(url))

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Wait for something."""
        return self._runner.run(work)

    def close(self) -> None:
        """Close the connection."""
        self.run(self.connection.close())
        self._runner.close()

    async def fill(self) -> None:
        """Put the rows in."""
        for table, row in TABLES.items():
            rows = [row(number) for number in range(ROWS)]
            await self.connection.copy_records_to_table(table, records=rows)
        await self.connection.execute("ANALYZE")

    async def plan(
        self, name: str, without: Iterable[str] = ONLY_IF_NEEDED
    ) -> list[dict[str, Any]]:
        """The steps of a statement whose values are not known yet, `without` some ways."""
        sql, names = STATEMENTS[name]
        async with self.connection.transaction():
            for setting in without:
                await self.connection.execute(f"SET LOCAL {setting} = off")
            await self.connection.execute("SET LOCAL plan_cache_mode = force_generic_plan")
            await self.connection.execute(f"PREPARE asked AS {sql}")
            nothing = ", ".join(["NULL"] * len(names))
            found = await self.connection.fetchval(
                f"EXPLAIN (FORMAT JSON) EXECUTE asked({nothing})"
            )
            await self.connection.execute("DEALLOCATE asked")
        return list(_steps(json.loads(found)[0]["Plan"]))

    async def touched(self, name: str, values: dict[str, Any]) -> tuple[int, int]:
        """How many rows the steps of a statement looked at, and how many it gave."""
        sql, names = STATEMENTS[name]
        explain = f"EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) {sql}"
        async with self.connection.transaction():
            # Of so few rows it may be cheaper to read a whole table once than to look some up.
            await self.connection.execute("SET LOCAL enable_hashjoin = off")
            await self.connection.execute("SET LOCAL enable_mergejoin = off")
            found = await self.connection.fetchval(explain, *(values[name] for name in names))
        plan = json.loads(found)[0]["Plan"]
        return sum(map(_rows, _steps(plan))), plan["Actual Rows"]


def _rows(step: dict[str, Any]) -> int:
    each = step["Actual Rows"] + step.get("Rows Removed by Filter", 0)
    return int(each * step["Actual Loops"])


def _steps(plan: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield plan
    for step in plan.get("Plans", []):
        yield from _steps(step)


@pytest.fixture(scope="module")
def database(postgresql: PostgreSQL) -> Iterator[Database]:
    url = postgresql.new()
    database = Database(url)
    database.run(database.fill())
    yield database
    database.close()
    postgresql.drop(url)


def test_a_paged_statement_neither_sorts_nor_scans_a_table(database: Database) -> None:
    for name in [name for name in PAGED if name not in SORTED_BY_NATURE]:
        kinds = {step["Node Type"] for step in database.run(database.plan(name))}
        assert kinds & {"Sort", "Incremental Sort", "Seq Scan"} == set()


@pytest.mark.parametrize("name", FOLLOWING)
def test_texts_that_the_search_index_asks_for_are_found_by_indexes(
    database: Database, name: str
) -> None:
    kinds = {step["Node Type"] for step in database.run(database.plan(name))}
    assert "Seq Scan" not in kinds


def test_an_index_tells_that_no_hold_is_due(database: Database) -> None:
    kinds = {step["Node Type"] for step in database.run(plan_among_open_holds(database))}
    assert "Seq Scan" not in kinds


async def plan_among_open_holds(database: Database) -> list[dict[str, Any]]:
    """How it is found out whether one of many holds is due."""
    transaction = database.connection.transaction()
    await transaction.start()
    await database.connection.execute("SET LOCAL session_replication_role = replica")
    await database.connection.execute(
        "INSERT INTO hold (id, type, subject_id, agent_id, amount, status, created_at, expires_at) "
        "SELECT 'job_' || n, 'job', 'job_' || n, 'ag_' || n, 1, 'OPEN', n, n "
        f"FROM generate_series(1, {ROWS}) n"
    )
    await database.connection.execute("ANALYZE hold")
    steps = await database.plan("holds.any_due", without=())
    await transaction.rollback()
    return steps


@pytest.mark.parametrize("name", PAGES)
def test_a_late_page_looks_at_as_few_rows_as_the_first(database: Database, name: str) -> None:
    first, late = (database.run(database.touched(name, values)) for values in page_values(name))
    assert first[1] == late[1] == 21
    assert max(first[0], late[0]) < 21 * 12


@pytest.mark.parametrize("name", INBOXES)
def test_an_inbox_looks_only_at_offers_that_fit(database: Database, name: str) -> None:
    few, rows = database.run(database.touched(name, inbox_values(["x"])))
    assert rows == INBOXES[name]
    assert few < 20 * FITTING
    assert database.run(database.touched(name, inbox_values([*map(term, range(ROWS))])))[0] > ROWS


@pytest.mark.parametrize("name", RARE)
def test_a_list_of_offers_looks_at_its_page_alone(database: Database, name: str) -> None:
    looked_at, rows = database.run(touched_with_one_tag(database, name, offers(name, RARE)))
    assert (rows, looked_at < 100) == (0, True)
    looked_at, rows = database.run(touched_with_one_tag(database, name, offers(name, COMMON)))
    assert (rows, looked_at < 21 * 15) == (21, True)


async def touched_with_one_tag(
    database: Database, name: str, values: dict[str, Any]
) -> tuple[int, int]:
    """The same as `touched`, where everything on offer has the same tag."""
    transaction = database.connection.transaction()
    await transaction.start()
    await database.connection.execute("UPDATE opportunity_term SET term = 'x'")
    await database.connection.execute("ANALYZE opportunity_term")
    touched = await database.touched(name, values)
    await transaction.rollback()
    return touched


@pytest.mark.parametrize("tree", WIDE_TREES)
def test_a_reply_is_shown_by_as_many_rows_however_many_are_below_it(
    database: Database, tree: str
) -> None:
    touching = touched_after(database, "replies.descendants", FOCUS, WIDE_TREES[tree])
    looked_at, found = database.run(touching)
    assert found == 101
    assert looked_at < 101 * 25 < ROWS


@pytest.mark.parametrize("name", BEST)
def test_the_best_answers_are_found_without_a_look_at_others(database: Database, name: str) -> None:
    for place in ({"worth": TOP}, BEST_LATE):
        touching = touched_after(database, name, {**BEST[name], **place}, ANSWERS)
        looked_at, found = database.run(touching)
        assert (found, looked_at < 21 * 15) == (21, True)


ALIVE = "UPDATE token SET revoked_at = NULL, ends_at = expires_at + 1"


@pytest.mark.parametrize("name", SESSIONS)
def test_the_work_of_an_agents_sessions_does_not_grow_with_those_that_have_ended(
    database: Database, name: str
) -> None:
    looked_at, _ = database.run(touched_after(database, name, OF_AGENT))
    assert SESSIONS[name] <= looked_at < 20 * FITTING
    assert database.run(touched_after(database, name, OF_AGENT, ALIVE))[0] >= ROWS


def test_a_posted_token_ends_without_a_look_at_others(database: Database) -> None:
    values = {**OF_AGENT, "hashes": hashes([5])}
    looked_at, _ = database.run(touched_after(database, "sessions.revoke_tokens", values, ALIVE))
    assert 1 <= looked_at < 50


@pytest.mark.parametrize("name", CHANGES)
def test_a_change_of_keys_takes_no_longer_for_those_before(database: Database, name: str) -> None:
    looked_at, _ = database.run(touched_after(database, name, KEY_CHANGE))
    assert 1 <= looked_at < 50
    whole = touched_after(database, "key_changes.of_agent", KEY_CHANGE)
    assert database.run(whole)[0] >= ROWS


async def touched_after(
    database: Database, name: str, values: dict[str, Any], first: str = "SELECT 1"
) -> tuple[int, int]:
    """The same as `touched`, after another statement, and undone. So few rows are soonest found by
    walking them all, which is ruled out."""
    transaction = database.connection.transaction()
    await transaction.start()
    await database.connection.execute(first)
    await database.connection.execute("ANALYZE reply, token")
    for needless in ("enable_seqscan", "enable_bitmapscan"):
        await database.connection.execute(f"SET LOCAL {needless} = off")
    touched = await database.touched(name, values)
    await transaction.rollback()
    return touched
