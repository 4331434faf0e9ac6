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
"""How to ask the databases to which a connection is open already, by address or file."""

BUSY_MS = 5000


@contextmanager
def opened(path: Path) -> Generator[apsw.Connection]:
    """A connection of its own to the file of a service, running or not."""
    connection = apsw.Connection(str(path))
    connection.set_busy_timeout(BUSY_MS)
    try:
        yield connection
    finally:
        connection.close()


class KeptFile:
    """A connection to the file of a service in this process, opened when it is first asked: each
    new one reads the whole schema, which takes longer than most statements."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._connection: apsw.Connection | None = None
        KEPT[str(path)] = self.ask

    def ask(self, sql: str, *values: Any) -> list[tuple[Any, ...]]:
        """Run a statement; its rows."""
        if self._connection is None:
            self._connection = apsw.Connection(str(self._path))
            self._connection.set_busy_timeout(BUSY_MS)
            self._connection.execute("PRAGMA foreign_keys = ON")
        return self._connection.execute(sql, values).fetchall()

    @property
    def is_writing(self) -> bool:
        """Whether a transaction was left open."""
        return self._connection is not None and self._connection.in_transaction

    def close(self) -> None:
        """From now on each statement has a connection of its own."""
        KEPT.pop(str(self._path), None)
        if self._connection:
            self._connection.close()


def query(settings: Settings, sql: str, *values: Any) -> list[tuple[Any, ...]]:
    """Run a statement, with `?` for its values; its rows."""
    on_postgresql = settings.engine == "postgresql"
    where = settings.database_url if on_postgresql else str(settings.database_path)
    if kept := KEPT.get(where):
        return kept(sql, *values)
    if on_postgresql:
        return asyncio.run(rows(where, sql, *values))
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
