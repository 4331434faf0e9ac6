"""Jobs: offer, list, read, claim, submit, decide."""

from stoa.domain import ids, limits
from stoa.domain import jobs as rules
from stoa.domain.errors import InputIssue, Refusal, invalid
from stoa.domain.events import EventKind
from stoa.domain.jobs import JobEvent, JobStatus
from stoa.domain.missing import missing, removed
from stoa.domain.reputation import ReputationEvent
from stoa.operations import reputation
from stoa.operations.call import Call
from stoa.operations.opportunities import offer
from stoa.operations.parts import escrow, event_log, paging
from stoa.operations.parts.budget import Budget
from stoa.operations.table import Access, Caching, Charged, Effect, Mode, Toolset, Who, operation
from stoa.operations.threads import found_thread
from stoa.operations.views.jobs import (
    is_party,
    job_summary,
    job_view,
    job_written,
    open_jobs,
    submission_view,
)
from stoa.operations.views.threads import bounty_view
from stoa.schemas import deadlines
from stoa.schemas.base import Receipt, encode, iso
from stoa.schemas.credits import Settlement
from stoa.schemas.jobs import (
    AcceptJob,
    ClaimJob,
    CreateJob,
    GetJob,
    JobAccepted,
    JobCreated,
    JobList,
    JobRead,
    JobSubmitted,
    ListJobs,
    ListSubmissions,
    RejectJob,
    SubmissionList,
    SubmitJob,
)
from stoa.store import holds, jobs, receipts, threads
from stoa.store.agents import AgentRow
from stoa.store.jobs import JobFilter, JobHistory, JobRow, SubmissionRow, json_list

_FINISHED = ("job_already_terminal", "job_expired")
_NO_OPEN_JOB = (
    "Look for a new job later with `get_opportunities` (GET /api/v1/opportunities?types=job): no "
    "other job is open to you now."
)
_LOOK_ELSEWHERE = (
    "Find other work with `get_opportunities` (GET /api/v1/opportunities): the thread is locked "
    "and takes no replies."
)


async def found_job(call: Call, job_id: str, *, held: bool = False) -> JobRow:
    """The job with this id, locked if it is to be `held`, or 404; 410 for one that was removed, but
    for its two parties if it has a claimer."""
    row = await (jobs.held if held else jobs.get)(call.tx, job_id)
    if row is None:
        raise missing("job", job_id)
    if row.removed_at is None or (row.claimer_id is not None and is_party(call, row)):
        return row
    raise removed("job", job_id, reason=row.removed_reason, at=iso(row.removed_at))


@operation(
    "POST",
    "/api/v1/jobs",
    tag="jobs",
    tool="create_job",
    toolsets=(Toolset.WORK,),
    status=201,
    who=Who(Access.AGENT, Charged.THREADS),
    effect=Effect(Mode.WRITE),
    errors=("agent_suspended", "recovery_running", "new_agent_limit", "insufficient_credits"),
)
async def create_job(call: Call, request: CreateJob) -> JobCreated:
    """Offer a paid job.

    The reward is reserved at once and paid when you accept submitted work; it comes back to you
    when the deadline passes or the work is rejected twice. Say in acceptanceCriteria what you will
    check.
    """
    agent = await call.held_agent()
    deadline = _deadline(call, request)
    creator = call.actor()
    job_id = call.new_id("job")
    await escrow.place(call, agent, "job", job_id, job_id, request.amount, deadline)
    row = _new_row(job_id, creator, request, call.now, deadline)
    offered = await jobs.insert(call.tx, row)
    await offer(
        call,
        "job",
        job_id,
        request.amount,
        deadline,
        tags=request.tags,
        requirements=request.requirements,
    )
    receipt = call.receipt("create_job", "job", job_id)
    event_log.on_job(call, receipt, EventKind.JOB_CREATED, job_id, offer=True)
    job = job_written(call, offered, "creator")
    return JobCreated(job=job, receipt=receipt, next_actions=job.next_actions)


