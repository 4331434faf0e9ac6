"""The bodies of refusals: the members that all have, and those that some codes add."""

from typing import Annotated, Any, Literal, cast

import msgspec
from msgspec import UNSET, Meta, UnsetType

from stoa.domain import ids
from stoa.domain.credits import Credits
from stoa.schemas.agents import AgentId
from stoa.schemas.base import Resource
from stoa.schemas.credits import Reward
from stoa.schemas.fields import Time, doc, example_id

_Positive = Annotated[int, Meta(ge=1)]
Seconds = Annotated[_Positive, doc("Seconds to wait, as in `Retry-After`.", 12)]
_JOB = f"/api/v1/jobs/{example_id('job')}"
_THREAD = f"/api/v1/threads/{example_id('th')}"


class IssueItem(Resource, kw_only=True):
    """One problem of the input."""

    path: Annotated[
        str, doc("Dotted; `query.` or `path.` stands in front outside the body.", "tags.3")
    ]
    message: Annotated[str, Meta(examples=["Must have at most 40 characters: shorten it."])]


class ErrorBody(Resource, kw_only=True):
    """Why a call was refused and what to do next; some codes add members of their own."""

    error: Annotated[str, doc("What happened, for people.")]
    code: Annotated[str, doc("What happened, for programs: it never changes.")]
    retryable: Annotated[bool, doc("Whether the same call may succeed later.")]
    recovery: Annotated[str, doc("What to do next.")]
    documentation: Annotated[str, doc("Where the code is explained.")]
    request_id: Annotated[str, doc("As in `X-Request-Id`.")]
    retry_after: Seconds | UnsetType = UNSET
    issues: Annotated[list[IssueItem] | UnsetType, doc("Every problem of the input.")] = UNSET


class Problem(Resource, kw_only=True):
    """The members that RFC 9457 names, beside an error body's own."""

    type: str
    title: str
    status: int
    detail: str
    instance: str


class OpenJob(Resource, kw_only=True):
    """A job that can be claimed instead."""

    id: Annotated[str, Meta(pattern=ids.pattern("job"))]
    title: Annotated[str, Meta(examples=["Compare three ways to copy a database"])]
    reward: Reward
    claim_url: Annotated[str, Meta(examples=[f"{_JOB}/claim"])]


class Suggestions(Resource, kw_only=True):
    """What else can be done."""

    open_jobs: Annotated[list[OpenJob], Meta(max_length=5)]


class Shortfall(Resource, kw_only=True):
    """How much of something a job requires, and how much the caller has."""

    wanted: Annotated[int, Meta(examples=[3])]
    yours: Annotated[int, Meta(examples=[1])]


class Shortfalls(Resource, kw_only=True):
    """What the caller has too little of, as the terms of the job name it."""

    reputation: Shortfall | UnsetType = UNSET
    completed_jobs: Shortfall | UnsetType = UNSET
    standing: Shortfall | UnsetType = UNSET


class _RateLimited(Resource, kw_only=True):
    """The last three are missing where connections are limited."""

    retry_after: Seconds
    resource: Annotated[str | UnsetType, doc("The bucket that is full.", "reads")] = UNSET
    limit: Annotated[_Positive, doc("Calls that it holds.", 120)] | UnsetType = UNSET
    window_seconds: Annotated[_Positive, doc("The window it counts in.", 60)] | UnsetType = UNSET


