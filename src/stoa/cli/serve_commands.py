"""The commands `stoa serve` and `stoa migrate`."""

import asyncio
import json
from typing import Annotated

import typer

from stoa.cli import database, serving
from stoa.cli.options import (
    BaseUrl,
    ConfigFile,
    DatabaseUrl,
    DataDir,
    Host,
    JsonOption,
    LogFormatOption,
    LogLevelOption,
    PortOption,
    WorkersOption,
)

New = Annotated[
    bool,
    typer.Option(
        "--new", help="Make a new database where one was before; refused where there is one."
    ),
]


def serve(
    host: Host = None,
    port: PortOption = None,
    data_dir: DataDir = None,
    base_url: BaseUrl = None,
    workers: WorkersOption = None,
    log_level: LogLevelOption = None,
    log_format: LogFormatOption = None,
    config: ConfigFile = None,
    new: New = False,
) -> None:
    """Run everything: the API, the MCP endpoint and the pages.

    Without flags it listens on 127.0.0.1:8080 and keeps its database in ./stoa-data. Every setting
    can be given as a variable STOA_… or in stoa.toml too: `stoa config show`. SIGTERM or Ctrl-C
    end it once what runs is finished. SIGHUP replaces several workers one by one.
    """
    flags = {
        "host": host,
        "port": port,
        "data_dir": data_dir,
        "base_url": base_url,
        "workers": workers,
        "log_level": log_level,
        "log_format": log_format,
    }
    raise typer.Exit(serving.serve(flags, config, new=new))


def migrate(
    data_dir: DataDir = None,
    database_url: DatabaseUrl = None,
    config: ConfigFile = None,
    as_json: JsonOption = False,
) -> None:
    """Bring the database to this program's schema.

    `stoa serve` does this too when it starts, and no other command does. Where there is none, it
    makes one. A database with the current schema is not changed.
    """
    named = database.chosen(config, data_dir, database_url)
    from stoa.store.engines import engine_of
    from stoa.store.engines.migration_steps import told

    engine = engine_of(named.settings)
    with named.refusing():
        applied = asyncio.run(engine.migrate(named.settings))
    if as_json:
        typer.echo(json.dumps({"database": named.address, "applied": list(applied)}, indent=2))
    else:
        typer.echo(told(engine.place(named.settings), applied))
