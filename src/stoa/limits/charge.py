"""Second step: charge the call to its bucket."""

from stoa.clock import Clock
from stoa.domain.addresses import bucket_key
from stoa.domain.errors import Refusal
from stoa.domain.limits import SECOND_MS
from stoa.limits.limiter import Limiter
from stoa.metrics import Counters
from stoa.operations.call import Caller
from stoa.operations.parts.buckets import BucketFull, Charge, RateBucket, bucket_limits
from stoa.operations.table import Charged, Operation
from stoa.settings import Settings

_OWN = (Charged.THREADS, Charged.REPLIES, Charged.ACCEPTS, Charged.KEYS)
"""The buckets of an agent besides `reads`."""


class Charges:
    """Charges calls to rate-limit buckets, with the limits of the settings."""

    def __init__(
        self, limiter: Limiter, settings: Settings, clock: Clock, counters: Counters
    ) -> None:
        self._limiter = limiter
        self._counters = counters
        self._clock = clock
        self._limits = {
            (one.resource, one.per): (one.limit, one.window_seconds * SECOND_MS)
            for one in bucket_limits(settings)
        }

    async def take(
        self, operation: Operation, caller: Caller | None, address: str, *, to_reads: bool = False
    ) -> Charge | None:
        """The charge of a call, allowed or not; None for an operation without a bucket. Raises 429
        if the address makes too many calls of such operations. With `to_reads` a write
        is charged to `reads`."""
        charged = operation.who.charged
        if charged is Charged.NONE:
            await self.count(address)
            return None
        reads = self._reads(caller, address)
        if charged is Charged.READS or caller is None or to_reads:
            charge = self._limiter.take_at_once(self._clock(), reads)
            return charge or await self._limiter.take(self._clock(), reads)
        own = RateBucket(charged, caller.agent_id, *self._limits[charged, "agent"])
        return await self._limiter.take(self._clock(), own, reads)

    async def look(self, caller: Caller) -> list[Charge]:
        """How full the buckets of an agent are. Charges nothing."""
        own = [self._bucket(charged, "agent", caller.agent_id) for charged in _OWN]
        buckets = [self._reads(caller, ""), *own]
        return [await self._limiter.look(self._clock(), bucket) for bucket in buckets]

    async def take_read(self, caller: Caller | None, address: str) -> Charge:
        """The charge of a call to the bucket `reads`, allowed or not."""
        return await self._limiter.take(self._clock(), self._reads(caller, address))

    def take_read_at_once(
        self, now: int, address: str, caller: Caller | None = None
    ) -> Charge | None:
        """The charge of a read; None if this needs I/O or the bucket is full."""
        charge = self._limiter.take_at_once(now, self._reads(caller, address))
        return charge if charge and charge.allowed else None

    def count_at_once(self, address: str) -> Charge | None:
        """Like `count`; None if this needs I/O or the address makes too many calls."""
        uncharged = self._bucket("uncharged", "address", bucket_key(address))
        charge = self._limiter.take_at_once(self._clock(), uncharged)
        return charge if charge and charge.allowed else None

    async def give_back(self, charge: Charge, caller: Caller | None, address: str) -> Charge:
        """Move the charge of a refused call to the bucket `reads`; returns the new charge."""
        if charge.resource == Charged.READS:
            return charge
        return await self._limiter.swap(self._clock(), charge, self._reads(caller, address))

    async def guess(self, caller: Caller) -> Charge:
        """Count an agent's attempt at a code. Raises 429 after too many wrong ones."""
        charge = await self._limiter.take(
            self._clock(), self._bucket("approvals", "agent", caller.agent_id)
        )
        if charge.allowed:
            return charge
        raise self.noted(
            BucketFull(
                charge,
                "Your agent sent too many wrong pairing codes: {limit} in {windowSeconds} s.",
                "Open the authorization page again after {retryAfter} s, and send the call with "
                "the code that it shows then: a code is good for 10 minutes.",
            )
        )

    async def count_client(self, address: str) -> Charge:
        """Count an OAuth client that an address names. Raises 429 if it names too many."""
        clients = self._bucket("clients", "address", bucket_key(address))
        return self.checked(await self._limiter.take(self._clock(), clients))

    async def count_authorization(self, address: str) -> Charge:
        """Count an authorization page that an address opens, whose request is stored until it
        expires. Raises 429 if the address opens too many."""
        charge = await self._limiter.take(
            self._clock(), self._bucket("authorizations", "address", bucket_key(address))
        )
        if charge.allowed:
            return charge
        raise self.noted(
            BucketFull(
                charge,
                "Too many authorization pages were opened from this address: {limit} in "
                "{windowSeconds} s.",
                "Send the same call again after {retryAfter} s: load this page again, or begin "
                "anew in the program that led you here.",
            )
        )

    async def count(self, address: str) -> Charge:
        """Count a call that has no other bucket. Raises 429 if the address makes too many."""
        uncharged = self._bucket("uncharged", "address", bucket_key(address))
        return self.checked(await self._limiter.take(self._clock(), uncharged))

    async def rate_limit_address(self, address: str) -> Refusal | None:
        """Like `count`, but returns the refusal instead of raising it."""
        try:
            await self.count(address)
        except BucketFull as refusal:
            return refusal
        return None

    async def uncount(self, charge: Charge) -> None:
        """Undo a charge by `count`."""
        if charge.limit:
            await self._limiter.give_back(charge)

    def checked(self, charge: Charge) -> Charge:
        """This charge; 429 if it was refused."""
        if charge.allowed:
            return charge
        raise self.noted(BucketFull(charge))

    def noted(self, refusal: Refusal) -> Refusal:
        """The refusal; counted in the metrics if it is of a full bucket and not yet counted."""
        if isinstance(refusal, BucketFull) and not refusal.noted:
            refusal.noted = True
            self._counters.limited(refusal.charge.resource)
        return refusal

    def _bucket(self, name: str, per: str, key: str) -> RateBucket:
        return RateBucket(name, key, *self._limits[name, per])

    def _reads(self, caller: Caller | None, address: str) -> RateBucket:
        per, key = ("agent", caller.agent_id) if caller else ("address", bucket_key(address))
        return RateBucket(Charged.READS, key, *self._limits["reads", per])
