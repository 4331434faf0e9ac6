"""Makes one database equal to a snapshot of another, whichever engines they are on.

Tables are walked in the order of their keys, a batch of the source beside what the target has in
the same range, and only what differs is written. So it can be ended anywhere and run again, and a
second run costs little more than reading.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, NamedTuple, Protocol

import msgspec

from stoa.store.transfer import audit
from stoa.store.transfer.audit import Finding
from stoa.store.tx import Row, StartRefused, Tx

BATCH = 2000
"""Rows per transaction on the target."""

RowKey = tuple[Any, ...]
ProgressCallback = Callable[[str, int], None]
"""Called with what is copied and how many rows of it are done."""


class Table(NamedTuple):
    """A table and the columns of a unique index, in whose order it is read."""

    name: str
    key: tuple[str, ...]
    loses: bool = False
    """Whether rows are ever deleted."""

    fixed: bool = False
    """Whether rows are never changed."""

    def key_of(self, columns: Sequence[str], row: Row) -> RowKey:
        """The key of a row with these columns."""
        return tuple(row[columns.index(name)] for name in self.key)


SEAL = Table("ledger_transaction", ("id",), fixed=True)
POSTING = Table("posting", ("transaction_id", "account_id"), fixed=True)

_TERM = ("term", "is_tag", "type", "amount", "created_at", "opportunity_id")

GROUPS: tuple[tuple[Table, ...], ...] = (
    (Table("secret", ("name",)),),
    (Table("agent", ("id",)),),
    (Table("key_change", ("agent_id", "position")),),
    (Table("agent_capability", ("capability", "agent_id"), loses=True),),
    (Table("agent_word", ("word", "agent_id"), loses=True),),
    (Table("challenge_used", ("hash",), loses=True),),
    (Table("invite", ("digest",), loses=True),),
    # Not by its hash, which is another one after each renewal of the session.
    (Table("token", ("session_id",), loses=True),),
    (Table("refresh_token", ("hash",), loses=True),),
    (Table("authorization_request", ("handle",), loses=True),),
    (Table("registration", ("agent_id",)),),
    (Table("kept_answer", ("agent_id", "key"), loses=True),),
    (Table("account", ("id",)),),
    # The postings of a transaction go with it and before it, or the guards refuse them.
    (SEAL, POSTING),
    (Table("hold", ("id",)),),
    (Table("settlement", ("hold_id",), fixed=True),),
    (Table("paid_out", ("agent_id", "transaction_id"), fixed=True),),
    (Table("thread", ("id",)),),
    (Table("thread_tag", ("tag", "thread_id"), loses=True),),
    (Table("thread_moved", ("id",), loses=True),),
    # In this order no reply comes before the one that it replies to.
    (Table("reply", ("thread_id", "thread_order")),),
    (Table("outcome", ("reply_id", "agent_id")),),
    (Table("receipt", ("id",), fixed=True),),
    (Table("post", ("id",), fixed=True),),
    (Table("job", ("id",)),),
    (Table("job_tag", ("tag", "job_id"), loses=True),),
    (Table("submission", ("id",)),),
    (Table("artifact_text", ("submission_id", "position"), loses=True, fixed=True),),
    (Table("job_message", ("id",)),),
    (Table("job_event", ("job_id", "position"), fixed=True),),
    (Table("released_claim", ("job_id", "agent_id"), fixed=True),),
    (Table("application", ("job_id", "agent_id"), loses=True),),
    (Table("addition", ("subject_id", "position"), loses=True, fixed=True),),
    (Table("held_post", ("id",)),),
    (Table("reputation_event", ("id",), fixed=True),),
    (Table("record", ("agent_id", "kind", "outcome")),),
    (Table("opportunity", ("id",), loses=True),),
    (Table("opportunity_term", _TERM, loses=True),),
    (Table("opportunity_word", ("word", "opportunity_id", "label"), loses=True),),
    (Table("event_log", ("seq",), loses=True),),
    (Table("event_log_state", ("name",)),),
    (Table("inbox_place", ("agent_id",)),),
    (Table("webhook", ("id",), loses=True),),
    (Table("watch", ("id",), loses=True),),
    (Table("watch_word", ("word", "agent_id", "watch_id"), loses=True, fixed=True),),
    (Table("told", ("agent_id", "seq"), loses=True, fixed=True),),
    (Table("thread_writer", ("thread_id", "agent_id"), loses=True),),
    (Table("told_thread", ("thread_id", "seq"), loses=True, fixed=True),),
    (Table("telling", ("name",)),),
    (Table("stop", ("name",), loses=True),),
    (Table("moderator", ("public_key",), loses=True),),
    (Table("moderation_act", ("id",), fixed=True),),
    (Table("report", ("id",)),),
    (Table("purge", ("id",)),),
)
"""Every table that is copied, after those it refers to. The first of a group leads the others."""

TABLES = tuple(table for group in GROUPS for table in group)


class TableUpdate(NamedTuple):
    """What to do to a table of the target; rows have the order of `columns`."""

    table: Table
    columns: tuple[str, ...]
    new: list[Row]
    changed: list[Row]
    gone: list[RowKey]


class RowRange(NamedTuple):
    """Rows of a table in the order of its key, after `after` and up to `upto`, at most so many. A
    bound may have fewer parts than the key."""

    table: Table
    columns: Sequence[str]
    after: RowKey | None = None
    upto: RowKey | None = None
    limit: int | None = None


class Side(Protocol):
    """A snapshot of a database, or a database that no other program uses."""

    place: str

    @property
    def tx(self) -> Tx:
        """For named statements."""
        ...

    async def columns(self, table: Table) -> tuple[str, ...]:
        """The names of its columns, in order."""
        ...

    async def count(self, table: Table) -> int:
        """How many rows it has, counted by the engine."""
        ...

    async def rows(self, which: RowRange) -> list[Row]:
        """These rows, each as a tuple."""
        ...


class CopySource(Side, Protocol):
    """The side that is read."""

    async def is_served(self) -> bool:
        """Whether a server may write to it, or may have since it was opened."""
        ...


class Target(Side, Protocol):
    """The side that is written; no server opens it before `finish`."""

    async def begin(self, identity: str, source: str) -> None:
        """Mark it as the unfinished copy of the database `identity`, at the place `source`.

        Raises `StartRefused` when it is neither empty nor such a copy.
        """
        ...

    async def apply(self, changes: list[TableUpdate]) -> None:
        """Carry out changes, all or none; new rows in reverse order of the list: postings first."""
        ...

    async def finish(self) -> None:
        """Let servers open it."""
        ...


@dataclass(slots=True)
class RowTally:
    """The number of rows that were read, and a digest over them in the order of the key."""

    rows: int = 0
    _hash: Any = field(default_factory=sha256)

    def add(self, rows: list[Row]) -> None:
        """Count these too."""
        self.rows += len(rows)
        for row in rows:
            self._hash.update(msgspec.msgpack.encode(row))

    @property
    def digest(self) -> str:
        """Hexadecimal."""
        return self._hash.hexdigest()


class Compared(NamedTuple):
    """A table on both sides: rows as each engine counts them, and digests over them."""

    table: str
    source: int
    target: int
    source_digest: str
    target_digest: str

    @property
    def equal(self) -> bool:
        """Whether both hold the same."""
        return self.source == self.target and self.source_digest == self.target_digest


class CopyOutcome(NamedTuple):
    """The result of a copy; `finished` when the target may be served."""

    tables: list[Compared]
    findings: list[tuple[Finding, Finding]]
    served: bool
    finished: bool

    @property
    def equal(self) -> bool:
        """Whether nothing differs, and the ledger is right on both sides."""
        audits = [finding for pair in self.findings for finding in pair]
        counts = all(of.checked == there.checked for of, there in self.findings)
        clean = counts and not any(finding.differences for finding in audits)
        return clean and all(table.equal for table in self.tables)


async def copy(
    source: CopySource,
    target: Target,
    tell: ProgressCallback,
    *,
    while_served: bool = False,
    batch: int = BATCH,
) -> CopyOutcome:
    """Make `target` equal to `source`, compare both, and let servers open the target if they are
    equal and no server wrote to the source meanwhile (or `while_served`).

    Raises `StartRefused` when the target holds something else.
    """
    served = await source.is_served()
    await target.begin(await _identity(source), source.place)
    tallies: dict[Table, RowTally] = {}
    for group in GROUPS:
        tallies |= await _copy(source, target, group, tell, batch)
    tell("comparing", 0)
    tables = [await _compare(source, target, table, tallies[table], batch) for table in TABLES]
    findings = [
        (await audit.run(source.tx, check), await audit.run(target.tx, check))
        for check in audit.CHECKS
    ]
    # Asked again: a server that started during the copy may have written what was not read.
    served = served or await source.is_served()
    outcome = CopyOutcome(tables, findings, served, finished=while_served or not served)
    if not outcome.equal:
        return outcome._replace(finished=False)
    if outcome.finished:
        await target.finish()
    return outcome


async def _identity(source: CopySource) -> str:
    """The identity of a Stoa's database: a digest that does not reveal its secret."""
    row = await source.tx.one("sessions.secret", name="challenge")
    if row is None:
        raise StartRefused(f"{source.place} was never served: there is nothing to copy")
    return sha256(b"stoa copy of " + row[0]).hexdigest()


