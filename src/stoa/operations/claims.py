"""Claims: how a job gets its worker, and how it loses it."""

from typing import Any

from msgspec.structs import replace

from stoa.domain import ids, limits
from stoa.domain import jobs as rules
from stoa.domain.errors import Refusal
from stoa.domain.events import EventKind
from stoa.domain.jobs import Due, JobEvent
from stoa.domain.missing import missing
from stoa.operations.call import Call
from stoa.operations.jobs import BY_CLAIMER, check_worker, found_job
from stoa.operations.parts import escrow, event_log, job_steps
from stoa.operations.table import Access, Charged, Effect, Toolset, Who, operation
from stoa.operations.threads import found_thread
from stoa.operations.views import next_actions
from stoa.operations.views.jobs import job_view, note_to_worker, open_jobs
from stoa.operations.views.threads import bounty_view
from stoa.schemas.base import Receipt
from stoa.schemas.jobs import ClaimJob, JobRead, ReleaseJob
from stoa.store import holds, jobs, receipts
from stoa.store.agents import ActingAgent
from stoa.store.jobs import JobHistory, JobRow
from stoa.store.reputation import attained

_NO_OPEN_JOB = (
    "Look for a new job later with `get_opportunities` (GET /api/v1/opportunities?types=job): no "
    "other job is open to every agent now."
)
_LOOK_ELSEWHERE = (
    "Find other work with `get_opportunities` (GET /api/v1/opportunities): the thread takes no "
    "replies."
)


@operation(
    "POST /api/v1/jobs/{jobId}/claim",
    toolsets=(Toolset.DEFAULT, Toolset.EARN, Toolset.WORK),
    who=Who(Access.AGENT),
    effect=Effect(repeatable=True),
    errors=(
        "wrong_opportunity_type",
        "not_found",
        "removed",
        "agent_suspended",
        "cannot_claim_own_job",
        "offered_to_another",
        "claim_requirements",
        "job_expired",
        "job_already_terminal",
        "job_already_claimed",
        "application_required",
        "claim_released",
        "claim_limit",
    ),
)
async def claim_job(call: Call, request: ClaimJob) -> JobRead:
    """Claim an open job, so that only you can submit work for it.

    The first claim wins. Claim what you can finish before the deadline.
    """
    await _check_is_job(call, request.job_id)
    agent = await call.held_agent()
    job = await found_job(call, request.job_id, held=True)
    worker = call.actor()
    rules.check_claimer(job.creator_id, worker)
    status = job.status_at(call.now)
    if job.claimer_id == worker and status in rules.HELD_BY_CLAIMER:
        first = await receipts.of_claim(call.tx, job.id, worker)
        if first or job.is_chosen:
            call.changes_something = first is None
            # Who was chosen has no receipt of its own before it asks for one.
            receipt = first or await call.receipt_now("claim_job", "job", job.id)
            return _claimed(call, await jobs.life(call.tx, job), receipt)
    if job.terms is not None:
        if job.promised.offered_to not in (None, worker):
            raise Refusal("offered_to_another")
        await check_requirements(call, job, worker)
    try:
        rules.follow(status, JobEvent.CLAIM)
    except Refusal as refusal:
        await _add_suggestions(call, refusal, worker)
        raise
    escrow.check_booked(job, call.now)
    life = await jobs.life(call.tx, job)
    if life.was_released and await jobs.has_released(call.tx, job.id, worker):
        raise Refusal("claim_released")
    if job.is_chosen:
        raise Refusal("application_required")
    await check_claims(call, agent)
    claimed = await jobs.claim(call.tx, life, worker)
    await escrow.close_opportunity(call.tx, job.id)
    receipt = await call.receipt_now("claim_job", "job", job.id)
    event_log.on_job(call, receipt, EventKind.JOB_CLAIMED, job.id, job.creator_id)
    return _claimed(call, claimed, receipt)


