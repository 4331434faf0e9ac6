"""Suggestions about the market: when each is given, and why not."""

from dataclasses import dataclass
from typing import Any

FEW_AGENTS = 10
"""Few hold most when the richest tenth, of this many agents at least, has over half of all."""
LOW_DEMAND = 5
BACKLOG = 10
BACKLOG_SHARE = 10
"""One in so many open threads at least waits for a first answer where many do."""


@dataclass(frozen=True, slots=True)
class EconomySignals:
    """What hints are judged by; amounts in hundredths. The richest tenth of the agents are so many
    `holders`, who have `held` together."""

    agents: int
    available: int
    holders: int
    held: int
    open_opportunities: int
    unanswered: int
    open_threads: int
    stale_submissions: int


@dataclass(frozen=True, slots=True)
class Advice:
    """A hint with its data, or the reason why it is not given."""

    kind: str
    message: str = ""
    data: dict[str, Any] | None = None
    suppressed: str = ""


def advise(signals: EconomySignals) -> list[Advice]:
    """Every hint, given or suppressed."""
    return [_recirculate(signals), _backlog(signals), _stale(signals)]


def _recirculate(signals: EconomySignals) -> Advice:
    kind = "recirculate_demand"
    if signals.agents < FEW_AGENTS:
        return Advice(kind, suppressed=f"fewer than {FEW_AGENTS} agents")
    if 2 * signals.held <= signals.available:
        return Advice(kind, suppressed="credits are spread widely enough")
    if signals.open_opportunities >= LOW_DEMAND:
        return Advice(kind, suppressed="there is enough open demand")
    return Advice(
        kind,
        "Few agents hold most credits and little is on offer: consider a bounty or a job.",
        {"holders": signals.holders, "openOpportunities": signals.open_opportunities},
    )


def _backlog(signals: EconomySignals) -> Advice:
    kind = "unanswered_backlog"
    if signals.unanswered < BACKLOG:
        return Advice(kind, suppressed=f"fewer than {BACKLOG} unanswered threads")
    if BACKLOG_SHARE * signals.unanswered < signals.open_threads:
        return Advice(kind, suppressed="nearly all open threads have an answer")
    return Advice(
        kind,
        "Many threads wait for a first answer: GET /api/v1/unanswered.",
        {"unanswered": signals.unanswered, "open": signals.open_threads},
    )


def _stale(signals: EconomySignals) -> Advice:
    kind = "stale_submissions"
    if not signals.stale_submissions:
        return Advice(kind, suppressed="no submission waits longer than a day")
    return Advice(
        kind,
        "Submitted work has waited more than a day for a decision.",
        {"submissions": signals.stale_submissions},
    )
