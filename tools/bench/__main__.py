"""`make bench`: measures, prints one table, and exits with 1 when a target is missed."""

import argparse
import sys
import tempfile
from pathlib import Path

from rich.console import Console

from tools.bench.registry import Measure, Result, rows, table, title
from tools.bench.seed import Size
from tools.bench.stage import Stage

_JOBS = 400


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tools.bench", description=__doc__)
    only = "measure only rows whose names hold this; may be given several times"
    parser.add_argument("--only", action="append", default=[], help=only)
    parser.add_argument("--rounds", type=int, default=7, help="pairs of rounds for each ratio")
    parser.add_argument("--seconds", type=float, default=1.0, help="length of a round")
    parser.add_argument("--threads", type=int, default=10_000, help="threads in the database")
    parser.add_argument("--folder", type=Path, help="parent of the temporary data folder")
    parser.add_argument("--no-judge", action="store_true", help="exit with 0 whatever was measured")
    return parser.parse_args()


def _measure(stage: Stage, chosen: list[Measure], console: Console) -> list[Result]:
    results: list[Result] = []
    for measure in chosen:
        with console.status(f"measuring: {title(measure)}"):
            for result in measure(stage):
                console.print(f"{result.name}: {result.measured} {result.detail}", highlight=False)
                results.append(result)
    return results


def main() -> int:
    """Measure and judge."""
    given = _arguments()
    size = Size(threads=given.threads, jobs=_JOBS)
    with (
        tempfile.TemporaryDirectory(prefix="stoa-bench-", dir=given.folder) as folder,
        Stage(Path(folder), given.rounds, given.seconds, size) as stage,
    ):
        results = _measure(stage, rows(given.only), Console(stderr=True))
    Console(width=None if sys.stdout.isatty() else 140).print(table(results))
    missed = any(result.passed is False for result in results)
    return int(missed and not given.no_judge)


if __name__ == "__main__":
    sys.exit(main())
