"""Delivers events to webhooks, from one process: to each webhook in the order of the log."""

import asyncio
from contextlib import suppress
from functools import partial
from typing import NamedTuple

from stoa.clock import Clock
from stoa.domain import limits
from stoa.domain.webhooks import Failure, WebhookSigner, signed_headers
from stoa.entropy import IdGenerator, random_bytes
from stoa.logs import log
from stoa.metrics import Counters
from stoa.operations.parts import deliveries
from stoa.operations.parts.deliveries import Delivery
from stoa.outgoing.client import AddressUnreachable, Outgoing
from stoa.store import leases, webhooks
from stoa.store.tx import Store, StoreUnavailable
from stoa.store.webhooks import WebhookRow
from stoa.upkeep.fair_slots import FairSlots, Slot
from stoa.upkeep.loops import every
from stoa.upkeep.receivers import failure

_LEASE = "webhooks"
_MARGIN_MS = 2 * limits.SECOND_MS
"""How much of the lease must be left after the longest time of a delivery, for it to begin."""


class DeliveryBounds(NamedTuple):
    """A receiver that answers later than `quick_ms` is slow; a process leads for `lease_ms`, and
    gives deliveries `end_ms` when it ends. One look reads a `span` of events for a webhook, and
    about `most` for all of them; the place of a webhook in the log is stored when it is so far
    `behind`."""

    quick_ms: int = limits.WEBHOOK_QUICK_MS
    lease_ms: int = limits.WEBHOOK_LEASE_MS
    end_ms: int = limits.WEBHOOK_END_MS
    span: int = limits.WEBHOOK_SPAN
    behind: int = limits.WEBHOOK_BEHIND
    most: int = limits.WEBHOOKS_SEEN


DELIVERY_BOUNDS = DeliveryBounds()
"""The bounds of a service."""


