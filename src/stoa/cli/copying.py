"""`stoa copy`: move everything to another database."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from stoa.clock import SystemClock
from stoa.settings import Settings, SettingsError, check
from stoa.store.tx import StartRefused

if TYPE_CHECKING:
    from stoa.store.copying import Outcome, Source, Target

_DIGITS = 12
_RUN_AGAIN = 75  # EX_TEMPFAIL of sysexits.h

From = Annotated[
    str, typer.Option("--from", help="The database to copy: sqlite:///path or postgresql://…")
]
To = Annotated[str, typer.Option("--to", help="An empty database, or an unfinished copy of it.")]
Rehearsal = Annotated[
    bool,
    typer.Option(
        "--rehearsal",
        help="Let the copy be served although the source still is: what is written to the source "
        "from now on is lost to it.",
    ),
]


def copy_command(from_: From, to: To, rehearsal: Rehearsal = False) -> None:
    """Copy a database to another, of the same engine or the other one.

    It copies what the source holds when it starts, while servers go on using it. Then stop them and
    run it again: that copies only what has changed, and lets servers open the copy. It can be
    ended at any time and run again. Exit status: 0 when the copy is complete, 1 on any difference,
    75 when it is to be run again because the source is still served.
    """
    outcome = asyncio.run(_copy(_settings("--from", from_), _settings("--to", to), rehearsal))
    _print(outcome)
    if not outcome.equal:
        typer.echo("The copy is NOT complete, and no server opens it.")
        raise typer.Exit(1)
    typer.echo(_next(outcome))
    if outcome.served and not outcome.finished:
        raise typer.Exit(_RUN_AGAIN)


def _settings(flag: str, url: str) -> Settings:
    settings = Settings(database_url=url)
    try:
        if not url:
            raise SettingsError("STOA_DATABASE_URL is empty: use sqlite:///path or postgresql://…")
        check(settings)
    except SettingsError as error:
        raise SettingsError(_named(flag, error)) from None
    return settings


def _named(flag: str, error: Exception) -> str:
    """What is wrong with the setting of a server is wrong with the flag."""
    return str(error).replace("STOA_DATABASE_URL", flag)


async def _copy(from_: Settings, to: Settings, rehearsal: bool) -> "Outcome":
    import apsw
    import asyncpg

    from stoa.store import copying

    if from_.database_url == to.database_url:
        raise SettingsError("--from and --to are the same database")
    async with _open(from_, to) as (source, target):
        try:
            return await copying.copy(source, target, _Progress(), while_served=rehearsal)
        except (apsw.Error, asyncpg.PostgresError, asyncpg.InterfaceError, OSError) as error:
            said = str(error).partition("\n")[0] or type(error).__name__
            raise StartRefused(f"the copy stopped: {said}; run it again to go on") from error


@asynccontextmanager
async def _open(from_: Settings, to: Settings) -> AsyncGenerator[tuple["Source", "Target"]]:
    from stoa.store.engines import engine_of

    clock = SystemClock()
    async with AsyncExitStack() as stack:
        try:
            source = await stack.enter_async_context(engine_of(from_).open_source(from_, clock))
        except StartRefused as error:
            raise StartRefused(_named("--from", error)) from None
        try:
            target = await stack.enter_async_context(engine_of(to).open_target(to, clock))
        except StartRefused as error:
            raise StartRefused(_named("--to", error)) from None
        yield source, target


class _Progress:
    """A line for each thing that is done, and one whenever as much again has been done of it."""

    def __init__(self) -> None:
        self._what = ""
        self._next = 0

    def __call__(self, what: str, done: int) -> None:
        if what != self._what or done >= self._next:
            typer.echo(f"{what}: {done}" if done else what)
            self._what, self._next = what, 2 * done


def _print(outcome: "Outcome") -> None:
    from rich.console import Console
    from rich.table import Table

    tables = Table("table", "rows there", "rows here", "digest there", "digest here", "")
    for row in outcome.tables:
        digests = (row.source_digest[:_DIGITS], row.target_digest[:_DIGITS])
        verdict = "" if row.equal else "DIFFERENT"
        tables.add_row(row.table, str(row.source), str(row.target), *digests, verdict)
    audits = Table("check", "differences there", "differences here")
    for there, here in outcome.findings:
        found = (str(len(side.differences) or "none") for side in (there, here))
        audits.add_row(there.check.meaning, *found)
    console = Console()
    console.print(tables)
    console.print(audits)


def _next(outcome: "Outcome") -> str:
    if outcome.served and outcome.finished:
        return "The copy is complete for a rehearsal: what the source was given since is not in it."
    if outcome.served:
        return (
            "The copy was equal to the source when it began, but the source is still served. Stop "
            "what serves it and run the same command again; until then no server opens the copy."
        )
    return "The copy is complete. Serve it, and do not serve the source again."
