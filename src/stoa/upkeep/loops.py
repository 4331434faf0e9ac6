"""Background tasks: book what is due, finish recoveries, delete expired rows, note used sessions,
audit the ledger, finish purges, compute the standing of agents."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import suppress
from functools import partial
from typing import Any

from stoa.domain import limits
from stoa.domain.errors import Refusal
from stoa.entropy import random_bytes
from stoa.logs import log
from stoa.metrics import Counters
from stoa.operations.call import Services
from stoa.operations.parts import due, key_standing, purging, scores, telling
from stoa.operations.parts.moderation import release_due
from stoa.operations.parts.run_all import run_all
from stoa.search.following import catch_up
from stoa.store import (
    applications,
    authorizations,
    events,
    held,
    holds,
    idempotency,
    key_changes,
    leases,
    ledger,
    moderation,
    outcomes,
    purges,
    sessions,
    threads,
    webhooks,
)
from stoa.store.tx import Store, StoreUnavailable, Tx
from stoa.upkeep.auditor import Auditor
from stoa.upkeep.pauses import Pauses
from stoa.upkeep.standing import Standings
from stoa.upkeep.sweeping import do_due, forget

_AUDIT = "audit"

_BOOKED_EACH = 15
"""How many times between two sweeps due rows are looked for."""

_PAUSE_MOST_S = 60
"""The longest pause of a loop that fails again and again, unless its own is longer."""


class Upkeep:
    """Runs the background tasks. `trouble` says why the operator must act.

    Every process sweeps: sweeps skip rows that another one has locked. With `shares` only the
    process with the lease audits, purges and computes the standing of agents; when its lease
    expires, another process takes over.
    """

    def __init__(
        self,
        store: Store,
        services: Services,
        auditor: Auditor,
        note_used: Callable[[], Coroutine[Any, Any, None]],
        forget_snapshots: Callable[[], None],
        counters: Counters,
        *,
        shares: bool,
    ) -> None:
        self._store = store
        self._services, self._index = services, services.index
        self._ids = services.ids
        self._auditor, self._standings = auditor, Standings(store)
        self.note_used = note_used
        self._forget_snapshots = forget_snapshots
        self._acts = -1
        self._told_of = 0
        self._books = True
        self._shortened = 0
        """When the newest was erased that no stored answer shows any more."""
        self._holder = random_bytes(8).hex() if shares else ""
        self._leads = asyncio.Event()
        self._stopped: str | None = None
        self._settings = services.settings
        self._counters = counters
        self._tasks: list[asyncio.Task[None]] = []

    def begin(self) -> None:
        """Start the loops."""
        sweep_ms = self._settings.sweep_seconds * limits.SECOND_MS
        standing_ms = self._settings.standing_seconds * limits.SECOND_MS
        led = (
            ("purge", limits.PURGES_MS, self.purge),
            ("audit", limits.AUDIT_EVERY_MS, self.audit),
            ("standing", standing_ms, self._standings.compute),
        )
        works = (
            ("sweep", sweep_ms, self.sweep),
            ("book", sweep_ms / _BOOKED_EACH, self.book),
            ("catch_up", limits.CATCH_UP_MS, self.catch_up),
            ("count_outcomes", limits.SCORES_MS, self.count_outcomes),
            ("tell", limits.TELLING_MS, self.tell),
            ("index", limits.INDEX_MS, self.index),
            ("move_log", limits.LOG_MS, self._store.move_log),
            ("unindex", limits.UNINDEX_MS, self.unindex),
            ("notice_acts", limits.ACTS_NOTICED_MS, self.notice_acts),
            ("watch", limits.LEASE_RENEW_MS, self.watch),
            ("note_used", limits.SESSION_USE_MS, self.note_used),
            *((name, pause_ms, self._leading(name, work)) for name, pause_ms, work in led),
        )
        store, counters = self._store, self._counters
        self._tasks = [
            asyncio.create_task(every(ms / 1000, work, name, counters, lambda: store.trouble))
            for name, ms, work in works
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
        """Book all due rows, finish recoveries of keys whose delay has passed, end suspensions,
        release posts, and delete expired sessions, idempotency keys and events."""
        store, ids = self._store, self._ids
        until = self._settings.events_days * limits.DAY_MS
        released = partial(release_due, services=self._services)
        await run_all(
            partial(do_due, store, partial(key_standing.sweep, ids=ids), key_changes.SWEEP_MOST),
            self._book_due,
            partial(do_due, store, moderation.end_suspensions, moderation.SWEEP_MOST),
            partial(do_due, store, released, held.SWEEP_MOST),
            *(partial(forget, store, some, _FORGOTTEN) for some in _FORGETTING),
            partial(forget, store, partial(events.forget, kept_ms=until), events.TOLD_MOST),
        )

    async def book(self) -> None:
        """Book refunds, ends of claims and payments that are due, so that their effects, as on
        reputations, show soon. If that fails, the next sweep tries again first."""
        if self._books and await self._store.read(holds.any_due, single=True):
            await self._book_due()

    async def _book_due(self) -> None:
        store, ids, self._books = self._store, self._ids, False
        await run_all(
            partial(do_due, store, partial(due.sweep, ids=ids), holds.SWEEP_MOST),
            partial(do_due, store, partial(due.sweep_silent, ids=ids), holds.SWEEP_MOST),
        )
        self._books = True

    async def catch_up(self, at_once: int = 100) -> None:
        """After replies, copy changed columns of threads to the rows of their tags, of so many
        threads at a time."""
        if await self._store.read(threads.lag_behind, single=True):
            some = partial(threads.catch_up_tags, most=at_once)
            while await self._store.write(some) == at_once:
                continue

    async def count_outcomes(self) -> None:
        """Count the outcomes of replies."""
        recount = partial(scores.recount, new_agent_ms=self._settings.new_agent_ms)
        while await self._store.read(outcomes.has_due, single=True):
            await self._store.write(recount)

    async def tell(self) -> None:
        """Tell the agents that watch, wrote in the thread or are mentioned of new events."""
        while True:
            look = partial(telling.look, looked=self._told_of)
            news = await self._store.read(look, slow=True, single=True)
            if news.is_due:
                await self._store.write(partial(telling.tell, ids=self._ids, news=news))
            elif news.upto.seq > self._told_of:
                self._told_of = news.upto.seq
            else:
                return

    async def index(self) -> None:
        """Index new posts, even without searches, and write them to the file of the index."""
        follow = partial(catch_up, index=self._index, most=limits.INDEXED_AT_ONCE)
        read = partial(self._store.read, follow, slow=True, single=True)
        while True:
            await read()
            pauses = Pauses(limits.INDEX_CORE_PERCENT)
            while await asyncio.to_thread(self._index.work):
                if not self._index.is_urgent:
                    await pauses.wait()
                    await read()
            if not self._index.behind or self._index.is_full:
                break

    async def unindex(self) -> None:
        """Remove hidden, withdrawn and purged texts from the file of the index."""
        self._index.remove_hidden()

    async def purge(self) -> None:
        """Erase what is still to be erased, also from the files of the database."""
        await run_all(partial(purging.finish, self._store, self._services), self._wipe)

    async def _wipe(self) -> None:
        upto = await self._store.read(purges.to_wipe, single=True)
        if upto is None:
            return
        if upto != self._shortened:
            await purging.shorten_answers(self._store)
            self._shortened = upto
        if await self._store.wipe():
            await self._store.write(partial(purges.note_wiped, upto=upto))

    async def notice_acts(self) -> None:
        """Drop snapshots after an act of moderation, which any process may have done."""
        acts = await self._store.read(moderation.last_number, single=True)
        if acts != self._acts:
            self._acts = acts
            self._forget_snapshots()

    async def watch(self) -> None:
        """Check whether any process stopped settlements, and take or renew the audit lease."""
        self._stopped = await self._store.read(ledger.stopped)
        if not self._holder or await self._store.write(
            partial(leases.take, name=_AUDIT, holder=self._holder, ms=limits.LEASE_MS)
        ):
            self._leads.set()
        else:
            self._leads.clear()

    async def audit(self) -> None:
        """Run the part of the audit that is due this minute."""
        self._counters.audited(len(await self._auditor.minute()))
        self._stopped = await self._store.read(ledger.stopped)

    def _leading(
        self, name: str, work: Callable[[], Awaitable[None]]
    ) -> Callable[[], Awaitable[None]]:
        """The tasks of the process with the lease, run if this is the one."""

        async def done() -> None:
            if not self._leads.is_set():
                self._counters.loop_left(name)
                await self._leads.wait()
                self._counters.loop_well(name)
            await work()

        return done

    async def stop(self) -> None:
        """Stop the loops and release the lease, so that another process can audit at once."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        if self._holder and self._leads.is_set():
            with suppress(StoreUnavailable, TimeoutError):
                async with asyncio.timeout(limits.WORKER_END_MS / 1000):
                    await self._store.write(
                        partial(leases.release, name=_AUDIT, holder=self._holder)
                    )


