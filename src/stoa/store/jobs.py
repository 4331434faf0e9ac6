"""Jobs, submissions and the events of a job."""

from collections.abc import Awaitable, Sequence
from typing import Any, Literal, NamedTuple

import msgspec
from msgspec.structs import asdict, replace

from stoa.domain import jobs as rules
from stoa.domain.jobs import STATUSES, Due, JobEvent, JobStatus
from stoa.domain.records import Counted, release
from stoa.domain.terms import NO_TERMS, WorkTerms
from stoa.schemas.jobs import JobEventName
from stoa.schemas.terms import read_terms
from stoa.store import places, records
from stoa.store.additions import AdditionRow
from stoa.store.places import LARGEST, NEWEST, SMALLEST, PagePart, RowPosition, narrowest
from stoa.store.tx import Tx, Value, as_json, json_texts, one_row


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
    claimed_at: int | None = None
    submitted_at: int | None = None
    decided_at: int | None = None
    expired_from: str | None = None
    terms: str | None = None
    claim_expires_at: int | None = None
    decide_by: int | None = None
    accepted_by: Literal["terms"] | None = None
    cancelled: int = 0
    due_at: int | None = None
    removed_at: int | None = None
    removed_reason: str | None = None

    @property
    def promised(self) -> WorkTerms:
        """The terms of its creator."""
        return NO_TERMS if self.terms is None else read_terms(self.terms)

    @property
    def is_chosen(self) -> bool:
        """Whether its creator chooses the worker."""
        return self.terms is not None and self.promised.assignment == "chosen"

    def goes_on_for(self, agent_id: str) -> bool:
        """Whether it is between this agent and another, who see it even if it is hidden."""
        return self.claimer_id is not None and agent_id in (self.creator_id, self.claimer_id)

    @property
    def outcome(self) -> str | None:
        """How it ended, as the records of its parties count it; None if it has not."""
        if self.status == JobStatus.COMPLETED:
            how = "silent" if self.accepted_by else "paid"
            return f"{how}_revised" if self.reject_count else how
        if self.status == JobStatus.REJECTED_TERMINAL:
            return f"rejected_{self.last_reject_reason}"
        if self.status == JobStatus.REFUNDED_EXPIRED:
            return "cancelled" if self.cancelled else f"expired_{self.expired_from}"
        return None

    @property
    def due(self) -> Due | None:
        """The next change of the job without a call."""
        status = STATUSES[self.status]
        return rules.due(status, self.deadline, self.claim_expires_at, self.decide_by)

    def abandoned(self, at: int, by: str | None) -> bool:
        """Whether a claim that its worker gives back (`by`), or that ends by time, at a time (ms),
        counts against the worker."""
        return rules.is_abandoned(
            self.claimed_at or 0,
            at,
            given_back=by is not None,
            assigned=self.is_chosen,
            submitted=self.submission_count > 0,
        )

    def at(self, now: int) -> "JobRow":
        """The job as if all that is due had been booked already."""
        if self.due_at is None or now < self.due_at:
            return self
        due = self.due
        return self if due is None else replace(self, **followed(self, due)).at(now)

    def counted_at(self, now: int) -> list[Counted]:
        """The counts of all changes that are due and not booked."""
        job, due, counts = self, self.due, list[Counted]()
        while due and due.at <= now:
            after = replace(job, **followed(job, due))
            counts += _counts(job, after, _NOTED[due.event], due.at, None)
            job, due = after, after.due
        return counts

    def status_at(self, now: int) -> JobStatus:
        """Its status as if all due changes had been booked already."""
        return STATUSES[self.at(now).status]

    def is_late(self, now: int) -> bool:
        """Whether its deadline has passed; it may still wait for a decision."""
        return self.deadline <= now

    @property
    def characters(self) -> int:
        """The length of its long texts and lists."""
        lists = len(self.requirements) + len(self.acceptance_criteria) + len(self.verification)
        return len(self.description) + lists

    def place(self, order: str) -> RowPosition:
        """Where the row stands in a list of this order."""
        return getattr(self, _COLUMNS[order]), self.id


