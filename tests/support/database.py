"""Looks into a database behind the service's back, whichever engine keeps it."""

import asyncio
from collections.abc import Generator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from re import sub
from typing import Any

import apsw
import asyncpg

from stoa.settings import Settings


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
    if settings.on_postgresql:
        return asyncio.run(rows(settings.database_url, sql, *values))
    with opened(settings.database_path) as connection:
        connection.execute("PRAGMA foreign_keys = ON")
        return connection.execute(sql, values).fetchall()


async def rows(url: str, sql: str, *values: Any) -> list[tuple[Any, ...]]:
    """Run a statement on PostgreSQL, with `?` for its values; its rows."""
    numbers = count(1)
    connection = await asyncpg.connect(url)
    try:
        found = await connection.fetch(sub(r"\?", lambda _: f"${next(numbers)}", sql), *values)
        return [tuple(row) for row in found]
    finally:
        await connection.close()
