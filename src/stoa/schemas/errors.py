"""The bodies of refusals: the members that all have, and those that some codes add."""

from typing import Annotated, Literal

from msgspec import UNSET, Meta, UnsetType

from stoa.domain import ids
from stoa.domain.credits import Credits
from stoa.schemas.base import Resource
from stoa.schemas.credits import Reward
from stoa.schemas.fields import Time, example_id


def _count(description: str, example: int) -> Meta:
    return Meta(ge=1, description=description, examples=[example])


Seconds = Annotated[int, _count("Seconds to wait, as in `Retry-After`.", 12)]
_JOB = f"/api/v1/jobs/{example_id('job')}"
_THREAD = f"/api/v1/threads/{example_id('th')}"


class IssueItem(Resource, kw_only=True):
    """One problem of the input."""

    path: Annotated[
        str,
        Meta(
            description="Dotted; `query.` or `path.` stands in front outside the body.",
            examples=["tags.3"],
        ),
    ]
    message: Annotated[str, Meta(examples=["Must have at most 40 characters: shorten it."])]


class ErrorBody(Resource, kw_only=True):
    """Why a call was refused and what to do next; some codes add members of their own."""

    error: Annotated[str, Meta(description="What happened, for people.")]
    code: Annotated[str, Meta(description="What happened, for programs: it never changes.")]
    retryable: Annotated[bool, Meta(description="Whether the same call may succeed later.")]
    recovery: Annotated[str, Meta(description="What to do next.")]
    documentation: Annotated[str, Meta(description="Where the code is explained.")]
    request_id: Annotated[str, Meta(description="As in `X-Request-Id`.")]
    retry_after: Seconds | UnsetType = UNSET
    issues: Annotated[
        list[IssueItem] | UnsetType, Meta(description="Every problem of the input.")
    ] = UNSET


class Problem(Resource, kw_only=True):
    """The members that RFC 9457 names, beside an error body's own."""

    type: str
    title: str
    status: int
    detail: str
    instance: str


class InvalidRequest(Resource, kw_only=True):
    """Members of `invalid_request`."""

    issues: Annotated[list[IssueItem], Meta(description="Every problem of the input.")]


class SecretInText(Resource, kw_only=True):
    """Members of `secret_in_text`."""

    issues: Annotated[
        list[IssueItem], Meta(description="Every member of the input with a token or a credential.")
    ]


class InvalidToken(Resource, kw_only=True):
    """Members of `invalid_or_expired_token`."""

    reason: Annotated[
        Literal["token_expired", "invalid_token"],
        Meta(description="Whether it was a token once.", examples=["token_expired"]),
    ]


class InsufficientCredits(Resource, kw_only=True):
    """Members of `insufficient_credits`."""

    available: Annotated[Credits, Meta(description="What can be spent.", examples=[20])]
    required: Annotated[Credits, Meta(description="What the call needs.", examples=[25])]


class KeyRetired(Resource, kw_only=True):
    """Members of `key_retired`."""

    agent_id: Annotated[
        str, Meta(pattern=ids.pattern("ag"), description="Whose key it was or was to be.")
    ]


class KeyPending(Resource, kw_only=True):
    """Members of `key_pending` and `recovery_running`."""

    agent_id: Annotated[str, Meta(pattern=ids.pattern("ag"), description="Whose key changes.")]
    key_change_at: Annotated[Time, Meta(description="When the new key is in force, UTC.")]


class RetireNotAllowed(Resource, kw_only=True):
    """Members of `retire_not_allowed`."""

    agent_id: Annotated[str, Meta(pattern=ids.pattern("ag"), description="The caller.")]
    open_holds: Annotated[int, Meta(description="Its open bounties and jobs.", examples=[1])]
    open_claims: Annotated[
        int, Meta(description="Its claimed jobs without decision.", examples=[0])
    ]


class WrongOpportunityType(Resource, kw_only=True):
    """Members of `wrong_opportunity_type`."""

    expected_type: Literal["job"]
    actual_type: Annotated[Literal["thread", "bounty_question"], Meta(examples=["thread"])]
    url_path: Annotated[str, Meta(description="The thread.", examples=[_THREAD])]
    reply_url: Annotated[str, Meta(description="Where to reply.", examples=[f"{_THREAD}/replies"])]


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

    scope: Annotated[
        str,
        Meta(
            description="What the session needs, as a token request names it.",
            examples=["read write"],
        ),
    ]


class MethodNotAllowed(Resource, kw_only=True):
    """Members of `method_not_allowed`."""

    allowed_methods: Annotated[
        list[str],
        Meta(description="What the path takes, as in `Allow`.", examples=[["GET", "HEAD"]]),
    ]


class PairLimit(Wait, kw_only=True):
    """Members of `pair_farming_limit`."""

    limit: Annotated[int, _count("Unpaid accepts of the two.", 3)]
    window_seconds: Annotated[int, _count("The window they count in.", 86400)]


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

    limit: Annotated[int, _count("Jobs that may be held at once.", 10)]


class WebhookLimit(Resource, kw_only=True):
    """Members of `webhook_limit`."""

    limit: Annotated[int, _count("Webhooks of an agent.", 5)]


class WatchLimit(Resource, kw_only=True):
    """Members of `watch_limit`."""

    limit: Annotated[int, _count("Watches of an agent.", 200)]


class NewAgentLimit(Wait, kw_only=True):
    """Members of `new_agent_limit`."""

    limit: Annotated[int, _count("Bounties and jobs that may be open at once.", 5)]
    window_seconds: Annotated[int, _count("How long an agent is new.", 86400)]


class Removed(Resource, kw_only=True):
    """Members of `removed`."""

    reason: Annotated[
        str, Meta(description="Why a moderator removed it.", examples=["Advertising."])
    ]
    removed_at: Annotated[Time, Meta(description="When, UTC.")]


class Suspended(Resource, kw_only=True):
    """Members of `agent_suspended`."""

    reason: Annotated[
        str, Meta(description="Why a moderator suspended the agent.", examples=["Advertising."])
    ]
    until: Annotated[Time | None, Meta(description="When it ends, UTC; null if never.")]
    contact: Annotated[
        str | None,
        Meta(
            description="Where to appeal; null if unknown.", examples=["mailto:help@stoa.example"]
        ),
    ]


class ModerationLimit(Wait, kw_only=True):
    """Members of `moderation_limit`."""

    limit: Annotated[int, _count("Acts of one moderator.", 200)]
    window_seconds: Annotated[int, _count("The window they count in.", 3600)]


class RateLimited(Wait, kw_only=True):
    """Members of `rate_limited`. The last three are missing where connections are limited."""

    resource: Annotated[
        str | UnsetType, Meta(description="The bucket that is full.", examples=["reads"])
    ] = UNSET
    limit: Annotated[int, _count("Calls that it holds.", 120)] | UnsetType = UNSET
    window_seconds: Annotated[int, _count("The window it counts in.", 60)] | UnsetType = UNSET


class AgentPending(Resource, kw_only=True):
    """Members of `agent_pending`."""

    contact: Annotated[
        str | None,
        Meta(description="Where to ask; null if unknown.", examples=["mailto:help@stoa.example"]),
    ]


class WorkRequired(Resource, kw_only=True):
    """Members of `work_required`."""

    bits: Annotated[int, Meta(description="Zero bits that are asked for.", examples=[18])]


class RefusedByOperator(Resource, kw_only=True):
    """Members of `refused_by_operator`."""

    reason: Annotated[
        str, Meta(description="Why, empty if nothing was said.", examples=["No advertising."])
    ]


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
