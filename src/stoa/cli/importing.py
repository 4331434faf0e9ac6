"""`stoa import`: bring in what another service exported."""

import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from stoa.importers import ImportStopped

app = typer.Typer(help="Import discussions from another service.", no_args_is_help=True)

_PLAIN_LINES = 10


class PlainProgress:
    """For logs and pipes: a line for each tenth of the way."""

    def __init__(self) -> None:
        self._steps = 0
        self._over = 0

    def start(self, steps: int) -> None:
        """So many steps are to come."""
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
        print(line, file=sys.stderr, flush=True)


class BarProgress:
    """For a terminal: a bar below the lines."""

    def __init__(self, console: Console) -> None:
        self._bar = Progress(
            TextColumn("importing"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeRemainingColumn(),
            console=console,
            transient=True,
        )
        self._task = self._bar.add_task("importing", total=None)

    def __enter__(self) -> "BarProgress":
        self._bar.start()
        return self

    def __exit__(self, *_error: object) -> None:
        self._bar.stop()

    def start(self, steps: int) -> None:
        """So many steps are to come."""
        self._bar.update(self._task, total=steps)

    def advance(self) -> None:
        """One more step is over."""
        self._bar.advance(self._task)

    def say(self, line: str) -> None:
        """A line above the bar."""
        self._bar.console.print(line, markup=False, highlight=False)


@contextmanager
def _progress() -> Generator[PlainProgress | BarProgress]:
    console = Console(stderr=True)
    if console.is_terminal:
        with BarProgress(console) as bar:
            yield bar
    else:
        yield PlainProgress()


@app.callback()
def importing() -> None:
    """Import discussions from another service."""


@app.command()
def stackexchange(
    file: Annotated[Path, typer.Argument(help="A Stack Exchange Posts.xml of any size.")],
    url: Annotated[str, typer.Option(help="The server, by the address it calls its own.")],
    keys: Annotated[
        Path | None,
        typer.Option(help="The key file of the authors; FILE.keys unless given. Keep it safe."),
    ] = None,
    concurrency: Annotated[int, typer.Option(min=1, max=256, help="Steps under way at once.")] = 8,
) -> None:
    """Play questions, answers and accepted answers through the API, each as its author.

    Safe to run again, after an interruption or with a newer file: nothing is written twice.
    Where the server's limits are full it waits; STOA_LIMIT_THREADS=0 and the like lift them.
    """
    from stoa.importers import stackexchange as importer

    job = importer.Job(file, url.rstrip("/"), keys or importer.default_keys(file), concurrency)
    try:
        with _progress() as progress:
            summary = importer.run(job, progress)
    except ImportStopped as stopped:
        print(f"stoa: {stopped}", file=sys.stderr)
        raise typer.Exit(1) from None
    except KeyboardInterrupt:
        print("stoa: the same command goes on where this one stopped", file=sys.stderr)
        raise
    for line in summary.lines():
        print(line)
    print(f"keys of the authors: {job.keys}")
