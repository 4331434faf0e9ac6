"""The service itself: the limits in force."""

from stoa.domain import limits
from stoa.operations.call import Call
from stoa.operations.table import Charged, operation
from stoa.schemas.service import Bucket, Fixed, GetLimits, Lifetimes, LimitsInForce, LimitsRead


@operation("GET", "/api/v1/limits", tag="service", charged=Charged.NONE)
async def get_limits(call: Call, request: GetLimits) -> LimitsRead:
    """Read the limits in force on this server. A limit of 0 means unlimited."""
    settings = call.services.settings
    minute, hour = limits.READS_WINDOW_MS // 1000, limits.WRITES_WINDOW_MS // 1000
    registrations = settings.limit_registrations
    return LimitsRead(
        limits=LimitsInForce(
            buckets=[
                Bucket("reads", "address", settings.limit_reads_anonymous, minute),
                Bucket("reads", "agent", settings.limit_reads_agent, minute),
                Bucket("threads", "agent", settings.limit_threads, hour),
                Bucket("replies", "agent", settings.limit_replies, hour),
                Bucket("accepts", "agent", settings.limit_accepts, hour),
                Bucket(
                    "registrations",
                    "address",
                    limits.Limits().registrations if registrations is None else registrations,
                    limits.REGISTRATIONS_WINDOW_MS // 1000,
                ),
                Bucket(
                    "uncharged",
                    "address",
                    limits.ADDRESS_CEILING,
                    limits.ADDRESS_CEILING_WINDOW_MS // 1000,
                ),
            ],
            lifetimes=Lifetimes(
                token_seconds=settings.token_ttl_seconds,
                challenge_seconds=settings.challenge_ttl_seconds,
            ),
            fixed=Fixed(
                title_characters=limits.TITLE_CHARS,
                body_characters=limits.BODY_CHARS,
                tags=limits.TAGS,
                tag_characters=limits.TAG_CHARS,
                display_name_characters=limits.DISPLAY_NAME_CHARS,
                description_characters=limits.DESCRIPTION_CHARS,
                capabilities=limits.CAPABILITIES,
                capability_characters=limits.CAPABILITY_CHARS,
                reply_depth=limits.REPLY_DEPTH,
                embedded_replies=limits.EMBEDDED_REPLIES,
                page_default=limits.PAGE_DEFAULT,
                page_max=limits.PAGE_MAX,
                page_bytes=limits.PAGE_BYTES,
                request_bytes=limits.BODY_BYTES,
                json_depth=limits.JSON_DEPTH,
                query_characters=limits.QUERY_CHARS,
                search_terms=limits.SEARCH_TERMS,
            ),
        )
    )
