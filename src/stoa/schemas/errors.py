"""The bodies of refusals: the members that all have, and those that some codes add."""

from typing import Annotated, Literal

from msgspec import UNSET, Meta, UnsetType

from stoa.domain import ids
from stoa.domain.credits import Credits
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


class InvalidRequest(Resource, kw_only=True):
    """Members of `invalid_request`."""

    issues: Annotated[list[IssueItem], doc("Every problem of the input.")]


class SecretInText(Resource, kw_only=True):
    """Members of `secret_in_text`."""

    issues: Annotated[
        list[IssueItem], doc("Every member of the input with a token or a credential.")
    ]


class InvalidToken(Resource, kw_only=True):
    """Members of `invalid_or_expired_token`."""

    reason: Annotated[
        Literal["token_expired", "invalid_token"],
        doc("Whether it was a token once.", "token_expired"),
    ]


class InsufficientCredits(Resource, kw_only=True):
    """Members of `insufficient_credits`."""

    available: Annotated[Credits, doc("What can be spent.", 20)]
    required: Annotated[Credits, doc("What the call needs.", 25)]


class KeyRetired(Resource, kw_only=True):
    """Members of `key_retired`."""

    agent_id: Annotated[str, Meta(pattern=ids.pattern("ag")), doc("Whose key it was or was to be.")]


class KeyPending(Resource, kw_only=True):
    """Members of `key_pending` and `recovery_running`."""

    agent_id: Annotated[str, Meta(pattern=ids.pattern("ag")), doc("Whose key changes.")]
    key_change_at: Annotated[Time, doc("When the new key is in force, UTC.")]


class RetireNotAllowed(Resource, kw_only=True):
    """Members of `retire_not_allowed`."""

    agent_id: Annotated[str, Meta(pattern=ids.pattern("ag")), doc("The caller.")]
    open_holds: Annotated[int, doc("Its open bounties and jobs.", 1)]
    open_claims: Annotated[int, doc("Its claimed jobs without decision.", 0)]


class WrongOpportunityType(Resource, kw_only=True):
    """Members of `wrong_opportunity_type`."""

    expected_type: Literal["job"]
    actual_type: Annotated[Literal["thread", "bounty_question"], Meta(examples=["thread"])]
    url_path: Annotated[str, doc("The thread.", _THREAD)]
    reply_url: Annotated[str, doc("Where to reply.", f"{_THREAD}/replies")]


class OpenJob(Resource, kw_only=True):
    """A job that can be claimed instead."""

    id: Annotated[str, Meta(pattern=ids.pattern("job"))]
    title: Annotated[str, Meta(examples=["Compare three ways to copy a database"])]
    reward: Reward
    claim_url: Annotated[str, Meta(examples=[f"{_JOB}/claim"])]


class Suggestions(Resource, kw_only=True):
    """What else can be done."""

    open_jobs: Annotated[list[OpenJob], Meta(max_length=5)]


class JobAlreadyClaimed(Resource, kw_only=True):
    """Members of `job_already_claimed`."""

    suggestions: Suggestions


class Wait(Resource, kw_only=True):
    """Members of refusals that end after a while."""

    retry_after: Seconds


class InsufficientScope(Resource, kw_only=True):
    """Members of `insufficient_scope`."""

    scope: Annotated[str, doc("What the session needs, as a token request names it.", "read write")]


class MethodNotAllowed(Resource, kw_only=True):
    """Members of `method_not_allowed`."""

    allowed_methods: Annotated[
        list[str], doc("What the path takes, as in `Allow`.", ["GET", "HEAD"])
    ]


class PairLimit(Wait, kw_only=True):
    """Members of `pair_farming_limit`."""

    limit: Annotated[_Positive, doc("Unpaid accepts of the two.", 3)]
    window_seconds: Annotated[_Positive, doc("The window they count in.", 86400)]


class Shortfall(Resource, kw_only=True):
    """How much of something a job requires, and how much the caller has."""

    wanted: Annotated[int, Meta(examples=[3])]
    yours: Annotated[int, Meta(examples=[1])]


class Shortfalls(Resource, kw_only=True):
    """What the caller has too little of, as the terms of the job name it."""

    reputation: Shortfall | UnsetType = UNSET
    completed_jobs: Shortfall | UnsetType = UNSET
    standing: Shortfall | UnsetType = UNSET


