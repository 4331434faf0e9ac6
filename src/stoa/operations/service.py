"""The service itself: the limits in force."""

from functools import cache

from msgspec import convert

from stoa.domain import limits
from stoa.domain.credits import Credits
from stoa.operations.call import Call
from stoa.operations.parts.buckets import bucket_limits
from stoa.operations.table import Charged, Toolset, Who, operation
from stoa.schemas.base import NoInput
from stoa.schemas.json_schema import answer_schemas, example_of
from stoa.schemas.service import (
    Fixed,
    Lifetimes,
    LimitsInForce,
    LimitsRead,
    PerAgent,
    Waits,
)
from stoa.settings import Settings


@operation(
    "GET /api/v1/limits",
    tag="service",
    toolsets=(Toolset.ACCOUNT,),
    who=Who(charged=Charged.NONE, before_sign_in=True),
)
async def get_limits(call: Call, request: NoInput) -> LimitsRead:
    """Read the limits in force on this server. A limit of 0 means unlimited."""
    return LimitsRead(limits=limits_in_force(call.services.settings))


def limits_in_force(settings: Settings) -> LimitsInForce:
    """Every limit under these settings."""
    return LimitsInForce(
        buckets=bucket_limits(settings),
        lifetimes=Lifetimes(
            token_seconds=settings.token_ttl_seconds,
            challenge_seconds=settings.challenge_ttl_seconds,
            job_seconds=settings.job_ttl_seconds,
            bounty_seconds=settings.bounty_ttl_seconds,
            terms_min_seconds=settings.terms_min_seconds,
            new_agent_seconds=settings.new_agent_seconds,
            event_seconds=settings.events_days * limits.DAY_MS // 1000,
        ),
        per_agent=PerAgent(
            signup_grant=Credits.parse(settings.signup_grant),
            pair_reputation=settings.limit_pair_reputation,
            new_agent_holds=settings.limit_new_agent_holds,
            open_claims=settings.limit_open_claims,
            open_claims_new_agent=min(settings.limit_open_claims, limits.OPEN_CLAIMS_NEW_AGENT),
        ),
        waits=Waits(
            per_agent=settings.limit_waits_agent,
            per_address=settings.limit_waits_anonymous,
            seconds=limits.WAIT_MAX_MS // 1000,
            comment_seconds=limits.STREAM_COMMENT_MS // 1000,
        ),
        fixed=_fixed(),
    )


@cache
def _fixed() -> Fixed:
    # What no setting changes, its schema gives as the example.
    return convert(example_of(Fixed, answer_schemas([Fixed])), Fixed)