class Webhooks:
    """Sends events to webhooks: to several webhooks at once, and to each one event after another.

    With `shares` only the process with the lease delivers. What was sent is stored afterwards, so
    that a process which ends between the two has the next one send it again.

    Slots are shared out by agent. Receivers that were slow at the last attempt have slots of their
    own, and their names are looked up beside those of the quick ones. A delivery to a quick
    receiver that takes too long lets go of its slot, so no such slot is held for longer.
    """

    def __init__(
        self,
        store: Store,
        ids: IdGenerator,
        signer: WebhookSigner,
        outgoing: Outgoing,
        clock: Clock,
        counters: Counters,
        bounds: DeliveryBounds = DELIVERY_BOUNDS,
        *,
        shares: bool,
    ) -> None:
        self._store, self.bounds = store, bounds
        self._ids = ids
        self._signer = signer
        each, beyond = limits.WEBHOOKS_AT_ONCE, limits.WEBHOOKS_MOVED
        self._quick = FairSlots(limits.WEBHOOKS_QUICK, each)
        self._slow = FairSlots(limits.WEBHOOKS_SLOW, each, beyond)
        self._to_quick = outgoing.another(limits.WEBHOOKS_QUICK + limits.WEBHOOKS_SLOW + beyond)
        self._to_slow = outgoing.another(limits.WEBHOOKS_SLOW)
        self._clock, self._counters = clock, counters
        self._holder = random_bytes(8).hex() if shares else ""
        self._held_until = 0
        self._asked_at = -limits.LEASE_RENEW_MS
        self._signal = asyncio.Event()
        self._looked: dict[str, int] = {}
        self._were_slow: dict[str, None] = {}
        """Not in a cache: an agent that fills the cache would evict them, and slow receivers would
        take the slots of quick ones."""
        self._passed_over: set[str] = set()
        self._running: dict[str, asyncio.Task[None]] = {}
        self._held_back: dict[str, int] = {}
        """When (ms) it is tried again for those for which no delivery could be made."""
        self._loop: asyncio.Task[None] | None = None
        self._ending = False

    def begin(self) -> None:
        """Start to deliver."""
        self._store.listen(self._signal.set)
        gap, trouble = limits.WEBHOOK_GAP_MS / 1000, lambda: self._store.trouble
        turns = every(gap, self._turn, "webhooks", self._counters, trouble)
        self._loop = asyncio.create_task(turns)

    async def _turn(self) -> None:
        """Wait for a commit, at most `WEBHOOK_LOOK_MS`, and then start the deliveries to make."""
        with suppress(TimeoutError):
            async with asyncio.timeout(limits.WEBHOOK_LOOK_MS / 1000):
                await self._signal.wait()
        self._signal.clear()
        time = asyncio.get_running_loop().time
        begun = time()
        await self.look()
        await asyncio.sleep(limits.WEBHOOK_REST * (time() - begun))

    async def look(self) -> None:
        """Begin the due deliveries, unless another process makes them."""
        if not await self._store.read(webhooks.there_are_any, single=True):
            return
        if not await self._leads():
            return
        busy = set(self._running)
        self._passed_over |= busy
        now = self._clock()
        self._held_back = {one: at for one, at in self._held_back.items() if at > now}
        busy |= self._held_back.keys()
        find = partial(
            deliveries.find,
            looked=dict(self._looked),
            busy=busy,
            span=self.bounds.span,
            behind=self.bounds.behind,
            most=self.bounds.most,
        )
        found = await self._store.read(find, slow=True, single=True)
        self._looked = found.looked
        if found.later:
            self._signal.set()
        if found.moved:
            await self._store.write(partial(deliveries.move, places=found.moved))
        for webhook_id, error in found.failed.items():
            self._hold_back(webhook_id, error)
        for row in found.ready:
            if row.id not in self._running:
                self._running[row.id] = asyncio.create_task(self._serve(row))

    async def finish(self) -> None:
        """Wait until no delivery is under way."""
        while self._running:
            await asyncio.wait(list(self._running.values()))

    async def stop(self) -> None:
        """Give running deliveries a little time, and let another process deliver."""
        self._ending = True
        if self._loop:
            self._loop.cancel()
            await asyncio.gather(self._loop, return_exceptions=True)
        with suppress(TimeoutError):
            async with asyncio.timeout(self.bounds.end_ms / 1000):
                await self.finish()
        for task in self._running.values():
            task.cancel()
        await asyncio.gather(*self._running.values(), return_exceptions=True)
        if self._holder and self._asked_at >= 0:
            with suppress(StoreUnavailable, TimeoutError):
                async with asyncio.timeout(self.bounds.end_ms / 1000):
                    await self._store.write(
                        partial(leases.release, name=_LEASE, holder=self._holder)
                    )

    async def _leads(self) -> bool:
        """Whether this process delivers. The lease is taken or renewed when it is time."""
        now = self._clock()
        if self._holder and now - self._asked_at >= limits.LEASE_RENEW_MS:
            self._asked_at = now
            lease_ms = self.bounds.lease_ms
            take = partial(leases.take, name=_LEASE, holder=self._holder, ms=lease_ms)
            taken = await self._store.write(take)
            self._held_until = now + lease_ms if taken else 0
        return self._may_send()

    def _may_send(self) -> bool:
        """Whether a delivery that begins now ends before another process can make it."""
        if self._ending:
            return False
        left_ms = self._held_until - self._clock()
        return not self._holder or left_ms >= self._to_quick.most_ms + _MARGIN_MS

    async def _serve(self, row: WebhookRow) -> None:
        """Deliver to one webhook until nothing is due."""
        try:
            while True:
                if not await self._attempt(row.id, row.agent_id):
                    return
                await asyncio.sleep(limits.WEBHOOK_GAP_MS / 1000)
        except StoreUnavailable:
            return  # what was not stored is due again
        except Exception as error:  # noqa: BLE001 - nothing else would tell of it
            self._hold_back(row.id, error)
        finally:
            del self._running[row.id]
            if row.id in self._passed_over:  # there may be something since its last read
                self._passed_over.discard(row.id)
                self._signal.set()

    def _hold_back(self, webhook_id: str, error: Exception) -> None:
        """Pause the deliveries to a webhook, as the next one cannot be made."""
        log.error("delivery cannot be made", webhook=webhook_id, fault=error)
        self._held_back[webhook_id] = self._clock() + limits.WEBHOOK_HELD_BACK_MS

    async def _attempt(self, webhook_id: str, agent_id: str) -> bool:
        """Send the next delivery; whether it succeeded."""
        slots = self._slow if webhook_id in self._were_slow else self._quick
        async with slots.slot(agent_id) as slot:
            self._passed_over.discard(webhook_id)
            find = partial(
                deliveries.next_delivery,
                webhook_id=webhook_id,
                looked=self._looked,
                span=self.bounds.span,
            )
            sent = await self._store.read(find, slow=True, single=True)
            if sent is None or not self._may_send():
                return False
            failed = await self._timed(sent, slot)
        if failed is None:
            await self._store.write(partial(deliveries.succeeded, sent=sent))
        elif await self._store.write(
            partial(deliveries.failed, ids=self._ids, sent=sent, failure=failed)
        ):
            log.warning("webhook disabled", webhook=webhook_id)
        return failed is None

    async def _timed(self, sent: Delivery, slot: Slot) -> Failure | None:
        """Send it, and note whether the receiver is slow. A slot for quick ones is freed when it
        turns out to be."""
        webhook_id, is_quick = sent.webhook.id, slot.of is self._quick
        loop, quick = asyncio.get_running_loop(), self.bounds.quick_ms / 1000
        begun = loop.time()
        timer = loop.call_later(quick, slot.move, self._slow) if is_quick else None
        try:
            return await self._send(sent, self._to_quick if is_quick else self._to_slow)
        finally:
            if timer:
                timer.cancel()
            if loop.time() - begun < quick:
                self._were_slow.pop(webhook_id, None)
            else:
                self._note_slow(webhook_id)

    def _note_slow(self, webhook_id: str) -> None:
        self._were_slow[webhook_id] = None
        if len(self._were_slow) > limits.WEBHOOKS_SLOW_NOTED:
            del self._were_slow[next(iter(self._were_slow))]

    async def _send(self, sent: Delivery, outgoing: Outgoing) -> Failure | None:
        """Why the delivery failed, None if it succeeded."""
        at = self._clock() // 1000
        signer = sent.client_keys or self._signer
        headers = signed_headers(signer, sent.event_id, at, sent.body, sent.subscription_id)
        try:
            own = {**headers, **sent.headers}
            response = await outgoing.post(sent.webhook.url, sent.body, own)
        except AddressUnreachable as error:
            return Failure(str(error), error.category)
        except Exception as error:  # noqa: BLE001 - its text may hold the address: not for the log
            kind = type(error).__name__
            log.error("delivery failed", webhook=sent.webhook.id, error=kind)  # noqa: TRY400
            return Failure("This service could not send it.", "connection_refused")
        return failure(response.status, response.headers, self._clock())