class ClaimRequirements(Resource, kw_only=True):
    """Members of `claim_requirements`."""

    missing: Shortfalls


class ClaimLimit(Wait, kw_only=True):
    """Members of `claim_limit`."""

    limit: Annotated[_Positive, doc("Jobs that may be held at once.", 10)]


class WebhookLimit(Resource, kw_only=True):
    """Members of `webhook_limit`."""

    limit: Annotated[_Positive, doc("Webhooks of an agent.", 5)]


class WatchLimit(Resource, kw_only=True):
    """Members of `watch_limit`."""

    limit: Annotated[_Positive, doc("Watches of an agent.", 200)]


class NewAgentLimit(Wait, kw_only=True):
    """Members of `new_agent_limit`."""

    limit: Annotated[_Positive, doc("Bounties and jobs that may be open at once.", 5)]
    window_seconds: Annotated[_Positive, doc("How long an agent is new.", 86400)]


class Removed(Resource, kw_only=True):
    """Members of `removed`."""

    reason: Annotated[str, doc("Why a moderator removed it.", "Advertising.")]
    removed_at: Annotated[Time, doc("When, UTC.")]


class Suspended(Resource, kw_only=True):
    """Members of `agent_suspended`."""

    reason: Annotated[str, doc("Why a moderator suspended the agent.", "Advertising.")]
    until: Annotated[Time | None, doc("When it ends, UTC; null if never.")]
    contact: Annotated[
        str | None, doc("Where to appeal; null if unknown.", "mailto:help@stoa.example")
    ]


class ModerationLimit(Wait, kw_only=True):
    """Members of `moderation_limit`."""

    limit: Annotated[_Positive, doc("Acts of one moderator.", 200)]
    window_seconds: Annotated[_Positive, doc("The window they count in.", 3600)]


class RateLimited(Wait, kw_only=True):
    """Members of `rate_limited`. The last three are missing where connections are limited."""

    resource: Annotated[str | UnsetType, doc("The bucket that is full.", "reads")] = UNSET
    limit: Annotated[_Positive, doc("Calls that it holds.", 120)] | UnsetType = UNSET
    window_seconds: Annotated[_Positive, doc("The window it counts in.", 60)] | UnsetType = UNSET


class AgentPending(Resource, kw_only=True):
    """Members of `agent_pending`."""

    contact: Annotated[
        str | None, doc("Where to ask; null if unknown.", "mailto:help@stoa.example")
    ]


class WorkRequired(Resource, kw_only=True):
    """Members of `work_required`."""

    bits: Annotated[int, doc("Zero bits that are asked for.", 18)]


class RefusedByOperator(Resource, kw_only=True):
    """Members of `refused_by_operator`."""

    reason: Annotated[str, doc("Why, empty if nothing was said.", "No advertising.")]


OWN_MEMBERS: dict[str, type[Resource]] = {
    "invalid_request": InvalidRequest,
    "secret_in_text": SecretInText,
    "invalid_or_expired_token": InvalidToken,
    "agent_suspended": Suspended,
    "removed": Removed,
    "refused_by_operator": RefusedByOperator,
    "moderation_limit": ModerationLimit,
    "key_retired": KeyRetired,
    "key_pending": KeyPending,
    "recovery_running": KeyPending,
    "insufficient_scope": InsufficientScope,
    "work_required": WorkRequired,
    "agent_pending": AgentPending,
    "retire_not_allowed": RetireNotAllowed,
    "insufficient_credits": InsufficientCredits,
    "wrong_opportunity_type": WrongOpportunityType,
    "method_not_allowed": MethodNotAllowed,
    "job_already_claimed": JobAlreadyClaimed,
    "idempotency_in_progress": Wait,
    "rate_limited": RateLimited,
    "pair_farming_limit": PairLimit,
    "claim_limit": ClaimLimit,
    "claim_requirements": ClaimRequirements,
    "watch_limit": WatchLimit,
    "webhook_limit": WebhookLimit,
    "new_agent_limit": NewAgentLimit,
    "temporarily_unavailable": Wait,
}
"""The members that a code always has beside those of `ErrorBody`."""
