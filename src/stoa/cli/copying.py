"""`stoa copy`: move everything to another database."""

import asyncio
from contextlib import AsyncExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from stoa.cli import database
from stoa.cli.database import NamedDatabase
from stoa.cli.ending import using_database
from stoa.cli.options import ConfigFile, DatabaseUrl, DataDir, JsonOption, echo_json
from stoa.clock import SystemClock
from stoa.configuration import COPY_TARGET, copy_target
from stoa.settings import SettingsError

if TYPE_CHECKING:
    from stoa.store.transfer.copying import CopyOutcome

_DIGITS = 12
_RUN_AGAIN = 75  # EX_TEMPFAIL of sysexits.h


def copy_command(
    from_: Annotated[
        str | None, typer.Option("--from", help="The database to copy; the same as --database-url.")
    ] = None,
    to: Annotated[
        str | None,
        typer.Option(
            "--to",
            help="An empty database, or an unfinished copy of the other: sqlite:///path or "
            f"postgresql://…; the variable {COPY_TARGET} unless given.",
        ),
    ] = None,
    to_config: Annotated[
        Path | None,
        typer.Option(
            "--to-config", help="Copy to the database that this TOML file of settings names."
        ),
    ] = None,
    data_dir: DataDir = None,
    database_url: DatabaseUrl = None,
    config: ConfigFile = None,
    rehearsal: Annotated[
        bool,
        typer.Option(
            "--rehearsal",
            help="Let a server open the copy although the source is served: what is written to the "
            "source from now on is lost to it.",
        ),
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Copy a database to another, of the same engine or the other one.

    It copies what the source holds when it starts, while servers go on using it. Then stop them and
    run it again: that copies only changes, and lets servers open the copy. It can be ended at any
    time and run again. Exit status: 0 when the copy is complete, 1 on any difference, 75 when it
    must be run again because the source is still served.
    """
    source = _source(from_, data_dir, database_url, config)
    target = _target(to, to_config)
    outcome = asyncio.run(_copy(source, target, rehearsal, as_json=as_json))
    if as_json:
        echo_json(_described(source, target, outcome))
    else:
        _print(outcome)
        typer.echo(_next(outcome))
    if not outcome.equal:
        raise typer.Exit(1)
    if outcome.served and not outcome.finished:
        raise typer.Exit(_RUN_AGAIN)


def _source(
    from_: str | None, data_dir: str | None, database_url: str | None, config: Path | None
) -> NamedDatabase:
    if from_ is None:
        return database.chosen(config, data_dir, database_url)
    if database_url is not None:
        raise SettingsError("--from and --database-url mean the same: leave out one of them")
    return database.chosen(config, data_dir, from_, "--from")


def _target(to: str | None, config: Path | None) -> NamedDatabase:
    if to is not None and config:
        raise SettingsError("--to and --to-config both name the target: leave out one of them")
    if config:
        return database.in_file(config)
    if to is not None:
        return database.at(to, "--to")
    if address := copy_target():
        return database.at(address, COPY_TARGET)
    raise SettingsError(f"name the database to copy to: --to, --to-config or {COPY_TARGET}")


async def _copy(
    from_: NamedDatabase, to: NamedDatabase, rehearsal: bool, *, as_json: bool
) -> "CopyOutcome":
    from stoa.store.transfer import copying

    if from_.same_as(to):
        raise SettingsError(f"{from_.named_by} and {to.named_by} are the same database")
    clock = SystemClock()
    async with AsyncExitStack() as stack:
        with from_.refusing():
            opening = from_.engine.open_source(from_.settings, clock)
            source = await stack.enter_async_context(opening)
        with to.refusing():
            opening = to.engine.open_target(to.settings, clock)
            target = await stack.enter_async_context(opening)
        if not as_json:
            typer.echo(f"from: {from_.address}\nto:   {to.address}")
        progress = _Progress(is_told=not as_json)
        with using_database("the copy stopped", "; run it again to go on"):
            return await copying.copy(source, target, progress, while_served=rehearsal)


class _Progress:
    """A line for each table, and one whenever its count of rows has doubled."""

    def __init__(self, *, is_told: bool) -> None:
        self._is_told = is_told
        self._what = ""
        self._next = 0

    def __call__(self, what: str, done: int) -> None:
        if self._is_told and (what != self._what or done >= self._next):
            typer.echo(f"{what}: {done}" if done else what)
            self._what, self._next = what, 2 * done


def _described(from_: NamedDatabase, to: NamedDatabase, outcome: "CopyOutcome") -> dict[str, Any]:
    audits = {
        there.check.name: len(there.differences) + len(here.differences)
        for there, here in outcome.findings
    }
    return {
        "database": from_.address,
        "target": to.address,
        "equal": outcome.equal,
        "served": outcome.served,
        "complete": outcome.finished,
        "tables": [
            {"table": row.table, "source": row.source, "target": row.target, "equal": row.equal}
            for row in outcome.tables
        ],
        "differences": audits,
    }


def _print(outcome: "CopyOutcome") -> None:
    from rich.console import Console
    from rich.table import Table

    from stoa.cli.tables import print_parts

    tables = Table("table", "rows there", "rows here", "digest there", "digest here", "")
    for row in outcome.tables:
        digests = (row.source_digest[:_DIGITS], row.target_digest[:_DIGITS])
        verdict = "" if row.equal else "DIFFERENT"
        tables.add_row(row.table, str(row.source), str(row.target), *digests, verdict)
    audits = Table("check", "differences there", "differences here")
    for there, here in outcome.findings:
        found = (str(len(side.differences) or "none") for side in (there, here))
        audits.add_row(there.check.meaning, *found)
    print_parts(Console(), tables, audits)


def _next(outcome: "CopyOutcome") -> str:
    if not outcome.equal:
        return (
            "The copy is NOT complete, and no server opens it. If `stoa audit` finds differences "
            "in the source, set them right first; then run the same command again."
        )
    if outcome.served and outcome.finished:
        return "The copy is complete for a rehearsal: what the source was given since is not in it."
    if outcome.served:
        return (
            "The copy was equal to the source when it began, but the source is still served. Stop "
            "what serves it and run the same command again; until then no server opens the copy."
        )
    return "The copy is complete. Serve it, and do not serve the source again."
