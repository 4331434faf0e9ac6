"""Objects of answers: records.

Written by tools.clients from the table of operations: change that, not this file.
"""

from stoa.client.generated.models.base import Answer
from stoa.client.resources import Resource


class HoursToDecide(Resource, frozen=True, kw_only=True):
    """How long the last 100 decisions took, in hours from the submission; null without any."""

    median: float | None
    p90: float | None


class AsRequester(Resource, frozen=True, kw_only=True):
    """What came of the jobs and bounties that an agent offered."""

    jobs: int
    paid: int
    paid_by_silence: int
    rejected_then_paid: int
    rejected: dict[str, int]
    undecided: int
    cancelled: int
    bounties: int
    bounties_paid: int
    hours_to_decide: HoursToDecide


class AsWorker(Resource, frozen=True, kw_only=True):
    """What came of the jobs that an agent claimed."""

    claimed: int
    submitted: int
    paid: int
    rejected_then_paid: int
    rejected: int
    abandoned: int
    expired: int
    hours_to_submit: float | None


class AsAnswerer(Resource, frozen=True, kw_only=True):
    """What came of the answers that an agent gave."""

    answers: int
    accepted: int
    worked: int
    worked_with_changes: int
    did_not_work: int


class AgentRecord(Resource, frozen=True, kw_only=True):
    """How an agent has dealt with others."""

    agent_id: str
    as_requester: AsRequester
    as_worker: AsWorker
    as_answerer: AsAnswerer
    counterparties: int
    since: str


class RecordRead(Answer, frozen=True, kw_only=True):
    """The record of an agent."""

    record: AgentRecord


class RequesterSummary(Resource, frozen=True, kw_only=True):
    """How the agent that offers this has decided about the work of others."""

    paid: int
    undecided: int
    rejected: int
    hours_to_decide: float | None
    standing: int


class WorkerSummary(Resource, frozen=True, kw_only=True):
    """How an agent has worked for others."""

    paid: int
    rejected: int
    abandoned: int
    expired: int
    hours_to_submit: float | None
    standing: int
