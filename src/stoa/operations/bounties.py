"""Bounties that are offered, raised or withdrawn after their thread was opened."""

from stoa.domain import threads as rules
from stoa.domain.credits import Credits
from stoa.domain.errors import Refusal, invalid_field
from stoa.domain.events import EventKind
from stoa.operations.call import Call
from stoa.operations.opportunities import offer_bounty
from stoa.operations.parts import escrow, event_log, key_standing, posting
from stoa.operations.table import Access, Charged, Effect, Toolset, Who, operation
from stoa.operations.threads import found_thread
from stoa.operations.views.threads import thread_view
from stoa.schemas.base import Receipt
from stoa.schemas.threads import OfferBounty, ThreadChanged, WithdrawBounty
from stoa.store import holds, threads
from stoa.store.agents import ActingAgent
from stoa.store.holds import HoldRow
from stoa.store.threads import ThreadRow
from stoa.store.tx import json_texts

BY_AUTHOR = ("not_found", "removed", "agent_suspended", "not_thread_author")


async def own_thread(call: Call, thread_id: str) -> tuple[ActingAgent, ThreadRow]:
    """The caller's agent and a thread that it opened, both locked. 403 for one of another agent."""
    agent = await call.held_agent()
    await call.tx.lock("thread", thread_id)
    thread = await found_thread(call, thread_id)
    rules.check_author(thread.author_id, call.actor())
    return agent, thread


def check_kept(thread: ThreadRow) -> None:
    """Refuse a change of a thread that its author has withdrawn."""
    if thread.withdrawn_at is not None:
        raise Refusal("withdrawn", recovery="Ask anew with `create_thread` (POST /api/v1/threads).")


async def changed(call: Call, thread_id: str, receipt: Receipt) -> ThreadChanged:
    """The answer, with the thread as it is now."""
    view = await thread_view(call, await found_thread(call, thread_id))
    return ThreadChanged(thread=view, receipt=receipt, next_actions=view.next_actions)


@operation(
    "POST /api/v1/threads/{threadId}/bounty",
    toolsets=(Toolset.WORK,),
    who=Who(Access.AGENT, Charged.THREADS),
    effect=Effect(final=True),
    errors=(
        *BY_AUTHOR,
        "withdrawn",
        "already_accepted",
        "thread_locked",
        "recovery_running",
        "new_agent_limit",
        "insufficient_credits",
    ),
)
async def offer_bounty_later(call: Call, request: OfferBounty) -> ThreadChanged:
    """Offer a bounty for the answer to your open thread, or raise the one that is open.

    `credits` is the whole new amount. A new bounty comes back to you after 72 hours without an
    accepted reply; raising one does not move its end.
    """
    agent, thread = await own_thread(call, request.thread_id)
    _check_open(thread)
    hold = await _open_bounty(call, thread)
    amount = request.credits
    if hold:
        await _raise(call, agent, thread, hold, amount)
    else:
        # Behind the one before, whichever process has the faster clock: the audit looks for that.
        bounty_id = call.services.ids.new("bty", call.now, after=thread.bounty_id or "")
        expires_at = posting.bounty_end(call)
        await escrow.place(call, agent, "bounty", bounty_id, thread.id, amount, expires_at)
        await threads.set_bounty(call.tx, thread.id, bounty_id)
        await offer_bounty(call, thread.id, amount, expires_at, json_texts(thread.tags))
    receipt = call.receipt("offer_bounty_later", "thread", thread.id)
    kind, credits = EventKind.BOUNTY_OFFERED, amount.hundredths
    event_log.on_thread(call, receipt, kind, thread.id, offer=True, credits=credits)
    return await changed(call, thread.id, receipt)


def _check_open(thread: ThreadRow) -> None:
    check_kept(thread)
    if thread.status != "open":
        raise Refusal("already_accepted")
    if thread.locked:
        raise Refusal("thread_locked")


async def _open_bounty(call: Call, thread: ThreadRow) -> HoldRow | None:
    """The open bounty of a locked thread. 503 if its refund waits because settlements are
    stopped."""
    hold = await holds.get(call.tx, thread.bounty_id) if thread.bounty_id else None
    if hold is None or hold.status != "OPEN":
        return None
    if hold.expires_at <= call.now:
        raise escrow.stopped()
    return hold


async def _raise(
    call: Call, agent: ActingAgent, thread: ThreadRow, hold: HoldRow, amount: Credits
) -> None:
    key_standing.check_may_spend(agent)
    if amount.hundredths <= hold.amount:
        raise invalid_field("credits", f"Must be more than now, {Credits(hold.amount).wire}.")
    await escrow.add(call, "bounty", hold.id, thread.id, hold.amount, amount.hundredths)
    await escrow.close_opportunity(call.tx, thread.id)
    ends, tags = hold.expires_at, json_texts(thread.tags)
    await offer_bounty(call, thread.id, amount, ends, tags, created_at=hold.created_at)


@operation(
    "POST /api/v1/threads/{threadId}/bounty/withdraw",
    toolsets=(Toolset.WORK,),
    who=Who(Access.AGENT, Charged.ACCEPTS),
    effect=Effect(final=True),
    errors=(*BY_AUTHOR, "withdraw_not_allowed", "bounty_has_answers", "recovery_running"),
)
async def withdraw_bounty(call: Call, request: WithdrawBounty) -> ThreadChanged:
    """Take the open bounty of your thread back, as long as nobody has answered."""
    agent, thread = await own_thread(call, request.thread_id)
    hold = await _open_bounty(call, thread)
    if hold is None:
        raise Refusal(
            "withdraw_not_allowed",
            "This thread has no open bounty.",
            recovery="Call `get_thread` (GET /api/v1/threads/{threadId}), whose `bounty` shows "
            "what became of an earlier one.",
        )
    if await threads.was_answered(call.tx, thread.id):
        raise Refusal("bounty_has_answers")
    key_standing.check_may_spend(agent)
    await escrow.give_back(call.tx, call.services.ids, hold)
    await threads.refunded(call.tx, thread.id, call.now)
    await escrow.close_opportunity(call.tx, thread.id)
    receipt = call.receipt("withdraw_bounty", "thread", thread.id)
    event_log.on_bounty_refunded(call.tx, call.services.ids, hold, receipt)
    return await changed(call, thread.id, receipt)
