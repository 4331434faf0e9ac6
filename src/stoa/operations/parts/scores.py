"""Counts outcomes of replies, after the calls that report them have ended."""

from stoa.domain import moderation, outcomes
from stoa.domain.outcomes import OutcomeGiven
from stoa.store import outcomes as rows
from stoa.store.outcomes import SaidRow
from stoa.store.tx import Tx

_AT_ONCE = 50
"""How many replies one transaction counts."""

_READ_AT_ONCE = 5_000
"""After so many outcomes a transaction counts no other reply."""


async def recount(
    tx: Tx, *, new_agent_ms: int, most: int = _READ_AT_ONCE, agent_id: str | None = None
) -> bool:
    """Count some of the replies with new outcomes, or whose agents have changed, until `most`
    outcomes are read; or those alone with outcomes of one agent. Whether there were any."""
    due = await rows.due(tx, _AT_ONCE, agent_id)
    await tx.lock("thread", *due.values())
    for reply_id, thread_id in due.items():
        most -= await recount_reply(tx, reply_id, thread_id, new_agent_ms=new_agent_ms)
        if most <= 0:
            break
    return bool(due)


async def recount_reply(tx: Tx, reply_id: str, thread_id: str, *, new_agent_ms: int) -> int:
    """Count the outcomes of a reply, whose thread is locked; returns how many there are."""
    counted: list[OutcomeGiven] = []
    said = await rows.said(tx, reply_id)
    for row in said:
        counts, due_at = _counts(row, tx.now, new_agent_ms)
        if counts:
            counted.append(OutcomeGiven(row.result, row.environment, bool(row.knows_author)))
        if (counts, due_at) != (bool(row.counts), row.due_at):
            await rows.note_counted(tx, reply_id, row, counts=counts, due_at=due_at)
    await rows.set_score(tx, reply_id, thread_id, outcomes.score(counted))
    return len(said)


def _counts(row: SaidRow, now: int, new_agent_ms: int) -> tuple[bool, int | None]:
    """Whether an outcome counts, and when (ms) that changes without a write."""
    if row.removed_at is not None or not row.has_settled:
        return False, None
    if row.status != "active" and not moderation.is_over(row.suspended_until, now):
        return False, row.suspended_until
    old_at = row.agent_created_at + new_agent_ms
    return (True, None) if old_at <= now else (False, old_at)
