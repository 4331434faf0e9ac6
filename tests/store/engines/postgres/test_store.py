"""The engine on PostgreSQL: transactions, what their errors mean, and the pool they run on."""

import asyncio
import time
from collections.abc import Callable, Coroutine
from contextlib import AbstractAsyncContextManager, suppress
from typing import Any, cast

import asyncpg
import pytest
from asyncpg.connection import LoggedQuery

from stoa.clock import SystemClock
from stoa.domain.errors import Refusal
from stoa.store import agents, sessions
from stoa.store.agents import AgentProfile
from stoa.store.engines.postgres.alone import open_alone
from stoa.store.engines.postgres.copying import open_source, open_target
from stoa.store.engines.postgres.pool import WAITING_PER_CONNECTION
from stoa.store.engines.postgres.store import PAUSES_S, PostgresStore, read_once, write_once
from stoa.store.tx import StoreUnavailable, Tx
from tests.support.clock import DAY, START, VirtualClock
from tests.support.database import rows
from tests.support.logs import logged
from tests.support.postgresql import PostgreSQL

Test = Callable[[PostgresStore], Coroutine[Any, Any, None]]


def run(url: str, test: Test, *, connections: int = 4, timeout_s: int = 30) -> None:
    """Run a test on an open store."""

    async def through() -> None:
        store = await PostgresStore(url, VirtualClock(), connections, timeout_s).start()
        try:
            await test(store)
        finally:
            await store.close()

    asyncio.run(through())


@pytest.fixture
def url(postgresql: PostgreSQL) -> str:
    return postgresql.new()


async def note(tx: Tx, name: str) -> None:
    """A change that can be seen."""
    await tx.run("sessions.insert_secret", name=name, value=b"x")


async def noted(store: PostgresStore) -> set[str]:
    async def read(tx: Tx) -> set[str]:
        return {name for name in "abc" if await tx.one("sessions.secret", name=name)}

    return await store.read(read)


async def now(tx: Tx) -> int:
    return tx.now


