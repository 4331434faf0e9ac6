"""`make mutants`: changes the code in small ways, one at a time, and lists what no test notices."""

import argparse
import random
import signal
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tools.mutants import python, sql
from tools.mutants.change import Mutant
from tools.mutants.nearest import nearest
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
        "--seconds", type=float, default=900, help="when the tests of a mutant are given up"
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


def _is_equivalent(diff: list[str], known: Sequence[dict[str, str]]) -> bool:
    old, new = (
        " ".join(line[1:].strip() for line in diff if line[0] == sign) for sign in ("-", "+")
    )
    return any((one["old"], one["new"]) == (old, new) for one in known)


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
    judged: list[Judged] = []
    with Copy.of(given.project) as copy:
        for mutant in drawn:
            place, diff = _described(mutant, copy.root)
            if given.list:
                print(place, *diff, sep="\n  ")
            elif _is_equivalent(diff, config["equivalent"]):
                judged.append(Judged("equivalent", place, diff))
            else:
                tests = nearest(copy.root, mutant.path, config["nearest"])
                verdict = copy.judge(mutant, tests, given.seconds)
                judged.append(Judged(verdict, place, diff))
                print(f"{len(judged):4} {verdict:10} {place}", flush=True)
    return 0 if given.list else int(_report(judged, given.seed) < GOAL)


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # ends what it started too
    sys.exit(main())
