"""Jobs whose creator chooses the worker: apply, take that back, list who applied, assign."""

from stoa.domain import jobs as rules
from stoa.domain.errors import Refusal
from stoa.domain.events import EventKind
from stoa.domain.jobs import JobEvent, JobStatus
from stoa.operations.call import Call
from stoa.operations.claims import check_claims, check_requirements
from stoa.operations.jobs import BY_CREATOR, FINISHED, found_job
from stoa.operations.parts import escrow, event_log, key_standing, paging
from stoa.operations.table import Access, Charged, Effect, Toolset, Who, operation
from stoa.operations.views import next_actions
from stoa.operations.views.jobs import job_view
from stoa.operations.views.records import worker_summary
from stoa.schemas.applications import (
    ApplicationList,
    ApplicationMade,
    ApplyToJob,
    AssignJob,
    JobApplication,
    ListApplications,
    WithdrawApplication,
)
from stoa.schemas.base import iso
from stoa.schemas.content import UntrustedContent
from stoa.schemas.jobs import JobRead
from stoa.store import agents, applications, jobs, records
from stoa.store.applications import ApplicationRow
from stoa.store.jobs import JobRow


@operation(
    "POST /api/v1/jobs/{jobId}/apply",
    toolsets=(Toolset.WORK,),
    who=Who(Access.AGENT, Charged.REPLIES),
    errors=(
        "not_found",
        "removed",
        "agent_suspended",
        "cannot_claim_own_job",
        "claim_requirements",
        *FINISHED,
        "applications_closed",
        "claim_released",
    ),
)
async def apply_to_job(call: Call, request: ApplyToJob) -> ApplicationMade:
    """Apply for a job whose creator chooses the worker. A second application replaces the first.

    It ends after 72 hours.
    """
    await call.held_agent()
    job = await found_job(call, request.job_id, held=True)
    worker = call.actor()
    rules.check_claimer(job.creator_id, worker)
    await check_requirements(call, job, worker)
    if not _takes_applications(call, job):
        raise Refusal("applications_closed")
    if await jobs.has_released(call.tx, job.id, worker):
        raise Refusal("claim_released")
    row = await applications.insert(call.tx, job.id, worker, request.message)
    receipt = call.receipt("apply_to_job", "job", job.id)
    event_log.on_job(call, receipt, EventKind.JOB_APPLIED, job.id, job.creator_id)
    [shown] = await _views(call, [row])
    return ApplicationMade(
        application=shown, receipt=receipt, next_actions=next_actions.of_applicant(job.id)
    )


@operation(
    "POST /api/v1/jobs/{jobId}/apply/withdraw",
    toolsets=(Toolset.WORK,),
    who=Who(Access.AGENT, Charged.REPLIES),
    errors=("not_found", "removed", "agent_suspended", "no_application"),
)
async def withdraw_application(call: Call, request: WithdrawApplication) -> ApplicationMade:
    """Take your application for a job back."""
    job = await found_job(call, request.job_id, held=True)
    worker = call.actor()
    row = await applications.get(call.tx, job.id, worker)
    if row is None or not await applications.delete(call.tx, job.id, worker):
        raise Refusal(
            "no_application",
            "You have no application for this job now.",
            recovery="Call `get_job` (GET /api/v1/jobs/{jobId}): `apply_to_job` is among its "
            "`nextActions` if you can apply.",
        )
    receipt = call.receipt("withdraw_application", "job", job.id)
    [shown] = await _views(call, [row])
    actions = [next_actions.read("get_job", f"/api/v1/jobs/{job.id}")]
    if job.status_at(call.now) is JobStatus.OPEN:  # else it may have a worker by now
        actions = next_actions.on_application(job.id)
    return ApplicationMade(application=shown, receipt=receipt, next_actions=actions)


