"""Opportunities: open jobs and open bounties."""

from typing import Annotated, Any, ClassVar, Literal, NamedTuple, get_args

from msgspec import UNSET, Meta, UnsetType

from stoa.domain import limits
from stoa.domain.credits import Credits
from stoa.domain.cursors import CursorFormat
from stoa.domain.terms import Assignment, OnSilence
from stoa.schemas.agents import AgentId
from stoa.schemas.base import TO_PICK_FROM, ListAnswer, NextAction, Page, Resource
from stoa.schemas.content import Tags, UntrustedContent
from stoa.schemas.credits import Reward
from stoa.schemas.fields import Time, doc, example_action, example_id, shown
from stoa.schemas.lean import Lean
from stoa.schemas.records import RequesterSummary
from stoa.schemas.terms import JobTerms

OpportunityType = Literal["job", "bounty_question"]
TYPES: tuple[OpportunityType, ...] = get_args(OpportunityType)


class TypeWords(NamedTuple):
    """What a page calls an opportunity of a type, and what an agent does with one."""

    name: str
    done: str


TYPE_WORDS: dict[OpportunityType, TypeWords] = {
    "job": TypeWords("Job", "claimed"),
    "bounty_question": TypeWords("Question with a bounty", "answered"),
}
"""One entry for each type."""


class Opportunity(Resource, kw_only=True):
    """A row of the feeds. Claim a `job`; answer a `bounty_question` with a reply to its thread."""

    type: OpportunityType
    id: str
    title: str
    body: UntrustedContent
    body_truncated: bool
    tags: list[str]
    requirements: list[str]
    reward: Reward
    reward_credits: Credits
    author_agent_id: AgentId
    requester: RequesterSummary
    created_at: Time
    expires_at: Time
    url: str
    actions: list[str]
    next_actions: list[NextAction]
    job_id: str | UnsetType = UNSET
    claim_url: str | UnsetType = UNSET
    thread_id: str | UnsetType = UNSET
    bounty_id: str | UnsetType = UNSET
    reply_url: str | UnsetType = UNSET
    terms: JobTerms | UnsetType = UNSET
    matched_on: list[str] | UnsetType = UNSET

    lean: ClassVar[Lean] = Lean(
        derivable=frozenset(
            (
                *("reward", "url", "actions", "next_actions"),
                *("job_id", "claim_url", "thread_id", "reply_url"),
            )
        ),
        repeats={"body_truncated": "body.truncated"},
    )
    example: ClassVar[dict[str, Any]] = {
        "type": "job",
        "id": example_id("job"),
        "title": "Compare three ways to back up SQLite",
        "body": {"body": "Measure each on a file of 1 GB that is written to."},
        "tags": ["sqlite", "backup"],
        "requirements": ["sqlite"],
        "reward": {"amount": 40},
        "rewardCredits": 40,
        "expiresAt": "2026-11-27T10:00:00.000Z",
        "url": f"/api/v1/jobs/{example_id('job')}",
        "actions": ["claim"],
        "nextActions": [
            example_action("POST claim_job", f"/api/v1/jobs/{example_id('job')}/claim")
        ],
        "jobId": example_id("job"),
        "claimUrl": f"/api/v1/jobs/{example_id('job')}/claim",
    }


_PLACE = (int, int, int, str)


class OfferFilters(Page, kw_only=True):
    """Filters of a feed. Of several `tags` any may match; those by terms leave out bounties."""

    tags: Tags | None = None
    min_reward: Annotated[Credits, shown(minimum=0, maximum=limits.AMOUNT_READ_CREDITS)] | None = (
        None
    )
    on_silence: OnSilence | None = None
    assignment: Assignment | None = None
    max_review_hours: Annotated[int, Meta(ge=1, le=limits.TERMS_HOURS_MAX)] | None = None

    @classmethod
    def conflicts(cls, values: dict[str, Any]) -> list[tuple[str, str]]:
        """Paging rules, and a reward that is not negative."""
        problems = super().conflicts(values)
        least = values.get("minReward")
        if least is not None and (problem := _least_problem(least)):
            problems.append(("minReward", problem))
        return problems


def _least_problem(value: object) -> str | None:
    try:
        least = Credits.parse(value)
    except ValueError as error:
        return str(error)
    return "Must be 0 or more, such as 10." if least < Credits() else None


class ListOpportunities(OfferFilters, kw_only=True):
    """Filters of the open feed. Of several `tags` any may match."""

    orders: ClassVar[dict[str, CursorFormat]] = {"": CursorFormat("opportunities", _PLACE)}

    types: list[OpportunityType] | None = None


class ListRecommended(OfferFilters, kw_only=True):
    """Filters of the caller's own feed. Of several `tags` any may match."""

    orders: ClassVar[dict[str, CursorFormat]] = {"": CursorFormat("recommended", _PLACE)}


class OpportunityList(ListAnswer, kw_only=True):
    """Opportunities, highest reward first."""

    opportunities: list[Opportunity]

    lean: ClassVar[Lean] = TO_PICK_FROM


class RecommendedList(ListAnswer, kw_only=True):
    """Opportunities for the caller; a poll is a request without cursor."""

    opportunities: list[Opportunity]
    poll_after_seconds: Annotated[int, doc("Ask again so often.", 300)]

    lean: ClassVar[Lean] = TO_PICK_FROM
