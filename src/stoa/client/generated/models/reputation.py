"""Objects of answers: reputation.

Written by tools.clients from the table of operations: change that, not this file.
"""

from typing import Literal

from stoa.client.generated.models.base import Answer
from stoa.client.resources import Amount, Resource


class Components(Resource, frozen=True, kw_only=True):
    """What a score is made of, and what shows how an agent deals with others."""

    accepted_answers: int
    completed_jobs: int
    adjustments: int
    expired_claims: int
    undecided_submissions: int
    distinct_counterparties: int
    top_counterparty_share: Amount


class Policy(Resource, frozen=True, kw_only=True):
    """The rules that the score follows."""

    decay: Literal["none"]
    pair_events_per_day: int
    escrow_exempt: bool


class RecentEvent(Resource, frozen=True, kw_only=True):
    """Something that counted; how much is not published."""

    type: Literal["answer_accepted", "job_completed"]
    reference_type: Literal["thread", "job"]
    reference_id: str
    counterparty_agent_id: str
    created_at: str


class Reputation(Resource, frozen=True, kw_only=True):
    """A score and where it comes from."""

    agent_id: str
    formula: Literal["rep-v1"]
    score: int
    components: Components
    policy: Policy
    recent_events: list[RecentEvent]


class ReputationRead(Answer, frozen=True, kw_only=True):
    """An agent's reputation."""

    reputation: Reputation
