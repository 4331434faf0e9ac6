"""Backups of a PostgreSQL database: dumps made while it is served, and how they are restored."""

import os
from collections.abc import Mapping
from pathlib import Path

from stoa.clock import Clock
from stoa.store import purges
from stoa.store.engines import backup_files as files
from stoa.store.engines import unfinished
from stoa.store.engines.postgres import migrations as postgres_migrations
from stoa.store.engines.postgres.alone import hold
from stoa.store.engines.postgres.connection import (
    APPLICATION,
    PostgresConnection,
    analyze,
    lift_limits,
    opened,
    place,
)
from stoa.store.engines.postgres.programs import fill, run
from stoa.store.engines.postgres.tx import PostgresTx
from stoa.store.engines.postgres.watch import follow_time
from stoa.store.transfer import audit, backups, purge_list, restoring
from stoa.store.transfer.audit import Finding
from stoa.store.tx import Restored, StartRefused

_NAME = f"{APPLICATION}-backup"
_SNAPSHOT = "SELECT pg_export_snapshot()"


async def back_up(
    url: str, clock: Clock, folder: Path, keep: int, environment: Mapping[str, str]
) -> Path:
    """Dump a database, which servers may use, into a folder; returns the file.

    The dump gets its name when what it holds was audited, it was read through and it is on disk.
    Then the oldest are removed, so that `keep` are left; 0 keeps all. Raises `StartRefused` with
    nothing removed.
    """
    name = backups.name(clock(), "dump")
    with files.told(f"no backup was made in {folder}"), files.alone_in(folder):
        target, partial = folder / name, folder / f".{name}.partial"
        with files.unfinished(partial):
            with files.new_file(partial, None):
                findings = await _dump(url, clock, partial, environment)
                # Every block is read.
                everything = f"--file={os.devnull}"
                await run("pg_restore", everything, partial, environment=environment)
            files.write_checksum(partial, target, None)
            files.put(partial, target)
        if keep:
            files.remove_oldest(keep, target, in_use=audit.in_use(findings))
    return target


async def _dump(
    url: str, clock: Clock, partial: Path, environment: Mapping[str, str]
) -> list[Finding]:
    """Dump and audit one state of a database; the findings of the audit."""
    where = place(url)
    async with opened(url, _NAME) as connection:
        await postgres_migrations.refuse_unfinished(connection, where)
        await postgres_migrations.check_current(connection, where)
        async with connection.transaction(isolation="repeatable_read", readonly=True):
            await lift_limits(connection)
            snapshot = await connection.fetchval(_SNAPSHOT)
            options = ("--format=custom", f"--snapshot={snapshot}", f"--file={partial}")
            await run("pg_dump", *options, environment=environment, url=url)
            tx = PostgresTx(connection, clock)
            findings = await audit.run_all(tx)
            erased = await purges.every(tx)
    files.refuse_differences(where, findings)
    purge_list.keep(partial.parent, erased)
    return findings


async def restore(
    url: str, clock: Clock, backup: Path, backup_dir: str, environment: Mapping[str, str]
) -> Restored:
    """Fill an empty database with a dump, bring it to this program's schema and audit it; see
    `purge_list.known`.

    Raises `StartRefused`; no server opens a database with an unfinished restore.
    """
    source, where = files.existing_backup(backup), place(url)
    with files.told(f"{where} was not restored"):
        files.refuse_changed(source)
        if backups.begins_well(source, "db"):
            raise StartRefused(
                f"{source} is a backup of SQLite: restore it to a folder with --data-dir, and copy "
                "that to an empty database with `stoa copy`"
            )
        if not backups.begins_well(source, "dump"):
            raise StartRefused(f"{source} is no dump of PostgreSQL: choose another backup")
        erased = purge_list.known(source, backup_dir)
    async with opened(url, _NAME) as connection:
        await _refuse_filled(connection, where)
        await hold(connection, where)
        await _mark(connection, source)
        try:
            await fill(source, environment=environment, url=url)
        except StartRefused:
            await connection.execute(unfinished.DROP)  # nothing was filled in
            raise
        await postgres_migrations.migrate(connection, where)
        await follow_time(connection, clock)
        async with connection.transaction():
            tx = PostgresTx(connection, clock)
            await restoring.begin_anew(tx, erased)
            files.refuse_differences(source, await audit.run_all(tx))
            await tx.finish()
            await connection.execute(unfinished.DROP)
        await analyze(connection)
    return Restored(files.taken_at(source), None)


async def _refuse_filled(connection: PostgresConnection, where: str) -> None:
    await postgres_migrations.refuse_unfinished(connection, where)
    if await postgres_migrations.check(connection, where, postgres_migrations.steps()):
        raise StartRefused(
            f"{where} is a database already: make an empty one (CREATE DATABASE), name that, and "
            "serve it once it is restored"
        )


async def _mark(connection: PostgresConnection, source: Path) -> None:
    async with connection.transaction():
        await connection.execute(unfinished.MAKE)
        await connection.execute(unfinished.ADD, f"{unfinished.RESTORE}{source.name}", str(source))
