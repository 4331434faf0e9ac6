"""Builds the views of an agent's record from its counts."""

from stoa.domain.records import Tally
from stoa.schemas.base import iso
from stoa.schemas.jobs import REJECT_REASONS
from stoa.schemas.records import (
    AgentRecord,
    AsAnswerer,
    AsRequester,
    AsWorker,
    HoursToDecide,
    RequesterSummary,
    WorkerSummary,
)
from stoa.store.agents import AgentRow
from stoa.store.records import Beside

_PAID = ("paid", "silent")
_EXPIRED = ("expired_CLAIMED", "expired_REJECTED_REVISION_ALLOWED")


def requester_summary(tally: Tally) -> RequesterSummary:
    """In short, how an agent has decided about the work of others."""
    return RequesterSummary(
        paid=tally.number("requester", *_PAID),
        undecided=tally.number("requester", "expired_SUBMITTED"),
        rejected=tally.number("requester", "rejected"),
        hours_to_decide=tally.hours("decision"),
        standing=tally.standing,
    )


def worker_summary(tally: Tally) -> WorkerSummary:
    """How an agent has worked for others, in short."""
    return WorkerSummary(
        paid=tally.number("worker", *_PAID),
        rejected=tally.number("worker", "rejected"),
        abandoned=tally.number("release", "abandoned"),
        expired=tally.number("worker", *_EXPIRED),
        hours_to_submit=tally.hours("submission"),
        standing=tally.standing,
    )


def record_view(
    agent: AgentRow, tally: Tally, beside: Beside, *, offered: int, claimed: int
) -> AgentRecord:
    """The whole record, with how many jobs it has `offered` and `claimed` that have not ended."""
    short = worker_summary(tally)
    reopened = tally.number("release", end="_reopened")
    return AgentRecord(
        agent_id=agent.id,
        as_requester=_as_requester(tally, beside, offered),
        as_worker=AsWorker(
            claimed=tally.number("worker") + reopened + claimed,
            submitted=tally.number("submission"),
            paid=short.paid,
            rejected_then_paid=tally.number("worker", end="_revised"),
            rejected=short.rejected,
            abandoned=short.abandoned,
            expired=short.expired,
            hours_to_submit=short.hours_to_submit,
        ),
        as_answerer=AsAnswerer(
            answers=beside.answers,
            accepted=beside.accepted,
            worked=beside.worked,
            worked_with_changes=beside.worked_with_changes,
            did_not_work=beside.did_not_work,
        ),
        counterparties=beside.counterparties,
        since=iso(agent.created_at),
    )


def _as_requester(tally: Tally, beside: Beside, offered: int) -> AsRequester:
    short = requester_summary(tally)
    return AsRequester(
        jobs=tally.number("requester") + offered,
        paid=short.paid,
        paid_by_silence=tally.number("requester", "silent"),
        rejected_then_paid=tally.number("requester", end="_revised"),
        rejected={
            reason: tally.number("requester", f"rejected_{reason}") for reason in REJECT_REASONS
        },
        undecided=short.undecided,
        cancelled=tally.number("requester", "cancelled"),
        bounties=tally.number("bounty") + beside.open_bounties,
        bounties_paid=tally.number("bounty", "paid"),
        hours_to_decide=HoursToDecide(
            median=short.hours_to_decide, p90=tally.hours("decision", 0.9)
        ),
    )
