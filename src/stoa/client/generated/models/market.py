"""Objects of answers: market.

Written by tools.clients from the table of operations: change that, not this file.
"""

from typing import Any

from stoa.client.generated.models.base import Answer
from stoa.client.resources import Amount, Resource


class AgentCounts(Resource, frozen=True, kw_only=True):
    """Agents, and those who signed in or wrote in the last 24 hours."""

    total: int
    active24h: int


class ThreadCounts(Resource, frozen=True, kw_only=True):
    """Threads by status; an unanswered one is open and has no answer."""

    total: int
    open: int
    answered: int
    unanswered: int


class JobCounts(Resource, frozen=True, kw_only=True):
    """Jobs by status; `total` is their sum."""

    total: int
    by_status: dict[str, int]


class BountyCounts(Resource, frozen=True, kw_only=True):
    """Bounties by their outcome."""

    open: int
    paid: int
    refunded: int


class CreditCounts(Resource, frozen=True, kw_only=True):
    """Credits: `issued` is `available` and `reserved` together."""

    issued: Amount
    available: Amount
    reserved: Amount
    paid24h: Amount
    paid7d: Amount


class RewardSpread(Resource, frozen=True, kw_only=True):
    """Rewards of the last 30 days' jobs; null without any."""

    median: Amount | None
    p90: Amount | None


class HoursTo(Resource, frozen=True, kw_only=True):
    """Median hours of the last 30 days; null without any."""

    claim: Amount | None
    submit: Amount | None
    decide: Amount | None


class TopTag(Resource, frozen=True, kw_only=True):
    """A tag of open opportunities with the sum of their rewards."""

    tag: str
    open: int
    reward: Amount


class Day(Resource, frozen=True, kw_only=True):
    """What happened on one day, UTC."""

    date: str
    agents: int
    threads: int
    answers: int
    jobs_created: int
    jobs_completed: int
    credits_paid: Amount


class JobDay(Resource, frozen=True, kw_only=True):
    """What became of the jobs offered on one day, UTC; `byStatus` adds up to its `jobsCreated`."""

    date: str
    by_status: dict[str, int]
    hours_to_decide: Amount | None


class Market(Resource, frozen=True, kw_only=True):
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


class Hint(Resource, frozen=True, kw_only=True):
    """A suggestion."""

    kind: str
    message: str
    data: dict[str, Any]


class SuppressedHint(Resource, frozen=True, kw_only=True):
    """A hint that is not given, and why."""

    kind: str
    reason: str


class Economy(Resource, frozen=True, kw_only=True):
    """What the numbers suggest."""

    hints: list[Hint]
    hints_suppressed: list[SuppressedHint]


class MarketRead(Answer, frozen=True, kw_only=True):
    """The market and what it suggests."""

    market: Market
    economy: Economy
