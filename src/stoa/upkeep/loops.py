"""What the server does by itself: book what is due, forget what has expired, audit the ledger."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import partial

import structlog

from stoa.domain import limits
from stoa.domain.errors import Refusal
from stoa.entropy import Ids, random_bytes
from stoa.operations import escrow
from stoa.store import idempotency, leases, ledger, sessions, threads
from stoa.store.tx import Store, StoreUnavailable, Tx
from stoa.upkeep.auditor import Auditor

log = structlog.get_logger("stoa.upkeep")

_AUDIT = "audit"


class Upkeep:
    """Loops beside the faces. `trouble` says why the operator should look.

    Every process sweeps, as sweeps pass each other by; with `shares` only the one that holds a
    lease audits, and another takes over when it is gone.
    """

    def __init__(
        self, store: Store, ids: Ids, auditor: Auditor, sweep_seconds: int, *, shares: bool
    ) -> None:
        self._store = store
        self._ids = ids
        self._auditor = auditor
        self._holder = random_bytes(8).hex() if shares else ""
        self._leads = asyncio.Event()
        self._stopped: str | None = None
        self._sweep_seconds = sweep_seconds
        self._tasks: list[asyncio.Task[None]] = []

    def begin(self) -> None:
        """Start the loops."""
        self._tasks = [
            asyncio.create_task(_every(self._sweep_seconds, self.sweep)),
            asyncio.create_task(_every(limits.CATCH_UP_MS / 1000, self.catch_up)),
            asyncio.create_task(_every(limits.LEASE_RENEW_MS / 1000, self.watch)),
            asyncio.create_task(_every(limits.AUDIT_EVERY_MS / 1000, self._audit_in_turn)),
        ]

    @property
    def trouble(self) -> str | None:
        """Why the service is not ready, or None."""
        return self._store.trouble or self._stopped or self._auditor.trouble

    @property
    def audits(self) -> bool:
        """Whether this process is the one that audits."""
        return self._leads.is_set()

    async def sweep(self) -> None:
        """Book every refund that is due and forget what has expired."""
        await self._store.write(_forget)
        while await self._store.write(partial(escrow.sweep, ids=self._ids)):
            continue

    async def catch_up(self) -> None:
        """Let the tags repeat what has changed of their threads."""
        if await self._store.read(threads.lag_behind, single=True):
            while await self._store.write(threads.catch_up_tags) == threads.CATCH_UP_MOST:
                continue

    async def watch(self) -> None:
        """Learn whether settlements are stopped, whoever stopped them, and who audits."""
        self._stopped = await self._store.read(ledger.stopped)
        if not self._holder or await self._store.write(
            partial(leases.take, name=_AUDIT, holder=self._holder, ms=limits.LEASE_MS)
        ):
            self._leads.set()
        else:
            self._leads.clear()

    async def audit(self) -> None:
        """One minute's share of the audit."""
        await self._auditor.minute()
        self._stopped = await self._store.read(ledger.stopped)

    async def _audit_in_turn(self) -> None:
        await self._leads.wait()
        await self.audit()

    async def stop(self) -> None:
        """End the loops, if they run, and let another process audit at once."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        if self._holder and self._leads.is_set():
            with suppress(StoreUnavailable, TimeoutError):
                async with asyncio.timeout(limits.WORKER_END_MS / 1000):
                    await self._store.write(
                        partial(leases.release, name=_AUDIT, holder=self._holder)
                    )


async def _forget(tx: Tx) -> None:
    await sessions.forget(tx)
    await idempotency.forget(tx)


async def _every(seconds: float, work: Callable[[], Awaitable[None]]) -> None:
    is_told = False
    while True:
        try:
            await work()
            is_told = False
        except (StoreUnavailable, Refusal) as error:
            if not is_told:  # once for an outage, which may fill the disk with lines otherwise
                log.warning("upkeep failed", reason=str(error))
            is_told = True
        except Exception:  # a loop that ends would leave refunds unbooked without a word
            log.exception("upkeep failed")
        await asyncio.sleep(seconds)
