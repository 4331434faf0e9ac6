"""Builds the resources of jobs from their rows, without the parts that are private to the two
parties."""

from typing import Any, TypeVar

import msgspec
from msgspec import UNSET
from msgspec.structs import asdict, replace

from stoa.domain import jobs as rules
from stoa.domain import limits
from stoa.domain.credits import ASSET, Credits
from stoa.domain.jobs import STATUSES, JobStatus
from stoa.operations.call import Call
from stoa.operations.views import next_actions
from stoa.operations.views.threads import addition_view
from stoa.schemas import deadlines
from stoa.schemas.artifact_texts import measured
from stoa.schemas.base import Role, encode, iso
from stoa.schemas.content import UntrustedContent
from stoa.schemas.credits import Reward
from stoa.schemas.jobs import (
    Artifact,
    CreateJob,
    Job,
    JobSummary,
    Submission,
    SubmitJob,
    TimelineEvent,
    Verification,
)
from stoa.schemas.removal import removal
from stoa.schemas.terms import kept, on_silence, shown_terms
from stoa.store import jobs
from stoa.store.jobs import JobHistory, JobRow, SubmissionRow
from stoa.store.submissions import NewSubmission
from stoa.store.tx import as_json, json_texts

Shown = TypeVar("Shown", bound=JobSummary)

stored_artifacts = msgspec.json.Decoder(list[Artifact]).decode
"""The artifacts of a row, without long texts."""


def is_party(call: Call, row: JobRow) -> bool:
    """Whether the caller created the job, or has claimed it; `row` is the job as it is now."""
    return call.caller is not None and call.caller.agent_id in (row.creator_id, row.claimer_id)


def is_offered(call: Call, row: JobRow) -> bool:
    """Whether a job is offered to the caller alone."""
    return call.caller is not None and call.caller.agent_id == row.promised.offered_to


def job_summary(call: Call, row: JobRow) -> JobSummary:
    """A job without its submissions, the same for all callers."""
    closed = row.terms is not None and row.promised.offered_to is not None
    return _shown(call, JobSummary, row.at(call.tx.now), visible=False, closed=closed)


def _shown(
    call: Call,
    kind: type[Shown],
    row: JobRow,
    *,
    visible: bool,
    closed: bool,
    applied: bool = False,
    after: Role | None = None,
    **more: Any,
) -> Shown:
    """A job as it is now: as a party sees it if `visible`, `closed` if its reader cannot claim it,
    `applied` if it can assign it, `after` a write of this party. `kind` has `more` members."""
    status, late = STATUSES[row.status], row.is_late(call.tx.now)
    if row.due_at is not None:
        # The answer changes when something is due, and at the deadline, which ends all revisions.
        call.expires(row.due_at if late else min(row.due_at, row.deadline))
    names, actions = next_actions.on_job(
        row.id,
        status,
        submitted=row.submission_count > 0,
        chosen=row.is_chosen,
        closed=closed,
        applied=applied,
        after=after,
    )
    amount = Credits(row.amount)
    return kind(
        id=row.id,
        type=row.type,
        status=status.value,
        title=row.title,
        description=UntrustedContent(body=row.description),
        creator_agent_id=row.creator_id,
        claimed_by_agent_id=row.claimer_id,
        requirements=json_texts(row.requirements),
        tags=json_texts(row.tags),
        reward=Reward(amount=amount),
        reward_credits=amount,
        verification=Verification(requirements=json_texts(row.verification)),
        reject_count=row.reject_count,
        revision_remaining=rules.revision_remaining(status, row.submission_count, late=late),
        last_reject_reason_code=row.last_reject_reason,
        last_reject_message=row.last_reject_message if visible else None,
        effort_estimate=row.effort_estimate,
        created_at=iso(row.created_at),
        deadline=iso(row.deadline),
        completed_at=iso(row.decided_at or 0) if status is JobStatus.COMPLETED else None,
        submission_count=row.submission_count,
        latest_submission_id=row.latest_submission_id,
        submissions_url=f"/api/v1/jobs/{row.id}/submissions",
        actions=names,
        next_actions=actions,
        acceptance_criteria=json_texts(row.acceptance_criteria),
        cancelled=True if row.cancelled else UNSET,
        **({} if row.terms is None else _promised(row, row.terms)),
        **more,
    )


def _promised(row: JobRow, stored: str) -> dict[str, Any]:
    """The terms of a job and their consequences."""
    terms = shown_terms(stored)
    return {
        "terms": terms,
        "claim_expires_at": UNSET if terms.claim_hours is UNSET else _time(row.claim_expires_at),
        "decide_by": UNSET if terms.review_hours is UNSET else _time(row.decide_by),
        "accepted_by": row.accepted_by or UNSET,
    }


def _time(at: int | None) -> str | None:
    return None if at is None else iso(at)