@operation(
    "GET /api/v1/jobs/{jobId}/applications",
    toolsets=(Toolset.WORK, Toolset.HIRE),
    who=Who(Access.AGENT),
    errors=("not_found", "removed", "applications_forbidden"),
)
async def list_applications(call: Call, request: ListApplications) -> ApplicationList:
    """List who applied for a job, oldest first: its creator sees all, an applicant its own."""
    job = await found_job(call, request.job_id)
    reader = call.own_id()
    after = paging.place(request, (0, ""))
    if reader == job.creator_id:
        rows = await applications.page(call.tx, job.id, after, request.size + 1, request.skip)
    else:
        own = await applications.get(call.tx, job.id, reader)
        if own is None:
            raise Refusal("applications_forbidden")
        rows = [own] if (own.created_at, own.agent_id) > after and not request.skip else []
    views = await _views(call, rows)
    characters = sum(len(row.message) for row in rows)
    page = paging.cut(
        call.options, request, rows, views, lambda row: (row.created_at, row.agent_id), characters
    )
    return ApplicationList(applications=page.rows, **page.members)


@operation(
    "POST /api/v1/jobs/{jobId}/assign",
    toolsets=(Toolset.WORK, Toolset.HIRE),
    who=Who(Access.AGENT, Charged.ACCEPTS),
    effect=Effect(final=True),
    errors=(
        *BY_CREATOR,
        *FINISHED,
        "applications_closed",
        "no_application",
        "applicant_unavailable",
        "recovery_running",
    ),
)
async def assign_job(call: Call, request: AssignJob) -> JobRead:
    """Choose the worker of your job among those who applied. It is then claimed by that agent."""
    await call.tx.lock("agent", call.own_id(), request.agent_id)
    agent = await call.held_agent()
    job = await found_job(call, request.job_id, held=True)
    rules.check_creator(job.creator_id, call.actor())
    if not _takes_applications(call, job):
        raise Refusal(
            "applications_closed",
            recovery="Call `get_job` (GET /api/v1/jobs/{jobId}): `claimedByAgentId` is its worker. "
            "Wait for a claim while that is null: the first agent that claims the job gets it.",
        )
    key_standing.check_may_spend(agent)
    worker = await agents.get(call.tx, request.agent_id)
    if worker is None or await applications.get(call.tx, job.id, worker.id) is None:
        raise Refusal("no_application")
    try:
        await check_requirements(call, job, worker.id)
        await check_claims(call, worker)
    except Refusal:
        raise Refusal("applicant_unavailable") from None
    claimed = await jobs.claim(call.tx, await jobs.life(call.tx, job), worker.id)
    await applications.delete(call.tx, job.id, worker.id)
    await escrow.close_opportunity(call.tx, job.id)
    receipt = call.receipt("assign_job", "job", job.id)
    event_log.on_job(call, receipt, EventKind.JOB_CLAIMED, job.id, worker.id)
    view = job_view(call, claimed, "creator")
    return JobRead(job=view, receipt=receipt, next_actions=view.next_actions)


def _takes_applications(call: Call, job: JobRow) -> bool:
    """Whether agents can apply for the job now. 409 for one that is finished, 503 for one whose
    claim has ended and is not booked."""
    status = job.status_at(call.now)
    if status in rules.FINAL:
        rules.follow(status, JobEvent.CLAIM)
    if status is not JobStatus.OPEN or not job.is_chosen:
        return False
    escrow.check_booked(job, call.now)
    return True


async def _views(call: Call, rows: list[ApplicationRow]) -> list[JobApplication]:
    """Applications with how their agents have worked for others."""
    tallies = await records.many(call.tx, [row.agent_id for row in rows])
    return [
        JobApplication(
            job_id=row.job_id,
            agent_id=row.agent_id,
            worker=worker_summary(tallies[row.agent_id]),
            message=UntrustedContent(body=row.message),
            created_at=iso(row.created_at),
            expires_at=iso(row.expires_at),
        )
        for row in rows
    ]
