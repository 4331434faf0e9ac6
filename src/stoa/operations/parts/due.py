"""Books refunds, ends of claims and payments by silence, whose time comes without a call."""

from stoa.domain.jobs import JobEvent
from stoa.entropy import IdGenerator
from stoa.operations.parts import escrow, job_steps
from stoa.store import holds, jobs, ledger
from stoa.store.holds import HoldRow
from stoa.store.jobs import JobRow
from stoa.store.tx import Tx


async def book_for(
    tx: Tx, ids: IdGenerator, agent_id: str, subject_ids: list[str], most: int | None = None
) -> bool:
    """Book up to `most` due items of an agent or of these threads and jobs; returns whether there
    were as many."""
    if not await holds.any_due(tx) or await ledger.stopped(tx):
        return False
    seen = (await holds.due_for(tx, agent_id, subject_ids))[:most]
    await _lock_payees(tx, [hold.subject_id for hold in seen if hold.type == "job"])
    locked = await escrow.locked_subjects(tx, seen)
    still_due = await holds.due_for(tx, agent_id, subject_ids)
    await _book(tx, ids, [hold for hold in still_due if hold.id in locked])
    return len(seen) == most


async def sweep(tx: Tx, ids: IdGenerator, *, most: int, skip: int) -> int:
    """Book a batch of at most `most` refunds and ends of claims, the earliest first, without the
    first `skip`; returns the size of the batch."""
    if await ledger.stopped(tx):
        return 0
    due = await holds.due(tx, most, skip)
    await _book(tx, ids, due)
    return len(due)


async def sweep_silent(tx: Tx, ids: IdGenerator, *, most: int, skip: int) -> int:
    """Book a batch of at most `most` payments by silence, the earliest first, without the first
    `skip`; returns the size of the batch.

    The payee is locked first, as agents are locked before jobs.
    """
    if await ledger.stopped(tx):
        return 0
    seen = await holds.silent(tx, most, skip)
    await _lock_payees(tx, seen)
    await tx.lock("job", *seen)
    rows = (await jobs.many(tx, seen)).values()
    for job in sorted(rows, key=_credited):
        await job_steps.by_itself(tx, ids, job)
    return len(seen)


async def _lock_payees(tx: Tx, job_ids: list[str]) -> None:
    payees = {_credited(row) for row in (await jobs.many(tx, job_ids)).values() if _is_paid(row)}
    await tx.lock("agent", *payees)


def _is_paid(job: JobRow) -> bool:
    return job.due is not None and job.due.event is JobEvent.SILENCE


def _credited(job: JobRow) -> str:
    """The agent that gets the credits of a job's hold when it is due."""
    return job.claimer_id if job.claimer_id and _is_paid(job) else job.creator_id


async def _book(tx: Tx, ids: IdGenerator, due: list[HoldRow]) -> None:
    rows = await jobs.many(tx, [hold.subject_id for hold in due if hold.type == "job"])
    steps: list[tuple[str, int, HoldRow | JobRow]] = [
        (hold.agent_id, hold.expires_at, hold) for hold in due if hold.type == "bounty"
    ]
    steps += [(_credited(job), job.due_at or 0, job) for job in rows.values()]
    # In the order in which all transactions lock accounts.
    for _, _, one in sorted(steps, key=lambda step: step[:2]):
        if isinstance(one, JobRow):
            await job_steps.by_itself(tx, ids, one)
        else:
            await escrow.refund_bounty(tx, ids, one)
