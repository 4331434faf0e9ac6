"""The commands `stoa serve` and `stoa migrate`."""

import asyncio
from typing import Annotated

import typer

from stoa.cli import serving
from stoa.cli.database import DatabaseRun, on_database
from stoa.cli.options import ServerFlags, with_server_flags


@with_server_flags
def serve(
    server: ServerFlags,
    new: Annotated[
        bool,
        typer.Option(
            "--new", help="Make a new database where one was before; refused where there is one."
        ),
    ] = False,
) -> None:
    """Run everything: the API, the MCP endpoint and the pages.

    Without flags it listens on 127.0.0.1:8080 and keeps its database in ./stoa-data. Every setting
    can be given as a variable STOA_… or in stoa.toml too: `stoa config show`. SIGTERM or Ctrl-C end
    it once running calls are done. SIGHUP replaces several workers one by one.
    """
    raise typer.Exit(serving.serve(server.flags, server.config, new=new))


@on_database
def migrate(run: DatabaseRun) -> None:
    """Bring the database to this program's schema.

    `stoa serve` does this too when it starts, and no other command does. If there is none, it makes
    one. A database with the current schema is not changed.
    """
    from stoa.store.engines.migration_steps import told

    named = run.named
    with named.refusing():
        applied = asyncio.run(named.engine.migrate(named.settings))
    if run.as_json:
        run.tell(applied=list(applied))
    else:
        typer.echo(told(named.engine.place(named.settings), applied))
