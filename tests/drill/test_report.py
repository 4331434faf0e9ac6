"""What the drill calls a broken promise."""

from collections import Counter
from typing import Any

import pytest

from tools.drill.paid import Tally
from tools.drill.report import p95, table, troubles, verdicts
from tools.drill.rounds import Round


def a_round(**changes: Any) -> Round:
    values: dict[str, Any] = {
        "harm": "kill -9 PostgreSQL",
        "by": "HAProxy",
        "old": "node1",
        "new": "node2",
        "back_s": 3.0,
        "acknowledged": 100,
        "refused": 7,
        "errors": Counter[str](),
        "lost": [],
        "twice": [],
        "audit": "",
        "log": [],
        "witness": "",
    }
    return Round(**{**values, **changes})


def broken(*rounds: Round) -> list[str]:
    return [verdict.promise for verdict in verdicts(rounds) if not verdict.kept]


def test_a_round_without_trouble_breaks_no_promise() -> None:
    assert broken(a_round(), a_round(back_s=30.0)) == []


@pytest.mark.parametrize(
    ("change", "promise"),
    [
        ({"lost": ["job 1: no rc_1"]}, "no acknowledged write is lost"),
        ({"twice": ["job_1 is settled"]}, "nothing is settled or offered twice"),
        ({"audit": "balances"}, "stoa audit finds no difference"),
        ({"log": ["event ev_1 was skipped"]}, "the log tells each event once, in one order"),
        ({"back_s": 30.1}, "writes are back within 30 s at p95"),
        ({"errors": Counter(["500"])}, "clients see success or a retryable 503"),
    ],
)
def test_each_trouble_breaks_its_promise_and_is_told(change: dict[str, Any], promise: str) -> None:
    harmed = a_round(**change)
    assert broken(a_round(), harmed) == [promise]
    assert bool(troubles(harmed)) is ("back_s" not in change)
    assert all(column.header for column in table([harmed]).columns)


def test_of_few_values_the_95th_percentile_is_the_greatest() -> None:
    assert p95([3.0, 1.0, 2.0]) == 3.0
    assert p95([float(number) for number in range(1, 101)]) == 95.0


def test_the_gap_begins_with_the_harm() -> None:
    tally = Tally(acknowledged=[1.0, 9.0, 10.5, 31.0, 31.5])
    assert tally.longest_gap(10.0) == 20.5
    assert tally.longest_gap(31.2) == pytest.approx(0.3)
