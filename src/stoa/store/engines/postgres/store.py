"""The engine for many processes and machines: PostgreSQL, one pool of connections per process."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import partial
from typing import Any, NoReturn, Self

import asyncpg

from stoa.clock import Clock, elapsed_ns
from stoa.logs import log
from stoa.metrics import Commits
from stoa.store.engines.postgres import migrations as postgres_migrations
from stoa.store.engines.postgres.connection import (
    PostgresConnection,
    connect,
    lift_limits,
    opened,
    place,
    refuse_forgetful_pool,
)
from stoa.store.engines.postgres.errors import Meaning, meaning, said
from stoa.store.engines.postgres.pool import Pool
from stoa.store.engines.postgres.signals import Signals
from stoa.store.engines.postgres.tx import PostgresTx
from stoa.store.engines.postgres.watch import OUTDATED, ServerWatch, follow_time
from stoa.store.engines.postgres.wiping import wipe
from stoa.store.tx import StartRefused, Store, StoreUnavailable, T, Work, WritingStopped

PAUSES_S = (0.0, 0.005, 0.02, 0.05, 0.1)
"""The backoff before each retry of a transaction that conflicted with another."""

_WAITING = 0.8
"""The part of the timeout that a call may wait for a connection; the rest is for its work."""
_STATEMENT = 0.9
"""The part of the timeout that a statement may take: so the server, if it still answers, ends it
before the call gives the connection up."""
_WORK_S = 2.0
"""The least time that a server has for the work of a call, even if the timeout is shorter."""

_WRITE = "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE"
_READ = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
# Settings of this transaction alone, in the same message: the next may be another program's.
_LIMITS = (
    "; SET LOCAL statement_timeout = {ms}; SET LOCAL lock_timeout = {lock_ms}"
    "; SET LOCAL idle_in_transaction_session_timeout = {idle_ms}; SET LOCAL jit = off"
)
# Every list reads a range of an index for any values, so a generic plan saves planning time.
# Nor do helpers and a cache for joins pay, which the planner gives to what a page leaves unread.
_PLANS = (
    "; SET LOCAL plan_cache_mode = force_generic_plan"
    "; SET LOCAL max_parallel_workers_per_gather = 0; SET LOCAL enable_memoize = off"
)
_NOT_WIPED = (
    "{where} may still have what was erased in dead rows: {said}; let a superuser GRANT "
    "pg_maintain to this user (PostgreSQL 17), or run this with the address of the owner"
)
# A time-out during COMMIT would report as done what no standby has, and a warning tells of the
# same; in a transaction that failed unnoticed SET is an error, where COMMIT alone would roll back
# and say nothing.
_COMMIT = "SET LOCAL statement_timeout = 0; SET LOCAL client_min_messages = warning; COMMIT"


class _Again(Exception):
    """Everything is rolled back; the work may succeed in another attempt."""


async def migrate(url: str) -> list[str]:
    """Bring a database to this program's schema; returns the names of the steps applied.

    Raises `StartRefused` with one line that says why not.
    """
    async with opened(url) as connection:
        await postgres_migrations.refuse_unfinished(connection, place(url))
        return await postgres_migrations.migrate(connection, place(url))


async def version(url: str) -> int:
    """The schema version of a database, 0 for an empty one. Raises `StartRefused` when it is not
    Stoa's, or of a newer program."""
    async with opened(url) as connection:
        return await postgres_migrations.check(connection, place(url), postgres_migrations.steps())


async def read_once(url: str, clock: Clock, work: Work[T]) -> T:
    """Read a database beside the servers that use it, without a time limit.

    Raises `StartRefused` when it does not have this program's schema.
    """
    async with opened(url) as connection:
        await postgres_migrations.check_current(connection, place(url))
        await follow_time(connection, clock)
        async with connection.transaction(isolation="repeatable_read", readonly=True):
            await lift_limits(connection)
            return await work(PostgresTx(connection, clock))


async def write_once(url: str, clock: Clock, work: Work[T]) -> T:
    """Change a database beside the servers that use it, in its time, as they do. Raises
    `StartRefused`."""
    async with opened(url) as connection:
        await postgres_migrations.refuse_unfinished(connection, place(url))
        await postgres_migrations.check_current(connection, place(url))
        await follow_time(connection, clock)
        async with connection.transaction():
            await lift_limits(connection)
            tx = PostgresTx(connection, clock)
            result = await work(tx)
            await tx.finish()
        return result


