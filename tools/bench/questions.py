"""`python -m tools.bench.questions Posts.xml`: asks a site forty questions, on both engines."""

import argparse
import asyncio
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

from rich.console import Console
from rich.table import Table

from stoa.settings import Settings
from tests.support import questions
from tests.support.questions import Figures
from tools.bench.scale import cluster


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tools.bench.questions", description=__doc__)
    parser.add_argument("posts", type=Path, help="the Posts.xml of beer.stackexchange.com, 2017")
    return parser.parse_args()


def _places(folder: Path, source: Path) -> Iterator[tuple[str, list[int]]]:
    """What each engine answers, by its name."""
    with ExitStack() as stack:
        server = stack.enter_context(cluster.running(folder / "cluster"))
        for engine, url in (("SQLite", ""), ("PostgreSQL", asyncio.run(server.create("beer")))):
            database = Settings(data_dir=str(folder / "data"), database_url=url)
            keys = folder / engine
            keys.mkdir()
            questions.fill(source, keys, database)
            yield engine, asyncio.run(questions.places(database))


def _table(measured: dict[str, list[int]]) -> Table:
    """The place of the first right thread for each question, and the figures of all."""
    table = Table("question", *measured)
    asked = questions.load()
    for place, question in enumerate(asked.questions):
        table.add_row(question.q, *(str(found[place] or "-") for found in measured.values()))
    table.add_section()
    for engine, found in measured.items():
        table.add_row(engine, _told(questions.figures(found)))
    table.add_row("written down", _told(asked.measured))
    table.add_row("without forms of words", _told(asked.without_forms))
    return table


def _told(found: Figures) -> str:
    return f"{found.first}, {found.in_top_five}, {found.mean_reciprocal_rank}"


def main() -> int:
    """Ask, and judge by what is written down."""
    given = _arguments()
    with tempfile.TemporaryDirectory(prefix="stoa-questions-") as folder:
        place = Path(folder)
        place.chmod(0o755)  # the server of the wheel runs as another user
        measured = dict(_places(place, given.posts))
    Console(width=None if sys.stdout.isatty() else 140).print(_table(measured))
    written = questions.load().measured
    return int(any(questions.figures(found) != written for found in measured.values()))


if __name__ == "__main__":
    sys.exit(main())
