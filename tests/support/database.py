"""Looks into a database behind the service's back, whichever engine keeps it."""

import asyncio
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from re import sub
from typing import Any

import apsw
import asyncpg

from stoa.settings import Settings
from stoa.store.engines.postgres.connection import PostgresConnection
from stoa.store.statements import positional

KEPT: dict[str, Callable[..., list[tuple[Any, ...]]]] = {}
"""How to ask the databases to which a connection is open already, by address."""


@contextmanager
def opened(path: Path) -> Generator[apsw.Connection]:
    """A connection of its own to the file of a service, running or not."""
    connection = apsw.Connection(str(path))
    connection.set_busy_timeout(5000)
    try:
        yield connection
    finally:
        connection.close()


def query(settings: Settings, sql: str, *values: Any) -> list[tuple[Any, ...]]:
    """Run a statement, with `?` for its values; its rows."""
    if settings.engine == "postgresql":
        kept = KEPT.get(settings.database_url)
        return (
            kept(sql, *values) if kept else asyncio.run(rows(settings.database_url, sql, *values))
        )
    with opened(settings.database_path) as connection:
        connection.execute("PRAGMA foreign_keys = ON")
        return connection.execute(sql, values).fetchall()


def table_names(settings: Settings) -> list[str]:
    """Every table."""
    catalogue = "SELECT name FROM sqlite_schema WHERE type = 'table'"
    if settings.engine == "postgresql":
        catalogue = "SELECT tablename FROM pg_tables WHERE schemaname = 'public'"
    return [str(name) for (name,) in query(settings, catalogue)]


def everything_in(settings: Settings) -> bytes:
    """All that is stored: the files of SQLite, the rows of PostgreSQL as they are sent."""
    if settings.engine == "sqlite":
        return b"".join(file.read_bytes() for file in settings.database_path.parent.iterdir())
    found = [row for name in table_names(settings) for row in query(settings, f"TABLE {name}")]
    return b"\n".join(
        value if isinstance(value, bytes) else str(value).encode() for row in found for value in row
    )


async def rows(url: str, sql: str, *values: Any) -> list[tuple[Any, ...]]:
    """Run a statement on PostgreSQL, with `?` for its values; its rows."""
    return await _fetch(url, _numbered(sql), *values)


async def rows_of(url: str, sql: str, values: Mapping[str, Any]) -> list[tuple[Any, ...]]:
    """Run a statement as the program has them on PostgreSQL, with named values; its rows."""
    numbered, names = positional(sql)
    return await _fetch(url, numbered, *[values[name] for name in names])


async def fetched(connection: PostgresConnection, sql: str, *values: Any) -> list[tuple[Any, ...]]:
    """As `rows`, on a connection that is open."""
    return [tuple(row) for row in await connection.fetch(_numbered(sql), *values)]


def _numbered(sql: str) -> str:
    numbers = count(1)
    return sub(r"\?", lambda _: f"${next(numbers)}", sql)


async def _fetch(url: str, sql: str, *values: Any) -> list[tuple[Any, ...]]:
    connection = await asyncpg.connect(url)
    try:
        return [tuple(row) for row in await connection.fetch(sql, *values)]
    finally:
        await connection.close()
