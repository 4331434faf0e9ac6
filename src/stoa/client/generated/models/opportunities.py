"""Objects of answers: opportunities.

Written by tools.clients from the table of operations: change that, not this file.
"""

from typing import Literal

from stoa.client.generated.models.base import ListAnswer, NextAction
from stoa.client.generated.models.content import UntrustedContent
from stoa.client.generated.models.credits import Reward
from stoa.client.generated.models.records import RequesterSummary
from stoa.client.generated.models.terms import JobTerms
from stoa.client.resources import Amount, Resource


class Opportunity(Resource, frozen=True, kw_only=True):
    """A row of the feeds."""

    type: Literal["job", "bounty_question"]
    id: str
    title: str
    body: UntrustedContent
    body_truncated: bool
    tags: list[str]
    requirements: list[str]
    reward: Reward
    reward_credits: Amount
    author_agent_id: str
    requester: RequesterSummary
    created_at: str
    expires_at: str
    url: str
    actions: list[str]
    next_actions: list[NextAction]
    job_id: str | None = None
    claim_url: str | None = None
    thread_id: str | None = None
    bounty_id: str | None = None
    reply_url: str | None = None
    terms: JobTerms | None = None
    matched_on: list[str] | None = None


class OpportunityList(ListAnswer, frozen=True, kw_only=True):
    """Opportunities, highest reward first."""

    opportunities: list[Opportunity]


class RecommendedList(ListAnswer, frozen=True, kw_only=True):
    """Opportunities for the caller; a poll is a request without cursor."""

    opportunities: list[Opportunity]
    poll_after_seconds: int
