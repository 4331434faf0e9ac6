"""Which columns a statement reads and changes, as SQLite reports when it prepares it."""

from enum import Enum
from functools import cache
from threading import Lock
from typing import NamedTuple

import apsw

from stoa.store import statements
from stoa.store.engines.sqlite import migrations


class Verb(Enum):
    """What a statement does to a table."""

    READ = apsw.SQLITE_READ
    INSERT = apsw.SQLITE_INSERT
    UPDATE = apsw.SQLITE_UPDATE
    DELETE = apsw.SQLITE_DELETE


class TableAccess(NamedTuple):
    """What a statement does to a column of a table. It has no column where rows are added, removed
    or counted."""

    verb: Verb
    table: str
    column: str


_asking = Lock()  # a connection is for one thread at a time
_VERBS = {verb.value: verb for verb in Verb}


def accesses(sql: str) -> list[TableAccess]:
    """All that a statement does to tables of the schema."""
    found: list[TableAccess] = []
    with _asking:
        tables = _tables()

        def note(code: int, table: str | None, column: str | None, *_: object) -> int:
            if code in _VERBS and table in tables:
                found.append(TableAccess(_VERBS[code], table, column or ""))
            return apsw.SQLITE_OK

        _prepare(sql, note)
    return found


def _prepare(sql: str, note: "apsw.Authorizer") -> None:
    """Let SQLite tell `note` what a statement does, without running it. `apsw.ext.query_info` does
    the same and takes three times as long, with all statements a tenth of a second."""
    connection = _empty()
    cursor = connection.cursor()
    cursor.exec_trace = _run_nothing
    connection.authorizer = note
    try:
        cursor.execute(sql, dict.fromkeys(statements.positional(sql)[1]), can_cache=False)
    except apsw.ExecTraceAbort:
        pass
    finally:
        connection.authorizer = None


def _run_nothing(*_: object) -> bool:
    return False


@cache
def _empty() -> apsw.Connection:
    """A database without rows, on which statements are prepared and none is run."""
    connection = apsw.Connection(":memory:")
    migrations.migrate(connection)
    return connection


def close() -> None:
    """Close the database on which statements are prepared, until one is asked for again."""
    if _empty.cache_info().currsize:
        _empty().close()
        _empty.cache_clear()


@cache
def _tables() -> frozenset[str]:
    return frozenset(
        name for (name,) in _empty().execute("SELECT name FROM sqlite_schema WHERE type = 'table'")
    )
