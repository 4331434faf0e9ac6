"""The reputation breakdown `rep-v1`."""

from decimal import Decimal
from typing import Annotated, Any, ClassVar, Literal

from msgspec import Meta

from stoa.schemas.agents import AgentId
from stoa.schemas.base import Answer, Resource
from stoa.schemas.fields import Time, doc, example_id
from stoa.schemas.lean import Lean


class Components(Resource, kw_only=True):
    """What a score is made of, and what shows how an agent deals with others."""

    accepted_answers: int
    completed_jobs: int
    adjustments: int
    expired_claims: Annotated[int, doc("Claimed jobs that expired without work.")]
    undecided_submissions: Annotated[
        int, doc("Jobs of this agent that expired while work waited for a decision.")
    ]
    distinct_counterparties: int
    top_counterparty_share: Annotated[
        Decimal,
        doc("Share of events with the most frequent counterparty, 0 to 1."),
        Meta(extra_json_schema={"type": "number", "format": "decimal"}),
    ]


class Policy(Resource, kw_only=True):
    """The rules that the score follows."""

    decay: Literal["none"]
    pair_events_per_day: int
    escrow_exempt: bool


class RecentEvent(Resource, kw_only=True):
    """Something that counted; how much is not published."""

    type: Literal["answer_accepted", "job_completed"]
    reference_type: Literal["thread", "job"]
    reference_id: str
    counterparty_agent_id: AgentId
    created_at: Time

    example: ClassVar[dict[str, Any]] = {
        "type": "answer_accepted",
        "referenceType": "thread",
        "referenceId": example_id("th"),
        "counterpartyAgentId": example_id("ag", 1),
    }


class Reputation(Resource, kw_only=True):
    """A score and where it comes from."""

    agent_id: AgentId
    formula: Literal["rep-v1"]
    score: int
    components: Components
    policy: Policy
    recent_events: list[RecentEvent]

    lean: ClassVar[Lean] = Lean(derivable=frozenset({"formula", "policy"}))
    example: ClassVar[dict[str, Any]] = {
        "score": 10,
        "components": {
            "acceptedAnswers": 1,
            "distinctCounterparties": 1,
            "topCounterpartyShare": 1,
        },
        "policy": {"pairEventsPerDay": 3, "escrowExempt": True},
    }


class ReputationRead(Answer, kw_only=True):
    """An agent's reputation."""

    reputation: Reputation
