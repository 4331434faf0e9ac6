"""`make mutants`: changes the code in small ways, one at a time, and lists what no test notices."""

import argparse
import os
import queue
import random
import signal
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tools.mutants import python, sql
from tools.mutants.change import Mutant
from tools.mutants.runs import Copy

PROJECT = Path(__file__).resolve().parents[2]
GOAL = 97


@dataclass(frozen=True, slots=True)
class Judged:
    """What became of a mutant, where it was and what it changed."""

    verdict: str
    place: str
    diff: list[str]


def _arguments(given: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tools.mutants", description=__doc__)
    parser.add_argument("--count", type=int, default=40, help="how many mutants to draw")
    parser.add_argument("--seed", type=int, default=1, help="the same seed draws the same mutants")
    parser.add_argument("--only", default="", help="draw only from paths that hold this")
    parser.add_argument(
        "--seconds", type=float, default=300, help="how long the tests of a mutant may be"
    )
    parser.add_argument("--list", action="store_true", help="show what is drawn and end")
    parser.add_argument("--project", type=Path, default=PROJECT, help="the project to change")
    parser.add_argument("--config", type=Path, default=PROJECT / "tools/mutants/config.toml")
    return parser.parse_args(given)


def all_mutants(project: Path, areas: Sequence[str], only: str) -> Iterator[Mutant]:
    """Every mutant of these folders, in order."""
    kinds = {".py": python.mutants, ".sql": sql.mutants}
    for area in areas:
        for file in sorted((project / area).rglob("*")):
            path = file.relative_to(project).as_posix()
            if file.suffix in kinds and only in path:
                yield from kinds[file.suffix](path, file.read_bytes())


def _described(mutant: Mutant, project: Path) -> tuple[str, list[str]]:
    source = (project / mutant.path).read_bytes()
    return f"{mutant.path}:{mutant.line(source)}", mutant.diff(source)


def _is_equivalent(path: str, diff: list[str], known: Sequence[dict[str, str]]) -> bool:
    old, new = (
        " ".join(line[1:].strip() for line in diff if line[0] == sign) for sign in ("-", "+")
    )
    same = [one for one in known if (one["old"], one["new"]) == (old, new)]
    return any(path.endswith(one.get("path", "")) for one in same)


def _report(judged: list[Judged], seed: int) -> float:
    """Print what survived and the counts; returns the share that was killed, in percent."""
    for one in judged:
        if one.verdict in {"survived", "unfinished"}:
            print(f"\n{one.place} {one.verdict}", *one.diff, sep="\n  ")
    counts = Counter(one.verdict for one in judged)
    share = 100 * counts["killed"] / max(1, len(judged) - counts["equivalent"])
    print(
        f"\nseed {seed}: {len(judged)} mutants, {counts['killed']} killed,"
        f" {counts['survived']} survived, {counts['unfinished']} unfinished,"
        f" {counts['equivalent']} known as equivalent: {share:.1f} % killed"
    )
    return share


def main(arguments: Sequence[str] | None = None) -> int:
    """Draw, judge and report; 1 when fewer were killed than the goal."""
    given = _arguments(arguments)
    config = tomllib.loads(given.config.read_text(encoding="utf-8"))
    found = list(all_mutants(given.project, config["areas"], given.only))
    drawn = random.Random(given.seed).sample(found, min(given.count, len(found)))
    if given.list:
        for mutant in drawn:
            place, diff = _described(mutant, given.project)
            print(place, *diff, sep="\n  ")
        return 0
    return int(_report(_judged(given, config, drawn), given.seed) < GOAL)


def _judged(
    given: argparse.Namespace, config: Mapping[str, Any], drawn: Sequence[Mutant]
) -> list[Judged]:
    """Judge mutants, two at a time on two processors."""
    jobs = os.cpu_count() or 1
    with ExitStack() as stack:
        whole, *copies = [
            stack.enter_context(Copy.of(given.project, config["test_seconds"]))
            for _ in range(jobs + 1)
        ]
        print("All tests run once first, which takes many minutes.", flush=True)
        covering = whole.record(config["areas"], config["declared"])
        free = queue.SimpleQueue[Copy]()
        for copy in copies:
            free.put(copy)

        def judge(mutant: Mutant) -> Judged:
            place, diff = _described(mutant, whole.root)
            if _is_equivalent(mutant.path, diff, config["equivalent"]):
                return Judged("equivalent", place, diff)
            copy = free.get()
            try:
                tests = covering.tests(mutant, given.seconds)
                return Judged(copy.judge(mutant, tests, 3 * given.seconds), place, diff)
            finally:
                free.put(copy)

        judged: list[Judged] = []
        for one in stack.enter_context(ThreadPoolExecutor(jobs)).map(judge, drawn):
            judged.append(one)
            print(f"{len(judged):4} {one.verdict:10} {one.place}", flush=True)
        return judged


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # ends what it started too
    sys.exit(main())
