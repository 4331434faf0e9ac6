"""Jobs, submissions and the events of a job's life."""

from collections.abc import Sequence
from itertools import starmap
from typing import Any, Literal, NamedTuple

import msgspec
from msgspec.structs import replace

from stoa.domain.jobs import JobStatus, status_at
from stoa.store import places
from stoa.store.places import LARGEST, NEWEST, SMALLEST, RowPosition, narrowest
from stoa.store.tx import Tx, Value


class JobRow(msgspec.Struct, frozen=True, gc=False):
    """A row of `job`; lists are JSON arrays, the amount is in hundredths, times are ms."""

    id: str
    type: str
    status: str
    title: str
    description: str
    creator_id: str
    claimer_id: str | None
    tags: str
    requirements: str
    acceptance_criteria: str
    verification: str
    effort_estimate: str | None
    amount: int
    reject_count: int
    last_reject_reason: (
        Literal["incomplete", "incorrect", "low_quality", "off_spec", "other"] | None
    )
    last_reject_message: str | None
    submission_count: int
    latest_submission_id: str | None
    created_at: int
    deadline: int
    claimed_at: int | None
    submitted_at: int | None
    decided_at: int | None
    expired_from: str | None
    removed_at: int | None = None
    removed_reason: str | None = None

    def status_at(self, now: int) -> JobStatus:
        """The status as if a passed deadline had been booked already."""
        if now < self.deadline:
            return JobStatus(self.status)
        return status_at(self.status, self.deadline, now)

    @property
    def characters(self) -> int:
        """The length of its long texts and lists."""
        lists = len(self.requirements) + len(self.acceptance_criteria) + len(self.verification)
        return len(self.description) + lists

    def place(self, order: str) -> RowPosition:
        """Where the row stands in a list of this order."""
        keys: dict[str, int | str] = {
            "recent": self.id,
            "reward": self.amount,
            "deadline": self.deadline,
        }
        return keys[order], self.id


class SubmissionRow(NamedTuple):
    """A row of `submission`; `artifacts` is a JSON array, the time is ms."""

    id: str
    job_id: str
    agent_id: str
    body: str
    artifacts: str
    created_at: int


class JobEventRow(NamedTuple):
    """An event of a job; the time is ms. Deadlines and moderators cause some without an agent."""

    event: Literal[
        "created", "claimed", "submitted", "accepted", "rejected", "expired", "cancelled"
    ]
    agent_id: str | None
    at: int


class JobHistory(NamedTuple):
    """A job with what was submitted for it and what happened to it, each in order."""

    job: JobRow
    submissions: list[SubmissionRow]
    events: list[JobEventRow]


class JobFilter(NamedTuple):
    """What a list of jobs is narrowed to."""

    status: str | None = None
    tag: str | None = None
    creator: str | None = None
    claimer: str | None = None

    def scope(self) -> tuple[str, str]:
        """The index to walk and its value."""
        return narrowest(
            claimer=self.claimer, creator=self.creator, tag=self.tag, status=self.status
        )


_ENDS = {"recent": NEWEST, "reward": LARGEST, "deadline": SMALLEST}


def json_list(values: Sequence[str]) -> str:
    """A list of texts in its stored form, a JSON array."""
    return msgspec.json.encode(list(values)).decode()


async def get(tx: Tx, job_id: str) -> JobRow | None:
    """The job with this id."""
    row = await tx.one("jobs.get", job_id=job_id)
    return JobRow(*row) if row else None


async def held(tx: Tx, job_id: str) -> JobRow | None:
    """The job with this id, locked."""
    row = await tx.held("jobs.held", job_id=job_id)
    return JobRow(*row) if row else None


async def life(tx: Tx, job: JobRow) -> JobHistory:
    """A job with what happened to it. Lock it to change that."""
    rows = await tx.all("jobs.life", job_id=job.id)
    events = {row[0]: JobEventRow(*row[1:4]) for row in rows if row[0] is not None}
    submissions = [
        SubmissionRow(row[1], job.id, row[2], row[4], row[5], row[3])
        for row in rows
        if row[0] is None
    ]
    return JobHistory(job, sorted(submissions), [events[place] for place in sorted(events)])


async def insert(tx: Tx, row: JobRow) -> JobHistory:
    """Keep a new, open job with its tags and its first event."""
    kept = ("type", "title", "description", "creator_id", "tags", "requirements")
    more = ("acceptance_criteria", "verification", "effort_estimate", "amount", "deadline")
    values: dict[str, Value] = {name: getattr(row, name) for name in (*kept, *more)}
    await tx.put("jobs.insert", job_id=row.id, now=tx.now, **values)
    for tag in msgspec.json.decode(row.tags, type=list[str]):
        tx.defer(
            "jobs.insert_tags", tag=tag, job_id=row.id, amount=row.amount, deadline=row.deadline
        )
    event = await _add_event(tx, row.id, JobEventRow("created", row.creator_id, tx.now))
    return JobHistory(row, [], [event])


async def page(
    tx: Tx,
    only: JobFilter,
    order: str,
    after: RowPosition | None,
    limit: int,
    offset: int,
    upto: RowPosition | None = None,
) -> list[JobRow]:
    """Jobs by `recent`, `reward` (largest first) or `deadline` (next first), behind `after`; `upto`
    is of `page_end`.

    Refunds that are due count as booked.
    """
    scope, value = only.scope()
    values: dict[str, Value] = {"now": tx.now, **places.between(_ENDS[order], after, upto)}
    if (scope, value) == ("status", JobStatus.REFUNDED_EXPIRED):
        statement = f"jobs.expired_{order}"
    else:
        statement = f"jobs.list_{scope}_{order}"
        values |= {"scope": value, "status": only.status}
        values |= {"creator": only.creator, "claimer": only.claimer}
        values["tag"] = None if scope == "tag" else only.tag
    rows = await tx.all(statement, **values, limit=limit, offset=offset)
    return [JobRow(*row) for row in rows]