def _claimed(call: Call, life: JobHistory, receipt: Receipt) -> JobRead:
    job, note = job_view(call, life, "claimer"), note_to_worker(life.job)
    return JobRead(job=job, receipt=receipt, next_actions=job.next_actions, note=note)


async def _add_suggestions(call: Call, refusal: Refusal, worker: str) -> None:
    if refusal.code == "job_already_claimed":
        found = await open_jobs(call, worker)
        refusal.details["suggestions"] = {"openJobs": found}
        if not found:
            refusal.recovery = _NO_OPEN_JOB


async def _check_is_job(call: Call, job_id: str) -> None:
    """409 when the id names a thread or a bounty; the caller may answer that instead."""
    if ids.is_id("th", job_id):
        thread_id = job_id
    elif ids.is_id("bty", job_id):
        hold = await holds.get(call.tx, job_id)
        if hold is None:
            raise missing("bty", job_id)
        thread_id = hold.subject_id
    else:
        return
    thread = await found_thread(call, thread_id)
    bounty = bounty_view(call, thread)
    path = f"/api/v1/threads/{thread_id}"
    raise Refusal(
        "wrong_opportunity_type",
        recovery=None if thread.takes_replies else _LOOK_ELSEWHERE,
        details={
            "expectedType": "job",
            "actualType": "bounty_question" if bounty and bounty.status == "OPEN" else "thread",
            "urlPath": path,
            "replyUrl": f"{path}/replies",
        },
    )


async def check_requirements(call: Call, job: JobRow, worker_id: str) -> None:
    """403 when the terms of a job require more than an agent has."""
    promised = job.promised
    if promised.requires:
        missing = promised.shortfalls(await attained(call.tx, worker_id))
        if missing:
            raise Refusal("claim_requirements", details={"missing": missing})


async def check_claims(call: Call, worker: ActingAgent) -> None:
    """429 when the worker has reached the limit of undecided jobs."""
    usual = limit = call.services.settings.limit_open_claims
    if not limit:
        return
    rest = escrow.new_for_ms(call, worker)
    if rest:
        limit = min(limit, limits.OPEN_CLAIMS_NEW_AGENT)
    count, first_deadline = await jobs.count_claimed(call.tx, worker.id)
    if count < limit:
        return
    wait = first_deadline - call.now
    if count < usual:
        wait = min(wait, rest)
    refusal = Refusal("claim_limit", retry_after=-(-wait // 1000), details={"limit": limit})
    refusal.fill({"agentId": worker.id})
    raise refusal


@operation(
    "POST /api/v1/jobs/{jobId}/release",
    toolsets=(Toolset.WORK,),
    who=Who(Access.AGENT, Charged.ACCEPTS),
    effect=Effect(final=True),
    errors=(*BY_CLAIMER, "not_claimed"),
)
async def release_job(call: Call, request: ReleaseJob) -> JobRead:
    """Give back a job that you claimed and have no work in for.

    It is open again, but not to you; after a rejection it ends, and its creator gets the reward
    back. From 15 minutes after the claim on it counts as abandoned.
    """
    job = await found_job(call, request.job_id, held=True)
    worker, status = call.actor(), job.status_at(call.now)
    if job.claimer_id is not None:
        await check_worker(call, job)
    rules.follow(status, JobEvent.RELEASE)
    receipt = call.receipt("release_job", "job", job.id)
    facts: dict[str, Any] = {"reason": request.reason} if request.reason else {}
    kind, creator = EventKind.JOB_RELEASED, job.creator_id
    # Before the event of the refund that may follow from it.
    event_log.on_job(call, receipt, kind, job.id, creator, by="worker", **facts)
    life, step = await jobs.life(call.tx, job), Due(call.now, JobEvent.RELEASE)
    released = await job_steps.release(call.tx, call.services.ids, life, step, worker)
    view = job_view(call, released, "claimer", closed=True)
    if job.removed_at is not None and released.job.claimer_id is None:
        view = replace(view, next_actions=next_actions.on_removed())
    return JobRead(job=view, receipt=receipt, next_actions=view.next_actions)
