"""Delivers events to webhooks: one process does, each webhook in the order of the log."""

import asyncio
from contextlib import suppress
from functools import partial

from stoa.clock import Clock
from stoa.domain import limits
from stoa.domain.webhooks import Signer
from stoa.entropy import Ids, random_bytes
from stoa.logs import log
from stoa.operations import deliveries
from stoa.operations.deliveries import Delivery
from stoa.outgoing.client import Outgoing, Unreachable
from stoa.store import leases, webhooks
from stoa.store.tx import Store, StoreUnavailable
from stoa.upkeep.loops import every

_LEASE = "webhooks"
_SUCCESS = 2
"""The first digit of the status of what was delivered."""

_MARGIN_MS = 2 * limits.SECOND_MS
"""Of a lease so much must be left beside the longest time that a delivery takes."""


class Webhooks:
    """Sends events to webhooks: to several webhooks at once, and to each one event after another.

    With `shares` only the process with the lease delivers. What was sent is stored afterwards, so
    that a process which ends between the two has the next one send it again. Receivers that were
    slow at the last attempt, or not asked yet, have slots of their own, and their names are looked
    up beside those of the fast ones.
    """

    def __init__(
        self,
        store: Store,
        ids: Ids,
        signer: Signer,
        outgoing: Outgoing,
        clock: Clock,
        *,
        shares: bool,
    ) -> None:
        self._store = store
        self._ids = ids
        self._signer = signer
        self._outgoing = {True: outgoing, False: outgoing.another()}
        self._clock = clock
        self._holder = random_bytes(8).hex() if shares else ""
        self._held_until = 0
        self._asked_at = -limits.LEASE_RENEW_MS
        self._signal = asyncio.Event()
        self._looked: dict[str, int] = {}
        self._fast: set[str] = set()
        self._slots = {fast: asyncio.Semaphore(limits.WEBHOOK_LANE) for fast in (True, False)}
        self._running: dict[str, asyncio.Task[None]] = {}
        self._loop: asyncio.Task[None] | None = None
        self._ending = False

    def begin(self) -> None:
        """Start to deliver."""
        self._store.listen(self._signal.set)
        self._loop = asyncio.create_task(every(limits.WEBHOOK_GAP_MS / 1000, self._turn))

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
        """Begin the deliveries that are due, unless another process makes them."""
        if not await self._store.read(webhooks.there_are_any, single=True):
            return
        if not await self._leads():
            return
        find = partial(deliveries.find, looked=dict(self._looked))
        found = await self._store.read(find, slow=True, single=True)
        self._looked = found.looked
        if found.moved:
            await self._store.write(partial(deliveries.move, places=found.moved))
        for webhook_id in found.ready:
            if webhook_id not in self._running:
                self._running[webhook_id] = asyncio.create_task(self._serve(webhook_id))

    async def finish(self) -> None:
        """Wait until nothing is under way."""
        while self._running:
            await asyncio.wait(list(self._running.values()))

    async def stop(self) -> None:
        """Give what is under way a little time, and let another process deliver."""
        self._ending = True
        if self._loop:
            self._loop.cancel()
            await asyncio.gather(self._loop, return_exceptions=True)
        with suppress(TimeoutError):
            async with asyncio.timeout(limits.WEBHOOK_END_MS / 1000):
                await self.finish()
        for task in self._running.values():
            task.cancel()
        await asyncio.gather(*self._running.values(), return_exceptions=True)
        if self._holder and self._asked_at >= 0:
            with suppress(StoreUnavailable, TimeoutError):
                async with asyncio.timeout(limits.WEBHOOK_END_MS / 1000):
                    await self._store.write(
                        partial(leases.release, name=_LEASE, holder=self._holder)
                    )

    async def _leads(self) -> bool:
        """Whether this process delivers. The lease is taken or renewed when it is time."""
        now = self._clock()
        if self._holder and now - self._asked_at >= limits.LEASE_RENEW_MS:
            self._asked_at = now
            take = partial(
                leases.take, name=_LEASE, holder=self._holder, ms=limits.WEBHOOK_LEASE_MS
            )
            taken = await self._store.write(take)
            self._held_until = now + limits.WEBHOOK_LEASE_MS if taken else 0
        return self._may_send()

    def _may_send(self) -> bool:
        """Whether a delivery that begins now ends before another process can make it."""
        if self._ending:
            return False
        left_ms = self._held_until - self._clock()
        return not self._holder or left_ms >= limits.OUTGOING_MS + _MARGIN_MS

    async def _serve(self, webhook_id: str) -> None:
        """Deliver to one webhook until nothing is due."""
        try:
            while True:
                if not await self._attempt(webhook_id):
                    return
                await asyncio.sleep(limits.WEBHOOK_GAP_MS / 1000)
        except StoreUnavailable:
            return  # what was not stored is due again
        finally:
            del self._running[webhook_id]

    async def _attempt(self, webhook_id: str) -> bool:
        """Send what is next; whether it was delivered."""
        is_fast = webhook_id in self._fast
        async with self._slots[is_fast]:
            find = partial(deliveries.next_delivery, webhook_id=webhook_id, looked=self._looked)
            sent = await self._store.read(find, slow=True, single=True)
            if sent is None or not self._may_send():
                return False
            problem = await self._timed(sent, self._outgoing[is_fast])
        if problem is None:
            await self._store.write(partial(deliveries.succeeded, sent=sent))
        elif await self._store.write(
            partial(deliveries.failed, ids=self._ids, sent=sent, problem=problem)
        ):
            log.warning("webhook disabled", webhook=webhook_id)
        return problem is None

    async def _timed(self, sent: Delivery, outgoing: Outgoing) -> str | None:
        """Send it, and note how fast the receiver is."""
        time = asyncio.get_running_loop().time
        begun = time()
        problem = await self._send(sent, outgoing)
        if problem is None and time() - begun < limits.WEBHOOK_FAST_MS / 1000:
            self._fast.add(sent.webhook.id)
        else:
            self._fast.discard(sent.webhook.id)
        return problem

    async def _send(self, sent: Delivery, outgoing: Outgoing) -> str | None:
        """Why it was not delivered, None if it was."""
        at = self._clock() // 1000
        headers = {
            "Content-Type": "application/json",
            "webhook-id": sent.event_id,
            "webhook-timestamp": str(at),
            "webhook-signature": self._signer.signature(sent.event_id, at, sent.body),
        }
        try:
            response = await outgoing.post(sent.webhook.url, sent.body, headers)
        except Unreachable as error:
            return str(error)
        except Exception as error:  # noqa: BLE001 - its text may hold the address: not for the log
            kind = type(error).__name__
            log.error("delivery failed", webhook=sent.webhook.id, error=kind)  # noqa: TRY400
            return "This service could not send it."
        if response.status // 100 == _SUCCESS:
            return None
        return f"The server answered {response.status}, and 2xx was expected."
