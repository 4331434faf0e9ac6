"""What the engine makes of a server that stops waiting or says good-bye in between."""

import asyncio
import os
import signal
import struct
from collections.abc import Iterator
from typing import Any, cast

import pytest
from asyncpg import InternalClientError

from stoa.clock import SystemClock
from stoa.store.engines.postgres.connection import connect
from stoa.store.engines.postgres.errors import Meaning, meaning
from stoa.store.engines.postgres.store import PostgresStore
from stoa.store.tx import StoreUnavailable, Tx
from tests.support.postgresql import PostgreSQL
from tests.support.soaking import few

WAITS = "SELECT pid FROM pg_stat_activity WHERE wait_event = 'SyncRep'"
IS_LOCKED_OUT = """
SELECT EXISTS (SELECT FROM pg_stat_activity
WHERE wait_event_type = 'Lock' AND datname = current_database())
"""


@pytest.fixture
def alone() -> Iterator[str]:
    """The address of a database in which every commit waits for a standby that never comes."""
    running = PostgreSQL(durable=True)
    url = running.new()
    running.do("ALTER SYSTEM SET synchronous_standby_names = 'nobody'")
    running.do("SELECT pg_reload_conf()")
    yield url
    running.stop()


async def stop_somebodys_wait(url: str) -> None:
    """Cancel the first commit that waits, as an administrator may."""
    administrator = await connect(url)
    while not (pid := await administrator.fetchval(WAITS)):  # noqa: ASYNC110 - nothing tells
        await asyncio.sleep(0.01)
    await administrator.execute(f"SELECT pg_cancel_backend({pid})")
    await administrator.close()


async def write(tx: Tx) -> None:
    await tx.run("sessions.insert_secret", name="x", value=b"x")


async def secret(tx: Tx) -> object:
    return await tx.one("sessions.secret", name="x")


@pytest.mark.promise("D11")
@pytest.mark.parametrize("told", few(["notice", "error"]))
def test_a_commit_that_no_longer_waits_for_a_standby_is_not_acknowledged(
    alone: str, told: str
) -> None:
    """Whatever the database is set to tell its users."""

    async def run() -> None:
        administrator = await connect(alone)
        await administrator.execute("SET synchronous_commit = local")
        await administrator.execute(f"ALTER ROLE postgres SET client_min_messages = {told}")
        await administrator.close()
        store = PostgresStore(alone, SystemClock(), connections=1, timeout_s=30)
        stopping = asyncio.create_task(stop_somebodys_wait(alone))
        with pytest.raises(StoreUnavailable, match="in doubt"):
            await store.write(write)
        await stopping
        await store.close()

    asyncio.run(run())


def good_bye(code: str, words: str) -> bytes:
    fields = [b"SFATAL", b"VFATAL", b"C" + code.encode(), b"M" + words.encode(), b"", b""]
    body = b"\0".join(fields)
    return b"E" + struct.pack("!I", len(body) + 4) + body


def test_a_good_bye_between_two_statements_means_that_the_connection_is_lost(
    postgresql: PostgreSQL,
) -> None:
    """A pool in front sends it when its own connection to the server broke."""

    async def run() -> None:
        connection = await connect(postgresql.url())
        await connection.execute("BEGIN")
        protocol = cast(Any, connection)._protocol
        protocol.data_received(good_bye("08P01", "server conn crashed?"))
        with pytest.raises(InternalClientError) as caught:
            await connection.execute("SELECT 1")
        assert meaning(caught.value, connection) is Meaning.LOST

    asyncio.run(run())


@pytest.mark.parametrize("single", [True, False])
def test_a_read_on_a_server_that_hangs_is_refused_in_time_and_not_tried_again(
    postgresql: PostgreSQL, single: bool
) -> None:
    url = postgresql.new()

    async def run() -> None:
        store = PostgresStore(url, SystemClock(), connections=1, timeout_s=3)
        backend = await store.read(pid)
        os.kill(backend, signal.SIGSTOP)
        try:
            with pytest.raises(StoreUnavailable):
                await store.read(pid, single=single)
        finally:
            os.kill(backend, signal.SIGCONT)
        assert await store.read(pid) != backend
        await store.close()

    asyncio.run(run())


