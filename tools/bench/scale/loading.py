"""Fills a PostgreSQL database by COPY, in minutes where the operations would take days."""

import time
from collections.abc import AsyncGenerator, Iterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import asyncpg

from tools.bench.scale.world import Row, World

if TYPE_CHECKING:
    Connection = asyncpg.Connection[asyncpg.Record]
else:
    Connection = asyncpg.Connection  # generic in its types only

_SECONDARY = """
SELECT i.indexrelid::regclass::text, pg_get_indexdef(i.indexrelid) FROM pg_index i
JOIN pg_class t ON t.oid = i.indrelid JOIN pg_namespace n ON n.oid = t.relnamespace
WHERE n.nspname = 'public'
  AND NOT EXISTS (SELECT 1 FROM pg_constraint c WHERE c.conindid = i.indexrelid)
"""


@asynccontextmanager
async def filled(url: str) -> AsyncGenerator[Connection]:
    """A connection on which a database is filled.

    Foreign keys and triggers are left out meanwhile, since the rows are right by their making, and
    the indexes that no constraint needs are made at the end, each in one go.
    """
    connection = await asyncpg.connect(url)
    try:
        await connection.execute("SET session_replication_role = replica")
        await connection.execute("SET synchronous_commit = off")
        indexes = await connection.fetch(_SECONDARY)
        for name, _ in indexes:
            await connection.execute(f"DROP INDEX {name}")
        yield connection
        for _, definition in indexes:
            await connection.execute(definition)
        await connection.execute("VACUUM (ANALYZE)")
    finally:
        await connection.close()


async def load(url: str, world: World) -> float:
    """Fill an empty database with everything but its searches; returns the seconds it took."""
    start = time.perf_counter()
    async with filled(url) as connection:
        for table, rows in world.tables():
            await copy(connection, table, rows)
    return time.perf_counter() - start


async def copy(connection: Connection, table: str, rows: Iterator[Row]) -> None:
    """Append rows to a table."""
    await connection.copy_records_to_table(table, records=rows)
