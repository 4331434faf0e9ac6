"""A PostgreSQL database that no server uses, written to in large transactions."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from typing import Any

import asyncpg
from asyncpg import exceptions as errors

from stoa.clock import Clock
from stoa.store.engines.postgres import migrations as postgres_migrations
from stoa.store.engines.postgres.connection import APPLICATION, PostgresConnection, opened, place
from stoa.store.engines.postgres.errors import said
from stoa.store.engines.postgres.tx import PostgresTx
from stoa.store.engines.postgres.watch import follow_time
from stoa.store.tx import StartRefused, StoreUnavailable, Timed, Work

_NAME = f"{APPLICATION}-import"
_LOCK = int.from_bytes(b"StoaCopy")
_LOCK_WAIT = "SET lock_timeout = '5s'"  # a program that was killed is gone by then
_NO_LIMITS = (
    "SET lock_timeout = 0; SET statement_timeout = 0; SET idle_in_transaction_session_timeout = 0"
)
_LOOKS, _LOOK_S = 50, 0.02
"""The sessions of a server that was just stopped may need so many looks to end."""

USED = """
SELECT EXISTS (SELECT 1 FROM pg_stat_activity
               WHERE datname = current_database() AND application_name = $1)
"""
_FAULTS = (asyncpg.PostgresError, asyncpg.InterfaceError, OSError)


@asynccontextmanager
async def open_alone(
    url: str,
    clock: Clock | None = None,
    *,
    disposable: bool = False,  # noqa: ARG001 - the server of the database decides
) -> AsyncGenerator["PostgresAlone"]:
    """A database that no server uses. Raises `StartRefused`."""
    async with opened(url, _NAME) as connection:
        await postgres_migrations.refuse_unfinished(connection, place(url))
        await postgres_migrations.check_current(connection, place(url))
        await hold(connection, place(url))
        alone = PostgresAlone(place(url), connection)
        await alone.refuse_served()
        await follow_time(connection, clock)
        yield alone


async def hold(connection: PostgresConnection, where: str) -> None:
    """Lock out other copies and imports, and lift all time limits. Raises `StartRefused` when one
    is running."""
    try:
        await connection.execute(_LOCK_WAIT)
        await connection.execute("SELECT pg_advisory_lock($1)", _LOCK)
    except errors.LockNotAvailableError:
        raise StartRefused(f"another copy or import to {where} is running") from None
    await connection.execute(_NO_LIMITS)


async def is_used(connection: PostgresConnection) -> bool:
    """Whether a server has the database open, and keeps it open."""
    for _ in range(_LOOKS):
        if not await connection.fetchval(USED, APPLICATION):
            return False
        await asyncio.sleep(_LOOK_S)
    return True


class PostgresAlone:
    """An `Alone` on a connection."""

    def __init__(self, where: str, connection: PostgresConnection) -> None:
        self.place = where
        self._connection = connection

    async def refuse_served(self) -> None:
        """Raise `StartRefused` when a server uses the database."""
        if await is_used(self._connection):
            raise StartRefused(f"{self.place} is served by a Stoa: stop it first")

    async def commit(self, works: Sequence[Timed]) -> list[Any]:
        try:
            await self.refuse_served()
            try:
                async with self._connection.transaction():
                    return [await self._run(at, work) for at, work in works]
            except _FAULTS:
                raise
            except Exception:
                # Not savepoints: the guard of the ledger wants to see one transaction.
                return [await self._apart(at, work) for at, work in works]
        except _FAULTS as error:
            raise StoreUnavailable(f"{self.place} cannot be written: {said(error)}") from error

    async def _apart(self, at: int, work: Work[Any]) -> Any:
        """The result of one piece of work in a transaction of its own."""
        try:
            async with self._connection.transaction():
                return await self._run(at, work)
        except _FAULTS:
            raise
        except Exception as error:
            return error

    async def _run(self, at: int, work: Work[Any]) -> Any:
        tx = PostgresTx(self._connection, lambda: at)
        outcome = await work(tx)
        await tx.finish()
        return outcome
