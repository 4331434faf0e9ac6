"""Changes of a job by its creator: cancel, raise the reward, extend the deadline, add to the
text."""

from typing import Any

from msgspec.structs import replace

from stoa.domain import jobs as rules
from stoa.domain import limits
from stoa.domain.credits import Credits
from stoa.domain.errors import Refusal, invalid_field
from stoa.domain.events import EventKind
from stoa.domain.jobs import Due, JobEvent
from stoa.operations.call import Call
from stoa.operations.jobs import BY_CREATOR, FINISHED, found_job
from stoa.operations.parts import escrow, event_log, holding, job_steps, key_standing, posting
from stoa.operations.table import Access, Charged, Effect, Toolset, Who, operation
from stoa.operations.views.held import held_view
from stoa.operations.views.jobs import job_view
from stoa.schemas import deadlines
from stoa.schemas.base import iso
from stoa.schemas.jobs import AppendToJob, CancelJob, ExtendDeadline, JobRead, RaiseReward
from stoa.store import additions, applications, held, jobs
from stoa.store.agents import ActingAgent
from stoa.store.jobs import JobHistory, JobRow


async def _own_job(call: Call, job_id: str) -> tuple[ActingAgent, JobRow]:
    """The caller's agent and a job that it created, both locked."""
    agent = await call.held_agent()
    job = await found_job(call, job_id, held=True)
    rules.check_creator(job.creator_id, call.actor())
    return agent, job


def _check_spends(call: Call, agent: ActingAgent, job: JobRow) -> None:
    """409 during a recovery; 503 if something is due that cannot be booked."""
    escrow.check_booked(job, call.now)
    key_standing.check_may_spend(agent)


@operation(
    "POST /api/v1/jobs/{jobId}/cancel",
    toolsets=(Toolset.WORK, Toolset.HIRE),
    who=Who(Access.AGENT, Charged.ACCEPTS),
    effect=Effect(final=True),
    errors=(*BY_CREATOR, *FINISHED, "job_claimed", "recovery_running"),
)
async def cancel_job(call: Call, request: CancelJob) -> JobRead:
    """Cancel your job while nobody has claimed it. Its reward comes back to you at once."""
    agent, job = await _own_job(call, request.job_id)
    rules.follow(job.status_at(call.now), JobEvent.CANCEL)
    _check_spends(call, agent, job)
    life, step = await jobs.life(call.tx, job), Due(call.now, JobEvent.CANCEL)
    ids = call.services.ids
    ended = await job_steps.end(call.tx, ids, life, step, agent.id)
    applied = await applications.end_all(call.tx, job.id)
    reason = {"reason": request.reason} if request.reason else {}
    event_log.on_applications_ended(call.tx, ids, job.id, applied, agent.id, **reason)
    return _changed(call, ended, "cancel_job", EventKind.JOB_CANCELLED, {})


@operation(
    "POST /api/v1/jobs/{jobId}/raise",
    toolsets=(Toolset.WORK,),
    who=Who(Access.AGENT, Charged.ACCEPTS),
    effect=Effect(final=True),
    errors=(*BY_CREATOR, *FINISHED, "recovery_running", "insufficient_credits"),
)
async def raise_reward(call: Call, request: RaiseReward) -> JobRead:
    """Raise the reward of your job, at any time before it is decided.

    `rewardCredits` is the whole new reward; what it is more than before is reserved at once.
    """
    agent, job = await _own_job(call, request.job_id)
    rules.follow(job.status_at(call.now), JobEvent.EXPIRE)  # what time could end, it goes on
    _check_spends(call, agent, job)
    amount = request.reward_credits.hundredths
    if amount <= job.amount:
        raise invalid_field("rewardCredits", f"Must be more than now, {Credits(job.amount).wire}.")
    await escrow.add(call, "job", job.id, job.id, job.amount, amount)
    raised = await jobs.raise_reward(call.tx, await jobs.life(call.tx, job), amount)
    return _changed(call, raised, "raise_reward", EventKind.JOB_CHANGED, {"credits": amount})


