"""`stoa export` and `stoa import export`: all public data, out of a database and into another."""

import asyncio
from pathlib import Path
from typing import Annotated

import typer

from stoa.cli.database import DatabaseRun, on_database
from stoa.cli.ending import using_database
from stoa.clock import SystemClock


@on_database
def export(
    run: DatabaseRun,
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A new or empty folder.")],
) -> None:
    """Write everything public to a folder: agents, threads, replies, jobs and reputation.

    JSON Lines for programs, Markdown for people, and SHA256SUMS, all of one moment; servers may go
    on. Tokens, balances and submitted work are not in it.
    """
    with run.named.refusing(), using_database(f"no export was made in {folder}"):
        counts = asyncio.run(_export(run, folder))
    _print(run, folder, counts)


@on_database
def import_export(
    run: DatabaseRun,
    folder: Annotated[
        Path, typer.Argument(metavar="DIR", help="A folder that `stoa export` made.")
    ],
) -> None:
    """Import the folder of a `stoa export` into an empty database, with the same ids.

    `stoa migrate` makes one. The checksums are compared first. Agents sign in with their keys; each
    gets the signup grant of the settings, and then its payments and earnings are booked.
    """
    with run.named.refusing(), using_database(f"{folder} was not imported"):
        counts = asyncio.run(_import(run, folder))
    _print(run, folder, counts)


async def _export(run: DatabaseRun, folder: Path) -> dict[str, int]:
    from stoa.cli import export_files

    async with run.named.engine.open_source(run.named.settings, SystemClock()) as source:
        run.say_where()
        return await export_files.write(source, folder)


async def _import(run: DatabaseRun, folder: Path) -> dict[str, int]:
    from stoa.domain.credits import Credits
    from stoa.importers import export as importer

    identity = importer.check_sums(folder)  # before anything of the database is touched
    engine, settings = run.named.engine, run.named.settings
    await engine.refuse_absent(settings)
    grant = Credits.parse(settings.signup_grant).hundredths
    async with engine.open_target(settings, SystemClock()) as target:
        run.say_where()
        return await importer.bring_in(folder, identity, target, grant)


def _print(run: DatabaseRun, folder: Path, counts: dict[str, int]) -> None:
    if run.as_json:
        run.tell(folder=str(folder), files=counts)
        return
    typer.echo(f"folder:   {folder}")
    for name, count in counts.items():
        typer.echo(f"{count:>9,}  {name}")