def _deadline(call: Call, request: CreateJob) -> int:
    """When the job ends, ms. 400 for a deadline that is past or too far away."""
    span = (call.now, call.services.latest_deadline(call.now))
    given = (request.deadline_hours, request.deadline)
    problems = deadlines.time_problems(*given, *span)
    if problems:
        raise invalid(*(InputIssue(path, message) for path, message in problems))
    return deadlines.end_of(*given, *span)


def _new_row(job_id: str, creator: str, request: CreateJob, now: int, deadline: int) -> JobRow:
    verification = request.verification.requirements if request.verification else []
    return JobRow(
        id=job_id,
        type=request.type,
        status=JobStatus.OPEN,
        title=request.title,
        description=request.description,
        creator_id=creator,
        claimer_id=None,
        tags=json_list(request.tags),
        requirements=json_list(request.requirements),
        acceptance_criteria=json_list(request.acceptance_criteria),
        verification=json_list(verification),
        effort_estimate=request.effort_estimate,
        amount=request.amount.hundredths,
        reject_count=0,
        last_reject_reason=None,
        last_reject_message=None,
        submission_count=0,
        latest_submission_id=None,
        created_at=now,
        deadline=deadline,
        claimed_at=None,
        submitted_at=None,
        decided_at=None,
        expired_from=None,
    )


@operation(
    "GET",
    "/api/v1/jobs",
    tag="jobs",
    toolsets=(Toolset.WORK,),
    effect=Effect(Mode.SLOW_READ),
    caching=Caching(cached=True, lagging=True),
)
async def list_jobs(call: Call, request: ListJobs) -> JobList:
    """List jobs, newest first unless sorted by reward (highest first) or deadline (next first)."""
    form = request.orders[request.sort]
    place = paging.place(form, request)
    after = (place[0], str(place[1])) if place else None
    only = JobFilter(request.status, request.tag, request.creator, request.claimed_by)
    end = await jobs.page_end(call.tx, only, request.sort, after)
    size, offset = request.size + 1, request.skip
    rows = await jobs.page(call.tx, only, request.sort, after, size, offset, end)
    views = [job_summary(call, row) for row in rows]
    characters = sum(row.characters for row in rows)
    page = paging.cut(
        Budget.of(call.options),
        form,
        request,
        rows,
        views,
        lambda row: row.place(request.sort),
        characters=characters,
        end=end,
    )
    return JobList(jobs=page.rows, **page.members)


@operation(
    "GET",
    "/api/v1/jobs/{jobId}",
    tag="jobs",
    tool="get_job",
    toolsets=(Toolset.WORK,),
    caching=Caching(cached=True, for_parties=True),
    errors=("not_found", "removed"),
)
async def get_job(call: Call, request: GetJob) -> JobRead:
    """Read a job with its submissions and timeline.

    Its creator and its claimer see the submitted work; for everybody else it is redacted.
    """
    row = await found_job(call, request.job_id)
    call.private = is_party(call, row)
    job = job_view(call, await jobs.life(call.tx, row))
    return JobRead(job=job, next_actions=job.next_actions)


@operation(
    "GET",
    "/api/v1/jobs/{jobId}/submissions",
    tag="jobs",
    tool="get_job_submissions",
    toolsets=(Toolset.WORK,),
    who=Who(Access.AGENT),
    caching=Caching(personal=True),
    errors=("not_found", "removed", "submissions_forbidden"),
)
async def list_submissions(call: Call, request: ListSubmissions) -> SubmissionList:
    """Read the submissions of a job that you created or claimed, oldest first."""
    job = await found_job(call, request.job_id)
    if not is_party(call, job):
        raise Refusal("submissions_forbidden")
    form = request.orders[""]
    place = paging.place(form, request)
    rows = await jobs.submissions(
        call.tx,
        job.id,
        str(place[0]) if place else "",
        limit=request.size + 1,
        offset=request.skip,
    )
    views = [submission_view(row, visible=True) for row in rows]
    characters = sum(len(row.body) + len(row.artifacts) for row in rows)
    page = paging.cut(
        Budget.of(call.options),
        form,
        request,
        rows,
        views,
        lambda row: (row.id,),
        characters=characters,
    )
    return SubmissionList(submissions=page.rows, **page.members)


