"""Rate limits: an exact sliding log per bucket, with units that can be given back.

A call made at t counts until t + window. Each call first drops expired calls from the log, so no
span of one window length ever holds more than the limit.
"""

from bisect import bisect_left, bisect_right
from collections import OrderedDict, defaultdict
from typing import Protocol

from stoa.operations.parts.buckets import Charge, RateBucket, counted, refused, taken


class LimiterUnavailable(Exception):
    """Valkey did not answer in time, or sent an error. A unit may have been taken."""


class Limiter(Protocol):
    """The interface of limiters. `now` is in milliseconds since 1970."""

    async def take(self, now: int, bucket: RateBucket, guard: RateBucket | None = None) -> Charge:
        """Take one unit of `bucket`. The charge is refused if `bucket` or `guard` is full."""
        ...

    def take_at_once(self, now: int, bucket: RateBucket, /) -> Charge | None:
        """Like `take`, without I/O. Returns None, and charges nothing, if `take` needs I/O."""
        ...

    async def look(self, now: int, bucket: RateBucket) -> Charge:
        """How full `bucket` is. Charges nothing."""
        ...

    async def give_back(self, charge: Charge) -> None:
        """Undo a charge, at most once: before the next step of this limiter, which may be later."""
        ...

    async def swap(self, now: int, charge: Charge, bucket: RateBucket) -> Charge:
        """Undo a charge, at most once, and take one unit of `bucket`, both in one step.

        `bucket` may have filled up since it was the guard. Then this is a refusal and the caller
        answers 429: undone work counts as if it had come only now, and any other answer would be
        one call more than the limit.
        """
        ...


class MemoryLimiter(Limiter):
    """A limiter for one process and one event loop. It never waits, so every method is one step.

    The logs of a resource are in the order of their last unit; each unit taken drops up to two
    expired logs. So memory follows the calls of the last window, without a timer. No cache is used
    for it: a log that is evicted early would let calls through.
    """

    def __init__(self) -> None:
        self._logs: defaultdict[str, OrderedDict[str, list[int]]] = defaultdict(OrderedDict)
        self._latest = 0

    async def take(self, now: int, bucket: RateBucket, guard: RateBucket | None = None) -> Charge:
        return self.take_at_once(now, bucket, guard)

    def take_at_once(self, now: int, bucket: RateBucket, guard: RateBucket | None = None) -> Charge:
        # Calls may arrive out of order of their times, but the log must be sorted.
        now = self._latest = max(now, self._latest)
        log = self._log(now, bucket)
        if 0 < bucket.limit <= len(log):
            return refused(now, bucket, log[0])
        if guard is not None and 0 < guard.limit <= len(guarded := self._log(now, guard)):
            return refused(now, guard, guarded[0])
        return self._counted(now, bucket, log) if bucket.limit else Charge(bucket)

    async def look(self, now: int, bucket: RateBucket) -> Charge:
        log = self._log(max(now, self._latest), bucket)
        return counted(now, bucket, log[0] if log else 0, len(log))

    async def give_back(self, charge: Charge) -> None:
        """See `Limiter.give_back`. Does nothing if the unit has left its window."""
        log = self._logs[charge.bucket.resource].get(charge.bucket.key, [])
        place = bisect_left(log, charge.taken_at)
        if log[place : place + 1] == [charge.taken_at]:
            del log[place]

    async def swap(self, now: int, charge: Charge, bucket: RateBucket) -> Charge:
        await self.give_back(charge)
        return self.take_at_once(now, bucket)

    def _log(self, now: int, bucket: RateBucket) -> list[int]:
        log = self._logs[bucket.resource].get(bucket.key)
        if log is None:
            return []
        expired = now - bucket.window_ms
        if log and log[0] <= expired:
            del log[: bisect_right(log, expired)]
        return log

    def _counted(self, now: int, bucket: RateBucket, log: list[int]) -> Charge:
        logs = self._logs[bucket.resource]
        log.append(now)
        logs[bucket.key] = log
        logs.move_to_end(bucket.key)
        expired = now - bucket.window_ms
        for _ in range(2):  # drop logs whose units have all left the window
            key = next(iter(logs))
            oldest = logs[key]
            if oldest and oldest[-1] > expired:
                break
            del logs[key]
        return taken(now, bucket, log[0], len(log))
