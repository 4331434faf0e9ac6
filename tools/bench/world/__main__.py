"""`make bench-world`: makes a world, finds how many agents are carried, prints one table."""

import argparse
import sys
import tempfile
from collections.abc import Generator, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from rich.console import Console

from tools.bench.registry import Result, at_most, table
from tools.bench.world import rows
from tools.bench.world.rows import FIRST_SEARCH_S, START_S
from tools.bench.world.serving import Place, made, place, serving


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tools.bench.world", description=__doc__)
    parser.add_argument("--engine", choices=["sqlite", "postgresql"], default="sqlite")
    parser.add_argument("--agents", type=int, default=1_000_000, help="agents of the world")
    parser.add_argument("--small", type=int, default=10_000, help="agents of the one beside it")
    parser.add_argument("--hold", type=float, default=300.0, help="seconds that a load is held")
    parser.add_argument("--folder", type=Path, help="keeps the worlds there, and uses them again")
    parser.add_argument("--no-judge", action="store_true", help="exit with 0 whatever was measured")
    return parser.parse_args()


def _results(asked: argparse.Namespace, folder: Path, tell: rows.Told) -> Iterator[Result]:
    with _made(folder, asked.engine, asked.small, tell) as found, serving(found) as stand:
        stand.await_index()
        stand.await_quiet()
        small = rows.costs(stand, tell)
    with _made(folder, asked.engine, asked.agents, tell) as found:
        with serving(found) as stand:
            took = stand.await_index()
            yield Result("until all texts are found after the first start", f"{took:.0f} s")
            tell("waiting until the server has nothing to do")
            stand.await_quiet()
        with serving(found) as stand:
            yield at_most("ready over it", stand.server.ready_s, START_S, "s")
            yield at_most("first search", stand.search_s(), FIRST_SEARCH_S, "s")
            stand.await_quiet()
            yield from rows.growth(small, rows.costs(stand, tell))
            carried = rows.carried(stand, asked.hold, tell)
            yield from rows.load(carried, asked.engine, stand.server.memory_mb())
            yield from rows.beside(stand, carried.agents, tell)
            yield from rows.overloaded(stand, carried.agents, tell)
        yield from rows.killed(found, carried.agents, tell)


@contextmanager
def _made(folder: Path, engine: str, agents: int, tell: rows.Told) -> Generator[Place]:
    with place(folder, engine, agents) as found:
        tell(f"the world of {agents:,} agents")
        made(found, agents)
        yield found


def _show(results: list[Result]) -> None:
    Console(width=None if sys.stdout.isatty() else 140).print(table(results))


def main() -> int:
    """Measure and judge."""
    asked, console = _arguments(), Console(stderr=True)
    results: list[Result] = []
    with ExitStack() as stack:
        # What was measured is shown also when something fails an hour later.
        stack.callback(_show, results)
        folder = asked.folder or Path(
            stack.enter_context(tempfile.TemporaryDirectory(prefix="stoa-world-"))
        )
        for result in _results(asked, folder, console.log):
            results.append(result)
            console.log(f"{result.name}: {result.measured}")
    missed = any(result.passed is False for result in results)
    return int(missed and not asked.no_judge)


if __name__ == "__main__":
    sys.exit(main())
