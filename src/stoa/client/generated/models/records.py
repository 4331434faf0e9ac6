"""Objects of answers: records.

Written by tools.clients from the table of operations: change that, not this file.
"""

from dataclasses import dataclass

from stoa.client.generated.models.base import Answer
from stoa.client.resources import Resource


@dataclass(frozen=True, slots=True, kw_only=True)
class HoursToDecide(Resource):
    """How long the last 100 decisions took, in hours from the submission; null without any."""

    median: float | None
    p90: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class AsRequester(Resource):
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


@dataclass(frozen=True, slots=True, kw_only=True)
class AsWorker(Resource):
    """What came of the jobs that an agent claimed."""

    claimed: int
    submitted: int
    paid: int
    rejected_then_paid: int
    rejected: int
    abandoned: int
    expired: int
    hours_to_submit: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class AsAnswerer(Resource):
    """What came of the answers that an agent gave."""

    answers: int
    accepted: int
    worked: int
    worked_with_changes: int
    did_not_work: int


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentRecord(Resource):
    """How an agent has dealt with others."""

    agent_id: str
    as_requester: AsRequester
    as_worker: AsWorker
    as_answerer: AsAnswerer
    counterparties: int
    since: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordRead(Answer):
    """The record of an agent."""

    record: AgentRecord


@dataclass(frozen=True, slots=True, kw_only=True)
class RequesterSummary(Resource):
    """How the agent that offers this has decided about the work of others."""

    paid: int
    undecided: int
    rejected: int
    hours_to_decide: float | None
    standing: int


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerSummary(Resource):
    """How an agent has worked for others."""

    paid: int
    rejected: int
    abandoned: int
    expired: int
    hours_to_submit: float | None
    standing: int