def test_a_command_counts_with_the_time_of_the_database(url: str) -> None:
    ahead = SystemClock(machine_us=lambda: time.time_ns() // 1000 + 1000 * DAY)
    for once in (read_once, write_once):
        assert abs(asyncio.run(once(url, ahead, now)) - time.time() * 1000) < DAY / 2


def test_a_copy_and_an_import_count_with_the_time_of_the_database(url: str) -> None:
    async def opened(
        opening: Callable[[str, SystemClock], AbstractAsyncContextManager[object]],
    ) -> int:
        ahead = SystemClock(machine_us=lambda: time.time_ns() // 1000 + 1000 * DAY)
        async with opening(url, ahead):
            return ahead()

    for opening in (open_source, open_target, open_alone):
        assert abs(asyncio.run(opened(opening)) - time.time() * 1000) < DAY / 2


def test_changes_of_several_kinds_that_waited_are_made_at_once(url: str) -> None:
    sent: list[str] = []

    def note(query: LoggedQuery) -> None:
        sent.append(query.query)

    async def test(store: PostgresStore) -> None:
        async def act(tx: Tx) -> None:
            await agents.insert(tx, "ag_1", bytes(32), AgentProfile("ada"), "")
            connection = cast(Any, tx)._connection
            connection.add_query_logger(note)
            tx.defer("agents.seen", agent_id="ag_1", at=tx.now + 1)
            tx.defer(
                "receipts.insert",
                id="rc_1",
                action="a",
                resource_type="job",
                resource_id="job_1",
                agent_id="ag_1",
                at=tx.now,
            )
            await tx.put("sessions.insert_secret", name="a", value=b"x")

        await store.write(act)

    run(url, test)
    commit = [sql for sql in sent if "COMMIT" in sql]
    assert len(sent) == len(commit) + 1 == 2
    found = asyncio.run(
        rows(
            url,
            "SELECT r.id, last_seen_at > created FROM receipt r, "
            "(SELECT last_seen_at, created_at AS created FROM agent) a ORDER BY r.id",
        )
    )
    assert found == [("rc_1", True)]


def test_work_that_raises_is_undone_and_its_connection_used_again(url: str) -> None:
    async def test(store: PostgresStore) -> None:
        async def refuse(tx: Tx) -> None:
            await note(tx, "a")
            raise Refusal("not_found")

        for _ in range(10):
            with pytest.raises(Refusal):
                await store.write(refuse)
        await store.write(lambda tx: note(tx, "b"))
        assert await noted(store) == {"b"}

    run(url, test, connections=1)


def test_a_read_that_is_done_when_its_connection_ends_is_answered_and_no_failure(url: str) -> None:
    async def test(store: PostgresStore) -> None:
        async def read_late(tx: Tx) -> int:
            cast(Any, tx)._connection.terminate()  # as when its time is over
            return tx.now

        assert await store.read(read_late) == START
        assert await noted(store) == set()

    with logged() as lines:
        run(url, test, connections=1)
    assert lines == []


def test_a_statement_that_fails_unseen_lets_nothing_be_committed(url: str) -> None:
    async def test(store: PostgresStore) -> None:
        async def swallow(tx: Tx) -> None:
            await note(tx, "a")
            with suppress(asyncpg.PostgresError):
                await sessions.insert_token(tx, b"x", "nobody", "ses_1", 1, 1)

        with pytest.raises(asyncpg.PostgresError):
            await store.write(swallow)
        assert await noted(store) == set()

    run(url, test)


def test_a_read_sees_one_snapshot_and_cannot_write(url: str) -> None:
    async def test(store: PostgresStore) -> None:
        async def read(tx: Tx) -> tuple[object, object]:
            before = await tx.one("sessions.secret", name="a")
            await store.write(lambda other: note(other, "a"))
            return before, await tx.one("sessions.secret", name="a")

        assert await store.read(read) == (None, None)
        with pytest.raises(StoreUnavailable):
            await store.read(lambda tx: note(tx, "b"))
        assert await noted(store) == {"a"}

    run(url, test)


def test_two_transactions_that_wait_for_each_other_both_succeed(url: str) -> None:
    async def test(store: PostgresStore) -> None:
        await store.write(lambda tx: sessions.keep_secret(tx, "a", b"0"))
        both = asyncio.Barrier(2)
        attempts = 0

        async def cross(tx: Tx, first: str, second: str) -> None:
            nonlocal attempts
            attempts += 1
            await tx.lock("key", first)
            if attempts <= 2:
                await both.wait()
            await tx.lock("key", second)

        await asyncio.gather(
            store.write(lambda tx: cross(tx, "x", "y")), store.write(lambda tx: cross(tx, "y", "x"))
        )
        assert attempts == 3

    run(url, test)


def test_work_that_always_meets_another_is_refused_in_the_end(url: str) -> None:
    async def test(store: PostgresStore) -> None:
        attempts = 0

        async def collide(tx: Tx) -> None:
            nonlocal attempts
            attempts += 1
            raise asyncpg.SerializationError("another was quicker")

        with pytest.raises(StoreUnavailable, match="another was quicker"):
            await store.write(collide)
        assert attempts == len(PAUSES_S) + 1

    run(url, test)


def test_who_waits_for_a_lock_too_long_is_refused(url: str) -> None:
    async def test(store: PostgresStore) -> None:
        held, free = asyncio.Event(), asyncio.Event()

        async def hold(tx: Tx) -> None:
            await tx.lock("key", "x")
            held.set()
            await free.wait()

        holding = asyncio.create_task(store.write(hold))
        await held.wait()
        with pytest.raises(StoreUnavailable, match="55P03"):
            await store.write(lambda tx: tx.lock("key", "x"))
        free.set()
        await asyncio.wait([holding])  # whose own time may be over

    run(url, test, timeout_s=5)


def test_more_than_may_wait_for_a_connection_are_refused_at_once(url: str) -> None:
    async def test(store: PostgresStore) -> None:
        held, free = asyncio.Event(), asyncio.Event()

        async def hold(tx: Tx) -> None:
            held.set()
            await free.wait()

        async def nothing(tx: Tx) -> None:
            """Would be done in no time."""

        holding = asyncio.create_task(store.write(hold))
        await held.wait()
        waiting = [asyncio.create_task(store.read(nothing)) for _ in range(WAITING_PER_CONNECTION)]
        await asyncio.sleep(0)
        with pytest.raises(StoreUnavailable, match="too many"):
            await store.read(nothing)
        assert store.trouble is None
        free.set()
        await asyncio.gather(holding, *waiting)

    run(url, test, connections=1)


def test_who_waits_for_a_connection_too_long_is_refused(url: str) -> None:
    async def test(store: PostgresStore) -> None:
        held, free = asyncio.Event(), asyncio.Event()

        async def hold(tx: Tx) -> None:
            held.set()
            await free.wait()

        holding = asyncio.create_task(store.write(hold))
        await held.wait()
        with pytest.raises(StoreUnavailable, match="too long"):
            await noted(store)
        free.set()
        await asyncio.wait([holding])  # whose own time may be over
        assert await noted(store) == set()

    run(url, test, connections=1, timeout_s=3)


def test_a_transaction_that_does_not_end_is_ended(url: str) -> None:
    async def test(store: PostgresStore) -> None:
        async def go_on_and_on(tx: Tx) -> None:
            await note(tx, "b")
            while True:  # one statement after the other, none of which takes long
                await tx.one("sessions.secret", name="a")
                await asyncio.sleep(0.05)

        with pytest.raises(StoreUnavailable):
            await store.write(go_on_and_on)
        assert await noted(store) == set()

    run(url, test, timeout_s=2)


def test_a_cancelled_call_leaves_nothing_behind(url: str) -> None:
    async def test(store: PostgresStore) -> None:
        begun = asyncio.Event()

        async def wait(tx: Tx) -> None:
            await note(tx, "a")
            begun.set()
            await asyncio.Event().wait()

        for _ in range(5):
            task = asyncio.create_task(store.write(wait))
            await begun.wait()
            begun.clear()
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
        await store.write(lambda tx: note(tx, "b"))
        assert await noted(store) == {"b"}

    run(url, test, connections=1)


def test_connections_that_the_server_ended_are_replaced_unnoticed(url: str) -> None:
    async def test(store: PostgresStore) -> None:
        await asyncio.gather(*(noted(store) for _ in range(4)))
        end = (
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            "WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )
        assert len(await rows(url, end)) >= 1
        for name in "abc":
            await store.write(lambda tx, name=name: note(tx, name))
        assert await noted(store) == {"a", "b", "c"}

    run(url, test)


def test_a_connection_that_ends_in_the_middle_is_503_and_the_next_call_succeeds(url: str) -> None:
    async def test(store: PostgresStore) -> None:
        async def lose(tx: Tx) -> None:
            await note(tx, "a")
            end = (
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                "WHERE datname = current_database() AND state = 'idle in transaction'"
            )
            assert len(await rows(url, end)) == 1
            await note(tx, "b")

        with pytest.raises(StoreUnavailable):
            await store.write(lose)
        await store.write(lambda tx: note(tx, "c"))
        assert await noted(store) == {"c"}

    run(url, test)


def test_a_statement_whose_result_changed_is_prepared_anew(url: str) -> None:
    async def test(store: PostgresStore) -> None:
        await store.write(lambda tx: note(tx, "a"))
        await noted(store)
        await rows(url, "ALTER TABLE secret ALTER COLUMN value TYPE TEXT USING 'y'")
        assert await noted(store) == {"a"}

    run(url, test, connections=1)


def test_a_closed_store_answers_nobody(url: str) -> None:
    async def test(store: PostgresStore) -> None:
        await store.close()
        with pytest.raises(StoreUnavailable):
            await noted(store)

    run(url, test)


def test_time_is_that_of_the_database_unless_a_clock_is_given(url: str) -> None:
    async def time_of(clock: SystemClock | VirtualClock) -> int:
        store = await PostgresStore(url, clock, 1, 10).start()
        try:

            async def read(tx: Tx) -> int:
                return tx.now

            return await store.read(read)
        finally:
            await store.close()

    def an_hour_ago() -> int:
        return time.time_ns() // 1000 - 3_600_000_000

    given = asyncio.run(time_of(VirtualClock()))
    assert given == START
    before = SystemClock()()
    assert before - 1000 <= asyncio.run(time_of(SystemClock(an_hour_ago))) <= SystemClock()() + 1000
