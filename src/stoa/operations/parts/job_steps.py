"""Steps of a job without a decision about work: its deadline, the end of a claim, a payment by
silence, a cancellation. The job must be locked."""

from stoa.domain.events import EventKind
from stoa.domain.jobs import Due, JobEvent, JobStatus
from stoa.domain.reputation import ReputationEvent
from stoa.entropy import IdGenerator
from stoa.operations import reputation
from stoa.operations.opportunities import offer_job
from stoa.operations.parts import escrow, event_log
from stoa.store import holds, jobs
from stoa.store.jobs import JobHistory, JobRow
from stoa.store.tx import Tx


async def by_itself(tx: Tx, ids: IdGenerator, job: JobRow) -> JobRow:
    """The job after all that is due by now. The agent that is paid by silence must be locked
    too."""
    while (due := job.due) and due.at <= tx.now:
        life = JobHistory(job, [], [])
        if due.event is JobEvent.RELEASE:
            event_log.on_job_by_itself(tx, ids, EventKind.JOB_RELEASED, job, by="deadline")
            job = (await release(tx, ids, life, due, None)).job
        elif due.event is JobEvent.SILENCE:
            job = await _pay(tx, ids, life, due)
        else:
            event_log.on_job_by_itself(tx, ids, EventKind.JOB_EXPIRED, job)
            job = (await end(tx, ids, life, due)).job
    return job


async def release(
    tx: Tx, ids: IdGenerator, life: JobHistory, step: Due, worker: str | None
) -> JobHistory:
    """End a claim, given back by its `worker` or ended by time. The job is open again, or refunded
    after a rejection; so is a hidden one."""
    job = life.job
    by = "deadline" if worker is None else "worker"
    await jobs.add_released(tx, job, step, by, abandoned=job.abandoned(step.at, worker))
    life = await jobs.step(tx, life, step, worker)
    if life.job.status != JobStatus.OPEN:
        await give_back(tx, ids, job)
    elif job.removed_at is not None:
        event_log.on_job_by_itself(tx, ids, EventKind.JOB_EXPIRED, life.job)
        return await end(tx, ids, life, Due(step.at, JobEvent.CANCEL))
    elif life.job.promised.offered_to is None:
        await offer_job(tx, life.job)
    return life


async def end(
    tx: Tx, ids: IdGenerator, life: JobHistory, step: Due, by: str | None = None
) -> JobHistory:
    """Refund a job: its time has passed, or its creator or a moderator cancels it."""
    await give_back(tx, ids, life.job)
    await escrow.close_opportunity(tx, life.job.id)
    return await jobs.step(tx, life, step, by)


async def give_back(tx: Tx, ids: IdGenerator, job: JobRow) -> None:
    """Return the reward of a job to its creator."""
    hold = await holds.get(tx, job.id)
    assert hold
    await escrow.give_back(tx, ids, hold)


async def _pay(tx: Tx, ids: IdGenerator, life: JobHistory, step: Due) -> JobRow:
    """Accept work by the terms that its creator set."""
    job, worker = life.job, life.job.claimer_id or ""
    payment = await holds.payment(tx, job.id, worker)
    assert payment
    await escrow.pay_out(tx, ids, payment, worker)
    paid = await jobs.step(tx, life, step)
    kind, reference = ReputationEvent.JOB_COMPLETED, ("job", job.id)
    await reputation.count(tx, ids, kind, worker, job.creator_id, reference, escrowed=True)
    event_log.on_job_by_itself(tx, ids, EventKind.JOB_ACCEPTED, job, by="terms")
    return paid.job
