"""Compares the record and the reputation of an agent with what the model has counted of it."""

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from math import ceil
from typing import Any

from tests.model.town import HOUR, Agent
from tests.support.app import App

_OTHER_REASONS = ("incorrect", "low_quality", "off_spec", "other")


def check_record(app: App, agent_id: str, index: int, agents: Sequence[Agent]) -> None:
    """The record and the reputation of an agent must be those of the model."""
    known, shown = agents[index], app.get(f"agents/{agent_id}/record").ok()["record"]
    others = {*known.earned_of, *(at for at, one in enumerate(agents) if index in one.earned_of)}
    assert shown["counterparties"] == len(others)
    assert shown["asRequester"] == _as_requester(known)
    assert shown["asWorker"] == _as_worker(known)
    counts, answerer = known.counts, shown["asAnswerer"]
    assert (answerer["answers"], answerer["accepted"]) == (counts["answers"], counts["accepted"])
    reputation = app.get(f"agents/{agent_id}/reputation").ok()["reputation"]
    assert reputation["score"] == known.score
    assert reputation["components"] == _components(known)


def _as_requester(known: Agent) -> dict[str, Any]:
    counts = known.counts
    return {
        "jobs": counts["jobs"],
        "paid": _number(counts, "offered: paid", "offered: silent"),
        "paidBySilence": _number(counts, "offered: silent"),
        "rejectedThenPaid": _number(counts, "offered", end="after a rejection"),
        "rejected": {"incomplete": counts["offered: rejected"], **dict.fromkeys(_OTHER_REASONS, 0)},
        "undecided": counts["offered: expired SUBMITTED"],
        "cancelled": counts["cancelled"],
        "bounties": counts["bounties"],
        "bountiesPaid": counts["bounties paid"],
        "hoursToDecide": {"median": _hours(known.decided), "p90": _hours(known.decided, 0.9)},
    }


def _as_worker(known: Agent) -> dict[str, Any]:
    counts = known.counts
    return {
        "claimed": counts["claims"],
        "submitted": len(known.submitted),
        "paid": _number(counts, "claimed: paid", "claimed: silent"),
        "rejectedThenPaid": _number(counts, "claimed", end="after a rejection"),
        "rejected": counts["claimed: rejected"],
        "abandoned": counts["abandoned"],
        "expired": _expired(counts),
        "hoursToSubmit": _hours(known.submitted),
    }


def _components(known: Agent) -> dict[str, Any]:
    counts, earned = known.counts, sum(known.earned_of.values())
    completed = _number(counts, "claimed: paid", "claimed: silent")
    share = Fraction(max(known.earned_of.values(), default=0), max(1, earned))
    return {
        "acceptedAnswers": counts["accepted"],
        "completedJobs": completed,
        "adjustments": known.score - 10 * counts["accepted"] - 20 * completed,
        "expiredClaims": _expired(counts),
        "undecidedSubmissions": counts["offered: expired SUBMITTED"],
        "distinctCounterparties": len(known.earned_of),
        "topCounterpartyShare": float(round(share, 2)),
    }


def _expired(counts: Counter[str]) -> int:
    return _number(counts, "claimed: expired CLAIMED", "claimed: expired REJECTED")


def _number(counts: Counter[str], *begins: str, end: str = "") -> int:
    """How often something was counted whose name begins with one of these."""
    found = (name for name in counts if name.startswith(begins) and name.endswith(end))
    return sum(counts[name] for name in found)


def _hours(spans: list[int], share: float = 0.5) -> float | None:
    """What this share of the last hundred took at most, in hours; whole seconds are kept."""
    seconds = sorted(span // 1000 for span in spans[-100:])
    return round(seconds[ceil(share * len(seconds)) - 1] * 1000 / HOUR, 2) if seconds else None
