"""Holds: credits reserved for one bounty or job, and their one outcome."""

from collections.abc import Coroutine
from typing import Any, Literal, NamedTuple

import msgspec
from msgspec.structs import asdict

from stoa.domain import ids
from stoa.domain.records import Counted
from stoa.store import records
from stoa.store.tx import Row, Tx, one_row

SWEEP_MOST = 200

NEVER = 253_402_300_799_000
"""The end of year 9999: a hold for a held post has no deadline yet."""


class HoldRow(msgspec.Struct, frozen=True, gc=False):
    """A row of `hold`; the amount is in hundredths, times are ms. `expires_at` is when the bounty
    goes back, or when the job next changes without a call."""

    id: str
    type: Literal["bounty", "job"]
    subject_id: str
    agent_id: str
    amount: int
    status: Literal["OPEN", "PAID", "REFUNDED"]
    created_at: int
    expires_at: int


class OpenHold(NamedTuple):
    """An open hold with the status of its job, `OPEN` for a bounty, and the deadline of its
    subject; hundredths and ms."""

    id: str
    type: Literal["bounty", "job"]
    subject_id: str
    amount: int
    expires_at: int
    subject_status: str
    deadline: int


class Payment(msgspec.Struct, frozen=True, gc=False):
    """A hold, why settlements are stopped, from when its agent has another key, and when the payee
    retired; None where that is not so. `payer_balance` is what its agent can spend, in hundredths;
    paying the hold does not change it. Times are ms."""

    hold: HoldRow
    stopped: str | None
    payer_key_change_at: int | None
    payee_retired_at: int | None
    payer_balance: int


class HoldCounts(NamedTuple):
    """How many holds are open, and how many of these are past their deadline."""

    open: int
    overdue: int


async def count_all(tx: Tx) -> HoldCounts:
    """How many holds are to be settled."""
    return HoldCounts(*await one_row(tx, "holds.count_all", now=tx.now))


async def get(tx: Tx, hold_id: str) -> HoldRow | None:
    """The hold with this id."""
    row = await tx.one("holds.get", id=hold_id)
    return HoldRow(*row) if row else None


async def payment(tx: Tx, hold_id: str, payee_id: str) -> Payment | None:
    """The hold with this id, and all that paying it to this agent depends on."""
    row = await tx.one("holds.payment", id=hold_id, payee_id=payee_id)
    return Payment(HoldRow(*row[:-4]), *row[-4:]) if row else None


async def insert(tx: Tx, row: HoldRow) -> None:
    """Store a new, open hold."""
    await tx.put("holds.insert", **asdict(row))


async def add(tx: Tx, subject_id: str, more: int) -> None:
    """Add so many hundredths to the open hold of a thread or job."""
    await tx.put("holds.add", subject_id=subject_id, more=more)


async def begin(tx: Tx, subject_id: str, expires_at: int) -> None:
    """Start the time of a hold whose thread or job is released."""
    await tx.put("holds.begin", subject_id=subject_id, now=tx.now, at=expires_at)


async def settle(
    tx: Tx, row: HoldRow, outcome: Literal["payout", "refund"], agent_id: str, transaction_id: str
) -> None:
    """Give a hold its outcome. Raises `NotTouched` when it has one already."""
    await tx.put(
        "holds.insert_settlement",
        hold_id=row.id,
        outcome=outcome,
        agent_id=agent_id,
        amount=row.amount,
        transaction_id=transaction_id,
        now=tx.now,
    )
    status = "PAID" if outcome == "payout" else "REFUNDED"
    await tx.put("holds.close", id=row.id, subject_id=row.subject_id, status=status)
    if row.type == "bounty":
        records.add(tx, [Counted(row.agent_id, "bounty", status.lower())])


async def open_of_agent(tx: Tx, agent_id: str) -> list[OpenHold]:
    """Every open hold of an agent, by expiry."""
    return [OpenHold(*row) for row in await tx.all("holds.open_of_agent", agent_id=agent_id)]


async def wait(tx: Tx, hold_type: Literal["bounty", "job"], subject_id: str, ms: int) -> bool:
    """Move the deadline of an open bounty or job, which must be locked; False when it was moved
    before."""
    if not await tx.run("holds.wait", subject_id=subject_id, ms=ms):
        return False
    if hold_type == "job":
        await tx.run("jobs.postpone", job_id=subject_id, ms=ms)
        for row in await tx.all("jobs.tags_of", job_id=subject_id):
            await tx.run("jobs.postpone_tags", tags=row[0], job_id=subject_id, ms=ms)
    else:
        await tx.run("opportunities.postpone", subject_id=subject_id, ms=ms)
    return True


async def count_open(tx: Tx, agent_id: str) -> tuple[int, int]:
    """How many holds of an agent are open and not due, and the first expiry of these (ms) or 0."""
    number, first = await one_row(tx, "holds.count_open", agent_id=agent_id, now=tx.now)
    return number, first or 0


async def next_deadline(tx: Tx) -> int | None:
    """When the next bounty or undecided job ends, ms."""
    row = await tx.one("holds.next_deadline", now=tx.now)
    return row[0] if row else None


async def silent(tx: Tx, most: int, skip: int) -> list[str]:
    """The ids of up to `most` jobs that are paid by silence now, the earliest first, without the
    first `skip`."""
    return [row[0] for row in await tx.all("holds.silent", now=tx.now, most=most, skip=skip)]


async def due(tx: Tx, most: int, skip: int) -> list[HoldRow]:
    """Up to `most` holds whose time has passed, except those paid by silence, the earliest first,
    without the first `skip`.

    Their threads and jobs are locked. Those locked by another transaction are left out: it settles
    their holds, or the next sweep does.
    """
    rows = await tx.all("holds.due", now=tx.now, most=most, skip=skip)
    return [HoldRow(*row) for row in rows]


def any_due(tx: Tx) -> Coroutine[Any, Any, Row | None]:
    """A row if any hold is due. None nearly always, since sweeps look for them too."""
    return tx.one("holds.any_due", now=tx.now)


_WHOSE = {"bty": "itself", "ag": "payee"}
"""How to find the holds of an id with this prefix; all other ids name the thread or job of a
hold."""


async def due_for(tx: Tx, agent_id: str, subject_ids: list[str]) -> list[HoldRow]:
    """The due holds of an agent, those paid to it by silence, and those of these threads, bounties
    or jobs, or paid to these agents by silence, the earliest first. Asking `any_due` before costs
    less."""
    rows = await tx.all("holds.due_of_agent", id=agent_id, now=tx.now)
    rows += await tx.all("holds.due_of_payee", id=agent_id, now=tx.now)
    for subject_id in subject_ids:
        whose = _WHOSE.get(ids.prefix_of(subject_id) or "", "subject")
        rows += await tx.all(f"holds.due_of_{whose}", id=subject_id, now=tx.now)
    due = {row[0]: HoldRow(*row) for row in rows}
    return sorted(due.values(), key=lambda hold: hold.expires_at)
