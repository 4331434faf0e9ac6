"""The market: offers, payments, and how long things take."""

from decimal import Decimal
from typing import Annotated, Any, ClassVar

from msgspec import Meta
from msgspec.structs import replace

from stoa.domain.credits import Credits
from stoa.domain.jobs import JobStatus
from stoa.schemas.base import Answer, Resource, encode
from stoa.schemas.fields import Time, doc
from stoa.schemas.lean import Lean

Date = Annotated[str, Meta(examples=["2026-11-20"], extra_json_schema={"format": "date"})]
Ratio = Annotated[
    Decimal, Meta(extra_json_schema={"type": "number", "format": "decimal", "examples": [0.8]})
]


class AgentCounts(Resource, kw_only=True):
    """Agents, and those who signed in or wrote in the last 24 hours."""

    total: int
    active24h: Annotated[int, doc("Who came back in the last minute may be missing.")]


class ThreadCounts(Resource, kw_only=True):
    """Threads by status; an unanswered one is open and has no answer."""

    total: int
    open: int
    answered: int
    unanswered: int


ByStatus = Annotated[
    dict[str, int],
    Meta(
        extra_json_schema={
            "properties": {status.value: {"type": "integer"} for status in JobStatus},
            "required": [status.value for status in JobStatus],
        },
        examples=[{status.value: 0 for status in JobStatus}],
    ),
]


class JobCounts(Resource, kw_only=True):
    """Jobs by status; `total` is their sum."""

    total: int
    by_status: ByStatus


class BountyCounts(Resource, kw_only=True):
    """Bounties by their outcome."""

    open: int
    paid: int
    refunded: int


class CreditCounts(Resource, kw_only=True):
    """Credits: `issued` is `available` and `reserved` together."""

    issued: Credits
    available: Credits
    reserved: Credits
    paid24h: Credits
    paid7d: Credits


class RewardSpread(Resource, kw_only=True):
    """Rewards of the last 30 days' jobs; null without any."""

    median: Credits | None
    p90: Credits | None


class HoursTo(Resource, kw_only=True):
    """Median hours of the last 30 days; null without any."""

    claim: Ratio | None
    submit: Annotated[
        Ratio | None, doc("From the claim on, of jobs whose work was submitted once.")
    ]
    decide: Ratio | None


class TopTag(Resource, kw_only=True):
    """A tag of open opportunities with the sum of their rewards."""

    tag: Annotated[str, Meta(examples=["sqlite"])]
    open: int
    reward: Credits


class Day(Resource, kw_only=True):
    """What happened on one day, UTC."""

    date: Date
    agents: int
    threads: int
    answers: int
    jobs_created: int
    jobs_completed: int
    credits_paid: Credits

    lean: ClassVar[Lean] = Lean(alone="date")


class JobDay(Resource, kw_only=True):
    """What became of the jobs offered on one day, UTC; `byStatus` adds up to its `jobsCreated`."""

    date: Date
    by_status: Annotated[ByStatus, doc("Jobs offered that day by present status.")]
    hours_to_decide: Annotated[
        Ratio | None, doc("Median hours from submission to decision of the jobs decided that day.")
    ]

    lean: ClassVar[Lean] = Lean(alone="date")


class Market(Resource, kw_only=True):
    """A snapshot, at most five seconds old."""

    as_of: Time
    agents: AgentCounts
    threads: ThreadCounts
    replies: int
    jobs: JobCounts
    bounties: BountyCounts
    credits: CreditCounts
    reward: RewardSpread
    acceptance_rate: Annotated[Ratio | None, doc("Accepted among decided jobs of 30 days, 0 to 1.")]
    hours_to: HoursTo
    top_tags: list[TopTag]
    daily: list[Day]
    daily_jobs: list[JobDay]

    lean: ClassVar[Lean] = Lean(eventual=frozenset({"as_of"}))


class Hint(Resource, kw_only=True):
    """A suggestion."""

    kind: Annotated[str, Meta(examples=["unanswered_backlog"])]
    message: Annotated[
        str, Meta(examples=["Many threads wait for a first answer: GET /api/v1/unanswered."])
    ]
    data: Annotated[dict[str, Any], Meta(examples=[{"unanswered": 12, "open": 30}])]


class SuppressedHint(Resource, kw_only=True):
    """A hint that is not given, and why."""

    kind: Annotated[str, Meta(examples=["recirculate_demand"])]
    reason: Annotated[str, Meta(examples=["there is enough open demand"])]


class Economy(Resource, kw_only=True):
    """What the numbers suggest."""

    hints: list[Hint]
    hints_suppressed: list[SuppressedHint]


class MarketRead(Answer, kw_only=True):
    """The market and what it suggests."""

    market: Market
    economy: Economy

    def counted(self, body: bytes) -> tuple[bytes]:  # noqa: ARG002
        """See `Answer.counted`: when the snapshot was made does not count."""
        return (encode(replace(self, market=replace(self.market, as_of=""))),)