@pytest.mark.parametrize("gives_up", [True, False])
def test_a_statement_that_takes_too_long_ends_on_the_server_too(
    postgresql: PostgreSQL, gives_up: bool
) -> None:
    """Where no transaction tells the server of a time-out, and where the caller goes away."""
    url = postgresql.new()

    async def run() -> None:
        store = PostgresStore(url, SystemClock(), connections=2, timeout_s=60 if gives_up else 2)
        other, looking = await connect(url), await connect(url)
        async with other.transaction():
            await other.execute("LOCK TABLE secret")
            reading = asyncio.create_task(store.read(secret, single=True))
            while gives_up and not await looking.fetchval(IS_LOCKED_OUT):  # noqa: ASYNC110
                await asyncio.sleep(0.01)  # nothing tells
            if gives_up:
                reading.cancel()
            with pytest.raises(asyncio.CancelledError if gives_up else StoreUnavailable):
                await reading
            async with asyncio.timeout(30):
                while await looking.fetchval(IS_LOCKED_OUT):  # noqa: ASYNC110
                    await asyncio.sleep(0.01)
        assert store.trouble is None
        assert await store.read(secret, single=True) is None
        await asyncio.gather(other.close(), looking.close())
        await store.close()

    asyncio.run(run())


@pytest.mark.long
def test_nothing_waits_for_a_server_that_hangs_longer_than_the_operator_says(
    postgresql: PostgreSQL,
) -> None:
    """Neither who finds a connection free nor who waits for one."""
    url, most_s = postgresql.new(), 15

    async def run() -> None:
        loop = asyncio.get_running_loop()
        store = PostgresStore(url, SystemClock(), connections=1, timeout_s=most_s)
        backend = await store.read(pid)
        os.kill(backend, signal.SIGSTOP)
        begun = loop.time()
        try:
            calls = (store.write(pid), store.read(pid), store.read(pid, single=True))
            ended = await asyncio.gather(*calls, return_exceptions=True)
        finally:
            os.kill(backend, signal.SIGCONT)
        assert all(isinstance(error, StoreUnavailable) for error in ended), ended
        assert loop.time() - begun < 2 * most_s
        await store.close()

    asyncio.run(run())


@pytest.mark.parametrize("writes", [True, False])
def test_a_call_that_had_begun_when_the_server_hung_ends_in_the_same_time(
    postgresql: PostgreSQL, writes: bool
) -> None:
    """There is one end for all that a call does, its attempts and its waiting."""
    url, most_s = postgresql.new(), 4
    stopped: list[int] = []

    async def work(tx: Tx) -> None:
        backend = await pid(tx)
        stopped.append(backend)
        os.kill(backend, signal.SIGSTOP)
        await pid(tx)

    async def run() -> None:
        loop = asyncio.get_running_loop()
        store = PostgresStore(url, SystemClock(), connections=1, timeout_s=most_s)
        await store.read(pid)
        begun = loop.time()
        try:
            with pytest.raises(StoreUnavailable, match=r"^the call took longer than [0-9.]+ s$"):
                await (store.write(work) if writes else store.read(work))
        finally:
            for backend in stopped:
                os.kill(backend, signal.SIGCONT)
        assert len(stopped) == 1
        assert loop.time() - begun < 2 * most_s
        await store.close()

    asyncio.run(run())


async def pid(tx: Tx) -> int:
    """Which process of the server answers."""
    connection = cast(Any, tx)._connection
    return await connection.fetchval("SELECT pg_backend_pid()")


def test_an_error_of_the_library_on_an_open_connection_is_a_defect(
    postgresql: PostgreSQL,
) -> None:
    async def run() -> None:
        connection = await connect(postgresql.url())
        assert meaning(InternalClientError("no codec"), connection) is Meaning.DEFECT
        await connection.close()

    asyncio.run(run())