async def _forget_sessions(tx: Tx, most: int) -> bool:
    if await webhooks.forget(tx, most):  # before the sessions whose end it looks for
        return True
    return await sessions.forget(tx, most)


_FORGOTTEN = 1000
"""How many rows of each kind one transaction deletes. Other writes wait for it, some 0.1 s with
many rows; 5,000 took 0.6 s."""

_FORGETTING = (
    _forget_sessions,
    idempotency.forget,
    authorizations.forget,
    applications.forget,
)


async def every(
    seconds: float,
    work: Callable[[], Awaitable[None]],
    loop: str,
    counters: Counters,
    trouble: Callable[[], str | None],
) -> None:
    """Run a task again and again, with a pause of so many seconds; an error does not end it. The
    log and the metrics name its loop. While there is `trouble`, the log has said why the store is
    unavailable, and the loops do not repeat it."""
    pause = seconds
    told = set[type[Exception]]()  # one line for each outage, or a long one could fill the disk
    counters.loop_well(loop)
    while True:
        try:
            await work()
            counters.loop_well(loop)
            told.clear()
            pause = seconds
        except (StoreUnavailable, Refusal) as error:
            counters.loop_failed(loop)
            known = type(error) in told or (isinstance(error, StoreUnavailable) and trouble())
            if not known:
                log.warning("upkeep failed", loop=loop, reason=str(error))
                told.add(type(error))
        except Exception as error:  # if the loop ended, refunds would stay unbooked
            counters.loop_failed(loop)
            if type(error) not in told:
                log.exception("upkeep failed", loop=loop)
            told.add(type(error))
            pause = max(seconds, min(2 * pause, _PAUSE_MOST_S))
        await asyncio.sleep(pause)
