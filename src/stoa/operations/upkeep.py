"""What the server does by itself: book what is due, forget what has expired, audit the ledger."""

import asyncio
from collections.abc import Awaitable, Callable

import structlog

from stoa.domain import limits
from stoa.domain.errors import Refusal
from stoa.entropy import Ids
from stoa.operations import escrow
from stoa.operations.auditor import Auditor
from stoa.store import ledger, sessions
from stoa.store.tx import Store, StoreUnavailable

log = structlog.get_logger("stoa.upkeep")


class Upkeep:
    """Two loops beside the faces. `trouble` says why the operator should look."""

    def __init__(self, store: Store, ids: Ids, auditor: Auditor, sweep_seconds: int) -> None:
        self._store = store
        self._ids = ids
        self._auditor = auditor
        self._tasks = [
            asyncio.create_task(_every(sweep_seconds, self.sweep)),
            asyncio.create_task(_every(limits.AUDIT_EVERY_MS / 1000, self.audit)),
        ]

    @property
    def trouble(self) -> str | None:
        """Why the service is not ready, or None."""
        return self._store.trouble or self._auditor.trouble

    async def sweep(self) -> None:
        """Book every refund that is due and forget what has expired."""
        await self._store.write(sessions.forget)
        while await self._store.write(lambda tx: escrow.sweep(tx, self._ids)):
            continue

    async def audit(self) -> None:
        """One minute's share of the audit."""
        if self._auditor.trouble is None:
            self._auditor.trouble = await self._store.read(ledger.stopped)
        await self._auditor.minute()

    async def stop(self) -> None:
        """End both loops."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)


async def _every(seconds: float, work: Callable[[], Awaitable[None]]) -> None:
    while True:
        try:
            await work()
        except (StoreUnavailable, Refusal) as error:
            log.warning("upkeep failed", reason=str(error))
        except Exception:  # a loop that ends would leave refunds unbooked without a word
            log.exception("upkeep failed")
        await asyncio.sleep(seconds)
