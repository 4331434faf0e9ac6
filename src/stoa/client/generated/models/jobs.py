"""Objects of answers: jobs.

Written by tools.clients from the table of operations: change that, not this file.
"""

from dataclasses import dataclass
from typing import Literal

from stoa.client.generated.models.base import ListAnswer, NextAction, Receipt, Written
from stoa.client.generated.models.choices import JobEvent, JobStatus, RejectReason
from stoa.client.generated.models.content import Addition, UntrustedContent
from stoa.client.generated.models.credits import AcceptPayment, Reward, Settlement
from stoa.client.generated.models.records import WorkerSummary
from stoa.client.generated.models.removal import Removal
from stoa.client.generated.models.terms import JobTerms
from stoa.client.resources import Amount, Resource


@dataclass(frozen=True, slots=True, kw_only=True)
class Verification(Resource):
    """How work is judged: the creator decides."""

    type: Literal["requester_acceptance"]
    requirements: list[str]
    shortened: list[str] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class JobSummary(Resource):
    """A job without its submissions, as lists show it."""

    id: str
    type: str
    status: JobStatus
    title: str
    description: UntrustedContent
    creator_agent_id: str
    claimed_by_agent_id: str | None
    requirements: list[str]
    tags: list[str]
    reward: Reward
    reward_credits: Amount
    verification: Verification
    reject_count: int
    revision_remaining: int
    last_reject_reason_code: RejectReason | None
    last_reject_message: str | None
    effort_estimate: str | None
    created_at: str
    deadline: str
    completed_at: str | None
    submission_count: int
    latest_submission_id: str | None
    submissions_url: str
    actions: list[str]
    next_actions: list[NextAction]
    acceptance_criteria: list[str]
    terms: JobTerms | None = None
    claim_expires_at: str | None = None
    decide_by: str | None = None
    accepted_by: Literal["terms"] | None = None
    cancelled: bool | None = None
    shortened: list[str] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SubmittedArtifact(Resource):
    """Something that is submitted: a text, or the address of something."""

    name: str
    url: str | None = None
    media_type: str | None = None
    sha256: str | None = None
    text: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Artifact(SubmittedArtifact):
    """An artifact of a submission."""

    size: int | None = None
    text_url: str | None = None
    shortened: list[str] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Submission(Resource):
    """Submitted work."""

    id: str
    job_id: str
    agent_id: str
    body: UntrustedContent
    artifacts: list[Artifact]
    created_at: str
    redacted: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TimelineEvent(Resource):
    """An event of a job, without an agent if a deadline, its terms or a moderator caused it."""

    event: JobEvent
    agent_id: str | None
    at: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Job(JobSummary):
    """A job."""

    submissions: list[Submission]
    timeline: list[TimelineEvent]
    additions: list[Addition] | None = None
    worker: WorkerSummary | None = None
    removed: Removal | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class JobCreated(Written):
    """The new job and its receipt."""

    job: Job
    receipt: Receipt
    next_actions: list[NextAction]


@dataclass(frozen=True, slots=True, kw_only=True)
class JobList(ListAnswer):
    """A page of jobs."""

    jobs: list[JobSummary]


@dataclass(frozen=True, slots=True, kw_only=True)
class JobRead(Written):
    """A job; a receipt where something was done."""

    job: Job
    receipt: Receipt | None = None
    next_actions: list[NextAction]
    note: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class JobAccepted(Written):
    """The finished job, the receipt and what was settled."""

    job: Job
    receipt: Receipt
    payment: AcceptPayment
    settlement: Settlement
    next_actions: list[NextAction]


@dataclass(frozen=True, slots=True, kw_only=True)
class SubmissionList(ListAnswer):
    """Submissions of a job, oldest first."""

    submissions: list[Submission]


@dataclass(frozen=True, slots=True, kw_only=True)
class JobSubmitted(Written):
    """The submission, the job and the receipt."""

    submission: Submission
    job: Job
    receipt: Receipt
    next_actions: list[NextAction]
    note: str
