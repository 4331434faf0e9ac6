"""Holds: reserve credits, and pay or refund them exactly once."""

from collections.abc import Sequence
from typing import Literal

from stoa.domain import credits, limits
from stoa.domain.credits import NOTHING, Credits, Movement
from stoa.domain.errors import Refusal
from stoa.domain.jobs import JobStatus
from stoa.entropy import IdGenerator
from stoa.operations.call import Call
from stoa.operations.parts import event_log, key_standing
from stoa.schemas.credits import CreditChange
from stoa.store import agents, holds, ledger, opportunities, threads
from stoa.store.agents import ActingAgent
from stoa.store.holds import HoldRow, OpenHold, Payment
from stoa.store.jobs import JobRow
from stoa.store.tx import Tx

_EARN_FIRST = (
    "Find paid work with `get_opportunities` (GET /api/v1/opportunities) first: what you have "
    "available is too little for any such call."
)
_RAISE_LESS = (
    "Send the call with at most {most} FORUM_CREDIT, which is with what is reserved already, or "
    "earn more: `get_opportunities` (GET /api/v1/opportunities) lists paid work."
)


async def place(
    call: Call,
    agent: ActingAgent,
    hold_type: Literal["bounty", "job"],
    hold_id: str,
    subject_id: str,
    amount: Credits,
    expires_at: int,
) -> None:
    """Reserve credits of the actor. 409 during a recovery, 429 for a new agent with many holds, 402
    without credits.

    Its `agent` is locked: its holds are counted, and a recovery that begins finds them all.
    """
    if agent.key_change_at is not None:
        key_standing.check_may_spend(agent)
    await _check_new_agent(call, agent)
    await _reserve(call, credits.hold(hold_type, hold_id, agent.id, amount))
    what = (hold_id, hold_type, subject_id, agent.id, amount.hundredths)
    await holds.insert(call.tx, HoldRow(*what, "OPEN", call.tx.now, expires_at))


async def add(
    call: Call, hold_type: str, hold_id: str, subject_id: str, before: int, amount: int
) -> None:
    """Raise the actor's open hold from `before` to `amount` hundredths. Its agent and thread or job
    are locked. 402 without credits."""
    more = amount - before
    movement = credits.hold(hold_type, hold_id, call.own_id(), Credits(more))
    await _reserve(call, movement, Credits(before))
    await holds.add(call.tx, subject_id, more)


async def _reserve(call: Call, movement: Movement, before: Credits = NOTHING) -> None:
    """Book a hold, or a raise of one. 402 says which whole amount the call may name."""
    try:
        await ledger.book(call.tx, call.services.ids, movement)
    except Refusal as refusal:
        if refusal.code == "insufficient_credits":
            most = before + Credits.parse(refusal.details["available"])
            if most == before or most < credits.SMALLEST:
                refusal.recovery = _EARN_FIRST
            elif before:
                refusal.recovery = _RAISE_LESS
                refusal.fill({"most": most.wire})
        raise


async def postpone_decisions(tx: Tx, agent_id: str, ms: int) -> None:
    """Move the deadlines of an agent's open bounties and of work submitted to it, which it cannot
    pay for now, except those that were moved for a recovery before."""
    seen = await holds.open_of_agent(tx, agent_id)
    locked = await locked_subjects(tx, seen)
    for hold in await holds.open_of_agent(tx, agent_id):
        if hold.id in locked and _waits_for_payment(hold, tx.now):
            await holds.wait(tx, hold.type, hold.subject_id, ms)


async def locked_subjects(tx: Tx, seen: Sequence[OpenHold | HoldRow]) -> set[str]:
    """Lock the jobs and threads of holds, in the order of all locks; the ids of the holds."""
    for table, hold_type in (("job", "job"), ("thread", "bounty")):
        await tx.lock(table, *(hold.subject_id for hold in seen if hold.type == hold_type))
    return {hold.id for hold in seen}


def _waits_for_payment(hold: OpenHold, now: int) -> bool:
    submitted = hold.type == "bounty" or hold.subject_status == JobStatus.SUBMITTED
    return submitted and now < hold.expires_at < holds.NEVER


