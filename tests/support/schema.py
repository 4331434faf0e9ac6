"""The database as the migrations make it, written down as one readable file.

`tools/schema` writes the file anew after a migration was added; a test compares the two.
"""

import sys
from functools import cache
from pathlib import Path

import apsw

from stoa.store.engines.sqlite import migrations as sqlite_migrations

WRITTEN = Path(__file__).parents[2] / "src/stoa/store/schema/sqlite.sql"
_HEAD = (
    "-- The whole schema of the embedded engine, as its migrations leave it, to be read.\n"
    "-- The program does not run it. `tools/schema` writes it after a migration was added.\n"
)


def migrated() -> apsw.Connection:
    """A new database that has seen every migration."""
    connection = apsw.Connection(":memory:")
    connection.deserialize("main", _migrated())
    return connection


@cache
def _migrated() -> bytes:
    connection = apsw.Connection(":memory:")
    sqlite_migrations.migrate(connection)
    return connection.serialize("main")


def written() -> apsw.Connection:
    """A new database made from the written schema."""
    connection = apsw.Connection(":memory:")
    connection.execute(WRITTEN.read_text(encoding="utf-8"))
    return connection


def objects(connection: apsw.Connection) -> list[tuple[str, str]]:
    """`(name, definition)` of all that was created."""
    found = connection.execute(
        "SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY rowid"
    )
    return [(str(name), str(sql)) for name, sql in found]


def rows(connection: apsw.Connection) -> dict[str, list[tuple[object, ...]]]:
    """The rows that are there from the beginning, by table."""
    found: dict[str, list[tuple[object, ...]]] = {}
    for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'"):
        found[name] = connection.execute(f'SELECT * FROM "{name}"').fetchall()
    return {name: held for name, held in found.items() if held}


def text() -> str:
    """The schema to be written."""
    connection = migrated()
    # A column that was added later stands behind a line end of its own.
    parts = [f"{sql};\n".replace("\n, ", ",\n  ") for _, sql in objects(connection)]
    for table, held in rows(connection).items():
        parts += [f"INSERT INTO {table} VALUES {_literals(row)};\n" for row in held]
    return "\n".join([_HEAD, *parts])


def _literals(row: tuple[object, ...]) -> str:
    return f"({', '.join(repr(value) for value in row)})"


if __name__ == "__main__":
    sys.stdout.write(text())
