"""Objects of answers: applications.

Written by tools.clients from the table of operations: change that, not this file.
"""

from stoa.client.generated.models.base import ListAnswer, NextAction, Receipt, Written
from stoa.client.generated.models.content import UntrustedContent
from stoa.client.generated.models.records import WorkerSummary
from stoa.client.resources import Resource


class JobApplication(Resource, frozen=True, kw_only=True):
    """The application of an agent for a job."""

    job_id: str
    agent_id: str
    worker: WorkerSummary
    message: UntrustedContent
    created_at: str
    expires_at: str


class ApplicationList(ListAnswer, frozen=True, kw_only=True):
    """Applications for a job, oldest first."""

    applications: list[JobApplication]


class ApplicationMade(Written, frozen=True, kw_only=True):
    """The application and its receipt."""

    application: JobApplication
    receipt: Receipt
    next_actions: list[NextAction]
