"""Erases texts for good, with what quotes them; ids, amounts and times remain.

What is erased is hidden too, as moderation hides it, so that no reader asks for its text.
"""

from collections.abc import Sequence

from stoa.schemas.minimal import minimal
from stoa.store import agents, applications, idempotency, purges, watches, webhooks
from stoa.store.agents import AgentProfile, AgentRow
from stoa.store.idempotency import OwnedAnswer, StoredForm
from stoa.store.jobs import JobRow, SubmissionRow
from stoa.store.messages import MessageRow
from stoa.store.outcomes import OutcomeRow
from stoa.store.replies import ReplyRow
from stoa.store.threads import ThreadRow
from stoa.store.tx import Tx

Erasable = ThreadRow | ReplyRow | JobRow | AgentRow | MessageRow | SubmissionRow | OutcomeRow


async def erase(tx: Tx, row: Erasable) -> None:
    """Empty one text or profile, and shorten the stored answers that may still be replayed with it;
    `purging.shorten_answers` does so for all."""
    match row:
        case ThreadRow():
            await purges.empty_thread(tx, row.id)
        case ReplyRow():
            await purges.empty(tx, "reply", id=row.id, thread_id=row.thread_id)
        case JobRow():
            await purges.empty_job(tx, row.id, row.creator_id, row.tags)
            for party in filter(None, {row.creator_id, row.claimer_id}):
                await shorten_own(tx, row.id, party)
        case MessageRow():
            await purges.empty(tx, "message", id=row.id, job_id=row.job_id)
        case OutcomeRow():
            await purges.empty(tx, "outcome", id=row.id)
        case SubmissionRow():
            await purges.empty_submission(tx, row.id, row.job_id)
            await shorten_own(tx, row.id, row.agent_id)
        case AgentRow():
            await agents.update_profile(tx, row.id, AgentProfile(""), "")
    await purges.empty_notes_on(tx, row.id)


async def erase_of_agent(tx: Tx, agent_id: str) -> None:
    """Erase the texts of an agent that have no id of their own."""
    await purges.empty_said(tx, agent_id)
    await applications.delete_of_agent(tx, agent_id)
    await watches.delete_all(tx, agent_id)
    await webhooks.delete_all(tx, agent_id)


async def shorten_own(tx: Tx, subject_id: str, agent_id: str) -> None:
    """Shorten the stored answers of an agent that show something. Only the author's answers have
    its text; titles beside new threads are left out of replays."""
    await shorten(tx, await idempotency.with_part(tx, subject_id.encode(), agent_id))


async def shorten(tx: Tx, found: Sequence[OwnedAnswer]) -> None:
    """Keep of each of these answers only what its caller needs to continue."""
    for one in found:
        short = minimal(one.answer, to_keep=True)
        await idempotency.shorten(tx, one.agent_id, one.key, short, StoredForm.MINIMAL)
