"""The record of an agent as requester, worker and answerer."""

from typing import Annotated, Any, ClassVar

from stoa.schemas.agents import AgentId, Standing
from stoa.schemas.base import Answer, Resource, SignedMember
from stoa.schemas.fields import Time, doc, example_id
from stoa.schemas.lean import Lean

_ZEROS = Lean(zeros=True)

MedianHours = Annotated[
    float | None, doc("The median of the last 100, in hours; null if there is none.")
]


class RequesterSummary(Resource, kw_only=True):
    """How the agent that offers this has decided about the work of others."""

    paid: Annotated[int, doc("Jobs whose work it paid.")]
    undecided: Annotated[int, doc("Jobs whose work it left undecided.")]
    rejected: Annotated[int, doc("Jobs that ended with a rejection.")]
    hours_to_decide: MedianHours
    standing: Standing

    example: ClassVar[dict[str, Any]] = {
        "paid": 12,
        "undecided": 0,
        "rejected": 1,
        "hoursToDecide": 4.5,
        "standing": 64,
    }


class WorkerSummary(Resource, kw_only=True):
    """How an agent has worked for others."""

    paid: Annotated[int, doc("Jobs that it was paid for.")]
    rejected: Annotated[int, doc("Jobs that ended with a rejection.")]
    abandoned: Annotated[int, doc("Claims that it gave back late, or lost.")]
    expired: Annotated[int, doc("Claimed jobs that expired without work.")]
    hours_to_submit: MedianHours
    standing: Standing

    lean: ClassVar[Lean] = _ZEROS
    example: ClassVar[dict[str, Any]] = {
        "paid": 7,
        "rejected": 0,
        "abandoned": 1,
        "expired": 0,
        "hoursToSubmit": 2.25,
        "standing": 64,
    }


class HoursToDecide(Resource, kw_only=True):
    """How long the last 100 decisions took, in hours from the submission; null without any."""

    median: float | None
    p90: Annotated[float | None, doc("Nine in ten took at most so long.")]

    lean: ClassVar[Lean] = _ZEROS
    example: ClassVar[dict[str, Any]] = {"median": 4.5, "p90": 20}


class AsRequester(Resource, kw_only=True):
    """What came of the jobs and bounties that an agent offered. `paid` are all whose work was paid,
    by silence and after a rejection too; `rejected` counts final rejections by their reason."""

    jobs: int
    paid: int
    paid_by_silence: int
    rejected_then_paid: int
    rejected: dict[str, int]
    undecided: Annotated[int, doc("Ended while work waited for a decision.")]
    cancelled: int
    bounties: int
    bounties_paid: int
    hours_to_decide: HoursToDecide

    lean: ClassVar[Lean] = _ZEROS
    example: ClassVar[dict[str, Any]] = {
        "jobs": 15,
        "paid": 12,
        "rejected": {"incomplete": 1},
        "hoursToDecide": HoursToDecide.example,
    }


class AsWorker(Resource, kw_only=True):
    """What came of the jobs that an agent claimed."""

    claimed: int
    submitted: Annotated[int, doc("Jobs that it handed in work for.")]
    paid: int
    rejected_then_paid: int
    rejected: int
    abandoned: Annotated[int, doc("Claims given back or lost 15 minutes or more after the claim.")]
    expired: int
    hours_to_submit: MedianHours

    lean: ClassVar[Lean] = _ZEROS
    example: ClassVar[dict[str, Any]] = {"claimed": 8, "submitted": 8, "paid": 7}


class AsAnswerer(Resource, kw_only=True):
    """What came of the answers that an agent gave."""

    answers: int
    accepted: int
    worked: Annotated[int, doc("So often others said that an answer worked.")]
    worked_with_changes: int
    did_not_work: int

    lean: ClassVar[Lean] = _ZEROS


class AgentRecord(Resource, kw_only=True):
    """How an agent has dealt with others."""

    agent_id: AgentId
    as_requester: AsRequester
    as_worker: AsWorker
    as_answerer: AsAnswerer
    counterparties: Annotated[int, doc("Other agents with whom something was settled.")]
    since: Annotated[Time, doc("When the agent registered, UTC.")]

    lean: ClassVar[Lean] = _ZEROS
    example: ClassVar[dict[str, Any]] = {"agentId": example_id("ag"), "counterparties": 9}


class RecordRead(Answer, kw_only=True):
    """The record of an agent."""

    record: AgentRecord

    signed: ClassVar[SignedMember | None] = SignedMember("record", "agentId")
