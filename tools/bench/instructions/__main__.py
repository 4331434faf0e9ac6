"""`make bench-check`: counts the instructions of fixed requests, and exits with 1 where one takes
a tenth more than the committed figure."""

import argparse
import shutil
import sys
import tempfile
from pathlib import Path

from rich.console import Console
from rich.table import Table

from tools.bench.instructions import figures
from tools.bench.instructions.counting import count
from tools.bench.instructions.figures import Counts

_MISSING = "valgrind is missing. Install its package: apt-get install valgrind (dnf, apk: the same)"


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tools.bench.instructions", description=__doc__)
    parser.add_argument("--accept", action="store_true", help="make what is counted the figures")
    parser.add_argument("sets", nargs="*", help='count these alone, such as "searches"')
    return parser.parse_args()


def _table(counted: Counts, before: Counts) -> Table:
    table = Table("set", "committed", "counted", "", title="instructions of one request")
    for name, now in counted.items():
        figure = before.get(name)
        change = f"{now / figure - 1:+.1%}" if figure else ""
        table.add_row(name, f"{figure or 0:,}", f"{now:,}", change)
    return table


def _counted(names: list[str]) -> Counts:
    with (
        Console(stderr=True).status("counting instructions, for two minutes"),
        tempfile.TemporaryDirectory(prefix="stoa-instructions-") as folder,
    ):
        return count(Path(folder), names)


def main() -> int:
    """Count, and judge or accept."""
    given, name = _arguments(), figures.interpreter()
    if shutil.which("valgrind") is None:
        print(f"bench-check: {_MISSING}", file=sys.stderr)
        return 1
    all_before = figures.committed(figures.FILE, name)
    before = {one: n for one, n in all_before.items() if one in (given.sets or all_before)}
    if not before and not given.accept:
        print(f"bench-check: {_no_figures(name)}", file=sys.stderr)
        return 1
    counted = _counted(given.sets)
    Console(width=100).print(_table(counted, before))
    if given.accept:
        figures.accept(figures.FILE, name, {**all_before, **counted} if given.sets else counted)
        return 0
    complaints = list(figures.complaints(counted, before))
    for line in complaints:
        print(f"bench-check: {line}", file=sys.stderr)
    return int(bool(complaints))


def _no_figures(name: str) -> str:
    return (
        f"there are no figures for {name}. Check out the commit before your change, "
        f"run {figures.ACCEPT}, and then count your change."
    )


if __name__ == "__main__":
    sys.exit(main())
