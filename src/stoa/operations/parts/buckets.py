"""Buckets, charges of calls to them, and the refusal of a full bucket."""

import msgspec

from stoa.domain import limits
from stoa.domain.errors import Refusal
from stoa.schemas.service import Bucket
from stoa.settings import Settings


def bucket_limits(settings: Settings) -> list[Bucket]:
    """The limit of each bucket under these settings."""
    registrations = settings.limit_registrations
    if registrations is None:
        registrations = limits.REGISTRATIONS
    rows = (
        ("reads", "address", settings.limit_reads_anonymous, limits.READS_WINDOW_MS),
        ("reads", "agent", settings.limit_reads_agent, limits.READS_WINDOW_MS),
        ("threads", "agent", settings.limit_threads, limits.WRITES_WINDOW_MS),
        ("replies", "agent", settings.limit_replies, limits.WRITES_WINDOW_MS),
        ("accepts", "agent", settings.limit_accepts, limits.WRITES_WINDOW_MS),
        ("keys", "agent", settings.limit_keys, limits.KEYS_WINDOW_MS),
        ("registrations", "address", registrations, limits.REGISTRATIONS_WINDOW_MS),
        ("approvals", "agent", limits.APPROVAL_GUESSES, limits.APPROVALS_WINDOW_MS),
        ("clients", "address", settings.limit_clients, limits.CLIENTS_WINDOW_MS),
        ("authorizations", "address", settings.limit_authorizations, limits.PAIRING_MS),
        ("uncharged", "address", settings.limit_uncharged, limits.UNCHARGED_WINDOW_MS),
    )
    return [Bucket(name, per, limit, ms // limits.SECOND_MS) for name, per, limit, ms in rows]


BUCKETS = tuple(dict.fromkeys(one.resource for one in bucket_limits(Settings())))
"""The names of all buckets."""


_LIMIT, _REMAINING = b"x-ratelimit-limit", b"x-ratelimit-remaining"
_RESET, _RESOURCE = b"x-ratelimit-reset", b"x-ratelimit-resource"
_LINES = b"%b: %%d\r\n%b: %%d\r\n%b: %%d\r\n%b: %%b\r\n" % (_LIMIT, _REMAINING, _RESET, _RESOURCE)


class RateBucket(msgspec.Struct, frozen=True, gc=False):
    """What a call is charged to: at most `limit` (0 = unlimited) in any `window_ms`, per `key`.

    `resource` is the name in the headers, with one window for all its buckets; `key` says whose.
    """

    resource: str
    key: str
    limit: int
    window_ms: int


class Charge(msgspec.Struct, frozen=True, gc=False):
    """One call counted in `bucket` or, when not `allowed`, refused because `bucket` is full.

    `reset` is the Unix second, rounded up, when the oldest counted call leaves; `retry_after`, on a
    refusal, is how long until then in seconds, rounded up, at least 1. `taken_at` (ms) finds the
    unit again. With an unlimited bucket all are 0. `exact` is False if only this process counted
    the call; writes are then refused.
    """

    bucket: RateBucket
    allowed: bool = True
    remaining: int = 0
    reset: int = 0
    retry_after: int = 0
    taken_at: int = 0
    exact: bool = True

    @property
    def resource(self) -> str:
        """The name of the bucket that was charged, or that is full."""
        return self.bucket.resource

    @property
    def limit(self) -> int:
        """Calls per window; 0 is unlimited."""
        return self.bucket.limit


def taken(now: int, bucket: RateBucket, oldest: int, count: int) -> Charge:
    """The charge of a unit taken now, when `count` calls are counted, the first made at `oldest`.

    Times in ms.
    """
    reset = -((oldest + bucket.window_ms) // -1000)
    return Charge(bucket, True, bucket.limit - count, reset, 0, now)


def counted(now: int, bucket: RateBucket, oldest: int, count: int) -> Charge:
    """How full a bucket is, when `count` calls are counted, the first made at `oldest`; nothing is
    charged. `reset` is 0 when none is counted. Times in ms."""
    if not count:
        return Charge(bucket, remaining=bucket.limit)
    return msgspec.structs.replace(taken(now, bucket, oldest, count), taken_at=0)


def refused(now: int, bucket: RateBucket, oldest: int) -> Charge:
    """The refusal of a full bucket, of which the first call was made at `oldest`. Times in ms."""
    leaves = oldest + bucket.window_ms
    retry_after = max(1, -(-(leaves - now) // 1000))
    return Charge(bucket, allowed=False, reset=-(leaves // -1000), retry_after=retry_after)


class BucketFull(Refusal):
    """The 429 of a full bucket, which its body and its headers name. `noted` says whether the
    metrics have counted it."""

    noted = False

    def __init__(
        self, charge: Charge, message: str | None = None, recovery: str | None = None
    ) -> None:
        bucket = charge.bucket
        details = {
            "resource": bucket.resource,
            "limit": bucket.limit,
            "windowSeconds": bucket.window_ms // 1000,
        }
        super().__init__(
            "rate_limited",
            message,
            recovery=recovery,
            retry_after=charge.retry_after,
            details=details,
        )
        self.charge = charge


def header_lines(charge: Charge) -> bytes:
    """The same as `headers`, encoded for the response."""
    bucket = charge.bucket
    if not bucket.limit:
        return b""
    resource = bucket.resource.encode()
    return _LINES % (bucket.limit, charge.remaining, charge.reset, resource)


def headers(charge: Charge) -> list[tuple[bytes, bytes]]:
    """The X-RateLimit-* headers for ASGI; none when the bucket is unlimited."""
    bucket = charge.bucket
    if not bucket.limit:
        return []
    return [
        (_LIMIT, b"%d" % bucket.limit),
        (_REMAINING, b"%d" % charge.remaining),
        (_RESET, b"%d" % charge.reset),
        (_RESOURCE, bucket.resource.encode()),
    ]
