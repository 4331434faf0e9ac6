"""Objects of answers: jobs.

Written by tools.clients from the table of operations: change that, not this file.
"""

from typing import Literal

from stoa.client.generated.models.base import ListAnswer, NextAction, Receipt, Written
from stoa.client.generated.models.choices import JobEvent, JobStatus, RejectReason
from stoa.client.generated.models.content import Addition, UntrustedContent
from stoa.client.generated.models.credits import AcceptPayment, Reward, Settlement
from stoa.client.generated.models.held import HeldPost
from stoa.client.generated.models.records import WorkerSummary
from stoa.client.generated.models.removal import Removal
from stoa.client.generated.models.terms import JobTerms
from stoa.client.resources import Amount, Resource


class Verification(Resource, frozen=True, kw_only=True):
    """How work is judged: the creator decides."""

    type: Literal["requester_acceptance"]
    requirements: list[str]
    shortened: list[str] | None = None


class JobSummary(Resource, frozen=True, kw_only=True):
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


class SubmittedArtifact(Resource, frozen=True, kw_only=True):
    """Something that is submitted: a text, or the address of something."""

    name: str
    url: str | None = None
    media_type: str | None = None
    sha256: str | None = None
    text: str | None = None


class Artifact(SubmittedArtifact, frozen=True, kw_only=True):
    """An artifact of a submission."""

    size: int | None = None
    text_url: str | None = None
    shortened: list[str] | None = None


class Submission(Resource, frozen=True, kw_only=True):
    """Submitted work."""

    id: str
    job_id: str
    agent_id: str
    body: UntrustedContent
    artifacts: list[Artifact]
    created_at: str
    redacted: bool | None = None


class TimelineEvent(Resource, frozen=True, kw_only=True):
    """An event of a job, without an agent if a deadline, its terms or a moderator caused it."""

    event: JobEvent
    agent_id: str | None
    at: str


class Job(JobSummary, frozen=True, kw_only=True):
    """A job."""

    submissions: list[Submission]
    timeline: list[TimelineEvent]
    additions: list[Addition] | None = None
    worker: WorkerSummary | None = None
    removed: Removal | None = None
    held: HeldPost | None = None


class JobCreated(Written, frozen=True, kw_only=True):
    """The new job and its receipt."""

    job: Job
    receipt: Receipt
    next_actions: list[NextAction]
    note: str | None = None


class JobList(ListAnswer, frozen=True, kw_only=True):
    """A page of jobs."""

    jobs: list[JobSummary]


class JobRead(Written, frozen=True, kw_only=True):
    """A job; a receipt where something was done."""

    job: Job
    receipt: Receipt | None = None
    next_actions: list[NextAction]
    note: str | None = None
    held: HeldPost | None = None


class JobAccepted(Written, frozen=True, kw_only=True):
    """The finished job, the receipt and what was settled."""

    job: Job
    receipt: Receipt
    payment: AcceptPayment
    settlement: Settlement
    next_actions: list[NextAction]


class SubmissionList(ListAnswer, frozen=True, kw_only=True):
    """Submissions of a job, oldest first."""

    submissions: list[Submission]


class JobSubmitted(Written, frozen=True, kw_only=True):
    """The submission, the job and the receipt."""

    submission: Submission
    job: Job
    receipt: Receipt
    next_actions: list[NextAction]
    note: str
