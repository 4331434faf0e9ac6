"""A PostgreSQL database as the source or the target of a copy."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from stoa.clock import Clock
from stoa.store.engines import copy_statements as sql
from stoa.store.engines import unfinished
from stoa.store.engines.postgres import migrations as postgres_migrations
from stoa.store.engines.postgres.alone import USED, hold, is_used
from stoa.store.engines.postgres.connection import (
    APPLICATION,
    PostgresConnection,
    analyze,
    lift_limits,
    opened,
    place,
)
from stoa.store.engines.postgres.tx import PostgresTx
from stoa.store.engines.postgres.watch import follow_time
from stoa.store.transfer.copying import RowRange, Table, TableUpdate
from stoa.store.tx import Row, StartRefused

_NAME = f"{APPLICATION}-copy"
# The number of rows written so far; each session reports its own before it ends.
_WRITTEN = """
SELECT coalesce(sum(n_tup_ins + n_tup_upd + n_tup_del), 0)::bigint FROM pg_stat_user_tables
"""
_COLUMNS = """
SELECT attname FROM pg_attribute
WHERE attrelid = CAST(CAST($1 AS TEXT) AS REGCLASS) AND attnum > 0 AND NOT attisdropped
ORDER BY attnum
"""
_NEXT_POST = """
SELECT setval(pg_get_serial_sequence('post', 'id'), max(id)) FROM post HAVING max(id) IS NOT NULL
"""
_NEXT_EVENT = """
SELECT setval(pg_get_serial_sequence('event_log', 'seq'), max(seq)) FROM event_log
HAVING max(seq) IS NOT NULL
"""


@asynccontextmanager
async def open_source(url: str, clock: Clock) -> AsyncGenerator["PostgresSource"]:
    """A snapshot of a database. Raises `StartRefused`."""
    async with opened(url, _NAME) as connection:
        await postgres_migrations.check_current(connection, place(url))
        await postgres_migrations.refuse_unfinished(connection, place(url))
        await follow_time(connection, clock)
        # Checked before the snapshot: writes of a server that ended before are in the snapshot.
        served = await is_used(connection)
        written = int(await connection.fetchval(_WRITTEN))
        async with connection.transaction(isolation="repeatable_read", readonly=True):
            await lift_limits(connection)
            await connection.fetchval("SELECT count(*) FROM secret")
            yield PostgresSource(url, connection, clock, served=served, written=written)


@asynccontextmanager
async def open_target(url: str, clock: Clock) -> AsyncGenerator["PostgresTarget"]:
    """A database that no server uses and no other copy is written to. Raises `StartRefused`."""
    async with opened(url, _NAME) as connection:
        if await _is_unused(connection, place(url)):
            await postgres_migrations.migrate(connection, place(url))
        else:
            await postgres_migrations.check_current(connection, place(url))
        await hold(connection, place(url))
        await follow_time(connection, clock)
        yield PostgresTarget(url, connection, clock)


async def _is_unused(connection: PostgresConnection, where: str) -> bool:
    """Whether a database has nothing but some of the schema, which a killed program may have
    left."""
    if not await postgres_migrations.check(connection, where, postgres_migrations.steps()):
        return True
    return not await connection.fetchval(sql.IN_USE) and not await is_used(connection)


class _PostgresSide:
    def __init__(self, url: str, connection: PostgresConnection, clock: Clock) -> None:
        self.place = place(url)
        self.tx = PostgresTx(connection, clock)
        self._connection = connection

    async def columns(self, table: Table) -> tuple[str, ...]:
        return tuple(row[0] for row in await self._connection.fetch(_COLUMNS, table.name))

    async def count(self, table: Table) -> int:
        return int(await self._connection.fetchval(sql.count(table)))

    async def rows(self, which: RowRange) -> list[Row]:
        statement, values = sql.select(which)
        return [tuple(row) for row in await self._connection.fetch(statement, *values)]


class PostgresSource(_PostgresSide):
    """A snapshot of a database."""

    def __init__(
        self, url: str, connection: PostgresConnection, clock: Clock, *, served: bool, written: int
    ) -> None:
        super().__init__(url, connection, clock)
        self._served = served
        self._written = written

    async def is_served(self) -> bool:
        await self._connection.execute("SELECT pg_stat_clear_snapshot()")
        written = await self._connection.fetchval(_WRITTEN)
        used = await self._connection.fetchval(USED, APPLICATION)
        return bool(self._served or written != self._written or used)


class PostgresTarget(_PostgresSide):
    """A database that no server uses and no other copy is written to."""

    async def begin(self, identity: str, source: str) -> None:
        mark = await postgres_migrations.mark(self._connection)
        in_use = bool(await self._connection.fetchval(sql.IN_USE))
        if reason := sql.refusal(mark, identity, in_use=in_use):
            raise StartRefused(f"{self.place} {reason}")
        if mark:
            return
        async with self._connection.transaction():
            await self._connection.execute(unfinished.MAKE)
            await self._connection.execute(unfinished.ADD, identity, source)
        if await is_used(self._connection):
            await self._connection.execute(unfinished.DROP)
            raise StartRefused(f"{self.place} is served by a Stoa: stop it first")

    async def apply(self, changes: list[TableUpdate]) -> None:
        many = self._connection.executemany
        async with self._connection.transaction():
            for table, columns, new, changed, gone in reversed(changes):
                if gone:
                    await many(sql.delete(table), gone)
                if changed:
                    rows = [sql.keyed(table, columns, row) for row in changed]
                    await many(sql.update(table, columns), rows)
                if new:
                    await self._connection.copy_records_to_table(
                        table.name, records=new, columns=columns
                    )

    async def finish(self) -> None:
        await self._connection.execute(_NEXT_POST)
        await self._connection.execute(_NEXT_EVENT)
        await self._connection.execute(sql.WIPE_ANEW)
        await analyze(self._connection)
        await self._connection.execute(unfinished.DROP)