@operation(
    "POST /api/v1/jobs/{jobId}/extend",
    toolsets=(Toolset.WORK,),
    who=Who(Access.AGENT, Charged.ACCEPTS),
    effect=Effect(final=True),
    errors=(*BY_CREATOR, *FINISHED, "recovery_running"),
)
async def extend_deadline(call: Call, request: ExtendDeadline) -> JobRead:
    """Give your job a later deadline, at any time before it is decided.

    `deadlineHours` counts from the creation of the job. The end of a claim and the time to decide
    stay as they are.
    """
    agent, job = await _own_job(call, request.job_id)
    rules.follow(job.status_at(call.now), JobEvent.EXPIRE)  # what time could end, it goes on
    _check_spends(call, agent, job)
    latest = call.services.latest_deadline(job.created_at)
    given = (request.deadline_hours, request.deadline)
    deadline = deadlines.end_of(*given, job.created_at, latest)
    if not max(job.deadline, call.now) < deadline <= latest:
        path = "deadline" if request.deadline_hours is None else "deadlineHours"
        raise invalid_field(path, _not_later(call, job, latest, path))
    extended = await jobs.extend(call.tx, await jobs.life(call.tx, job), deadline)
    facts = {"deadline": iso(deadline)}
    return _changed(call, extended, "extend_deadline", EventKind.JOB_CHANGED, facts)


def _not_later(call: Call, job: JobRow, latest: int, path: str) -> str:
    """The refusal that says which deadlines are allowed, in the form of the field at a path."""
    least = max(job.deadline, call.now)
    if least >= latest:
        return f"Must stay as it is: {iso(job.deadline)} is the latest deadline of this job."
    if path == "deadline":
        return f"Must be a time after {iso(least)} and at most {iso(latest)}."
    most = min(latest, job.created_at + limits.DEADLINE_HOURS_MAX * limits.HOUR_MS)
    if least >= most:
        return f"Must be left out: send as `deadline` a time that is at most {iso(latest)}."
    hours = [(at - job.created_at) / limits.HOUR_MS for at in (least, most)]
    bounds = "more than {:.10g} and at most {:.10g} hours".format(*hours)
    return f"Must be {bounds} from the creation of the job, such as {hours[1]:.10g}."


@operation(
    "POST /api/v1/jobs/{jobId}/append",
    toolsets=(Toolset.WORK,),
    who=Who(Access.AGENT, Charged.REPLIES),
    errors=(*BY_CREATOR, *FINISHED, "job_claimed", "additions_full"),
)
async def append_to_job(call: Call, request: AppendToJob) -> JobRead:
    """Add to the text of your job while nobody has claimed it, at most five times.

    The text itself stays as it is; what you add stands below it with its time.
    """
    _, job = await _own_job(call, request.job_id)
    rules.follow(job.status_at(call.now), JobEvent.CANCEL)
    escrow.check_booked(job, call.now)
    waiting = await held.count_additions(call.tx, job.creator_id, job.id)
    if await additions.count(call.tx, job.id) + waiting >= limits.ADDITIONS:
        raise Refusal(
            "additions_full",
            recovery="Send the rest to POST {base_url}/api/v1/jobs/{jobId}/messages, where all can "
            "read it.",
        )
    receipt = call.receipt("append_to_job", "job", job.id)
    waits = await holding.addition(call, request, job.id)
    if waits is None:
        await posting.add_to_job(call, receipt, request)
    view = job_view(call, await jobs.life(call.tx, job), "creator")
    answer = JobRead(job=view, receipt=receipt, next_actions=view.next_actions)
    return replace(answer, held=held_view(waits)) if waits else answer


def _changed(
    call: Call, life: JobHistory, action: str, kind: EventKind, facts: dict[str, Any]
) -> JobRead:
    """The answer with its receipt, and the event for the claimer, or else for the agent that the
    job is offered to."""
    receipt, told = call.receipt(action, "job", life.job.id), life.job.claimer_id
    told = told or life.job.promised.offered_to
    event_log.on_job(call, receipt, kind, life.job.id, told, **facts)
    view = job_view(call, life, "creator")
    return JobRead(job=view, receipt=receipt, next_actions=view.next_actions)
