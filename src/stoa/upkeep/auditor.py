"""The continuous audit: new transactions every minute, the whole ledger every six hours."""

import asyncio
from functools import partial
from itertools import chain

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


class Auditor:
    """Audits the ledger; the first difference stops all settlements.

    While the ledger has at most `small` transactions, all of it is audited every minute; later a
    part of it, some `rows` at a time.
    """

    def __init__(
        self, store: Store, clock: Clock, small: int = 20_000, rows: int = audit.CHUNK
    ) -> None:
        self._small, self._rows = small, rows
        self._store = store
        self._clock = clock
        self._behind: str | None = None
        self._place: tuple[int, str] = (0, "")
        self._round_started = clock()
        self.trouble: str | None = None
        """A difference that was found but could not be recorded in the store yet."""

    async def minute(self) -> list[Difference]:
        """Audit new transactions, the rows that they changed, and the next part of the ledger."""
        if await self._store.read(self._is_small, background=True):
            findings = await self._store.read(audit.run_all, background=True)
        else:
            findings = await self._store.read(self._new, background=True)
            findings += await self._roll()
        return await self._judge(findings)

    async def _is_small(self, tx: Tx) -> bool:
        return await tx.one("audit.chunk_transactions", after="", size=self._small) is None

    async def _judge(self, findings: list[Finding]) -> list[Difference]:
        differences = [found for finding in findings for found in finding.differences]
        if differences:
            names = ", ".join(finding.check.name for finding in findings if finding.differences)
            self.trouble = f"the ledger differs ({names}): settlements are stopped"
            log.critical("audit found differences", checks=names, count=len(differences))
            await self._store.write(partial(ledger.stop, reason=self.trouble))
            self.trouble = None  # recorded in the store, where all processes see it
        return differences

    async def _new(self, tx: Tx) -> list[Finding]:
        before = await self._start(tx)
        touched = await audit.touched(tx, before)
        self._behind = max(before, min(touched.newest, _settled(tx.now)))
        new = [
            await audit.run(tx, check, (f"{before}!", EVERYTHING[1]))
            for check in (*CHECKS, audit.FOLLOWING)
            if check.subject == "transactions"
        ]
        return new + [
            await _one_by_one(tx, check, touched.ids[check.subject])
            for check in CHECKS
            if check.name in _OF_TOUCHED.get(check.subject, ())
        ]

    async def _start(self, tx: Tx) -> str:
        """The last audited transaction. At first, older ones are left to the rolling pass, or were
        audited by the process that had the lease before."""
        if self._behind is None:
            row = await tx.one("audit.newest_transaction")
            last_audit = tx.now - limits.AUDIT_EVERY_MS - limits.LEASE_MS
            self._behind = min(str(row[0]), _settled(last_audit)) if row else ""
        return self._behind

    async def _roll(self) -> list[Finding]:
        """Audit as much of the ledger as needed to finish the pass in its time: with a pause behind
        each part, for half of a minute at most, unless the pass is late."""
        findings: list[Finding] = []
        share = (self._clock() - self._round_started) / limits.AUDIT_ROUND_MS
        ends_at = elapsed_ms() + limits.AUDIT_EVERY_MS // 2
        while self._place[0] < len(SUBJECTS) and self._place[0] / len(SUBJECTS) <= share:
            began_at, is_late = elapsed_ms(), share * len(SUBJECTS) > self._place[0] + 1
            if began_at > ends_at and not is_late:
                break
            findings += await self._store.read(self._stretch, background=True)
            if not is_late:
                await asyncio.sleep(_PAUSE * (elapsed_ms() - began_at) / 1000)
        if self._place[0] >= len(SUBJECTS) and share >= 1:
            self._place, self._round_started = (0, ""), self._clock()
        return findings

    async def _stretch(self, tx: Tx) -> list[Finding]:
        number, after = self._place
        subject = SUBJECTS[number]
        ids = await audit.chunk(tx, subject, after, self._rows)
        checks: list[Check] = [check for check in CHECKS if check.subject == subject]
        findings = [await audit.run(tx, check, ids) for check in checks]
        self._place = (number + 1, "") if ids[1] == EVERYTHING[1] else (number, ids[1])
        return findings


async def _one_by_one(tx: Tx, check: Check, ids: set[str]) -> Finding:
    found = [await audit.differences(tx, check, (row_id, row_id)) for row_id in sorted(ids)]
    return Finding(check, len(ids), list(chain.from_iterable(found)))


def _settled(now: int) -> str:
    """An id below which no further transaction can appear.

    If several processes write, a transaction may commit after transactions with larger ids that
    were audited already. No commit is later than `AUDIT_AGAIN_MS`.
    """
    return f"tx_{encode_ulid(now - limits.AUDIT_AGAIN_MS, 0)}"
