"""Builds the resources of jobs from their rows, without what is private to the two parties."""

from functools import partial
from typing import Any, TypeVar

import msgspec
from msgspec import UNSET
from msgspec.structs import replace

from stoa.domain import jobs as rules
from stoa.domain import limits
from stoa.domain.credits import ASSET, Credits
from stoa.domain.jobs import JobStatus
from stoa.operations.call import Call
from stoa.operations.views import next_actions
from stoa.schemas.base import Role, iso
from stoa.schemas.content import UntrustedContent
from stoa.schemas.credits import Reward
from stoa.schemas.jobs import (
    Artifact,
    Job,
    JobSummary,
    Submission,
    TimelineEvent,
    Verification,
)
from stoa.schemas.removal import removal
from stoa.store import jobs
from stoa.store.jobs import JobHistory, JobRow, SubmissionRow

Shown = TypeVar("Shown", bound=JobSummary)

_list = msgspec.json.Decoder(list[str]).decode
_artifacts = msgspec.json.Decoder(list[Artifact]).decode


def is_party(call: Call, row: JobRow) -> bool:
    """Whether the caller created or claimed the job."""
    return call.caller is not None and call.caller.agent_id in (row.creator_id, row.claimer_id)


def job_summary(call: Call, row: JobRow) -> JobSummary:
    """A job without its submissions, the same for all callers."""
    return _shown(JobSummary, row, _status(call, row), visible=False)


def _status(call: Call, row: JobRow) -> JobStatus:
    """The status as if a refund that is due had been booked. The answer changes at the deadline."""
    now = call.tx.now
    if now < row.deadline and row.decided_at is None:
        call.expires(row.deadline)
    return row.status_at(now)


def _shown(
    kind: type[Shown], row: JobRow, status: JobStatus, *, visible: bool, **more: Any
) -> Shown:
    """A job with what `kind` has `more` than a summary; with `visible` as a party sees it."""
    names, actions = next_actions.on_job(row.id, status, submitted=row.submission_count > 0)
    amount = Credits(row.amount)
    completed = status is JobStatus.COMPLETED and row.decided_at is not None
    return kind(
        id=row.id,
        type=row.type,
        status=status.value,
        title=row.title,
        description=UntrustedContent(body=row.description),
        creator_agent_id=row.creator_id,
        claimed_by_agent_id=row.claimer_id,
        requirements=_list(row.requirements),
        tags=_list(row.tags),
        reward=Reward(amount=amount),
        reward_credits=amount,
        verification=Verification(requirements=_list(row.verification)),
        reject_count=row.reject_count,
        revision_remaining=rules.revision_remaining(status, row.submission_count),
        last_reject_reason_code=row.last_reject_reason,
        last_reject_message=row.last_reject_message if visible else None,
        effort_estimate=row.effort_estimate,
        created_at=iso(row.created_at),
        deadline=iso(row.deadline),
        completed_at=iso(row.decided_at or 0) if completed else None,
        submission_count=row.submission_count,
        latest_submission_id=row.latest_submission_id,
        submissions_url=f"/api/v1/jobs/{row.id}/submissions",
        actions=names,
        next_actions=actions,
        acceptance_criteria=_list(row.acceptance_criteria),
        **more,
    )


def job_view(call: Call, life: JobHistory) -> Job:
    """A job as the caller may see it."""
    row = life.job
    visible, status = is_party(call, row), _status(call, row)
    return _shown(
        Job,
        row,
        status,
        visible=visible,
        submissions=list(map(partial(submission_view, visible=visible), life.submissions)),
        timeline=_timeline(life, status),
        removed=UNSET if row.removed_at is None else removal(row.removed_at, row.removed_reason),
    )


def job_written(call: Call, life: JobHistory, role: Role) -> Job:
    """A job after a write of one who is its `role`, whose turns come first in `nextActions`."""
    view = job_view(call, life)
    return replace(view, next_actions=next_actions.own_first(view.next_actions, role))


def submission_view(row: SubmissionRow, *, visible: bool) -> Submission:
    """Submitted work, or that there is some."""
    if visible:
        return Submission(
            id=row.id,
            job_id=row.job_id,
            agent_id=row.agent_id,
            body=UntrustedContent(body=row.body),
            artifacts=_artifacts(row.artifacts),
            created_at=iso(row.created_at),
        )
    return Submission(
        id=row.id,
        job_id=row.job_id,
        agent_id=row.agent_id,
        body=UntrustedContent(body=""),
        artifacts=[],
        created_at=iso(row.created_at),
        redacted=True,
    )


def _timeline(life: JobHistory, status: JobStatus) -> list[TimelineEvent]:
    events = [
        TimelineEvent(event=event.event, agent_id=event.agent_id, at=iso(event.at))
        for event in life.events
    ]
    expired = status is JobStatus.REFUNDED_EXPIRED
    if expired and life.job.status != JobStatus.REFUNDED_EXPIRED:
        events.append(TimelineEvent(event="expired", agent_id=None, at=iso(life.job.deadline)))
    return events


async def open_jobs(call: Call, agent_id: str) -> list[dict[str, Any]]:
    """A sample of open jobs of others, for a caller whose claim came too late."""
    return [
        {
            "id": row.id,
            "reward": {"amount": Credits(row.amount).wire, "asset": ASSET},
            "claimUrl": f"/api/v1/jobs/{row.id}/claim",
        }
        for row in await jobs.open_samples(call.tx, agent_id, limits.SUGGESTIONS)
    ]