async def _copy(
    source: CopySource,
    target: Target,
    group: tuple[Table, ...],
    tell: ProgressCallback,
    batch: int,
) -> dict[Table, RowTally]:
    lead = group[0]
    columns = {table: await source.columns(table) for table in group}
    tallies = {table: RowTally() for table in group}
    after: RowKey | None = None
    while True:
        leading = await source.rows(RowRange(lead, columns[lead], after, limit=batch))
        is_last = len(leading) < batch
        # The last range has no end, so that rows of the target behind the last of the source go.
        upto = None if is_last else lead.key_of(columns[lead], leading[-1])
        changes: list[TableUpdate] = []
        for table in group:
            which = RowRange(table, columns[table], after, upto)
            # Without a limit: the others of a group have a few rows for each of the leading table.
            rows = leading if table is lead else await source.rows(which)
            tallies[table].add(rows)
            changes.append(_change(table, columns[table], rows, await target.rows(which)))
        if any(change.new or change.changed or change.gone for change in changes):
            await target.apply(changes)
        tell(lead.name, tallies[lead].rows)
        if is_last:
            return tallies
        after = upto


def _change(
    table: Table, columns: tuple[str, ...], rows: list[Row], there: list[Row]
) -> TableUpdate:
    # What the source does not have stays in `present` and is deleted.
    present = {table.key_of(columns, row): row for row in there}
    change = TableUpdate(table, columns, [], [], [])
    for row in rows:
        old = present.pop(table.key_of(columns, row), None)
        if old is None:
            change.new.append(row)
        elif old != row:
            change.changed.append(row)
    change.gone.extend(present)
    # An earlier copy of this source cannot differ like this: the target holds something else.
    if (change.gone and not table.loses) or (change.changed and table.fixed):
        raise StartRefused(
            f"the table {table.name} of the target holds what the source never held: copy into an "
            "empty database"
        )
    return change


async def _compare(
    source: CopySource, target: Target, table: Table, tally: RowTally, batch: int
) -> Compared:
    columns = await source.columns(table)
    there, after = RowTally(), None
    while rows := await target.rows(RowRange(table, columns, after, limit=batch)):
        there.add(rows)
        after = table.key_of(columns, rows[-1])
    counts = (await source.count(table), await target.count(table))
    # What was counted but not walked would be missed by the digest alone.
    walked = (counts[0] == tally.rows, counts[1] == there.rows)
    return Compared(
        table.name,
        *counts,
        tally.digest if walked[0] else f"{tally.rows} rows read",
        there.digest if walked[1] else f"{there.rows} rows read",
    )