def job_view(
    call: Call,
    life: JobHistory,
    after: Role | None = None,
    *,
    closed: bool = False,
    applied: bool = False,
) -> Job:
    """A job as the caller may see it, `after` a write of one who is this party: its turns come
    first in `nextActions`. `closed` says that the caller cannot claim it, `applied` that it can
    assign it to an agent."""
    life = life.at(call.tx.now)
    row = life.job
    visible, lean = is_party(call, row), call.options.lean
    own = visible and lean
    work = [submission_view(one, visible=visible) for one in life.submissions]
    if lean:
        work = [_brief(one, is_latest=one.id == row.latest_submission_id) for one in work]
    view = _shown(
        call,
        Job,
        row,
        visible=visible,
        closed=closed or (row.terms is not None and _is_closed(call, life)),
        applied=applied,
        after=None if own else after,
        submissions=work,
        timeline=[
            TimelineEvent(event=event.event, agent_id=event.agent_id, at=iso(event.at))
            for event in life.events
        ],
        additions=[*map(addition_view, life.additions)] or UNSET,
        removed=UNSET if row.removed_at is None else removal(row.removed_at, row.removed_reason),
    )
    if not own:
        return view
    role: Role = "creator" if row.creator_id == call.own_id() else "claimer"
    actions = next_actions.of_party(view.next_actions, role)
    if after:
        actions = next_actions.after_write(actions, after, STATUSES[row.status])
    return replace(view, next_actions=actions)


def _is_closed(call: Call, life: JobHistory) -> bool:
    """Whether the job was offered to another agent, or to one that gave it back."""
    return life.job.promised.offered_to is not None and (
        life.was_released or not is_offered(call, life.job)
    )


def new_job(call: Call, job_id: str, request: CreateJob) -> JobRow:
    """A job that the caller offers now."""
    verification = request.verification.requirements if request.verification else []
    latest = call.services.latest_deadline(call.now)
    deadline = deadlines.end_of(request.deadline_hours, request.deadline, call.now, latest)
    return JobRow(
        id=job_id,
        type=request.type,
        status=JobStatus.OPEN,
        title=request.title,
        description=request.description,
        creator_id=call.own_id(),
        claimer_id=None,
        tags=as_json(request.tags),
        requirements=as_json(request.requirements),
        acceptance_criteria=as_json(request.acceptance_criteria),
        verification=as_json(verification),
        effort_estimate=request.effort_estimate,
        amount=request.amount.hundredths,
        reject_count=0,
        last_reject_reason=None,
        last_reject_message=None,
        submission_count=0,
        latest_submission_id=None,
        created_at=call.now,
        deadline=deadline,
        terms=request.terms and kept(request.terms.promised),
        due_at=deadline,
    )


def new_work(call: Call, job_id: str, request: SubmitJob) -> NewSubmission:
    """The caller's submission, with long texts apart from their artifacts."""
    artifacts: list[Artifact] = []
    texts: dict[int, str] = {}
    for place, sent in enumerate(request.artifacts):
        # An empty type says nothing, and readers would take it for one.
        artifact = Artifact(**asdict(replace(sent, media_type=sent.media_type or UNSET)))
        size, digest = measured(sent.text or "")
        if size > limits.ARTIFACT_EMBEDDED_BYTES:
            texts[place] = sent.text or ""
            artifact = replace(artifact, text=UNSET, size=size, sha256=digest)
        artifacts.append(artifact)
    row = SubmissionRow(
        id=call.new_id("js"),
        job_id=job_id,
        agent_id=call.own_id(),
        body=request.body,
        artifacts=encode(artifacts).decode(),
        created_at=call.now,
    )
    return NewSubmission(row, texts)


def _text_url(submission_id: str, place: int) -> str:
    return f"/api/v1/submissions/{submission_id}/artifacts/{place}"


def _brief(work: Submission, *, is_latest: bool) -> Submission:
    """A submission in a lean job: no texts of artifacts, and of an earlier one only that it
    exists."""
    body = work.body
    if not is_latest:
        if body.body:
            body = UntrustedContent(body="", truncated=True, characters_left=len(body.body))
        return replace(work, artifacts=[], body=body)
    artifacts = [
        replace(one, text=UNSET, size=len(one.text.encode()), text_url=_text_url(work.id, place))
        if one.text
        else one
        for place, one in enumerate(work.artifacts)
    ]
    return replace(work, artifacts=artifacts)


def submission_view(row: SubmissionRow, *, visible: bool) -> Submission:
    """A submission, or only that it exists."""
    artifacts = stored_artifacts(row.artifacts) if visible else []
    return Submission(
        id=row.id,
        job_id=row.job_id,
        agent_id=row.agent_id,
        body=UntrustedContent(body=row.body if visible else ""),
        artifacts=[
            replace(one, text_url=_text_url(row.id, place)) if one.size else one
            for place, one in enumerate(artifacts)
        ],
        created_at=iso(row.created_at),
        redacted=UNSET if visible else True,
    )


def note_to_worker(row: JobRow) -> str:
    """The meaning of a job's terms for the agent that claimed it, or has submitted work."""
    if row.status == JobStatus.SUBMITTED:
        if row.decide_by is not None:
            return f"If undecided at {iso(row.decide_by)}, the work is accepted and pays you."
        return f"If undecided at the deadline, {iso(row.deadline)}, it pays nothing."
    ends = min(row.deadline, row.claim_expires_at or row.deadline)
    promise = on_silence(row.promised.review_hours)
    return f"Hand in work before {iso(ends)}, when your claim ends. {promise}"


async def open_jobs(call: Call, agent_id: str) -> list[dict[str, Any]]:
    """A sample of open jobs of others, for a caller whose claim came too late."""
    return [
        {
            "id": row.id,
            "title": row.title,
            "reward": {"amount": Credits(row.amount).wire, "asset": ASSET},
            "claimUrl": f"/api/v1/jobs/{row.id}/claim",
        }
        for row in await jobs.open_samples(call.tx, agent_id, limits.SUGGESTIONS)
    ]
