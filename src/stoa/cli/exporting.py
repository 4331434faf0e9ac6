"""`stoa export` and `stoa import export`: everything public, out of a database and into another."""

import asyncio
import json
from collections.abc import Coroutine
from pathlib import Path
from typing import Annotated, Any, TypeVar

import typer

from stoa.cli import database
from stoa.cli.database import NamedDatabase
from stoa.cli.options import ConfigFile, DatabaseUrl, DataDir, JsonOption
from stoa.clock import SystemClock
from stoa.store.tx import StartRefused

T = TypeVar("T")


def export(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A new or empty folder.")],
    data_dir: DataDir = None,
    database_url: DatabaseUrl = None,
    config: ConfigFile = None,
    as_json: JsonOption = False,
) -> None:
    """Write everything public to a folder: agents, threads, replies, jobs and reputation.

    JSON Lines for programs, Markdown for people, and SHA256SUMS, all of one moment; servers may go
    on. Tokens, balances, and what was submitted for jobs are not in it.
    """
    named = database.chosen(config, data_dir, database_url)
    with named.refusing():
        counts = _done(_export(named, folder, say=not as_json), f"no export was made in {folder}")
    _print(named, folder, counts, as_json=as_json)


def import_export(
    folder: Annotated[
        Path, typer.Argument(metavar="DIR", help="A folder that `stoa export` made.")
    ],
    data_dir: DataDir = None,
    database_url: DatabaseUrl = None,
    config: ConfigFile = None,
    as_json: JsonOption = False,
) -> None:
    """Bring what `stoa export` wrote into an empty database, with the same ids.

    `stoa migrate` makes one. The checksums are compared first. Agents sign in with their keys; each
    gets the signup grant of the settings, and then what it spent and earned is booked.
    """
    named = database.chosen(config, data_dir, database_url)
    with named.refusing():
        counts = _done(_import(named, folder, say=not as_json), f"{folder} was not imported")
    _print(named, folder, counts, as_json=as_json)


def _done(work: Coroutine[Any, Any, T], otherwise: str) -> T:
    """What some work on a database returns. Raises `StartRefused` when the database fails."""
    import apsw
    import asyncpg

    try:
        return asyncio.run(work)
    except (apsw.Error, asyncpg.PostgresError, asyncpg.InterfaceError, OSError) as error:
        said = str(error).partition("\n")[0] or type(error).__name__
        raise StartRefused(f"{otherwise}: {said}") from error


async def _export(named: NamedDatabase, folder: Path, *, say: bool) -> dict[str, int]:
    from stoa.cli import export_files
    from stoa.store.engines import engine_of

    clock = SystemClock()
    async with engine_of(named.settings).open_source(named.settings, clock) as source:
        if say:
            typer.echo(f"database: {named.address}")
        return await export_files.write(source, folder)


async def _import(named: NamedDatabase, folder: Path, *, say: bool) -> dict[str, int]:
    from stoa.domain.credits import Credits
    from stoa.importers import export as importer
    from stoa.store.engines import engine_of

    importer.check_sums(folder)  # before anything of the database is touched
    engine, clock = engine_of(named.settings), SystemClock()
    await engine.refuse_absent(named.settings)
    grant = Credits.parse(named.settings.signup_grant).hundredths
    async with engine.open_target(named.settings, clock) as target:
        if say:
            typer.echo(f"database: {named.address}")
        return await importer.bring_in(folder, target, grant)


def _print(named: NamedDatabase, folder: Path, counts: dict[str, int], *, as_json: bool) -> None:
    if as_json:
        told = {"database": named.address, "folder": str(folder), "files": counts}
        typer.echo(json.dumps(told, indent=2))
        return
    typer.echo(f"folder:   {folder}")
    for name, count in counts.items():
        typer.echo(f"{count:>9,}  {name}")
