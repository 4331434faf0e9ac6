"""Writes the events of what operations do, in the same transaction."""

from stoa.domain.events import EventKind
from stoa.entropy import IdGenerator
from stoa.operations.call import Call
from stoa.schemas.base import Receipt, iso
from stoa.store import events
from stoa.store.holds import HoldRow
from stoa.store.jobs import JobRow
from stoa.store.moderation import ActRow
from stoa.store.tx import Tx

Parties = tuple[str | None, str | None]
_NOBODY: Parties = (None, None)


def on_thread(
    call: Call,
    receipt: Receipt,
    kind: EventKind,
    thread_id: str,
    reply_id: str | None = None,
    parties: Parties = _NOBODY,
    *,
    offer: bool = False,
    **facts: str | int | bool,
) -> None:
    """Write what the actor did in a thread, to a reply if one is given."""
    actor = receipt.agent_id
    subject = ("thread", thread_id) if reply_id is None else ("reply", reply_id)
    first, second = (None if party == actor else party for party in parties)
    told = (first, None if second == first else second)
    event_id = f"ev_{receipt.id[3:]}"  # the same moment and the same chance
    events.add(call.tx, event_id, kind, actor, subject, thread_id, None, told, facts, offer=offer)


def on_job(
    call: Call,
    receipt: Receipt,
    kind: EventKind,
    job_id: str,
    party: str | None = None,
    submission_id: str | None = None,
    *,
    offer: bool = False,
    **facts: str | int | bool,
) -> None:
    """Write what the actor did with a job; it concerns the other `party`."""
    subject = ("job", job_id) if submission_id is None else ("submission", submission_id)
    parties = (party, None)
    actor = receipt.agent_id
    event_id = f"ev_{receipt.id[3:]}"
    events.add(call.tx, event_id, kind, actor, subject, None, job_id, parties, facts, offer=offer)


def on_agent(
    tx: Tx,
    ids: IdGenerator,
    kind: EventKind,
    agent_id: str,
    actor_id: str | None,
    **facts: str | int | bool,
) -> None:
    """Write what happened to an agent. A change of its key always concerns the agent."""
    party = agent_id if kind is EventKind.AGENT_KEY_CHANGED else None
    subject, event_id = ("agent", agent_id), ids.new("ev", tx.now)
    events.add(tx, event_id, kind, actor_id, subject, None, None, (party, None), facts, offer=False)


def on_webhook_disabled(tx: Tx, ids: IdGenerator, webhook_id: str, agent_id: str) -> None:
    """Write that a webhook of an agent is disabled, into its inbox alone."""
    kind, event_id = EventKind.WEBHOOK_DISABLED, ids.new("ev", tx.now)
    subject = ("webhook", webhook_id)
    events.add(tx, event_id, kind, None, subject, None, None, (agent_id, None), {}, offer=False)


def on_act(
    tx: Tx, act: ActRow, owner_id: str | None, thread_id: str | None, job_id: str | None
) -> None:
    """Write an act of moderation, which concerns the owner of what was acted on."""
    facts: dict[str, str | int | bool] = {"action": act.action, "reason": act.reason}
    if act.until is not None:
        facts["until"] = iso(act.until)
    actor, subject = act.moderator_id, (act.subject_type, act.subject_id)
    told = None if owner_id == actor else owner_id
    kind, event_id = EventKind.MODERATION_ACTED, f"ev_{act.id[4:]}"
    events.add(
        tx, event_id, kind, actor, subject, thread_id, job_id, (told, None), facts, offer=False
    )


def on_bounty_refunded(tx: Tx, ids: IdGenerator, hold: HoldRow) -> None:
    """Write that a bounty went back: its time had passed, or its thread was hidden."""
    _ended(
        tx, ids, EventKind.BOUNTY_REFUNDED, hold, ("bounty", hold.id), hold.subject_id, None, None
    )


def on_job_expired(tx: Tx, ids: IdGenerator, hold: HoldRow, job: JobRow | None) -> None:
    """Write that a job ended without payment: its time had passed, or it was hidden or
    cancelled."""
    worker = job.claimer_id if job else None
    subject = ("job", hold.subject_id)
    _ended(tx, ids, EventKind.JOB_EXPIRED, hold, subject, None, hold.subject_id, worker)


def _ended(
    tx: Tx,
    ids: IdGenerator,
    kind: EventKind,
    hold: HoldRow,
    subject: tuple[str, str],
    thread_id: str | None,
    job_id: str | None,
    worker: str | None,
) -> None:
    facts: dict[str, str | int | bool] = {"credits": hold.amount}
    parties, event_id = (hold.agent_id, worker), ids.new("ev", tx.now)
    events.add(tx, event_id, kind, None, subject, thread_id, job_id, parties, facts, offer=False)
