"""The continuous audit: new transactions every minute, the whole ledger every six hours."""

import asyncio
from functools import partial
from itertools import chain
from typing import NamedTuple

from stoa.clock import Clock, elapsed_ms
from stoa.domain import limits
from stoa.domain.ids import encode_ulid
from stoa.logs import log
from stoa.store import ledger
from stoa.store.transfer import audit
from stoa.store.transfer.audit import CHECKS, EVERYTHING, SUBJECTS, Check, Difference, Finding
from stoa.store.tx import Store, Tx

_OF_TOUCHED = {
    "accounts": ("accounts", "overdrawn"),
    "holds": ("escrow", "settlements", "movements", "subjects"),
    "jobs": ("jobs", "completions"),
    "threads": ("threads", "answers"),
    "agents": ("grants",),
}
"""The checks that are cheap for a single row, by table."""

_PAUSE = 4
"""The pause after a part of the ledger, as a multiple of the time that the part took. Without it,
calls were slow for some ten seconds after each start with a million agents."""


class _New(NamedTuple):
    """The differences in new transactions, the last transaction that was audited, the id below
    which no further one can appear, and whether there are no more."""

    findings: list[Finding]
    upto: str
    settled: str
    is_last: bool


class Auditor:
    """Audits the ledger; the first difference stops all settlements.

    While the ledger has at most `small` transactions, all of it is audited every minute; later new
    ones, with so many `postings` at a time, and a part of it, some `rows` at a time.
    """

    def __init__(
        self,
        store: Store,
        clock: Clock,
        small: int = 20_000,
        rows: int = audit.CHUNK,
        postings: int = audit.TOUCHED_MOST,
    ) -> None:
        self._small, self._rows, self._postings = small, rows, postings
        self._store = store
        self._clock = clock
        self._behind: str | None = None
        self._place: tuple[int, str] = (0, "")
        self._round_started = clock()
        self.trouble: str | None = None
        """A difference that was found but could not be recorded in the store yet."""

    async def minute(self) -> list[Difference]:
        """Audit new transactions, the rows that they changed, and the next part of the ledger."""
        await self._stop()
        if await self._store.read(self._is_small, background=True):
            return await self._judge(await self._store.read(audit.run_all, background=True))
        return await self._follow() + await self._roll()

    async def _is_small(self, tx: Tx) -> bool:
        return await tx.one("audit.chunk_transactions", after="", size=self._small) is None

    async def _judge(self, findings: list[Finding]) -> list[Difference]:
        differences = [found for finding in findings for found in finding.differences]
        if differences:
            names = ", ".join(finding.check.name for finding in findings if finding.differences)
            self.trouble = f"the ledger differs ({names}): settlements are stopped"
            log.critical("audit found differences", checks=names, count=len(differences))
            await self._stop()
        return differences

    async def _stop(self) -> None:
        """Record a difference in the store, where all processes see it."""
        if self.trouble:
            await self._store.write(partial(ledger.stop, reason=self.trouble))
            self.trouble = None

    async def _follow(self) -> list[Difference]:
        """Audit new transactions and the rows that they changed, in parts and for half of a minute
        at most. Only audited ones are skipped the next time: a read may fail."""
        after = self._behind = await self._store.read(self._start, background=True)
        differences: list[Difference] = []
        ends_at, is_last = elapsed_ms() + limits.AUDIT_EVERY_MS // 2, False
        while not is_last and elapsed_ms() < ends_at:
            look = partial(_new, after=after, most=self._postings)
            new = await self._store.read(look, background=True)
            differences += await self._judge(new.findings)
            after, is_last = new.upto, new.is_last
            self._behind = max(self._behind, min(after, new.settled))
        return differences

    async def _start(self, tx: Tx) -> str:
        """The last audited transaction. At first, older ones are left to the rolling pass, or were
        audited by the process that had the lease before."""
        if self._behind is not None:
            return self._behind
        row = await tx.one("audit.newest_transaction")
        last_audit = tx.now - limits.AUDIT_EVERY_MS - limits.LEASE_MS
        return min(str(row[0]), _settled(last_audit)) if row else ""

    async def _roll(self) -> list[Difference]:
        """Audit as much of the ledger as needed to finish the pass in its time: with a pause after
        each part, for half of a minute at most, unless the pass is late."""
        differences: list[Difference] = []
        share = (self._clock() - self._round_started) / limits.AUDIT_ROUND_MS
        ends_at = elapsed_ms() + limits.AUDIT_EVERY_MS // 2
        while self._place[0] < len(SUBJECTS) and self._place[0] / len(SUBJECTS) <= share:
            began_at, is_late = elapsed_ms(), share * len(SUBJECTS) > self._place[0] + 1
            if began_at > ends_at and not is_late:
                break
            differences += await self._judge(await self._store.read(self._stretch, background=True))
            if not is_late:
                await asyncio.sleep(_PAUSE * (elapsed_ms() - began_at) / 1000)
        if self._place[0] >= len(SUBJECTS) and share >= 1:
            self._place, self._round_started = (0, ""), self._clock()
        return differences

    async def _stretch(self, tx: Tx) -> list[Finding]:
        number, after = self._place
        subject = SUBJECTS[number]
        ids = await audit.chunk(tx, subject, after, self._rows)
        checks: list[Check] = [check for check in CHECKS if check.subject == subject]
        findings = [await audit.run(tx, check, ids) for check in checks]
        self._place = (number + 1, "") if ids[1] == EVERYTHING[1] else (number, ids[1])
        return findings


async def _new(tx: Tx, after: str, most: int) -> _New:
    """Audit the next transactions after `after`, only some of them if they have more than so many
    postings."""
    touched = await audit.touched(tx, after, most)
    ids = (f"{after}!", touched.newest if touched.more else EVERYTHING[1])
    new = [
        await audit.run(tx, check, ids)
        for check in (*CHECKS, audit.FOLLOWING)
        if check.subject == "transactions"
    ]
    changed = [
        await _one_by_one(tx, check, touched.ids[check.subject])
        for check in CHECKS
        if check.name in _OF_TOUCHED.get(check.subject, ())
    ]
    return _New(new + changed, touched.newest, _settled(tx.now), not touched.more)


async def _one_by_one(tx: Tx, check: Check, ids: set[str]) -> Finding:
    found = [await audit.differences(tx, check, (row_id, row_id)) for row_id in sorted(ids)]
    return Finding(check, len(ids), list(chain.from_iterable(found)))


def _settled(now: int) -> str:
    """An id below which no further transaction can appear.

    If several processes write, a transaction may commit after transactions with larger ids that
    were audited already. No commit is later than `AUDIT_AGAIN_MS`.
    """
    return f"tx_{encode_ulid(now - limits.AUDIT_AGAIN_MS, 0)}"
