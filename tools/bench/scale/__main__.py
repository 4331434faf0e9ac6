"""`make bench-scale`: loads large databases, measures, prints one table, judges it."""

import argparse
import asyncio
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

from rich.console import Console

from tools.bench.registry import Result, table
from tools.bench.scale import cluster, serving
from tools.bench.scale.rows import Given, rows


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tools.bench.scale", description=__doc__)
    parser.add_argument("--only", default="", help="measure only rows whose names hold this")
    parser.add_argument("--small", type=int, default=100_000, help="replies to compare with")
    parser.add_argument("--large", type=int, default=10_000_000, help="replies of the large one")
    parser.add_argument("--posts", type=int, default=1_000_000, help="texts to search in")
    parser.add_argument("--rounds", type=int, default=60, help="times that each thing is asked")
    parser.add_argument("--reads", type=int, default=serving.READS, help="reads before memory")
    parser.add_argument(
        "--folder", type=Path, help="keeps the databases there, and uses them again"
    )
    parser.add_argument("--no-judge", action="store_true", help="exit with 0 whatever was measured")
    return parser.parse_args()


def _results(given: Given, only: str, console: Console) -> Iterator[Result]:
    for name, measure in rows():
        if only in name:
            with console.status(f"measuring: {name}"):
                yield from asyncio.run(measure(given))


def main() -> int:
    """Measure and judge."""
    asked = _arguments()
    with ExitStack() as stack:
        folder = asked.folder or Path(
            stack.enter_context(tempfile.TemporaryDirectory(prefix="stoa-scale-"))
        )
        folder.chmod(0o755)  # the server of the wheel runs as another user
        server = stack.enter_context(cluster.running(folder))
        sizes = (asked.small, asked.large, asked.posts, asked.rounds, asked.reads)
        given = Given(folder, server, *sizes)
        results = list(_results(given, asked.only, Console(stderr=True)))
    Console(width=None if sys.stdout.isatty() else 140).print(table(results))
    missed = any(result.passed is False for result in results)
    return int(missed and not asked.no_judge)


if __name__ == "__main__":
    sys.exit(main())