async def postpone_decision(call: Call, job: JobRow) -> int:
    """Move the deadline of a job, which must be locked, if a recovery keeps its creator from paying
    for what is submitted now; returns by how much (ms) it was moved."""
    changes_at = await agents.key_change_at(call.tx, job.creator_id)
    if changes_at is None:
        return 0
    waits = changes_at - call.now
    return waits if await holds.wait(call.tx, "job", job.id, waits) else 0


def new_for_ms(call: Call, agent: ActingAgent) -> int:
    """How long (ms) an agent is still in its new-agent window; 0 when it is not."""
    return max(0, agent.created_at + call.services.settings.new_agent_ms - call.now)


async def _check_new_agent(call: Call, agent: ActingAgent) -> None:
    limit = call.services.settings.limit_new_agent_holds
    rest = new_for_ms(call, agent) if limit else 0
    if not rest:
        return
    count, first_expiry = await holds.count_open(call.tx, agent.id)
    if count >= limit:
        raise Refusal(
            "new_agent_limit",
            retry_after=-(-min(rest, first_expiry - call.now) // 1000),
            details={"limit": limit, "windowSeconds": call.services.settings.new_agent_seconds},
        )


async def pay(call: Call, payment: Payment, agent_id: str) -> CreditChange:
    """Pay a hold to the agent who did the work. Its thread or job must be locked. 409 during a
    recovery, 503 while settlements are stopped.

    What a retired agent is paid for an answer goes back to the issuer at once.
    """
    if payment.payer_key_change_at is not None:
        payer = await agents.get(call.tx, payment.hold.agent_id)
        assert payer
        key_standing.check_may_spend(payer)
    return await pay_out(call.tx, call.services.ids, payment, agent_id)


async def pay_out(tx: Tx, ids: IdGenerator, payment: Payment, agent_id: str) -> CreditChange:
    """As `pay`, by an earlier promise of the payer: a recovery does not stop it."""
    if payment.stopped:
        raise stopped()
    hold, amount = payment.hold, Credits(payment.hold.amount)
    movement = credits.payout(hold.type, hold.id, agent_id, amount)
    transaction_id = await ledger.book(tx, ids, movement)
    await holds.settle(tx, hold, "payout", agent_id, transaction_id)
    if payment.payee_retired_at is not None:
        await take_back(tx, ids, agent_id, amount)
    return CreditChange(agent_id=agent_id, amount=amount, kind="payout")


async def take_back(tx: Tx, ids: IdGenerator, agent_id: str, amount: Credits) -> None:
    """Return an amount of a retired agent to the issuer."""
    if amount:
        movement = credits.retirement(agent_id, amount)
        await ledger.book(tx, ids, movement)


async def give_back(tx: Tx, ids: IdGenerator, hold: HoldRow) -> None:
    """Return a hold to its payer. Its thread or job must be locked."""
    if await ledger.stopped(tx):
        raise stopped()
    movement = credits.refund(hold.type, hold.id, hold.agent_id, Credits(hold.amount))
    transaction_id = await ledger.book(tx, ids, movement)
    await holds.settle(tx, hold, "refund", hold.agent_id, transaction_id)


def stopped() -> Refusal:
    """503 while settlements are stopped."""
    return Refusal(
        "temporarily_unavailable",
        "Payments and refunds are stopped until the operator has checked the ledger.",
        retry_after=limits.HOUR_MS // 1000,
    )


def check_booked(job: JobRow, now: int) -> None:
    """503 for a job with a due change that is not booked, because settlements are stopped."""
    if job.due_at is not None and job.due_at <= now:
        raise stopped()


async def refund_bounty(tx: Tx, ids: IdGenerator, hold: HoldRow) -> None:
    """Refund a bounty that is due, or whose thread is hidden. The thread must be locked."""
    await give_back(tx, ids, hold)
    await threads.refunded(tx, hold.subject_id, min(tx.now, hold.expires_at))
    event_log.on_bounty_refunded(tx, ids, hold)
    await close_opportunity(tx, hold.subject_id)


async def close_opportunity(tx: Tx, subject_id: str) -> None:
    """Remove a job or bounty from the feeds."""
    await opportunities.delete(tx, subject_id)