class SubmissionRow(msgspec.Struct, frozen=True, gc=False, order=True):
    """A row of `submission`; `artifacts` is a JSON array, the time is ms."""

    id: str
    job_id: str
    agent_id: str
    body: str
    artifacts: str
    created_at: int


class JobEventRow(msgspec.Struct, frozen=True, gc=False):
    """An event of a job; the time is ms. Deadlines and moderators cause some without an agent."""

    event: JobEventName
    agent_id: str | None
    at: int


class JobHistory(msgspec.Struct, frozen=True, gc=False):
    """A job with its submissions and its events, each in order."""

    job: JobRow
    submissions: list[SubmissionRow]
    events: list[JobEventRow]
    additions: Sequence[AdditionRow] = ()

    @property
    def was_released(self) -> bool:
        """Whether a claim was given back or lost."""
        return any(event.event == "released" for event in self.events)

    def at(self, now: int) -> "JobHistory":
        """The same as if all that is due had been booked already."""
        job, events = self.job, self.events
        if job.due_at is None or now < job.due_at:
            return self
        due = job.due
        while due and due.at <= now:
            events = [*events, JobEventRow(_NOTED[due.event], None, due.at)]
            job = replace(job, **followed(job, due))
            due = job.due
        return replace(self, job=job, events=events)


_NOTED: dict[JobEvent, JobEventName] = {
    JobEvent.RELEASE: "released",
    JobEvent.SILENCE: "accepted",
    JobEvent.EXPIRE: "expired",
    JobEvent.CANCEL: "cancelled",
}
"""The names in a job's history of events caused by agents or deadlines."""


def followed(job: JobRow, step: Due) -> dict[str, Any]:
    """The changes of a step that no agent decides alone: the end of a claim, a payment by silence,
    a cancellation, the deadline. Raises the refusal of a status that does not allow it."""
    status = rules.follow(STATUSES[job.status], step.event)
    changed: dict[str, Any] = {"status": status, "claim_expires_at": None, "due_at": None}
    match step.event:
        case JobEvent.RELEASE if status is JobStatus.OPEN:
            changed |= {"claimer_id": None, "claimed_at": None}
        case JobEvent.SILENCE:
            changed |= {"decided_at": step.at, "accepted_by": "terms"}
        case JobEvent.RELEASE:
            changed |= {"decided_at": step.at}
        case _:
            changed |= {"expired_from": job.status}
    if status is JobStatus.OPEN:  # nobody has it, so nothing but the deadline can come next
        changed["due_at"] = job.deadline
    return changed


def _counts(was: JobRow, job: JobRow, event: str, at: int, by: str | None) -> list[Counted]:
    """The counts that change with an event of a job, at a time (ms), by an agent or a deadline."""
    counts: list[Counted] = []
    creator, worker = was.creator_id, was.claimer_id
    outcome = None if job.due_at else job.outcome
    if outcome:
        counts.append(Counted(creator, "requester", outcome))
        if worker:
            counts.append(Counted(worker, "worker", outcome))
    if event in ("accepted", "rejected"):
        counts.append(Counted(creator, "decision", took=at - (was.submitted_at or at)))
    elif worker and event == "submitted" and not was.submission_count:
        counts.append(Counted(worker, "submission", took=at - (was.claimed_at or at)))
    elif worker and event == "released":
        reopened = job.status == JobStatus.OPEN
        how = release(abandoned=was.abandoned(at, by), reopened=reopened)
        counts.append(Counted(worker, "release", how))
    return counts


class JobFilter(NamedTuple):
    """The filters of a list of jobs, by the names that requests have for them."""

    status: str | None = None
    tag: str | None = None
    creator: str | None = None
    claimed_by: str | None = None

    def scope(self) -> tuple[str, str]:
        """The index to read and its value."""
        return narrowest(
            claimer=self.claimed_by, creator=self.creator, tag=self.tag, status=self.status
        )


