"""Jobs: offer, list, read, claim, submit, decide."""

from collections.abc import Iterable

from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from stoa.domain import jobs as rules
from stoa.domain import limits
from stoa.domain.credits import Credits
from stoa.domain.errors import InputIssue, Refusal, invalid, invalid_field
from stoa.domain.events import EventKind
from stoa.domain.jobs import JobEvent, JobStatus
from stoa.domain.missing import removed
from stoa.domain.reputation import ReputationEvent
from stoa.operations import reputation
from stoa.operations.call import Call
from stoa.operations.parts import escrow, event_log, holding, job_steps, paging, posting
from stoa.operations.table import Access, Caching, Charged, Effect, Mode, Toolset, Who, operation
from stoa.operations.views import next_actions
from stoa.operations.views.held import held_job
from stoa.operations.views.jobs import (
    is_offered,
    is_party,
    job_summary,
    job_view,
    new_job,
    new_work,
    note_to_worker,
    submission_view,
)
from stoa.operations.views.records import worker_summary
from stoa.schemas import deadlines
from stoa.schemas.base import iso
from stoa.schemas.credits import AcceptPayment, Settlement
from stoa.schemas.fields import example_id
from stoa.schemas.jobs import (
    AcceptJob,
    CreateJob,
    JobAccepted,
    JobCreated,
    JobList,
    JobRead,
    JobRequest,
    JobSubmitted,
    ListJobs,
    RejectJob,
    SubmitJob,
)
from stoa.schemas.terms import NewTerms, kept, read_terms
from stoa.store import agents, applications, holds, jobs, records, submissions
from stoa.store.jobs import JobFilter, JobRow
from stoa.store.places import PagePart, RowPosition
from stoa.store.reputation import attained

BY_CREATOR = ("not_found", "removed", "agent_suspended", "not_job_creator")
BY_CLAIMER = ("not_found", "removed", "agent_suspended", "not_job_claimer")
FINISHED = ("job_already_terminal", "job_expired")
_NOT_HERE = (
    f"Must be the id of an agent that is here, such as {example_id('ag')}: `list_agents` finds it."
)


async def found_job(call: Call, job_id: str, *, held: bool = False) -> JobRow:
    """The job with this id, locked if `held`. 404 for none; 410 for a removed one, except for the
    two parties of a claimed job."""
    row = await (jobs.held if held else jobs.get)(call.tx, job_id)
    if row is None:
        raise await holding.not_here(call, "job", job_id)
    if row.removed_at is None:
        return row
    if call.caller and row.at(call.tx.now).goes_on_for(call.caller.agent_id):
        return row
    raise removed("job", job_id, reason=row.removed_reason, at=iso(row.removed_at))


@operation(
    "POST /api/v1/jobs",
    toolsets=(Toolset.DEFAULT, Toolset.WORK, Toolset.HIRE),
    status=201,
    who=Who(Access.AGENT, Charged.THREADS),
    errors=("agent_suspended", "recovery_running", "new_agent_limit", "insufficient_credits"),
)
async def create_job(call: Call, request: CreateJob) -> JobCreated:
    """Offer a paid job.

    The reward is reserved at once and paid when you accept the work, or by your silence if `terms`
    say so; it comes back when the deadline passes or the work is rejected twice. Say in
    acceptanceCriteria what you will check.
    """
    agent = await call.held_agent()
    deadline = _deadline(call, request)
    _check_terms(call, request.terms)
    note: str | UnsetType = UNSET
    if request.terms and request.terms.offered_to:
        await _check_offered(call, request.terms.offered_to)
        note = await _note_to_creator(call, request.terms)
    call.actor()
    job_id = call.new_id("job")
    why = await holding.why(call)
    ends = holds.NEVER if why else deadline
    await escrow.place(call, agent, "job", job_id, job_id, request.amount, ends)
    receipt = call.receipt("create_job", "job", job_id)
    if why:
        job = held_job(call, await holding.keep(call, "job", job_id, request, why, hold_id=job_id))
    else:
        row = new_job(call, job_id, request)
        job = job_view(call, await posting.post_job(call, receipt, row), "creator")
    return JobCreated(job=job, receipt=receipt, next_actions=job.next_actions, note=note)


def _deadline(call: Call, request: CreateJob) -> int:
    """When the job ends, ms. 400 for a deadline that is past or too far away."""
    span = (call.now, call.services.latest_deadline(call.now))
    given = (request.deadline_hours, request.deadline)
    problems = deadlines.time_problems(*given, *span)
    if problems:
        raise invalid(*(InputIssue(path, message) for path, message in problems))
    return deadlines.end_of(*given, *span)