async def wipe_once(url: str) -> bool:
    """Wipe a database beside the servers that use it. Raises `StartRefused`, also where PostgreSQL
    has left a table as it was, of which it only warns."""
    async with opened(url) as connection:
        wiped = await wipe(connection)
        if connection.warnings:
            raise StartRefused(_NOT_WIPED.format(where=place(url), said=connection.warnings[0]))
    return wiped


class PostgresStore(Store):
    """A `Store` on one database, which other processes use too, with a pool of so many
    `connections`. No call takes longer than `timeout_s` seconds, or two more if they are few, even
    when the server hangs; no wait for a lock takes longer than half of it."""

    def __init__(
        self,
        url: str,
        clock: Clock,
        connections: int,
        timeout_s: int,
        *,
        replica: bool = False,
        commits: Commits | None = None,
    ) -> None:
        self._commits = commits
        self._clock = clock
        self._url = url
        reach = partial(connect, url, replica=replica)
        self._most_s = max(timeout_s, _WAITING * timeout_s + _WORK_S)
        self._pool = Pool(reach, connections, _WAITING * timeout_s)
        self.longest_ms = int(1000 * self._most_s)
        self._statement_s = _STATEMENT * timeout_s
        ms = int(1000 * self._statement_s)
        limits = _LIMITS.format(ms=ms, lock_ms=500 * timeout_s, idle_ms=self.longest_ms)
        self._begin_write = _WRITE + limits
        self._begin_read = _READ + limits + _PLANS
        # It is the primary's clock that counts.
        name = "replica" if replica else "database"
        known = 0 if replica else postgres_migrations.steps()[-1].number
        self._watch = ServerWatch(reach, None if replica else clock, name, known)
        self._signals = Signals(reach)

    async def start(self) -> Self:
        """Open a database that has this program's schema. Raises `StartRefused` with one line that
        says why not."""
        where = place(self._url)
        async with opened(self._url) as connection:
            await postgres_migrations.refuse_unfinished(connection, where)
            await postgres_migrations.check_current(connection, where)
        await refuse_forgetful_pool(self._url)
        await self._watch.start()
        self._signals.begin()
        return self

    def start_watching(self) -> None:
        """Start checking in the background whether the database answers."""
        self._watch.begin()

    async def read(self, work: Work[T], *, single: bool = False, **_: Any) -> T:
        # No work holds up the event loop here, and each has a connection.
        begin = None if single else self._begin_read
        # A rollback that fails is logged and does not affect the result.
        return await self._repeatedly(partial(self._attempt, work, begin, self._roll_back))

    async def read_after(self, check: Work[None], work: Work[T]) -> T:
        """Read on a connection where `check` has raised nothing just before the snapshot is taken:
        another connection may lead to another server."""
        read = partial(self._attempt, work, self._begin_read, self._roll_back, check=check)
        return await self._repeatedly(read)

    async def write(self, work: Work[T]) -> T:
        if self._watch.outdated:
            raise WritingStopped(OUTDATED)
        return await self._repeatedly(partial(self._attempt, work, self._begin_write, self._commit))

    async def wipe(self) -> bool:
        try:
            return await wipe_once(self._url)
        except StartRefused as error:
            raise StoreUnavailable(str(error)) from error

    def listen(self, told: Callable[[], None]) -> None:
        self._signals.told.append(told)

    @property
    def waiting(self) -> int:
        return self._pool.waiting

    @property
    def connections(self) -> int:
        return self._pool.used

    @property
    def trouble(self) -> str | None:
        return self._watch.trouble or (OUTDATED if self._watch.outdated else None)

    async def close(self) -> None:
        await self._signals.stop()
        await self._watch.stop()
        await self._pool.close()

    async def _repeatedly(self, attempt: Callable[[float], Awaitable[T]]) -> T:
        end_by = asyncio.get_running_loop().time() + self._most_s
        for pause in PAUSES_S:
            try:
                return await attempt(end_by)
            except _Again:
                await asyncio.sleep(pause)
        try:
            return await attempt(end_by)
        except _Again as again:
            raise StoreUnavailable(f"tried {len(PAUSES_S) + 1} times: {again}") from again

    async def _attempt(
        self,
        work: Work[T],
        begin: str | None,
        end: Callable[[PostgresConnection], Awaitable[None]],
        end_by: float,
        *,
        check: Work[None] | None = None,
    ) -> T:
        """Run `work` once, between the statement `begin` and the function `end`, after `check`."""
        loop = asyncio.get_running_loop()
        connection = await self._take(end_by)
        # The caller never waits longer than this, even if the network drops every packet.
        timer = loop.call_at(end_by, connection.terminate)
        begun = False
        try:
            if check:
                await check(PostgresTx(connection, self._clock))
            if begin:
                await connection.execute(begin)
                begun = True
            tx = PostgresTx(connection, self._clock, None if begin else self._statement_s)
            result = await work(tx)
            await tx.finish()
        except Exception as error:
            why = None
            if end_by <= loop.time():  # work that used up its time is not retried
                begun, why = True, f"the call took longer than {self._most_s:g} s"
            await self._failed(connection, error, begun=begun, why=why)
        except BaseException:  # the caller was cancelled; a statement may still run
            if begin:
                connection.terminate()
            # Without a transaction the server would not end the statement, but the library cancels
            # it before the connection is used again.
            raise
        else:
            await end(connection)
            if tx.adds_events:
                self._signals.wrote()
            return result
        finally:
            timer.cancel()
            self._pool.give(connection)

    async def _take(self, end_by: float) -> PostgresConnection:
        try:
            async with asyncio.timeout_at(end_by):
                return await self._pool.take()
        except StoreUnavailable:
            raise
        except Exception as error:
            self._watch.alarm()
            raise StoreUnavailable(f"no connection: {said(error)}") from error

    async def _failed(
        self,
        connection: PostgresConnection,
        error: Exception,
        *,
        begun: bool,
        why: str | None = None,
    ) -> NoReturn:
        """Roll back a failed attempt and raise the meaning of its error, for the reason that the
        error gives if no other is given."""
        what, why = meaning(error, connection), why or said(error)
        if isinstance(error, TimeoutError):
            begun, what = True, await self._cancelled(connection)
        if what in (Meaning.LOST, Meaning.STALE):
            self._leave(connection, what)
            # Before the first statement is done nothing can have happened, and the connection may
            # have been dead for long.
            if what is Meaning.STALE or not begun:
                raise _Again(why) from error
        elif begun:
            await self._roll_back(connection)
        if what is Meaning.AGAIN:
            raise _Again(why) from error
        if what is Meaning.DEFECT:
            await self._compare(connection, error)
            raise error
        raise StoreUnavailable(why) from error

    async def _cancelled(self, connection: PostgresConnection) -> Meaning:
        """Close a connection whose statement took too long, once the server has cancelled it, and
        tell a slow server from one that does not answer."""
        try:
            await connection.close()
        except Exception:
            return Meaning.LOST
        return Meaning.REFUSED

    async def _compare(self, connection: PostgresConnection, error: Exception) -> None:
        """Raise `WritingStopped` when a statement is invalid, or breaks a constraint, because a
        newer program has migrated the database, which the watch may not have noticed yet."""
        if isinstance(error, asyncpg.PostgresError):
            with suppress(Exception):
                await self._watch.compare(connection)
            if self._watch.outdated:
                raise WritingStopped(OUTDATED) from error

    async def _commit(self, connection: PostgresConnection) -> None:
        connection.warnings.clear()
        began_ns = elapsed_ns()
        try:
            done = await connection.execute(_COMMIT)
        except Exception as error:
            what = meaning(error, connection)
            if what is Meaning.LOST:
                self._leave(connection, what)
                raise StoreUnavailable(
                    f"the connection was lost during COMMIT, which may have happened: {said(error)}"
                ) from error
            await self._failed(connection, error, begun=True)
        except BaseException:
            connection.terminate()
            raise
        if self._commits:
            self._commits.times.observe((elapsed_ns() - began_ns) // 1000)
            self._commits.sizes.observe(1)
        if done != "COMMIT":
            raise RuntimeError(f"COMMIT became {done}")
        if connection.warnings:
            # The wait for the standbys was cancelled: the commit is on this server only.
            raise StoreUnavailable(f"COMMIT is in doubt: {'; '.join(connection.warnings)}")

    async def _roll_back(self, connection: PostgresConnection) -> None:
        try:
            if not connection.is_closed() and connection.is_in_transaction():
                await connection.execute("ROLLBACK")
        except Exception as error:
            log.info("rollback failed", reason=said(error))
            connection.terminate()
        except BaseException:
            connection.terminate()
            raise

    def _leave(self, connection: PostgresConnection, what: Meaning) -> None:
        """Never use this connection again, nor the idle ones beside it if the server is lost."""
        connection.terminate()
        if what is Meaning.LOST:
            self._pool.drop_idle()
            self._watch.alarm()
