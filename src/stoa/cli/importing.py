"""`stoa import`: import discussions of another service."""

import asyncio
import sys
from collections.abc import Generator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from stoa.cli import database
from stoa.cli.exporting import import_export
from stoa.cli.options import ConfigFile, DatabaseUrl, DataDir, JsonOption, echo_json
from stoa.domain.text import one_line
from stoa.importers import ImportStopped
from stoa.store.tx import StartRefused

app = typer.Typer(help="Import discussions from another service.", no_args_is_help=True)

_PLAIN_LINES = 10

ServerOption = Annotated[
    str | None, typer.Option(help="The server, by the address it calls its own.")
]
Direct = Annotated[
    bool,
    typer.Option(
        "--direct", help="Write to the database itself, which no server may use meanwhile."
    ),
]
Keys = Annotated[
    Path | None,
    typer.Option(help="The key file of the authors; FILE.keys unless given. Keep it safe."),
]
SiteOption = Annotated[
    str | None,
    typer.Option(
        help="The site of the posts, such as beer.stackexchange.com, for the links to them; the "
        "folder of FILE unless given, if it has such a name."
    ),
]
Licence = Annotated[
    str | None,
    typer.Option(
        "--license",
        help="The licence of the posts; what FILE says unless given, or CC BY-SA of their day.",
    ),
]
NoAttribution = Annotated[
    bool,
    typer.Option(
        "--no-attribution", help="Leave out source, author and licence at the end of each text."
    ),
]
Concurrency = Annotated[int, typer.Option(min=1, max=256, help="Calls to a server at a time.")]


class PlainProgress:
    """For logs and pipes: a line for each tenth of the work."""

    def __init__(self) -> None:
        self._steps = 0
        self._over = 0

    def start(self, steps: int) -> None:
        """The number of steps to come."""
        self._steps = steps

    def advance(self) -> None:
        """One more step is over."""
        self._over += 1
        if (
            self._over * _PLAIN_LINES // self._steps
            > (self._over - 1) * _PLAIN_LINES // self._steps
        ):
            self.say(f"{self._over:,} of {self._steps:,}")

    def say(self, line: str) -> None:
        """A line on its own."""
        print(one_line(line), file=sys.stderr, flush=True)


class BarProgress:
    """For a terminal: a bar below the lines."""

    def __init__(self, bar: Progress) -> None:
        self._bar = bar
        self._task = bar.add_task("importing", total=None)

    def start(self, steps: int) -> None:
        """The number of steps to come."""
        self._bar.update(self._task, total=steps)

    def advance(self) -> None:
        """One more step is over."""
        self._bar.advance(self._task)

    def say(self, line: str) -> None:
        """A line above the bar."""
        self._bar.console.print(one_line(line), markup=False, highlight=False)


@contextmanager
def _progress() -> Generator[PlainProgress | BarProgress]:
    console = Console(stderr=True)
    if not console.is_terminal:
        yield PlainProgress()
        return
    columns = TextColumn("importing"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()
    with Progress(*columns, console=console, transient=True) as bar:
        yield BarProgress(bar)


app.command("export")(import_export)


@app.command()
def stackexchange(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="A Stack Exchange Posts.xml of any size.")
    ],
    url: ServerOption = None,
    direct: Direct = False,
    data_dir: DataDir = None,
    database_url: DatabaseUrl = None,
    config: ConfigFile = None,
    keys: Keys = None,
    site: SiteOption = None,
    licence: Licence = None,
    no_attribution: NoAttribution = False,
    concurrency: Concurrency = 8,
    as_json: JsonOption = False,
) -> None:
    """Import questions, answers and accepted answers, each as its author.

    With --direct each has its original date, as fast as the database takes it, without limits;
    `stoa migrate` makes a new database. With --url they go through the API of a running server:
    they get today's date, and the import waits when a limit of the server is reached. Scores,
    views, comments and edits are not imported.

    Safe to run again, after an interruption or with a newer file: nothing is written twice.
    """
    from stoa.importers import stackexchange as importer
    from stoa.importers.attribution import attribution

    _check_target(url, direct, data_dir, database_url)
    target = database.chosen(config, data_dir, database_url) if direct else None
    try:
        job = importer.ImportJob(
            source=file,
            keys=keys or importer.default_keys(file),
            url=(url or "").rstrip("/"),
            concurrency=concurrency,
            database=target.settings if target else None,
            attribution=None if no_attribution else attribution(site, licence, file),
        )
        if target:
            _begin(target, as_json=as_json)
        refusing = target.refusing() if target else nullcontext()
        with refusing, _progress() as progress:
            summary = importer.run(job, progress)
    except ImportStopped as stopped:
        raise StartRefused(one_line(str(stopped))) from None
    except KeyboardInterrupt:
        print("stoa: the same command goes on where this one stopped", file=sys.stderr)
        raise
    if as_json:
        place = target.address if target else None
        told = {"database": place, **summary.described(), "keys": str(job.keys)}
        echo_json(told)
        return
    for line in summary.lines():
        print(one_line(line))
    print(f"keys of the authors: {job.keys}")


def _begin(target: database.NamedDatabase, *, as_json: bool) -> None:
    """Say which database is written to. Raises `StartRefused` when there is none."""
    with target.refusing():
        asyncio.run(target.engine.refuse_absent(target.settings))
    if not as_json:
        print(f"database: {target.address}", flush=True)


def _check_target(url: str | None, direct: bool, *places: str | None) -> None:
    if bool(url) == direct:
        raise typer.BadParameter("give either --url with the address of a server, or --direct")
    if not direct and any(places):
        raise typer.BadParameter("--data-dir and --database-url go with --direct, not with --url")