async def page_end(
    tx: Tx, only: JobFilter, order: str, after: RowPosition | None
) -> RowPosition | None:
    """The last place that a page behind `after` looks at; None where nothing ends it. No index is
    of a tag and a status, so each job with the tag is looked at."""
    scope, value = only.scope()
    if only.status is None or scope != "tag":
        return None
    return await places.page_end(tx, f"jobs.far_tag_{order}", value, _ENDS[order], after)


async def open_samples(tx: Tx, agent_id: str, limit: int) -> list[JobRow]:
    """Open jobs of others, the highest reward first."""
    rows = await tx.all("jobs.open_samples", agent_id=agent_id, now=tx.now, limit=limit)
    return [JobRow(*row) for row in rows]


async def _change(
    tx: Tx,
    change: str,
    life: JobHistory,
    event: JobEventRow,
    values: dict[str, Value],
    **changed: Any,
) -> JobHistory:
    """Change a job, which must be locked, and note it. Raises `NotTouched` when its state does not
    allow that."""
    job = life.job
    await tx.put(f"jobs.{change}", job_id=job.id, now=tx.now, **values)
    await _add_event(tx, job.id, event)
    return JobHistory(replace(job, **changed), life.submissions, [*life.events, event])


async def claim(tx: Tx, life: JobHistory, agent_id: str) -> JobHistory:
    """Give an open job to its claimer."""
    event = JobEventRow("claimed", agent_id, tx.now)
    changed = {"status": JobStatus.CLAIMED, "claimer_id": agent_id, "claimed_at": tx.now}
    return await _change(tx, "claim", life, event, {"claimer_id": agent_id}, **changed)


async def submit(tx: Tx, life: JobHistory, submission: SubmissionRow) -> JobHistory:
    """Keep a submission and wait for a decision."""
    job = life.job
    submitted = await _change(
        tx,
        "submit",
        life,
        JobEventRow("submitted", submission.agent_id, tx.now),
        {"was": job.status, "submission_id": submission.id},
        status=JobStatus.SUBMITTED,
        submission_count=job.submission_count + 1,
        latest_submission_id=submission.id,
        submitted_at=tx.now,
    )
    await tx.put(
        "jobs.insert_submission",
        id=submission.id,
        job_id=job.id,
        agent_id=submission.agent_id,
        body=submission.body,
        artifacts=submission.artifacts,
        now=tx.now,
    )
    return submitted._replace(submissions=[*life.submissions, submission])


async def complete(tx: Tx, life: JobHistory) -> JobHistory:
    """The creator accepts."""
    event = JobEventRow("accepted", life.job.creator_id, tx.now)
    changed = {"status": JobStatus.COMPLETED, "decided_at": tx.now}
    return await _change(tx, "complete", life, event, {}, **changed)


async def reject(
    tx: Tx, life: JobHistory, status: JobStatus, reason: str, message: str | None
) -> JobHistory:
    """The creator rejects."""
    decided_at = tx.now if status is JobStatus.REJECTED_TERMINAL else None
    return await _change(
        tx,
        "reject",
        life,
        JobEventRow("rejected", life.job.creator_id, tx.now),
        {"status": status, "reason": reason, "message": message, "decided_at": decided_at},
        status=status,
        reject_count=life.job.reject_count + 1,
        last_reject_reason=reason,
        last_reject_message=message,
        decided_at=decided_at,
    )


async def cancel(tx: Tx, job_id: str) -> bool:
    """A moderator ends an open job; False when it is open no more."""
    cancelled = await tx.run("jobs.cancel", job_id=job_id, now=tx.now) == 1
    if cancelled:
        await _add_event(tx, job_id, JobEventRow("cancelled", None, tx.now))
    return cancelled


async def expire(tx: Tx, job_id: str, deadline: int) -> bool:
    """The deadline ended the job; False when it had ended before."""
    changed = await tx.run("jobs.expire", job_id=job_id, now=tx.now)
    if changed:
        await _add_event(tx, job_id, JobEventRow("expired", None, deadline))
    return changed == 1


async def count_claimed(tx: Tx, agent_id: str) -> tuple[int, int]:
    """How many undecided jobs an agent has claimed, and the first deadline of these (ms) or 0."""
    row = await tx.one("jobs.count_claimed", agent_id=agent_id, now=tx.now)
    return (row[0], row[1] or 0) if row else (0, 0)


async def submissions(
    tx: Tx, job_id: str, after: str = "", *, limit: int, offset: int = 0
) -> list[SubmissionRow]:
    """Submissions of a job, oldest first."""
    rows = await tx.all("jobs.submissions", job_id=job_id, after=after, limit=limit, offset=offset)
    return list(starmap(SubmissionRow, rows))


async def _add_event(tx: Tx, job_id: str, event: JobEventRow) -> JobEventRow:
    """Note what happened to a job."""
    await tx.put(
        "jobs.add_event", job_id=job_id, event=event.event, agent_id=event.agent_id, at=event.at
    )
    return event


async def many(tx: Tx, job_ids: list[str]) -> dict[str, JobRow]:
    """The jobs with these ids, by id."""
    rows = await tx.all("jobs.many", job_ids=json_list(job_ids)) if job_ids else []
    return {row[0]: JobRow(*row) for row in rows}


async def submission_texts(tx: Tx, submission_ids: list[str]) -> dict[str, str]:
    """The bodies of these submissions, by id."""
    rows = await tx.all("jobs.submission_texts", ids=json_list(submission_ids))
    return {row[0]: row[1] for row in rows}