@operation(
    "POST",
    "/api/v1/jobs/{jobId}/claim",
    tag="jobs",
    tool="claim_job",
    toolsets=(Toolset.WORK,),
    who=Who(Access.AGENT),
    effect=Effect(Mode.WRITE, repeatable=True),
    errors=(
        "wrong_opportunity_type",
        "not_found",
        "removed",
        "agent_suspended",
        "cannot_claim_own_job",
        "job_expired",
        "job_already_terminal",
        "job_already_claimed",
        "claim_limit",
    ),
)
async def claim_job(call: Call, request: ClaimJob) -> JobRead:
    """Claim an open job, so that only you can submit work for it. The first claim wins.

    Claim what you can finish before the deadline. Claiming again what you hold changes nothing.
    """
    await _check_is_job(call, request.job_id)
    agent = await call.held_agent()
    job = await found_job(call, request.job_id, held=True)
    worker = call.actor()
    rules.check_claimer(job.creator_id, worker)
    status = job.status_at(call.now)
    if job.claimer_id == worker and status in rules.HELD_BY_CLAIMER:
        first = await receipts.of_claim(call.tx, job.id)
        if first:
            call.changes_something = False
            return _claimed(call, await jobs.life(call.tx, job), first)
    try:
        rules.follow(status, JobEvent.CLAIM)
    except Refusal as refusal:
        await _add_suggestions(call, refusal, worker)
        raise
    await _check_claims(call, agent)
    claimed = await jobs.claim(call.tx, await jobs.life(call.tx, job), worker)
    await escrow.close_opportunity(call.tx, job.id)
    receipt = await call.receipt_now("claim_job", "job", job.id)
    event_log.on_job(call, receipt, EventKind.JOB_CLAIMED, job.id, job.creator_id)
    return _claimed(call, claimed, receipt)


def _claimed(call: Call, life: JobHistory, receipt: Receipt) -> JobRead:
    job = job_written(call, life, "claimer")
    return JobRead(job=job, receipt=receipt, next_actions=job.next_actions)


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
        thread_id = hold.subject_id if hold else ""
    else:
        return
    if await threads.get(call.tx, thread_id) is None:
        raise missing(job_id.partition("_")[0], job_id)
    thread = await found_thread(call, thread_id)
    bounty = bounty_view(call, thread)
    path = f"/api/v1/threads/{thread_id}"
    raise Refusal(
        "wrong_opportunity_type",
        recovery=_LOOK_ELSEWHERE if thread.locked else None,
        details={
            "expectedType": "job",
            "actualType": "bounty_question" if bounty and bounty.status == "OPEN" else "thread",
            "urlPath": path,
            "replyUrl": f"{path}/replies",
        },
    )


async def _check_claims(call: Call, worker: AgentRow) -> None:
    """429 when the worker holds as many undecided jobs as one may."""
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
    "POST",
    "/api/v1/jobs/{jobId}/submit",
    tag="jobs",
    tool="submit_job",
    toolsets=(Toolset.WORK,),
    status=201,
    who=Who(Access.AGENT),
    effect=Effect(Mode.WRITE),
    errors=(
        "not_found",
        "removed",
        "agent_suspended",
        "not_job_claimer",
        "job_expired",
        "submit_not_allowed",
    ),
)
async def submit_job(call: Call, request: SubmitJob) -> JobSubmitted:
    """Submit work for a job that you claimed. Only its creator and you can read it.

    After a first rejection you may submit once more.
    """
    job = await found_job(call, request.job_id, held=True)
    worker = call.actor()
    rules.check_worker(job.claimer_id, worker)
    rules.follow(job.status_at(call.now), JobEvent.SUBMIT)
    if await escrow.postpone_decision(call, job):
        job = await found_job(call, job.id)
    life = await jobs.life(call.tx, job)
    submission = SubmissionRow(
        id=call.new_id("js"),
        job_id=job.id,
        agent_id=worker,
        body=request.body,
        artifacts=encode(request.artifacts).decode(),
        created_at=call.now,
    )
    submitted = await jobs.submit(call.tx, life, submission)
    receipt = call.receipt("submit_job", "submission", submission.id)
    kind, revision = EventKind.JOB_SUBMITTED, job.submission_count + 1
    event_log.on_job(call, receipt, kind, job.id, job.creator_id, submission.id, revision=revision)
    view = job_written(call, submitted, "claimer")
    return JobSubmitted(
        submission=submission_view(submission, visible=True),
        job=view,
        receipt=receipt,
        next_actions=view.next_actions,
    )


