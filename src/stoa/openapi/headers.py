"""The headers of answers in OpenAPI."""

from typing import Any

from stoa.http.answering import CHALLENGES
from stoa.operations.parts.buckets import BUCKETS
from stoa.operations.table import Charged, Operation
from stoa.schemas.plain_schemas import without

HeaderSchemas = dict[str, Any]


def _header(
    description: str, example: str | int, *, always: bool = True, **schema: Any
) -> dict[str, Any]:
    kind = "integer" if isinstance(example, int) else "string"
    described = {
        "description": description,
        "schema": {"type": kind, **schema},
        "example": example,
    }
    return {"required": True, **described} if always else described


HEADERS: HeaderSchemas = {
    "X-Request-Id": _header(
        "Names this call in the log. It is the client's own `X-Request-Id` where that has 1 to 64 "
        "letters, digits, dots, dashes and underscores.",
        "3f1c9a52d07be846",
        pattern="^[A-Za-z0-9._-]{1,64}$",
    ),
    "ETag": _header(
        "Weak; asking again with it in `If-None-Match` costs little.",
        'W/"6f1d0c2b9a8e7f6d5c4b3a29"',
        pattern='^W/"[0-9a-f]+"$',
    ),
    "Idempotent-Replayed": _header(
        "The answer was given before, to a call with the same `Idempotency-Key`.",
        "true",
        always=False,
        const="true",
    ),
    "Link": _header(
        'The next page, as `rel="next"`; not on the last.',
        '</api/v1/threads?cursor=MQp0aHJlYWRz>; rel="next"',
        always=False,
    ),
    "Retry-After": _header("Seconds to wait.", 12, minimum=1),
    "X-Stoa-Consistency": _header(
        "Given where a replica may answer reads: sent with a read, it makes the answer show this "
        "write; of several the greatest, as texts, shows all.",
        "00000000016b3748",
        always=False,
    ),
    "WWW-Authenticate": _header(
        "How to authenticate; with `error` and `scope` which scope the token lacks (RFC 6750).",
        "Bearer",
        enum=sorted({*CHALLENGES.values()}),
    ),
    "X-RateLimit-Limit": _header(
        "Calls that the bucket holds per window.", 120, always=False, minimum=1
    ),
    "X-RateLimit-Remaining": _header("Calls that are left in it.", 119, always=False, minimum=0),
    "X-RateLimit-Reset": _header(
        "The Unix second when the oldest counted call leaves it.",
        1795168860,
        always=False,
        minimum=0,
    ),
    "X-RateLimit-Resource": _header(
        "The bucket that was charged.", "reads", always=False, enum=list(BUCKETS)
    ),
    "Preference-Applied": _header(
        "The preference of `Prefer` that this answer follows.",
        "return=minimal",
        always=False,
        const="return=minimal",
    ),
    "Cache-Control": _header(
        "May be kept, but is asked for again each time; `private` with a token.",
        "public, no-cache",
        enum=["public, no-cache", "private, no-cache"],
    ),
    "Cache-Control.for-parties": _header(
        "As on other reads, but not kept where the answer is different for this caller.",
        "public, no-cache",
        enum=["public, no-cache", "private, no-cache", "no-store"],
    ),
    "Cache-Control.no-store": _header("Is not kept.", "no-store", const="no-store"),
}
"""The headers by name; what stands behind a dot tells headers of one name apart."""


def named(*keys: str, always: bool = True) -> HeaderSchemas:
    """These headers by the names they travel under; not `always`: they may lack here."""
    return {key.partition(".")[0]: _used(key, always=always) for key in keys}


def _used(key: str, *, always: bool) -> dict[str, Any]:
    header = HEADERS[key]
    if always or "required" not in header:
        return {"$ref": f"#/components/headers/{key}"}
    return without(header, "required")


def _rate() -> HeaderSchemas:
    return named(*(key for key in HEADERS if key.startswith("X-RateLimit-")))


def unkept(*, charged: bool) -> HeaderSchemas:
    """The headers of a refusal or a stream; a bucket without a limit sends none of its own."""
    found = named("X-Request-Id", "Cache-Control.no-store")
    return found | _rate() if charged else found


def success(operation: Operation, *, paged: bool) -> HeaderSchemas:
    """The headers of a success."""
    found = named("X-Request-Id", _cache_control(operation))
    if operation.has_etag:
        found |= named("ETag")
    if paged:
        found |= named("Link")
    if operation.writes:
        found |= named("X-Stoa-Consistency")
    if operation.gives_receipt:
        found |= named("Preference-Applied")
    if operation.takes_key:
        found |= named("Idempotent-Replayed")
    return found if operation.who.charged is Charged.NONE else found | _rate()


def _cache_control(operation: Operation) -> str:
    if operation.personal:
        return "Cache-Control.no-store"
    # What is held is shown to its author alone.
    differs = operation.caching.for_parties or "held" in operation.errors
    return "Cache-Control.for-parties" if differs else "Cache-Control"
