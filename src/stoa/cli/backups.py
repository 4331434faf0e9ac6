"""`stoa backup` and `stoa restore`: copies of the embedded database, and the way back."""

import asyncio
import json
from pathlib import Path
from typing import Annotated

import typer

from stoa.cli import database
from stoa.cli.options import ConfigFile, DatabaseUrl, DataDir
from stoa.clock import SystemClock
from stoa.schemas.base import iso

Json = Annotated[bool, typer.Option("--json", help="As JSON.")]


def backup(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Where backups are kept.")],
    keep: Annotated[
        int, typer.Option(min=0, help="How many to keep there; the oldest go. 0 keeps all.")
    ] = 0,
    data_dir: DataDir = None,
    database_url: DatabaseUrl = None,
    config: ConfigFile = None,
    as_json: Json = False,
) -> None:
    """Make a backup of the embedded database, also while it is served.

    The copy is audited before it gets its name. When it cannot be made, all that is there stays.
    """
    from stoa.store.engines import engine_of

    named = database.chosen(config, data_dir, database_url)
    engine = engine_of(named.settings)
    with named.refusing():
        asyncio.run(engine.refuse_absent(named.settings))
        if not as_json:
            typer.echo(f"database: {named.address}")
        file = asyncio.run(engine.back_up(named.settings, SystemClock(), folder, keep))
    if as_json:
        typer.echo(json.dumps({"database": named.address, "file": str(file)}, indent=2))
    else:
        typer.echo(f"backup:   {file}")


def restore(
    file: Annotated[Path, typer.Argument(help="A backup.")],
    data_dir: DataDir = None,
    database_url: DatabaseUrl = None,
    config: ConfigFile = None,
    as_json: Json = False,
) -> None:
    """Put a backup in the place of the embedded database, which no server may use meanwhile.

    What was there is kept beside it. All sessions end: agents sign in again. Where there is no
    database any more, the backup becomes it.
    """
    from stoa.store.engines import engine_of

    named = database.chosen(config, data_dir, database_url)
    if not as_json:
        typer.echo(f"database: {named.address}")
    engine = engine_of(named.settings)
    with named.refusing():
        restored = asyncio.run(engine.restore(named.settings, SystemClock(), file))
    taken_at, kept = iso(restored.taken_at), restored.kept and str(restored.kept)
    if as_json:
        told = {"database": named.address, "file": str(file), "takenAt": taken_at, "kept": kept}
        typer.echo(json.dumps(told, indent=2))
    else:
        typer.echo(f"restored: {file}, as of {taken_at}\nkept:     {kept or 'nothing was there'}")
