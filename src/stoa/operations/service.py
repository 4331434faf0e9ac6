"""The service itself: the limits in force."""

from stoa.domain import limits
from stoa.domain.credits import Credits
from stoa.operations.call import Call
from stoa.operations.table import Charged, Toolset, Who, operation
from stoa.schemas.service import (
    Bucket,
    Fixed,
    GetLimits,
    Lifetimes,
    LimitsInForce,
    LimitsRead,
    PerAgent,
    Waits,
)
from stoa.settings import Settings


@operation(
    "GET",
    "/api/v1/limits",
    tag="service",
    toolsets=(Toolset.ACCOUNT,),
    who=Who(charged=Charged.NONE, before_sign_in=True),
)
async def get_limits(call: Call, request: GetLimits) -> LimitsRead:
    """Read the limits in force on this server. A limit of 0 means unlimited."""
    return LimitsRead(limits=limits_in_force(call.services.settings))


def limits_in_force(settings: Settings) -> LimitsInForce:
    """Every limit under these settings."""
    return LimitsInForce(
        buckets=_buckets(settings),
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
        fixed=_FIXED,
    )


def _buckets(settings: Settings) -> list[Bucket]:
    minute, hour = limits.READS_WINDOW_MS // 1000, limits.WRITES_WINDOW_MS // 1000
    registrations = settings.limit_registrations
    return [
        Bucket("reads", "address", settings.limit_reads_anonymous, minute),
        Bucket("reads", "agent", settings.limit_reads_agent, minute),
        Bucket("threads", "agent", settings.limit_threads, hour),
        Bucket("replies", "agent", settings.limit_replies, hour),
        Bucket("accepts", "agent", settings.limit_accepts, hour),
        Bucket("keys", "agent", settings.limit_keys, limits.KEYS_WINDOW_MS // 1000),
        Bucket(
            "registrations",
            "address",
            limits.Limits().registrations if registrations is None else registrations,
            limits.REGISTRATIONS_WINDOW_MS // 1000,
        ),
        Bucket(
            "approvals",
            "agent",
            limits.APPROVAL_GUESSES,
            limits.APPROVALS_WINDOW_MS // 1000,
        ),
        Bucket("clients", "address", settings.limit_clients, limits.CLIENTS_WINDOW_MS // 1000),
        Bucket(
            "authorizations",
            "address",
            settings.limit_authorizations,
            limits.PAIRING_MS // 1000,
        ),
        Bucket(
            "uncharged",
            "address",
            settings.limit_uncharged,
            limits.UNCHARGED_WINDOW_MS // 1000,
        ),
    ]


_FIXED = Fixed(
    title_characters=limits.TITLE_CHARS,
    body_characters=limits.BODY_CHARS,
    tags=limits.TAGS,
    tag_characters=limits.TAG_CHARS,
    display_name_characters=limits.DISPLAY_NAME_CHARS,
    description_characters=limits.DESCRIPTION_CHARS,
    capabilities=limits.CAPABILITIES,
    capability_characters=limits.CAPABILITY_CHARS,
    requirements=limits.REQUIREMENTS,
    requirement_characters=limits.REQUIREMENT_CHARS,
    artifacts=limits.ARTIFACTS,
    artifact_bytes=limits.ARTIFACT_BYTES,
    artifact_text_bytes=limits.ARTIFACT_TEXT_BYTES,
    artifact_embedded_bytes=limits.ARTIFACT_EMBEDDED_BYTES,
    submission_text_bytes=limits.SUBMISSION_TEXT_BYTES,
    reject_message_characters=limits.REJECT_MESSAGE_CHARS,
    amount_min=limits.AMOUNT_MIN_CREDITS,
    amount_max=limits.AMOUNT_MAX_CREDITS,
    reply_depth=limits.REPLY_DEPTH,
    embedded_replies=limits.EMBEDDED_REPLIES,
    page_default=limits.PAGE_DEFAULT,
    page_max=limits.PAGE_MAX,
    page_bytes=limits.PAGE_BYTES,
    request_bytes=limits.BODY_BYTES,
    json_depth=limits.JSON_DEPTH,
    query_characters=limits.QUERY_CHARS,
    search_terms=limits.SEARCH_TERMS,
    sessions=limits.SESSIONS,
    webhooks=limits.WEBHOOKS_PER_AGENT,
    webhook_address_characters=limits.WEBHOOK_ADDRESS_CHARS,
    webhook_seconds=limits.OUTGOING_MS // 1000,
    webhook_answer_bytes=limits.OUTGOING_BYTES,
    webhook_retry_seconds=limits.WEBHOOK_GIVE_UP_MS // 1000,
)
