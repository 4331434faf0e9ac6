"""Brings a PostgreSQL database to the schema of this program: numbered steps, forward only.

The table `stoa_migration` has a row for each step and marks the database as ours.
"""

from collections.abc import Sequence

from asyncpg import exceptions as errors

from stoa.store.engines import unfinished
from stoa.store.engines.migration_steps import (
    MigrationStep,
    before_release,
    refuse_newer,
    refuse_other,
)
from stoa.store.engines.migration_steps import steps as read_steps
from stoa.store.engines.postgres.connection import PostgresConnection, lift_limits, no_right
from stoa.store.tx import StartRefused

_LOCK = int.from_bytes(b"Stoa")  # of all locks that programs of this database may agree on

_MARK = """
CREATE TABLE IF NOT EXISTS stoa_migration (
  number BIGINT PRIMARY KEY,
  name TEXT NOT NULL,
  applied_at TIMESTAMPTZ NOT NULL DEFAULT now())
"""
VERSION = "SELECT coalesce(max(number), 0) FROM stoa_migration"
_FIRST = "SELECT name FROM stoa_migration WHERE number = 1"
_NOTE = "INSERT INTO stoa_migration (number, name) VALUES ($1, $2)"
# In one statement: between two of them another program may take a step.
_FOUND = """
SELECT coalesce(bool_or(c.relname = 'stoa_migration'), false), count(*) > 0 FROM pg_class c
WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p', 'v', 'm', 'f')
  AND NOT EXISTS (SELECT 1 FROM pg_depend d WHERE d.objid = c.oid AND d.deptype = 'e')
"""
# What is never changed need not be open to changes.
_CLOSED = """
SELECT c.relname, r.name FROM pg_class c,
  unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE']) WITH ORDINALITY r(name, place)
WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p')
  AND c.relname <> 'stoa_migration' AND NOT has_table_privilege(c.oid, r.name)
  AND (r.name IN ('SELECT', 'INSERT') OR NOT EXISTS (
    SELECT 1 FROM pg_trigger t JOIN pg_proc p ON p.oid = t.tgfoid
    WHERE t.tgrelid = c.oid AND p.proname = 'refuse_change'))
ORDER BY c.relname, r.place LIMIT 1
"""


def steps() -> list[MigrationStep]:
    """Every migration, in order."""
    return read_steps("postgresql")


async def check(connection: PostgresConnection, where: str, known: Sequence[MigrationStep]) -> int:
    """The version of a database that is ours or empty; raises `StartRefused` for any other."""
    if not await connection.fetchval("SELECT current_schema() IS NOT NULL"):
        raise StartRefused(f"{where} has no schema for this user: CREATE SCHEMA, or GRANT USAGE")
    ours, used = await connection.fetchrow(_FOUND) or (False, False)
    if used and not ours:
        raise StartRefused(f"{where} is not a database of Stoa; give it an empty one of its own")
    present, first = await _applied(connection, where) if ours else (0, None)
    if first and first != known[0].name:
        raise before_release(where)
    refuse_newer(where, present, known)
    return present


async def _applied(connection: PostgresConnection, where: str) -> tuple[int, str | None]:
    """The version that a database of ours has, and the name of its first step. Raises
    `StartRefused` where these may not be read."""
    try:
        return int(await connection.fetchval(VERSION)), await connection.fetchval(_FIRST)
    except errors.InsufficientPrivilegeError as error:
        raise StartRefused(no_right(where, str(error))) from error


async def check_current(connection: PostgresConnection, where: str) -> None:
    """Raise `StartRefused` when the database does not have exactly this program's schema."""
    known = steps()
    refuse_other(where, await check(connection, where, known), known)


async def mark(connection: PostgresConnection) -> unfinished.Mark | None:
    """The source of this unfinished copy, None when it is none."""
    if not await connection.fetchval("SELECT to_regclass($1) IS NOT NULL", unfinished.MARK):
        return None
    return unfinished.Mark(*await connection.fetchrow(unfinished.READ) or ("", "another database"))


async def refuse_unfinished(connection: PostgresConnection, where: str) -> None:
    """Raise `StartRefused` when the database is an unfinished copy."""
    if found := await mark(connection):
        raise StartRefused(unfinished.unfinished(where, found))


async def migrate(
    connection: PostgresConnection, where: str, known: Sequence[MigrationStep] | None = None
) -> list[str]:
    """Apply what is missing, each step in a transaction; returns the names of the steps applied.

    Programs that start together take turns. Raises `StartRefused` when the database is not ours,
    too new, or this user may not change it; then it is as the last whole step left it.
    """
    known = known or steps()
    applied: list[str] = []
    try:
        while await check(connection, where, known) < known[-1].number:
            async with connection.transaction():
                applied += await _apply_next(connection, where, known)
        closed = await connection.fetchrow(_CLOSED)
    except errors.InsufficientPrivilegeError as error:
        raise StartRefused(
            f"{where}: this user may not change the schema ({error.args[0]}); let the owner of the "
            "database run `stoa migrate`"
        ) from error
    if closed:
        raise StartRefused(
            no_right(where, f"this user has no right to {closed[1]} in the table {closed[0]}")
        )
    return applied


async def _apply_next(
    connection: PostgresConnection, where: str, known: Sequence[MigrationStep]
) -> list[str]:
    """Apply one step, unless another program did meanwhile."""
    await lift_limits(connection)
    await connection.execute("SELECT pg_advisory_xact_lock($1)", _LOCK)
    present = await check(connection, where, known)
    for step in known:
        if step.number > present:
            await connection.execute(_MARK)
            await connection.execute(step.sql)
            await connection.execute(_NOTE, step.number, step.name)
            return [step.title]
    return []
