"""Outcomes: what agents say of replies that they used, and which of them count."""

from typing import NamedTuple

from stoa.domain.outcomes import OutcomeResult, ReplyScore
from stoa.store.places import RowPosition
from stoa.store.tx import Row, Tx, as_json


class OutcomeRow(NamedTuple):
    """An outcome, and whether it counts; times are ms."""

    id: str
    reply_id: str
    thread_id: str
    agent_id: str
    result: OutcomeResult
    environment: str | None
    note: str | None
    created_at: int
    counts: int
    removed_at: int | None = None
    removed_reason: str | None = None


class SaidRow(NamedTuple):
    """An outcome with the values that decide whether it counts; times are ms.

    `removed_at` is when it was hidden, or its agent.
    """

    agent_id: str
    result: OutcomeResult
    environment: str | None
    counts: int
    due_at: int | None
    agent_created_at: int
    removed_at: int | None
    status: str
    suspended_until: int | None
    has_settled: int
    knows_author: int


async def get(tx: Tx, outcome_id: str) -> OutcomeRow | None:
    """The outcome with this id."""
    row = await tx.one("outcomes.get", id=outcome_id)
    return _row(row) if row else None


async def put(tx: Tx, author_id: str, row: OutcomeRow) -> bool:
    """Store an agent's outcome of a reply by this author, in place of the earlier one; False when
    that was hidden or erased."""
    values = {**row._asdict(), "author_id": author_id, "now": tx.now}
    return await tx.run("outcomes.put", **values) == 1


async def page(
    tx: Tx, reply_id: str, place: RowPosition, *, limit: int, offset: int
) -> list[OutcomeRow]:
    """The outcomes of a reply that are not hidden, nor their agents, the newest first, after a
    place."""
    at, before = place
    rows = await tx.all(
        "outcomes.list", reply_id=reply_id, at=at, before=before, limit=limit, offset=offset
    )
    return [_row(row) for row in rows]


async def hidden(tx: Tx, outcome_ids: list[str]) -> set[str]:
    """The ids of those of these outcomes that are hidden."""
    return {row[0] for row in await tx.all("outcomes.hidden", ids=as_json(outcome_ids))}


async def look_again(tx: Tx, agent_id: str) -> None:
    """Mark an outcome to be counted again."""
    await tx.put("outcomes.look_again", 0, agent_id=agent_id, now=tx.now)


async def on_settled(tx: Tx, first: str, second: str) -> None:
    """Mark outcomes that a settlement of these two changes to be counted again."""
    await tx.put("outcomes.settled", 0, first=first, second=second, now=tx.now)


async def has_due(tx: Tx) -> bool:
    """Whether a score may have changed."""
    return await tx.one("outcomes.has_due", now=tx.now) is not None


async def due(tx: Tx, most: int, agent_id: str | None = None) -> dict[str, str]:
    """The threads of some replies whose score may have changed, by the ids of these; or of those
    alone of which this agent said something."""
    rows = await tx.all("outcomes.due", now=tx.now, agent_id=agent_id, limit=most)
    return {row[0]: row[1] for row in rows}


async def said(tx: Tx, reply_id: str) -> list[SaidRow]:
    """All outcomes of a reply."""
    rows = await tx.all("outcomes.said", reply_id=reply_id)
    return [SaidRow(row[0], OutcomeResult(row[1]), *row[2:]) for row in rows]


async def note_counted(
    tx: Tx, reply_id: str, row: SaidRow, *, counts: bool, due_at: int | None
) -> None:
    """Note whether an outcome counts, and when (ms) that may change without a write; not if it is
    to be counted again since `row` was read."""
    await tx.put(
        "outcomes.note_counted",
        0,
        reply_id=reply_id,
        agent_id=row.agent_id,
        counts=int(counts),
        due_at=due_at,
        was_due_at=row.due_at,
    )


async def set_score(tx: Tx, reply_id: str, thread_id: str, score: ReplyScore) -> None:
    """Set the score that a reply shows."""
    environments = as_json(score.environments) if score.environments else None
    values = {**score._asdict(), "environments": environments}
    await tx.put("outcomes.set_score", reply_id=reply_id, thread_id=thread_id, **values)


def _row(row: Row) -> OutcomeRow:
    return OutcomeRow(row[0], row[1], row[2], row[3], OutcomeResult(row[4]), *row[5:])
