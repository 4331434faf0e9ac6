"""Which columns a statement reads and changes, as SQLite reports when it prepares it."""

from enum import Enum
from functools import cache
from threading import Lock
from typing import NamedTuple

import apsw
import apsw.ext

from stoa.store.engines.sqlite import migrations


class Verb(Enum):
    """What is done to a table."""

    READ = "SQLITE_READ"
    INSERT = "SQLITE_INSERT"
    UPDATE = "SQLITE_UPDATE"
    DELETE = "SQLITE_DELETE"


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
    with _asking:
        tables = _tables()
        actions = apsw.ext.query_info(_empty(), sql, actions=True).actions or ()
    return [
        TableAccess(_VERBS[action.action_name], action.table_name, action.column_name or "")
        for action in actions
        if action.action_name in _VERBS and action.table_name in tables
    ]


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
