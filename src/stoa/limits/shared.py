"""Rate limits in Valkey, with a fallback to this process while Valkey does not answer."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import TYPE_CHECKING, TypeVar

import msgspec

from stoa.domain import limits
from stoa.limits.limiter import Limiter, LimiterUnavailable, MemoryLimiter
from stoa.logs import log
from stoa.operations.parts.buckets import Charge, RateBucket

if TYPE_CHECKING:  # the client takes 0.1 s to import, and a single process does not need it
    from stoa.limits.valkey import ValkeyLimiter

T = TypeVar("T")


class SharedLimiter(Limiter):
    """Limits over all processes, and over this one alone while Valkey does not answer: no call
    waits for it then. One task asks it every second, so an outage is known without a call.

    With `refuse_writes` no charge is exact during an outage. The log says that Valkey answers again
    after `quiet_ms` without a failure: one that fails now and then, as with its memory full, has
    one line.
    """

    def __init__(
        self,
        shared: "ValkeyLimiter",
        *,
        refuse_writes: bool,
        quiet_ms: int = limits.OUTAGE_QUIET_MS,
    ) -> None:
        self._shared = shared
        self._local = MemoryLimiter()
        self._refuse_writes = refuse_writes
        self.is_away = False
        self._quiet_s = quiet_ms / limits.SECOND_MS
        self._back_at = 0.0
        self._told = False
        self._watching: asyncio.Task[None] | None = None
        self._outages = 0
        self._counted_here = 0

    async def open(self) -> None:
        """Start. Valkey need not be reachable yet."""
        await self._look()
        self._watching = asyncio.create_task(self._watch())

    async def take(self, now: int, bucket: RateBucket, guard: RateBucket | None = None) -> Charge:
        charge = await self._ask(lambda limiter: limiter.take(now, bucket, guard))
        alone = self._refuse_writes and self.is_away
        return msgspec.structs.replace(charge, exact=False) if alone else charge

    def take_at_once(self, _now: int, _bucket: RateBucket, /) -> None:
        """See `Limiter.take_at_once`: always None, because Valkey needs I/O."""

    async def look(self, now: int, bucket: RateBucket) -> Charge:
        return await self._ask(lambda limiter: limiter.look(now, bucket))

    async def give_back(self, charge: Charge) -> None:
        """See `Limiter.give_back`. A unit taken before an outage began or ended is not found."""
        await self._ask(lambda limiter: limiter.give_back(charge))

    async def swap(self, now: int, charge: Charge, bucket: RateBucket) -> Charge:
        """See `Limiter.swap`. A unit taken before an outage began or ended is not found."""
        return await self._ask(lambda limiter: limiter.swap(now, charge, bucket))

    def figures(self) -> dict[str, str | int]:
        """Whether Valkey answers, the limiter in use, the number of outages, and the calls counted
        in this process during them."""
        return {
            "valkey": "away" if self.is_away else "answers",
            "limits": "local" if self.is_away else "shared",
            "outages": self._outages,
            "countedLocally": self._counted_here,
        }

    async def close(self) -> None:
        """Stop the task that asks and close the connections."""
        if self._watching:
            self._watching.cancel()
            with suppress(asyncio.CancelledError):
                await self._watching
        await self._shared.close()

    async def _ask(self, step: Callable[[Limiter], Awaitable[T]]) -> T:
        if not self.is_away:
            outages = self._outages
            try:
                return await step(self._shared)
            except LimiterUnavailable as error:
                if outages == self._outages:  # otherwise the call began before Valkey came back
                    self._begin_outage(error)
        self._counted_here += 1
        return await step(self._local)

    def _begin_outage(self, error: LimiterUnavailable) -> None:
        self.is_away = True
        self._outages += 1
        if self._told:
            return
        self._told = True
        writes = "refused" if self._refuse_writes else "limited by each process alone"
        log.warning("valkey does not answer", reason=str(error), writes=writes)

    async def _watch(self) -> None:
        while True:
            await asyncio.sleep(limits.VALKEY_RETRY_MS / 1000)
            await self._look()

    async def _look(self) -> None:
        """Ask once whether Valkey answers."""
        was_away = self.is_away
        try:
            await self._shared.probe(anew=was_away)
        except LimiterUnavailable as error:
            if not self.is_away:
                self._begin_outage(error)
        else:
            if was_away:
                self.is_away, self._back_at = False, asyncio.get_running_loop().time()
            if self._told:
                self._tell_end()

    def _tell_end(self) -> None:
        """Log the end of an outage, unless Valkey failed again a moment ago."""
        quiet_since = asyncio.get_running_loop().time() - self._quiet_s
        if not self.is_away and self._back_at <= quiet_since:
            self._told = False
            log.warning("valkey answers again", counted_locally=self._counted_here)
