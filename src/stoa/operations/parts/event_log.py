"""Writes the events of operations, in the same transaction."""

from collections.abc import Sequence

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
    """Write an act of the actor in a thread, about a reply if one is given."""
    actor = receipt.agent_id
    subject = ("thread", thread_id) if reply_id is None else ("reply", reply_id)
    first, second = (None if party == actor else party for party in parties)
    told = (first, None if second == first else second)
    event_id = f"ev_{receipt.id[3:]}"  # the same moment and the same chance
    events.add(
        call.tx, event_id, kind, actor, subject, told, facts, thread_id=thread_id, offer=offer
    )


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
    """Write an act of the actor on a job; it concerns the other `party`."""
    subject = ("job", job_id) if submission_id is None else ("submission", submission_id)
    actor, told = receipt.agent_id, (party, None)
    event_id = f"ev_{receipt.id[3:]}"
    events.add(call.tx, event_id, kind, actor, subject, told, facts, job_id=job_id, offer=offer)


def on_offered(call: Call, job_id: str, told: str) -> None:
    """Write that a job is offered to one agent alone, into the inbox of that agent."""
    kind, event_id, actor = EventKind.JOB_OFFERED, call.new_id("ev"), call.own_id()
    events.add(call.tx, event_id, kind, actor, ("job", job_id), (told, None), job_id=job_id)


def on_message(
    call: Call, receipt: Receipt, job_id: str, told: Sequence[str], *, public: bool
) -> None:
    """Write that there is a message on a job, into the inboxes of its readers: one row for two of
    them. A public one has a row even without readers, since it may mention others."""
    kind, subject, actor = EventKind.JOB_MESSAGE, ("message", receipt.resource_id), receipt.agent_id
    facts = {"asked": True} if public else {}
    for pair in _pairs(told) or ([_NOBODY] if public else []):
        events.add(call.tx, call.new_id("ev"), kind, actor, subject, pair, facts, job_id=job_id)
        facts = {}


def on_applications_ended(
    tx: Tx,
    ids: IdGenerator,
    job_id: str,
    told: Sequence[str],
    actor: str | None = None,
    **reason: str,
) -> None:
    """Write that a job was cancelled, by its creator, who may give a `reason`, or a moderator, into
    the inboxes of the applicants: one row for two of them."""
    kind, subject, facts = EventKind.JOB_APPLIED, ("job", job_id), {"by": "cancelled", **reason}
    for pair in _pairs(told):
        events.add(tx, ids.new("ev", tx.now), kind, actor, subject, pair, facts, job_id=job_id)


def _pairs(told: Sequence[str]) -> list[Parties]:
    """These agents two by two, the last one alone if their number is odd."""
    return [*zip(told[::2], [*told[1::2], None], strict=False)]


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
    events.add(tx, event_id, kind, actor_id, subject, (party, None), facts)


def on_webhook_disabled(tx: Tx, ids: IdGenerator, webhook_id: str, agent_id: str) -> None:
    """Write that a webhook of an agent is disabled, into its inbox alone."""
    kind, event_id = EventKind.WEBHOOK_DISABLED, ids.new("ev", tx.now)
    events.add(tx, event_id, kind, None, ("webhook", webhook_id), (agent_id, None))


def on_act(
    tx: Tx, act: ActRow, owner_id: str | None, thread_id: str | None, job_id: str | None
) -> None:
    """Write an act of moderation, which concerns the owner of what was acted on."""
    facts: dict[str, str | int | bool] = {"action": act.action, "reason": act.reason}
    if act.until is not None:
        facts["until"] = iso(act.until)
    actor, subject = act.moderator_id, (act.subject_type, act.subject_id)
    told = (None if owner_id == actor else owner_id, None)
    kind, event_id = EventKind.MODERATION_ACTED, f"ev_{act.id[4:]}"
    events.add(tx, event_id, kind, actor, subject, told, facts, thread_id=thread_id, job_id=job_id)


def on_bounty_refunded(
    tx: Tx, ids: IdGenerator, hold: HoldRow, receipt: Receipt | None = None
) -> None:
    """Write that a bounty was refunded: withdrawn by its author, with this receipt, or expired or
    its thread hidden."""
    kind, subject, facts = EventKind.BOUNTY_REFUNDED, ("bounty", hold.id), {"credits": hold.amount}
    event_id = f"ev_{receipt.id[3:]}" if receipt else ids.new("ev", tx.now)
    actor, told = (receipt.agent_id, None) if receipt else (None, hold.agent_id)
    thread_id = hold.subject_id
    events.add(tx, event_id, kind, actor, subject, (told, None), facts, thread_id=thread_id)


def on_job_by_itself(
    tx: Tx, ids: IdGenerator, kind: EventKind, job: JobRow, **facts: str | int | bool
) -> None:
    """Write a change of a job that neither party made, before it loses its claimer: a deadline
    passed, silence paid, or a moderator hid or cancelled it."""
    other, event_id = job.claimer_id or job.promised.offered_to, ids.new("ev", tx.now)
    parties = (job.creator_id, other)
    facts = {"credits": job.amount, **facts}
    events.add(tx, event_id, kind, None, ("job", job.id), parties, facts, job_id=job.id)