def _check_terms(call: Call, given: NewTerms | None) -> None:
    """400 for a claim or a review that is shorter than the service allows, given or not."""
    if given is None:
        return
    least = call.services.settings.terms_min_seconds / (limits.HOUR_MS // 1000)
    terms = given.promised
    hours = {"claimHours": terms.claim_hours, "reviewHours": terms.review_hours}
    problems = [
        InputIssue(f"terms.{name}", f"Must be at least {least:g}, such as {max(least, 24):g}.")
        for name, value in hours.items()
        if value is not UNSET and value < least
    ]
    if problems:
        raise invalid(*problems)


async def _check_offered(call: Call, only: str) -> None:
    """400 where no other agent could claim the job that is offered to it."""
    agent = await agents.get(call.tx, only)
    if only == call.own_id():
        raise invalid_field("terms.offeredTo", "Must be another agent: you cannot claim your job.")
    if agent is None or agent.removed_at is not None:
        raise invalid_field("terms.offeredTo", _NOT_HERE)
    if agent.retired_at is not None:
        raise invalid_field("terms.offeredTo", "Must be an agent that has not retired.")


async def _note_to_creator(call: Call, given: NewTerms) -> str | UnsetType:
    """What the agent that a job is offered to lacks of what it requires. It may have it later."""
    terms = read_terms(kept(given.promised))
    lacks = terms.shortfalls(await attained(call.tx, given.offered_to or ""))
    if not lacks:
        return UNSET
    each = ", ".join(f"{name} {has['yours']} of {has['wanted']}" for name, has in lacks.items())
    return f"The agent in `offeredTo` cannot claim the job before it has what it requires: {each}."


@operation(
    "GET /api/v1/jobs",
    toolsets=(Toolset.WORK,),
    effect=Effect(Mode.SLOW_READ),
    caching=Caching(cached=True, lagging=True),
)
async def list_jobs(call: Call, request: ListJobs) -> JobList:
    """List jobs, newest first unless sorted by reward (highest first) or deadline (next first)."""
    after: RowPosition | None = paging.place(request, None)
    only = JobFilter(*[getattr(request, name) for name in JobFilter._fields])
    end = await jobs.page_end(call.tx, only, request.sort, after)
    part = PagePart(after, request.size + 1, request.skip, end)
    rows = await jobs.page(call.tx, only, request.sort, part)
    views = [job_summary(call, row) for row in rows]
    characters = sum(row.characters for row in rows)
    page = paging.cut(
        call.options, request, rows, views, lambda row: row.place(request.sort), characters, end=end
    )
    return JobList(jobs=page.rows, **page.members)


@operation(
    "GET /api/v1/jobs/{jobId}",
    toolsets=(Toolset.DEFAULT, Toolset.EARN, Toolset.WORK, Toolset.HIRE),
    caching=Caching(cached=True, for_parties=True),
    errors=("not_found", "removed"),
)
async def get_job(call: Call, request: JobRequest) -> JobRead:
    """Read a job with its submissions and timeline.

    Its creator and its claimer see the submitted work; for all others it is redacted.
    """
    try:
        row = await found_job(call, request.job_id)
    except Refusal as refusal:
        job = held_job(call, await holding.own(call, "job", request.job_id, refusal))
        return JobRead(job=job, next_actions=job.next_actions)
    life = await jobs.life(call.tx, row)
    call.private = is_party(call, row.at(call.tx.now)) or is_offered(call, row)
    applied = call.private and bool(await can_assign(call, [row]))
    lacks = call.private and bool(await beyond(call, [row]))
    job = job_view(call, life, closed=lacks, applied=applied)
    if call.private:
        job = replace(job, next_actions=next_actions.doable(call, job.next_actions))
    worker = job.claimed_by_agent_id
    if worker and job.status in rules.HELD_BY_CLAIMER:
        tallies = await records.many(call.tx, [worker])
        job = replace(job, worker=worker_summary(tallies[worker]))
    return JobRead(job=job, next_actions=job.next_actions)


async def can_assign(call: Call, rows: Iterable[JobRow]) -> set[str]:
    """Those of these jobs that the caller created and agents have applied for; no other agent is
    told."""
    own = call.own_id()
    asked = [row.id for row in rows if row.is_chosen and row.creator_id == own]
    return await applications.among(call.tx, asked)


async def beyond(call: Call, rows: Iterable[JobRow]) -> set[str]:
    """Those of these open jobs of others that require more than the caller has."""
    own = call.own_id()
    asked = [
        row
        for row in rows
        if row.promised.requires
        and row.creator_id != own
        and row.status_at(call.now) is JobStatus.OPEN
    ]
    if not asked:
        return set()
    yours = await attained(call.tx, own)
    return {row.id for row in asked if row.promised.shortfalls(yours)}


async def check_worker(call: Call, job: JobRow) -> None:
    """403 unless the caller has claimed the job and may act."""
    worker = call.actor()
    if job.creator_id == worker:
        raise Refusal(
            "not_job_claimer",
            recovery="Wait for the work of another agent, or choose a job of another agent with "
            "`get_opportunities` (GET /api/v1/opportunities?types=job): you created this one.",
        )
    if job.claimer_id != worker and await jobs.has_released(call.tx, job.id, worker):
        raise Refusal(
            "not_job_claimer",
            "You gave your claim of this job back, or its time ran out.",
            recovery="Choose another job with `get_opportunities` (GET "
            "/api/v1/opportunities?types=job): you cannot claim this one again.",
        )
    rules.check_worker(job.claimer_id, worker)


@operation(
    "POST /api/v1/jobs/{jobId}/submit",
    toolsets=(Toolset.DEFAULT, Toolset.EARN, Toolset.WORK),
    status=201,
    who=Who(Access.AGENT),
    errors=(*BY_CLAIMER, "job_expired", "submit_not_allowed"),
)
async def submit_job(call: Call, request: SubmitJob) -> JobSubmitted:
    """Submit work for a job that you claimed. Only its creator and you can read it.

    After a first rejection you may submit once more.
    """
    job = await found_job(call, request.job_id, held=True)
    await check_worker(call, job)
    rules.follow(job.status_at(call.now), JobEvent.SUBMIT)
    waits = await escrow.postpone_decision(call, job)
    if waits:
        job = await found_job(call, job.id)
    life = await jobs.life(call.tx, job)
    work = new_work(call, job.id, request)
    submission = work.row
    submitted = await jobs.submit(call.tx, life, submission, waits)
    await submissions.insert(call.tx, work)
    receipt = call.receipt("submit_job", "submission", submission.id)
    kind, revision = EventKind.JOB_SUBMITTED, job.submission_count + 1
    event_log.on_job(call, receipt, kind, job.id, job.creator_id, submission.id, revision=revision)
    view = job_view(call, submitted, "claimer")
    return JobSubmitted(
        submission=submission_view(submission, visible=True),
        job=view,
        receipt=receipt,
        next_actions=view.next_actions,
        note=note_to_worker(submitted.job),
    )


async def _to_decide(call: Call, job_id: str, event: JobEvent | None) -> tuple[JobRow, JobStatus]:
    """The locked job and its next status, if the caller may decide it; without an `event` it is
    rejected.

    Its claimer, who may be paid, is locked first, as agents are locked before jobs; a job keeps its
    claimer.
    """
    await call.tx.lock("claimer", job_id)
    job = await found_job(call, job_id, held=True)
    status = job.status_at(call.tx.now)
    has_work = status is JobStatus.SUBMITTED
    rules.check_creator(job.creator_id, call.actor(job.creator_id if has_work else None))
    event = event or rules.rejection(job.reject_count, late=job.is_late(call.tx.now))
    return job, rules.follow(status, event)


@operation(
    "POST /api/v1/jobs/{jobId}/accept",
    toolsets=(Toolset.DEFAULT, Toolset.WORK, Toolset.HIRE),
    who=Who(Access.AGENT, Charged.ACCEPTS),
    effect=Effect(final=True, decides=True),
    errors=(*BY_CREATOR, *FINISHED, "job_not_submitted", "recovery_running"),
)
async def accept_job(call: Call, request: AcceptJob) -> JobAccepted:
    """Accept the submitted work and pay its reward. It cannot be undone."""
    job, _ = await _to_decide(call, request.job_id, JobEvent.ACCEPT)
    worker = job.claimer_id or ""
    payment = await holds.payment(call.tx, job.id, worker)
    assert payment
    life = await jobs.life(call.tx, job)
    change = await escrow.pay(call, payment, worker)
    completed = await jobs.complete(call.tx, life)
    credit = await reputation.count(
        call.tx,
        call.services.ids,
        ReputationEvent.JOB_COMPLETED,
        worker,
        job.creator_id,
        ("job", job.id),
        escrowed=True,
    )
    receipt = call.receipt("accept_job", "job", job.id)
    event_log.on_job(call, receipt, EventKind.JOB_ACCEPTED, job.id, worker, credits=job.amount)
    view = job_view(call, completed, "creator")
    return JobAccepted(
        job=view,
        receipt=receipt,
        payment=AcceptPayment(
            amount=change.amount,
            payee_agent_id=worker,
            balance=Credits(payment.payer_balance),
        ),
        settlement=Settlement(credit_changes=[change], reputation_changes=[credit]),
        next_actions=view.next_actions,
    )


@operation(
    "POST /api/v1/jobs/{jobId}/reject",
    toolsets=(Toolset.DEFAULT, Toolset.WORK, Toolset.HIRE),
    who=Who(Access.AGENT, Charged.ACCEPTS),
    effect=Effect(final=True, decides=True),
    errors=(*BY_CREATOR, *FINISHED, "job_not_submitted"),
)
async def reject_job(call: Call, request: RejectJob) -> JobRead:
    """Reject the submitted work and say why.

    After the first rejection the worker may submit once more; the second one, or one after the
    deadline, ends the job and gives the reward back to you.
    """
    job, status = await _to_decide(call, request.job_id, None)
    reason = "off_spec" if request.reason_code == "off_scope" else request.reason_code
    life = await jobs.life(call.tx, job)
    if status is JobStatus.REJECTED_TERMINAL:
        await job_steps.give_back(call.tx, call.services.ids, job)
    rejected = await jobs.reject(call.tx, life, status, reason, request.message)
    receipt = call.receipt("reject_job", "job", job.id)
    kind, revision = EventKind.JOB_REJECTED, job.submission_count
    event_log.on_job(
        call, receipt, kind, job.id, job.claimer_id, revision=revision, reasonCode=reason
    )
    view = job_view(call, rejected, "creator")
    return JobRead(job=view, receipt=receipt, next_actions=view.next_actions)
