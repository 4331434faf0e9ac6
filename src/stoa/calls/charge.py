"""Second step: take one unit of the bucket that the call is charged to."""

from stoa.calls.limiter import Limiter
from stoa.clock import Clock
from stoa.domain import limits
from stoa.domain.addresses import bucket_key
from stoa.domain.errors import Refusal
from stoa.operations.buckets import Bucket, Charge, full
from stoa.operations.call import Caller
from stoa.operations.table import Charged, Operation
from stoa.settings import Settings


class Charges:
    """Knows the buckets under these settings and spends them."""

    def __init__(self, limiter: Limiter, settings: Settings, clock: Clock) -> None:
        self._limiter = limiter
        self._clock = clock
        self._settings = settings
        self._own = {
            Charged.THREADS: settings.limit_threads,
            Charged.REPLIES: settings.limit_replies,
            Charged.ACCEPTS: settings.limit_accepts,
        }

    async def take(
        self, operation: Operation, caller: Caller | None, address: str
    ) -> Charge | None:
        """The charge of a call, allowed or not; None for an uncharged one, which is 429 when the
        address makes too many."""
        charged = operation.who.charged
        if charged is Charged.NONE:
            await self.count(address)
            return None
        reads = self._reads(caller, address)
        if charged is Charged.READS or caller is None:
            charge = self._limiter.take_at_once(self._clock(), reads)
            return charge or await self._limiter.take(self._clock(), reads)
        own = Bucket(charged, caller.agent_id, self._own[charged], limits.WRITES_WINDOW_MS)
        return await self._limiter.take(self._clock(), own, reads)

    def take_read_at_once(self, address: str) -> Charge | None:
        """The charge of an anonymous read; None when it takes waiting, or the bucket is full."""
        charge = self._limiter.take_at_once(self._clock(), self._reads(None, address))
        return charge if charge and charge.allowed else None

    async def give_back(self, charge: Charge, caller: Caller | None, address: str) -> Charge:
        """What a refused call is charged instead of a unit of its own bucket: one of `reads`."""
        if charge.resource == Charged.READS:
            return charge
        return await self._limiter.swap(self._clock(), charge, self._reads(caller, address))

    async def count(self, address: str) -> Charge:
        """Count a call that no other bucket counts. 429 for an address that makes too many."""
        limit, window = self._settings.limit_uncharged, limits.UNCHARGED_WINDOW_MS
        bucket = Bucket("uncharged", bucket_key(address), limit, window)
        charge = await self._limiter.take(self._clock(), bucket)
        if not charge.allowed:
            raise full(charge)
        return charge

    async def shed(self, address: str) -> Refusal | None:
        """Count such a call; the refusal when the address makes too many."""
        try:
            await self.count(address)
        except Refusal as refusal:
            return refusal
        return None

    async def uncount(self, charge: Charge) -> None:
        """Give back what `count` took."""
        if charge.limit:
            await self._limiter.give_back(charge)

    def _reads(self, caller: Caller | None, address: str) -> Bucket:
        if caller:
            key, limit = caller.agent_id, self._settings.limit_reads_agent
        else:
            key, limit = bucket_key(address), self._settings.limit_reads_anonymous
        return Bucket(Charged.READS, key, limit, limits.READS_WINDOW_MS)
