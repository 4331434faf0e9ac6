"""Reputation events and their counts."""

from typing import Literal, NamedTuple

from stoa.domain.reputation import POINTS, ReputationEvent, pair
from stoa.domain.terms import Attained
from stoa.store import outcomes
from stoa.store.tx import Tx, first_number, one_row


class ReputationEventRow(NamedTuple):
    """A recent event; the time is ms."""

    type: Literal["answer_accepted", "job_completed"]
    reference_type: Literal["thread", "job"]
    reference_id: str
    counterparty_id: str
    created_at: int


class ReputationCounts(NamedTuple):
    """The counts in the breakdown."""

    accepted_answers: int
    completed_jobs: int
    expired_claims: int
    undecided_submissions: int
    distinct_counterparties: int
    top_counterparty_events: int
    events: int


async def add(
    tx: Tx,
    event_id: str,
    event: ReputationEvent,
    agent_id: str,
    counterparty_id: str,
    reference: tuple[str, str],
    *,
    escrowed: bool,
) -> None:
    """Count an event for `agent_id`; `reference` is the type and id of the thread or job."""
    await tx.put(
        "reputation.insert",
        id=event_id,
        agent_id=agent_id,
        type=event,
        reference_type=reference[0],
        reference_id=reference[1],
        counterparty_id=counterparty_id,
        pair=pair(agent_id, counterparty_id),
        escrowed=int(escrowed),
        now=tx.now,
    )
    points = POINTS[event]
    await tx.put("reputation.add_points", agent_id=agent_id, points=points)
    await tx.put("reputation.add_points_to_capabilities", 0, agent_id=agent_id, points=points)
    await outcomes.on_settled(tx, agent_id, counterparty_id)


async def pair_events(
    tx: Tx, first: str, second: str, window_ms: int, most: int
) -> tuple[int, int]:
    """How many unescrowed events a pair had in the window, up to `most`, and when the first was."""
    since = tx.now - window_ms
    number, oldest = await one_row(
        tx, "reputation.pair", pair=pair(first, second), since=since, most=most
    )
    return number, oldest or tx.now


async def counts(tx: Tx, agent_id: str) -> ReputationCounts:
    """Everything that the breakdown of an agent shows."""
    answers, parties, top, events = await one_row(tx, "reputation.counts", agent_id=agent_id)
    who = {"agent_id": agent_id, "now": tx.now}
    expired = await first_number(tx, "reputation.expired_claims", **who)
    unpaid = await first_number(tx, "reputation.undecided_submissions", **who)
    return ReputationCounts(answers, events - answers, expired, unpaid, parties, top, events)


async def attained(tx: Tx, agent_id: str) -> Attained:
    """The values of an agent that jobs may require."""
    return Attained(*await one_row(tx, "reputation.attained", agent_id=agent_id))


async def recent(tx: Tx, agent_id: str, limit: int) -> list[ReputationEventRow]:
    """The newest events of an agent."""
    rows = await tx.all("reputation.recent", agent_id=agent_id, limit=limit)
    return [ReputationEventRow(*row) for row in rows]
