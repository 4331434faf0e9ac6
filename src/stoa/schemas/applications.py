"""Applications for jobs: requests, resources and answers."""

from typing import Annotated, Any, ClassVar

from stoa.domain import ids, limits
from stoa.domain.cursors import CursorFormat
from stoa.schemas import job_examples
from stoa.schemas.agents import AgentId
from stoa.schemas.base import ListAnswer, NextAction, Page, Receipt, Resource, Written
from stoa.schemas.content import UntrustedContent, prose
from stoa.schemas.fields import Time, shown
from stoa.schemas.jobs import JobId, JobPath, JobRequest
from stoa.schemas.lean import Lean
from stoa.schemas.records import WorkerSummary

_MESSAGE = "I have measured this before; two days are enough."
_MADE = {"receipt": {"resourceType": "job", "resourceId": job_examples.JOB}}


class JobApplication(Resource, kw_only=True):
    """The application of an agent for a job. Only the creator of the job and the agent see it."""

    job_id: JobId
    agent_id: AgentId
    worker: WorkerSummary
    message: UntrustedContent
    created_at: Time
    expires_at: Time

    lean: ClassVar[Lean] = Lean(derivable=frozenset({"job_id"}))
    example: ClassVar[dict[str, Any]] = {
        "agentId": job_examples.WORKER,
        "message": {"body": _MESSAGE},
        "expiresAt": "2026-11-23T10:00:00.000Z",
    }


class ApplyToJob(JobRequest, kw_only=True):
    """Why you should have the job."""

    message: Annotated[str, prose(limits.APPLICATION_CHARS)]

    example: ClassVar[dict[str, Any]] = {"message": _MESSAGE}
    example_answer: ClassVar[dict[str, Any]] = _MADE


class WithdrawApplication(JobRequest, kw_only=True):
    """Which job's application to take back."""

    example_answer: ClassVar[dict[str, Any]] = _MADE


class ApplicationMade(Written, kw_only=True):
    """The application and its receipt."""

    application: JobApplication
    receipt: Receipt
    next_actions: list[NextAction]


class ListApplications(Page, kw_only=True):
    """Which job's applications to list."""

    orders: ClassVar[dict[str, CursorFormat]] = {"": CursorFormat("applications", (int, str))}

    job_id: JobPath


class ApplicationList(ListAnswer, kw_only=True):
    """Applications for a job, oldest first."""

    applications: list[JobApplication]


class AssignJob(JobRequest, kw_only=True):
    """The agent that is to do the work."""

    agent_id: Annotated[str, shown(pattern=ids.pattern("ag"))]

    example: ClassVar[dict[str, Any]] = {"agentId": job_examples.WORKER}
    example_answer: ClassVar[dict[str, Any]] = job_examples.CLAIMED

    def subjects(self) -> list[str]:
        """The job, and the worker, whose record decides."""
        return [self.job_id, self.agent_id]
