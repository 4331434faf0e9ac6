"""Brings a SQLite file to the schema of this program: numbered steps, forward only."""

from collections.abc import Sequence
from pathlib import Path

import apsw

from stoa.store.engines import unfinished
from stoa.store.engines.migration_steps import (
    MigrationStep,
    before_release,
    refuse_newer,
    refuse_other,
)
from stoa.store.engines.migration_steps import steps as read_steps
from stoa.store.tx import StartRefused

APPLICATION_ID = int.from_bytes(b"STOA")
"""Marks a file as ours, in its header."""
BEFORE_RELEASE = int.from_bytes(b"Stoa")
"""The mark until the first release."""

OVERWRITING = 19
"""The step from which programs overwrite what they delete; older ones left it in the file."""


def steps() -> list[MigrationStep]:
    """Every migration, in order."""
    return read_steps("sqlite")


def version(connection: apsw.Connection) -> int:
    """The number of the last migration that the file has seen."""
    return connection.pragma("user_version")


def check(
    connection: apsw.Connection, path: Path, remedy: str = "choose another --data-dir"
) -> None:
    """Raise `StartRefused` when the file at `path` is not ours, or of a newer program or one from
    before the first release."""
    is_empty = not connection.execute("SELECT 1 FROM sqlite_schema LIMIT 1").fetchone()
    made_by = connection.pragma("application_id")
    if made_by == BEFORE_RELEASE:
        raise before_release(path)
    if not is_empty and made_by != APPLICATION_ID:
        raise StartRefused(f"{path} is not a database of Stoa; {remedy}")
    refuse_newer(path, version(connection), steps())


def check_current(connection: apsw.Connection, path: Path) -> None:
    """Raise `StartRefused` when the file does not have exactly this program's schema."""
    check(connection, path)
    refuse_other(path, version(connection), steps())


def mark(connection: apsw.Connection) -> unfinished.Mark | None:
    """The source of this unfinished copy, None when it is none."""
    if not connection.execute(
        "SELECT 1 FROM sqlite_schema WHERE name = ?", (unfinished.MARK,)
    ).fetchone():
        return None
    return unfinished.Mark(
        *connection.execute(unfinished.READ).fetchone() or ("", "another database")
    )


def refuse_unfinished(connection: apsw.Connection, path: Path) -> None:
    """Raise `StartRefused` when the file is an unfinished copy."""
    if found := mark(connection):
        raise StartRefused(unfinished.unfinished(path, found))


def migrate(connection: apsw.Connection, known: Sequence[MigrationStep] | None = None) -> list[str]:
    """Apply what is missing, each step in a transaction; returns the names of the steps applied.

    A step may make a table anew that others refer to, so references are checked at its end alone
    (https://www.sqlite.org/lang_altertable.html, 7). Steps that drop nothing lose none: a check
    takes half a minute among a million agents.
    """
    present = version(connection)
    applied: list[str] = []
    enforced = connection.pragma("foreign_keys")
    connection.pragma("foreign_keys", False)
    try:
        for step in steps() if known is None else known:
            if step.number > present:
                with connection:
                    connection.execute(step.sql)
                    if step.drops and connection.execute("PRAGMA foreign_key_check").fetchone():
                        raise StartRefused(f"{step.title} would leave references to nothing")
                    connection.pragma("user_version", step.number)
                    connection.pragma("application_id", APPLICATION_ID)
                applied.append(step.title)
    finally:
        connection.pragma("foreign_keys", enforced)
    return applied