_BY_ITSELF = {status for (_, event), status in rules.TRANSITIONS.items() if event in _NOTED}
"""The states that a job may have before a due change is booked."""

_ENDS = {"recent": NEWEST, "reward": LARGEST, "deadline": SMALLEST}
_COLUMNS = {"recent": "id", "reward": "amount", "deadline": "deadline"}


async def get(tx: Tx, job_id: str) -> JobRow | None:
    """The job with this id."""
    row = await tx.one("jobs.get", job_id=job_id)
    return JobRow(*row) if row else None


async def held(tx: Tx, job_id: str) -> JobRow | None:
    """The job with this id, locked."""
    row = await tx.held("jobs.held", job_id=job_id)
    return JobRow(*row) if row else None


async def life(tx: Tx, job: JobRow) -> JobHistory:
    """A job with its history. Lock it to change that."""
    rows = await tx.all("jobs.life", job_id=job.id)
    events: dict[int, JobEventRow] = {}
    submissions: list[SubmissionRow] = []
    added: list[AdditionRow] = []
    for position, subject, agent_id, at, body, artifacts in rows:
        if position is not None:
            events[position] = JobEventRow(subject, agent_id, at)
        elif subject is not None:
            submissions.append(SubmissionRow(subject, job.id, agent_id, body, artifacts, at))
        else:
            added.append(AdditionRow(at, body))
    order = list(map(events.__getitem__, sorted(events)))
    return JobHistory(job, sorted(submissions), order, sorted(added))


async def insert(tx: Tx, row: JobRow) -> JobHistory:
    """Store a new, open job with its tags and its first event."""
    await tx.put("jobs.insert", **asdict(row), job_id=row.id, now=tx.now)
    for tag in json_texts(row.tags):
        tx.defer(
            "jobs.insert_tags", tag=tag, job_id=row.id, amount=row.amount, deadline=row.deadline
        )
    event = JobEventRow("created", row.creator_id, tx.now)
    await _add_event(tx, row.id, event)
    return JobHistory(row, [], [event])


def _add_event(tx: Tx, job_id: str, event: JobEventRow) -> Awaitable[None]:
    name, agent_id, at = event.event, event.agent_id, event.at
    return tx.put("jobs.add_event", job_id=job_id, event=name, agent_id=agent_id, at=at)


async def page(tx: Tx, only: JobFilter, order: str, part: PagePart) -> list[JobRow]:
    """Jobs by `recent`, `reward` (largest first) or `deadline` (next first).

    Refunds that are due count as booked.
    """
    scope, value = only.scope()
    values: dict[str, Value] = {"now": tx.now, **part.values(_ENDS[order])}
    # A job that is due has its new status in no index yet, and is found by when it is due.
    if scope == "status" and value in _BY_ITSELF:
        statement = f"jobs.state_{order}"
        values["status"] = value
    else:
        statement = f"jobs.list_{scope}_{order}"
        values |= only._asdict() | {"scope": value, "tag": None if scope == "tag" else only.tag}
    return [JobRow(*row) for row in await tx.all(statement, **values)]


async def page_end(
    tx: Tx, only: JobFilter, order: str, after: RowPosition | None
) -> RowPosition | None:
    """The last place that a page after `after` reads; None if nothing ends it. There is no index of
    a tag and a status, so each job with the tag is read."""
    scope, value = only.scope()
    if only.status is None or scope != "tag":
        return None
    return await places.page_end(tx, f"jobs.far_tag_{order}", value, _ENDS[order], after)


