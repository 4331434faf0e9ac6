"""Rate limits: an exact sliding log per bucket, with units that can be given back.

A call made at t counts until t + window. Each call first drops from the log what no longer counts,
so no span of one window length ever holds more than the limit.
"""

from bisect import bisect_left, bisect_right
from collections import OrderedDict, defaultdict
from typing import Protocol

import msgspec

from stoa.domain.errors import Refusal


class Bucket(msgspec.Struct, frozen=True, gc=False):
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

    bucket: Bucket
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


class LimiterUnavailable(Exception):
    """Whoever counts did not answer in time, or not as it should; a unit may have been taken."""


class Limiter(Protocol):
    """What the runner needs of a limiter. `now` is in milliseconds since 1970."""

    async def take(self, now: int, bucket: Bucket, guard: Bucket | None = None) -> Charge:
        """Take one unit of `bucket`; refuse, charging nothing, when it or else `guard` is full."""
        ...

    def take_at_once(self, now: int, bucket: Bucket, /) -> Charge | None:
        """`take` where that needs no waiting; None, charging nothing, where it does."""
        ...

    async def give_back(self, charge: Charge) -> None:
        """Undo a charge, at most once."""
        ...

    async def swap(self, now: int, charge: Charge, bucket: Bucket) -> Charge:
        """Undo a charge, at most once, and take one unit of `bucket`, both in one step.

        `bucket` may have filled up since it was the guard. Then this is a refusal and the caller
        answers 429: work that was undone may as well have come only now, and any other answer
        would be one call more than the limit.
        """
        ...


class MemoryLimiter:
    """A limiter for one process and one event loop. It never waits, so every method is one step.

    The logs of a resource are in the order of their last unit; each unit taken drops up to two in
    which nothing counts any more. So memory follows the calls of the last window, without a timer.
    """

    def __init__(self) -> None:
        self._logs: defaultdict[str, OrderedDict[str, list[int]]] = defaultdict(OrderedDict)
        self._latest = 0

    async def take(self, now: int, bucket: Bucket, guard: Bucket | None = None) -> Charge:
        """See `Limiter.take`."""
        return self.take_at_once(now, bucket, guard)

    def take_at_once(self, now: int, bucket: Bucket, guard: Bucket | None = None) -> Charge:
        """See `Limiter.take_at_once`."""
        # Callers read the clock before they wait for other things; logs need times in order.
        now = self._latest = max(now, self._latest)
        log = self._log(now, bucket)
        if 0 < bucket.limit <= len(log):
            return refused(now, bucket, log[0])
        if guard is not None and 0 < guard.limit <= len(guarded := self._log(now, guard)):
            return refused(now, guard, guarded[0])
        return self._counted(now, bucket, log) if bucket.limit else Charge(bucket)

    async def give_back(self, charge: Charge) -> None:
        """See `Limiter.give_back`. A unit that has left its window is no longer there to give."""
        log = self._logs[charge.bucket.resource].get(charge.bucket.key, [])
        place = bisect_left(log, charge.taken_at)
        if log[place : place + 1] == [charge.taken_at]:
            del log[place]

    async def swap(self, now: int, charge: Charge, bucket: Bucket) -> Charge:
        """See `Limiter.swap`."""
        await self.give_back(charge)
        return self.take_at_once(now, bucket)

    def _log(self, now: int, bucket: Bucket) -> list[int]:
        log = self._logs[bucket.resource].get(bucket.key)
        if log is None:
            return []
        expired = now - bucket.window_ms
        if log and log[0] <= expired:
            del log[: bisect_right(log, expired)]
        return log

    def _counted(self, now: int, bucket: Bucket, log: list[int]) -> Charge:
        logs = self._logs[bucket.resource]
        log.append(now)
        logs[bucket.key] = log
        logs.move_to_end(bucket.key)
        _drop_idle(logs, now - bucket.window_ms)
        return taken(now, bucket, log[0], len(log))


def _drop_idle(logs: OrderedDict[str, list[int]], expired: int) -> None:
    for _ in range(2):
        key = next(iter(logs))
        log = logs[key]
        if log and log[-1] > expired:
            return
        del logs[key]


def taken(now: int, bucket: Bucket, oldest: int, count: int) -> Charge:
    """The charge of a unit taken now, when `count` calls are counted, the first made at `oldest`.

    Times in ms.
    """
    return Charge(bucket, True, bucket.limit - count, _reset(bucket, oldest), 0, now)


def refused(now: int, bucket: Bucket, oldest: int) -> Charge:
    """The refusal of a full bucket, of which the first call was made at `oldest`. Times in ms."""
    wait = oldest + bucket.window_ms - now
    retry_after = max(1, -(-wait // 1000))
    return Charge(bucket, allowed=False, reset=_reset(bucket, oldest), retry_after=retry_after)


def _reset(bucket: Bucket, oldest: int) -> int:
    return -((oldest + bucket.window_ms) // -1000)


def full(charge: Charge, message: str | None = None, recovery: str | None = None) -> Refusal:
    """The 429 of a full bucket, which its body and its headers name."""
    bucket = charge.bucket
    return Refusal(
        "rate_limited",
        message,
        recovery=recovery,
        retry_after=charge.retry_after,
        details={
            "resource": bucket.resource,
            "limit": bucket.limit,
            "windowSeconds": bucket.window_ms // 1000,
        },
        headers=[(name.decode(), value.decode()) for name, value in headers(charge)],
    )


def headers(charge: Charge) -> list[tuple[bytes, bytes]]:
    """The X-RateLimit-* headers for ASGI; none when the bucket is unlimited."""
    bucket = charge.bucket
    if not bucket.limit:
        return []
    return [
        (b"x-ratelimit-limit", b"%d" % bucket.limit),
        (b"x-ratelimit-remaining", b"%d" % charge.remaining),
        (b"x-ratelimit-reset", b"%d" % charge.reset),
        (b"x-ratelimit-resource", bucket.resource.encode()),
    ]