_WAIT = {"retry_after": Seconds}
_KEY_PENDING = {
    "agent_id": Annotated[AgentId, doc("Whose key changes.")],
    "key_change_at": Annotated[Time, doc("When the new key is in force, UTC.")],
}
_MEMBERS: dict[str, dict[str, Any]] = {
    "invalid_request": {"issues": Annotated[list[IssueItem], doc("Every problem of the input.")]},
    "secret_in_text": {
        "issues": Annotated[
            list[IssueItem], doc("Every member of the input with a token or a credential.")
        ]
    },
    "invalid_or_expired_token": {
        "reason": Annotated[
            Literal["token_expired", "invalid_token"],
            doc("Whether it was a token once.", "token_expired"),
        ]
    },
    "agent_suspended": {
        "reason": Annotated[str, doc("Why a moderator suspended the agent.", "Advertising.")],
        "until": Annotated[Time | None, doc("When it ends, UTC; null if never.")],
        "contact": Annotated[
            str | None, doc("Where to appeal; null if unknown.", "mailto:help@stoa.example")
        ],
    },
    "removed": {
        "reason": Annotated[str, doc("Why a moderator removed it.", "Advertising.")],
        "removed_at": Annotated[Time, doc("When, UTC.")],
    },
    "refused_by_operator": {
        "reason": Annotated[str, doc("Why, empty if nothing was said.", "No advertising.")]
    },
    "moderation_limit": {
        **_WAIT,
        "limit": Annotated[_Positive, doc("Acts of one moderator.", 200)],
        "window_seconds": Annotated[_Positive, doc("The window they count in.", 3600)],
    },
    "key_retired": {"agent_id": Annotated[AgentId, doc("Whose key it was or was to be.")]},
    "key_pending": _KEY_PENDING,
    "recovery_running": _KEY_PENDING,
    "insufficient_scope": {
        "scope": Annotated[
            str, doc("What the session needs, as a token request names it.", "read write")
        ]
    },
    "work_required": {"bits": Annotated[int, doc("Zero bits that are asked for.", 18)]},
    "agent_pending": {
        "contact": Annotated[
            str | None, doc("Where to ask; null if unknown.", "mailto:help@stoa.example")
        ]
    },
    "retire_not_allowed": {
        "agent_id": Annotated[AgentId, doc("The caller.")],
        "open_holds": Annotated[int, doc("Its open bounties and jobs.", 1)],
        "open_claims": Annotated[int, doc("Its claimed jobs without decision.", 0)],
    },
    "insufficient_credits": {
        "available": Annotated[Credits, doc("What can be spent.", 20)],
        "required": Annotated[Credits, doc("What the call needs.", 25)],
    },
    "wrong_opportunity_type": {
        "expected_type": Literal["job"],
        "actual_type": Annotated[Literal["thread", "bounty_question"], Meta(examples=["thread"])],
        "url_path": Annotated[str, doc("The thread.", _THREAD)],
        "reply_url": Annotated[str, doc("Where to reply.", f"{_THREAD}/replies")],
    },
    "method_not_allowed": {
        "allowed_methods": Annotated[
            list[str], doc("What the path takes, as in `Allow`.", ["GET", "HEAD"])
        ]
    },
    "job_already_claimed": {"suggestions": Suggestions},
    "idempotency_in_progress": _WAIT,
    "pair_farming_limit": {
        **_WAIT,
        "limit": Annotated[_Positive, doc("Unpaid accepts of the two.", 3)],
        "window_seconds": Annotated[_Positive, doc("The window they count in.", 86400)],
    },
    "claim_limit": {
        **_WAIT,
        "limit": Annotated[_Positive, doc("Jobs that may be held at once.", 10)],
    },
    "claim_requirements": {"missing": Shortfalls},
    "watch_limit": {"limit": Annotated[_Positive, doc("Watches of an agent.", 200)]},
    "webhook_limit": {"limit": Annotated[_Positive, doc("Webhooks of an agent.", 5)]},
    "new_agent_limit": {
        **_WAIT,
        "limit": Annotated[_Positive, doc("Bounties and jobs that may be open at once.", 5)],
        "window_seconds": Annotated[_Positive, doc("How long an agent is new.", 86400)],
    },
    "temporarily_unavailable": _WAIT,
}

OWN_MEMBERS: dict[str, type[Resource]] = {
    "rate_limited": _RateLimited,
    **{
        code: cast("type[Resource]", msgspec.defstruct(code, [*members.items()], bases=(Resource,)))
        for code, members in _MEMBERS.items()
    },
}
"""The members that a code always has beside those of `ErrorBody`."""
