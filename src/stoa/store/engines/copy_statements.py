"""The statements of a copy, which both engines understand.

Names of tables and columns are those of the schema, never from input.
"""

# ruff: noqa: S608
from collections.abc import Sequence

from stoa.store.engines.unfinished import Mark
from stoa.store.transfer.copying import RowRange, Table

IN_USE = "SELECT EXISTS (SELECT 1 FROM agent)"
WIPE_ANEW = "UPDATE purge SET wiped_at = NULL"
"""Marks the files as unwiped: they may still have rows of an earlier run that the source has erased
since."""


def refusal(mark: Mark | None, identity: str, *, in_use: bool) -> str | None:
    """Why this database cannot become a copy of `identity`, None if it can."""
    if mark and mark.identity != identity:
        return f"is an unfinished copy of another database, {mark.source}"
    if not mark and in_use:
        return "has agents already: choose an empty database"
    return None


def count(table: Table) -> str:
    """How many rows."""
    return f"SELECT count(*) FROM {table.name}"


def select(which: RowRange) -> tuple[str, list[object]]:
    """The statement for these rows, and its values."""
    table, columns, after, upto, limit = which
    values: list[object] = []
    conditions: list[str] = []
    for sign, bound in ((">", after), ("<=", upto)):
        if bound is not None:
            names = table.key[: len(bound)]
            conditions.append(
                f"({', '.join(names)}) {sign} ({_placeholders(len(values), len(bound))})"
            )
            values += bound
    where = f" WHERE {' AND '.join(conditions)}" if conditions else ""
    most = "" if limit is None else f" LIMIT {limit}"
    order = ", ".join(table.key)
    listed = ", ".join(columns)
    return f"SELECT {listed} FROM {table.name}{where} ORDER BY {order}{most}", values


def insert(table: Table, columns: Sequence[str]) -> str:
    """Values: a row."""
    marks = _placeholders(0, len(columns))
    return f"INSERT INTO {table.name} ({', '.join(columns)}) VALUES ({marks})"


def update(table: Table, columns: Sequence[str]) -> str:
    """Values: a row and then its key."""
    assignments = ", ".join(f"{name} = ${place}" for place, name in enumerate(columns, 1))
    return f"UPDATE {table.name} SET {assignments} WHERE {_is(table, len(columns))}"


def delete(table: Table) -> str:
    """Values: a key."""
    return f"DELETE FROM {table.name} WHERE {_is(table, 0)}"


def keyed(table: Table, columns: Sequence[str], row: Sequence[object]) -> tuple[object, ...]:
    """A row and then its key, as `update` takes it."""
    return (*row, *table.key_of(columns, row))


def _is(table: Table, before: int) -> str:
    return f"({', '.join(table.key)}) = ({_placeholders(before, len(table.key))})"


def _placeholders(before: int, number: int) -> str:
    return ", ".join(f"${place}" for place in range(before + 1, before + number + 1))