async def open_samples(tx: Tx, agent_id: str, limit: int) -> list[JobRow]:
    """Open jobs of others that require nothing, the highest reward first."""
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
    """Change a job, which must be locked, and record it. Raises `NotTouched` when its state does
    not allow that."""
    job = replace(life.job, **changed)
    due = job.due
    due_at = due.at if due else None
    if due_at != job.due_at:
        job = replace(job, due_at=due_at)
    due_to = rules.TRANSITIONS[STATUSES[job.status], due.event] if due else None
    when: dict[str, Value] = {"due_at": job.due_at, "due_to": due_to}
    await tx.put(f"jobs.{change}", job_id=job.id, now=tx.now, **when, **values)
    if due and due.at != life.job.due_at:  # the sweep finds it by this time
        await tx.put("holds.move", subject_id=job.id, at=due.at)
    await _add_event(tx, job.id, event)
    records.add(tx, _counts(life.job, job, event.event, event.at, event.agent_id))
    return JobHistory(job, life.submissions, [*life.events, event], life.additions)


async def claim(tx: Tx, life: JobHistory, agent_id: str, by: str | None = None) -> JobHistory:
    """Give an open job to its claimer, whom another agent may have chosen."""
    changed: dict[str, Any] = {
        "claimer_id": agent_id,
        "claim_expires_at": life.job.promised.claim_ends(tx.now),
    }
    more: dict[str, Any] = {"status": JobStatus.CLAIMED, "claimed_at": tx.now}
    event = JobEventRow("claimed", by or agent_id, tx.now)
    return await _change(tx, "claim", life, event, changed, **changed, **more)


async def submit(tx: Tx, life: JobHistory, submission: SubmissionRow, waits: int) -> JobHistory:
    """Note that a submission, which is stored beside the job, waits for a decision, for so many ms
    more than promised."""
    job = life.job
    decide_by = job.promised.decide_by(tx.now + waits)
    work = [*life.submissions, submission]
    return await _change(
        tx,
        "submit",
        JobHistory(job, work, life.events, life.additions),
        JobEventRow("submitted", submission.agent_id, tx.now),
        {"was": job.status, "submission_id": submission.id, "decide_by": decide_by},
        status=JobStatus.SUBMITTED,
        submission_count=job.submission_count + 1,
        latest_submission_id=submission.id,
        submitted_at=tx.now,
        claim_expires_at=None,
        decide_by=decide_by,
    )


async def complete(tx: Tx, life: JobHistory) -> JobHistory:
    """The creator accepts."""
    event = JobEventRow("accepted", life.job.creator_id, tx.now)
    changed = {"status": JobStatus.COMPLETED, "decided_at": tx.now}
    return await _change(tx, "complete", life, event, {}, **changed)


async def reject(
    tx: Tx, life: JobHistory, status: JobStatus, reason: str, message: str | None
) -> JobHistory:
    """The creator rejects. After the first rejection the claimer has as long again as after the
    claim."""
    is_last = status is JobStatus.REJECTED_TERMINAL
    changed: dict[str, Any] = {
        "status": status,
        "decided_at": tx.now if is_last else None,
        "claim_expires_at": None if is_last else life.job.promised.claim_ends(tx.now),
    }
    return await _change(
        tx,
        "reject",
        life,
        JobEventRow("rejected", life.job.creator_id, tx.now),
        {"reason": reason, "message": message, **changed},
        **changed,
        reject_count=life.job.reject_count + 1,
        last_reject_reason=reason,
        last_reject_message=message,
        decide_by=None,
    )


async def step(tx: Tx, life: JobHistory, due: Due, by: str | None = None) -> JobHistory:
    """Make a change that an agent or a deadline causes, see `followed`. The job must be locked."""
    was, changed = life.job, followed(life.job, due)
    if by is not None and due.event is JobEvent.CANCEL:
        changed["cancelled"] = 1
    job = replace(was, **changed)
    columns = ("status", "claimer_id", "claimed_at", "claim_expires_at", "decided_at")
    more = ("expired_from", "accepted_by", "cancelled")
    values: dict[str, Value] = {name: getattr(job, name) for name in (*columns, *more)}
    event = JobEventRow(_NOTED[due.event], by, due.at)
    return await _change(tx, "step", life, event, {"was": was.status, **values}, **changed)


