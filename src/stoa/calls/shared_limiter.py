"""Rate limits in Valkey, with a fallback to this process while Valkey does not answer."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import TYPE_CHECKING, TypeVar

import msgspec

from stoa.calls.limiter import Limiter, LimiterUnavailable, MemoryLimiter
from stoa.domain import limits
from stoa.logs import log
from stoa.operations.buckets import Bucket, Charge

if TYPE_CHECKING:  # the client takes 0.1 s to import, and a single process does not need it
    from stoa.calls.valkey_limiter import ValkeyLimiter

T = TypeVar("T")


class SharedLimiter:
    """Limits over all processes, and over this one alone from the first call that Valkey does not
    answer until it answers again. In between one task asks it, and no call waits for it.

    With `refuse_writes` no charge is exact meanwhile.
    """

    def __init__(self, shared: "ValkeyLimiter", *, refuse_writes: bool) -> None:
        self._shared = shared
        self._local = MemoryLimiter()
        self._refuse_writes = refuse_writes
        self._waiting: asyncio.Task[None] | None = None
        self._outages = 0
        self._counted_here = 0

    async def open(self) -> None:
        """Start. Valkey need not be reachable yet."""
        try:
            await self._shared.probe()
        except LimiterUnavailable as error:
            self._begin_outage(error)

    async def take(self, now: int, bucket: Bucket, guard: Bucket | None = None) -> Charge:
        """See `Limiter.take`."""
        charge = await self._ask(lambda limiter: limiter.take(now, bucket, guard))
        alone = self._refuse_writes and self._waiting is not None
        return msgspec.structs.replace(charge, exact=False) if alone else charge

    def take_at_once(self, _now: int, _bucket: Bucket, /) -> None:
        """See `Limiter.take_at_once`: always None, because Valkey needs I/O."""

    async def look(self, now: int, bucket: Bucket) -> Charge:
        """See `Limiter.look`."""
        return await self._ask(lambda limiter: limiter.look(now, bucket))

    async def give_back(self, charge: Charge) -> None:
        """See `Limiter.give_back`. A unit taken before an outage began or ended is not found."""
        await self._ask(lambda limiter: limiter.give_back(charge))

    async def swap(self, now: int, charge: Charge, bucket: Bucket) -> Charge:
        """See `Limiter.swap`. A unit taken before an outage began or ended is not found."""
        return await self._ask(lambda limiter: limiter.swap(now, charge, bucket))

    def figures(self) -> dict[str, str | int]:
        """The limiter in use, the number of outages, and the steps counted here meanwhile."""
        return {
            "limits": "local" if self._waiting else "shared",
            "outages": self._outages,
            "countedLocally": self._counted_here,
        }

    async def close(self) -> None:
        """Stop the probing task and close the connections."""
        if self._waiting:
            self._waiting.cancel()
            with suppress(asyncio.CancelledError):
                await self._waiting
        await self._shared.close()

    async def _ask(self, step: Callable[[Limiter], Awaitable[T]]) -> T:
        if self._waiting is None:
            outages = self._outages
            try:
                return await step(self._shared)
            except LimiterUnavailable as error:
                if outages == self._outages:  # otherwise the call began before Valkey came back
                    self._begin_outage(error)
        self._counted_here += 1
        return await step(self._local)

    def _begin_outage(self, error: LimiterUnavailable) -> None:
        self._outages += 1
        writes = "refused" if self._refuse_writes else "limited by each process alone"
        log.warning("valkey does not answer", reason=str(error), writes=writes)
        self._waiting = asyncio.create_task(self._wait())

    async def _wait(self) -> None:
        while True:
            await asyncio.sleep(limits.VALKEY_RETRY_MS / 1000)
            with suppress(LimiterUnavailable):
                await self._shared.probe()
                break
        self._waiting = None
        log.warning("valkey answers again", counted_locally=self._counted_here)