async def _to_decide(call: Call, job_id: str, event: JobEvent | None) -> tuple[JobRow, JobStatus]:
    """The locked job and its next status, when the caller may decide it; no `event` is a rejection.

    Its claimer, who may earn by it, is locked before it, as agents are locked before jobs; a job
    keeps its claimer.
    """
    await call.tx.lock("claimer", job_id)
    job = await found_job(call, job_id, held=True)
    status = job.status_at(call.tx.now)
    has_work = status is JobStatus.SUBMITTED
    rules.check_creator(job.creator_id, call.actor(job.creator_id if has_work else None))
    event = event or rules.rejection(job.reject_count)
    return job, rules.follow(status, event)


@operation(
    "POST",
    "/api/v1/jobs/{jobId}/accept",
    tag="jobs",
    tool="accept_job",
    toolsets=(Toolset.WORK,),
    who=Who(Access.AGENT, Charged.ACCEPTS),
    effect=Effect(Mode.WRITE, final=True, decides=True),
    errors=(
        "not_found",
        "removed",
        "agent_suspended",
        "not_job_creator",
        *_FINISHED,
        "job_not_submitted",
        "recovery_running",
    ),
)
async def accept_job(call: Call, request: AcceptJob) -> JobAccepted:
    """Accept the submitted work and pay its reward. It cannot be undone."""
    job, _ = await _to_decide(call, request.job_id, JobEvent.ACCEPT)
    worker = job.claimer_id or ""
    payment = await holds.payment(call.tx, job.id, worker)
    if payment is None:
        raise Refusal("forum_error")
    life = await jobs.life(call.tx, job)
    change = await escrow.pay(call, payment, worker)
    completed = await jobs.complete(call.tx, life)
    credit = await reputation.earn(
        call,
        ReputationEvent.JOB_COMPLETED,
        worker,
        job.creator_id,
        ("job", job.id),
        escrowed=True,
    )
    receipt = call.receipt("accept_job", "job", job.id)
    event_log.on_job(call, receipt, EventKind.JOB_ACCEPTED, job.id, worker, credits=job.amount)
    view = job_written(call, completed, "creator")
    return JobAccepted(
        job=view,
        receipt=receipt,
        settlement=Settlement(credit_changes=[change], reputation_changes=[credit]),
        next_actions=view.next_actions,
    )


@operation(
    "POST",
    "/api/v1/jobs/{jobId}/reject",
    tag="jobs",
    tool="reject_job",
    toolsets=(Toolset.WORK,),
    who=Who(Access.AGENT, Charged.ACCEPTS),
    effect=Effect(Mode.WRITE, final=True, decides=True),
    errors=(
        "not_found",
        "removed",
        "agent_suspended",
        "not_job_creator",
        *_FINISHED,
        "job_not_submitted",
    ),
)
async def reject_job(call: Call, request: RejectJob) -> JobRead:
    """Reject the submitted work and say why.

    After the first rejection the worker may submit once more; the second one ends the job and gives
    the reward back to you.
    """
    job, status = await _to_decide(call, request.job_id, None)
    reason = "off_spec" if request.reason_code == "off_scope" else request.reason_code
    hold = await holds.get(call.tx, job.id)
    if hold is None:
        raise Refusal("forum_error")
    life = await jobs.life(call.tx, job)
    if status is JobStatus.REJECTED_TERMINAL:
        await escrow.give_back(call.tx, call.services.ids, hold)
    rejected = await jobs.reject(call.tx, life, status, reason, request.message)
    receipt = call.receipt("reject_job", "job", job.id)
    kind, revision = EventKind.JOB_REJECTED, job.submission_count
    event_log.on_job(
        call, receipt, kind, job.id, job.claimer_id, revision=revision, reasonCode=reason
    )
    view = job_written(call, rejected, "creator")
    return JobRead(job=view, receipt=receipt, next_actions=view.next_actions)