async def raise_reward(tx: Tx, life: JobHistory, amount: int) -> JobHistory:
    """The creator raises the reward, in hundredths."""
    job = life.job
    event = JobEventRow("raised", job.creator_id, tx.now)
    values: dict[str, Value] = {"was": job.status, "amount": amount}
    raised = await _change(tx, "raise", life, event, values, amount=amount)
    await tx.put("jobs.raise_tags", 0, tags=job.tags, job_id=job.id, amount=amount)
    for listed in ("offer", "terms"):
        await tx.put(f"jobs.raise_{listed}", 0, job_id=job.id, amount=amount)
    return raised


async def extend(tx: Tx, life: JobHistory, deadline: int) -> JobHistory:
    """The creator extends the deadline until then (ms)."""
    job = life.job
    event = JobEventRow("extended", job.creator_id, tx.now)
    values: dict[str, Value] = {"was": job.status, "deadline": deadline}
    extended = await _change(tx, "extend", life, event, values, deadline=deadline)
    await tx.put("jobs.extend_tags", 0, tags=job.tags, job_id=job.id, deadline=deadline)
    await tx.put("jobs.extend_offer", 0, job_id=job.id, deadline=deadline)
    return extended


async def add_released(tx: Tx, job: JobRow, step: Due, by: str, *, abandoned: bool) -> None:
    """Note that the claim of a job ended without a decision, and whether that counts against its
    worker."""
    await tx.put(
        "jobs.add_released",
        job_id=job.id,
        agent_id=job.claimer_id,
        claimed_at=job.claimed_at,
        at=step.at,
        by=by,
        abandoned=int(abandoned),
    )


async def has_released(tx: Tx, job_id: str, agent_id: str) -> bool:
    """Whether an agent gave a claim of this job back, or lost it."""
    return await tx.one("jobs.released", job_id=job_id, agent_id=agent_id) is not None


async def released_among(tx: Tx, agent_id: str, job_ids: Sequence[str]) -> set[str]:
    """Those of these jobs whose claim an agent gave back or lost."""
    if not job_ids:
        return set()
    rows = await tx.all("jobs.released_among", agent_id=agent_id, job_ids=as_json(job_ids))
    return {row[0] for row in rows}


async def unfinished_of(tx: Tx, agent_id: str) -> list[JobRow]:
    """The jobs that an agent offered or claimed and whose end is not booked."""
    rows = await tx.all("jobs.unfinished_of", agent_id=agent_id)
    return [JobRow(*row) for row in rows]


async def count_claimed(tx: Tx, agent_id: str) -> tuple[int, int]:
    """How many undecided jobs an agent has claimed, and the first deadline of these (ms) or 0."""
    number, first = await one_row(tx, "jobs.count_claimed", agent_id=agent_id, now=tx.now)
    return number, first or 0


async def titles(tx: Tx, job_ids: list[str]) -> dict[str, str]:
    """The titles of those of these jobs that are not hidden, by id."""
    rows = await tx.all("jobs.titles", job_ids=as_json(job_ids))
    return {row[0]: row[1] for row in rows}


async def many(tx: Tx, job_ids: list[str]) -> dict[str, JobRow]:
    """The jobs with these ids, by id."""
    rows = await tx.all("jobs.many", job_ids=as_json(job_ids)) if job_ids else []
    return {row[0]: JobRow(*row) for row in rows}


async def changed(tx: Tx, job_ids: list[str]) -> dict[str, int]:
    """When (ms) each of these jobs last changed, by id."""
    rows = await tx.all("jobs.changed", job_ids=as_json(job_ids)) if job_ids else []
    return {row[0]: row[1] for row in rows}


async def submission_texts(tx: Tx, submission_ids: list[str]) -> dict[str, str]:
    """The bodies of these submissions, by id."""
    rows = await tx.all("jobs.submission_texts", ids=as_json(submission_ids))
    return {row[0]: row[1] for row in rows}
