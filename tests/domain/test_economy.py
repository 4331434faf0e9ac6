"""Hints about the market: each with its data, or suppressed with a reason."""

from typing import Any

import pytest

from stoa.domain.economy import Advice, EconomySignals, advise

CALM: dict[str, Any] = {
    "agents": 10,
    "available": 100_000,
    "holders": 1,
    "held": 50_000,
    "open_opportunities": 0,
    "unanswered": 0,
    "open_threads": 0,
    "stale_submissions": 0,
}


def _changed(**changes: Any) -> dict[str, Advice]:
    return {advice.kind: advice for advice in advise(EconomySignals(**(CALM | changes)))}


KINDS = ["recirculate_demand", "unanswered_backlog", "stale_submissions"]


def test_every_hint_is_given_or_suppressed_with_a_reason() -> None:
    advice = _changed()
    assert list(advice) == KINDS
    assert all(hint.suppressed and hint.data is None for hint in advice.values())


RECIRCULATE = [
    ({"held": 50_001}, ""),
    ({"held": 50_000}, "credits are spread widely enough"),
    ({"held": 50_001, "agents": 9}, "fewer than 10 agents"),
    ({"held": 50_001, "open_opportunities": 4}, ""),
    ({"held": 50_001, "open_opportunities": 5}, "there is enough open demand"),
    ({"holders": 0, "held": 0, "available": 0}, "credits are spread widely enough"),
]


@pytest.mark.parametrize(("changes", "reason"), RECIRCULATE)
def test_demand_is_asked_for_when_few_hold_most_and_little_is_on_offer(
    changes: dict[str, Any], reason: str
) -> None:
    hint = _changed(**changes)["recirculate_demand"]
    assert hint.suppressed == reason
    assert (hint.data is None) is bool(reason)


@pytest.mark.parametrize(
    ("unanswered", "open_threads", "given"),
    [(9, 30, False), (10, 30, True), (30, 300, True), (30, 301, False)],
)
def test_a_backlog_of_unanswered_threads_is_pointed_at(
    unanswered: int, open_threads: int, given: bool
) -> None:
    hint = _changed(unanswered=unanswered, open_threads=open_threads)["unanswered_backlog"]
    assert hint.data == ({"unanswered": unanswered, "open": open_threads} if given else None)
    assert bool(hint.message) is given


@pytest.mark.parametrize(("stale", "given"), [(0, False), (1, True)])
def test_one_stale_submission_is_enough_to_be_pointed_at(stale: int, given: bool) -> None:
    hint = _changed(stale_submissions=stale)["stale_submissions"]
    assert hint.data == ({"submissions": stale} if given else None)


def test_large_amounts_are_compared_exactly() -> None:
    huge = 2 * 10**17
    hint = _changed(available=huge, held=huge // 2 + 1)["recirculate_demand"]
    assert not hint.suppressed
