"""The table of a drill, and whether it kept what docs/scale.md promises."""

import math
from collections.abc import Sequence
from typing import NamedTuple

from rich.table import Table

from tools.drill.rounds import Round

BACK_S = 30.0
"""A promise of docs/scale.md."""

_SHOWN = 10


class Verdict(NamedTuple):
    """A promise, what was measured of it, and whether it was kept."""

    promise: str
    measured: str
    kept: bool


def verdicts(rounds: Sequence[Round]) -> list[Verdict]:
    """Every promise of the drill."""
    lost = sum(len(each.lost) for each in rounds)
    wrong = sum(each.errors.total() for each in rounds)
    twice = sum(len(each.twice) for each in rounds)
    bad = sum(bool(each.audit) for each in rounds)
    log = sum(len(each.log) for each in rounds)
    back = p95([each.back_s for each in rounds])
    acknowledged = sum(each.acknowledged for each in rounds)
    refused = sum(each.refused for each in rounds)
    return [
        Verdict("no acknowledged write is lost", f"{lost} of {acknowledged}", lost == 0),
        Verdict("nothing is settled or offered twice", f"{twice} are", twice == 0),
        Verdict("stoa audit finds no difference", f"after {bad} rounds it did", bad == 0),
        Verdict("the log tells each event once, in one order", f"{log} differences", log == 0),
        Verdict(f"writes are back within {BACK_S:.0f} s at p95", f"{back:.1f} s", back <= BACK_S),
        Verdict(
            "clients see success or a retryable 503", f"{wrong} others, {refused} 503", not wrong
        ),
    ]


def p95(values: Sequence[float]) -> float:
    """The nearest-rank 95th percentile: of fewer than 20 values the greatest."""
    return sorted(values)[math.ceil(0.95 * len(values)) - 1]


def table(rounds: Sequence[Round]) -> Table:
    """A row for each round."""
    shown = Table(
        "round",
        "harm",
        "by",
        "primary",
        "writes back",
        "acknowledged",
        "lost",
        "503",
        "errors",
        "witness",
    )
    for number, each in enumerate(rounds, start=1):
        shown.add_row(
            str(number),
            each.harm,
            each.by,
            f"{each.old} → {each.new}",
            f"{each.back_s:.1f} s",
            str(each.acknowledged),
            str(len(each.lost)),
            str(each.refused),
            str(each.errors.total()),
            each.witness,
        )
    return shown


def troubles(each: Round) -> list[str]:
    """What went wrong in a round, a line each."""
    errors = [f"{times} x {error}" for error, times in each.errors.most_common(_SHOWN)]
    twice = [f"twice: {what}" for what in each.twice[:_SHOWN]]
    audit = [each.audit] if each.audit else []
    return [*each.lost[:_SHOWN], *twice, *each.log[:_SHOWN], *errors, *audit]
