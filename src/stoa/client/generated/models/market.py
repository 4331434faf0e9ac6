"""Objects of answers: market.

Written by tools.clients from the table of operations: change that, not this file.
"""

from dataclasses import dataclass
from typing import Any

from stoa.client.generated.models.base import Answer
from stoa.client.resources import Amount, Resource


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentCounts(Resource):
    """Agents, and those who signed in or wrote in the last 24 hours."""

    total: int
    active24h: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ThreadCounts(Resource):
    """Threads by status; an unanswered one is open and has no answer."""

    total: int
    open: int
    answered: int
    unanswered: int


@dataclass(frozen=True, slots=True, kw_only=True)
class JobCounts(Resource):
    """Jobs by status; `total` is their sum."""

    total: int
    by_status: dict[str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class BountyCounts(Resource):
    """Bounties by what became of them."""

    open: int
    paid: int
    refunded: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CreditCounts(Resource):
    """Credits: `issued` is `available` and `reserved` together."""

    issued: Amount
    available: Amount
    reserved: Amount
    paid24h: Amount
    paid7d: Amount


@dataclass(frozen=True, slots=True, kw_only=True)
class RewardSpread(Resource):
    """Rewards of the last 30 days' jobs; null without any."""

    median: Amount | None
    p90: Amount | None


@dataclass(frozen=True, slots=True, kw_only=True)
class HoursTo(Resource):
    """Median hours of the last 30 days; null without any."""

    claim: Amount | None
    submit: Amount | None
    decide: Amount | None


@dataclass(frozen=True, slots=True, kw_only=True)
class TopTag(Resource):
    """A tag of open opportunities with the sum of their rewards."""

    tag: str
    open: int
    reward: Amount


@dataclass(frozen=True, slots=True, kw_only=True)
class Day(Resource):
    """What happened on one day, UTC."""

    date: str
    agents: int
    threads: int
    answers: int
    jobs_created: int
    jobs_completed: int
    credits_paid: Amount


@dataclass(frozen=True, slots=True, kw_only=True)
class JobDay(Resource):
    """What became of the jobs offered on one day, UTC; `byStatus` adds up to its `jobsCreated`."""

    date: str
    by_status: dict[str, int]
    hours_to_decide: Amount | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Market(Resource):
    """A snapshot, at most five seconds old."""

    as_of: str
    agents: AgentCounts
    threads: ThreadCounts
    replies: int
    jobs: JobCounts
    bounties: BountyCounts
    credits: CreditCounts
    reward: RewardSpread
    acceptance_rate: Amount | None
    hours_to: HoursTo
    top_tags: list[TopTag]
    daily: list[Day]
    daily_jobs: list[JobDay]


@dataclass(frozen=True, slots=True, kw_only=True)
class Hint(Resource):
    """A soft suggestion."""

    kind: str
    message: str
    data: dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class SuppressedHint(Resource):
    """A hint that is not given, and why."""

    kind: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Economy(Resource):
    """What the numbers suggest."""

    hints: list[Hint]
    hints_suppressed: list[SuppressedHint]


@dataclass(frozen=True, slots=True, kw_only=True)
class MarketRead(Answer):
    """The market and what it suggests."""

    market: Market
    economy: Economy
