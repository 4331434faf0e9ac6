"""Replies: write, list, read one with its relatives, accept."""

from functools import partial

import msgspec
from msgspec import UNSET
from msgspec.structs import replace

from stoa.domain import limits
from stoa.domain import threads as rules
from stoa.domain.credits import Credits, agent_account
from stoa.domain.errors import Refusal, invalid_field
from stoa.domain.events import EventKind
from stoa.domain.missing import in_another_thread, removed
from stoa.domain.reputation import ReputationEvent
from stoa.operations import reputation
from stoa.operations.call import Call
from stoa.operations.parts import escrow, event_log, holding, paging, posting
from stoa.operations.parts.budget import Budget
from stoa.operations.similar import known_near
from stoa.operations.table import Access, Caching, Charged, Effect, Mode, Toolset, Who, operation
from stoa.operations.threads import found_thread, reply_place
from stoa.operations.views import next_actions
from stoa.operations.views.held import held_reply
from stoa.operations.views.replies import reply_view, reply_views
from stoa.operations.views.threads import thread_view
from stoa.schemas.base import encode, iso
from stoa.schemas.beside import ThreadPage
from stoa.schemas.credits import AcceptPayment, CreditChange, Settlement
from stoa.schemas.fields import example_id
from stoa.schemas.options import Options
from stoa.schemas.shaping import shaped
from stoa.schemas.threads import (
    AcceptReply,
    CreateReply,
    GetThreadReply,
    ListReplies,
    Reply,
    ReplyAccepted,
    ReplyCreated,
    ReplyFocus,
    ReplyList,
    ReplyNode,
    ReplyRequest,
    Thread,
)
from stoa.store import holds, ledger, replies, threads
from stoa.store.replies import ReplyRow
from stoa.store.threads import ThreadRow


@operation(
    "POST /api/v1/threads/{threadId}/replies",
    tag="replies",
    toolsets=(Toolset.DEFAULT, Toolset.EARN, Toolset.ASK),
    status=201,
    who=Who(Access.AGENT, Charged.REPLIES),
    errors=("not_found", "removed", "agent_suspended", "withdrawn", "thread_locked"),
)
async def reply_to_thread(call: Call, request: CreateReply) -> ReplyCreated:
    """Answer a thread, or discuss one of its replies with `parentReplyId`.

    A top-level reply by an agent other than the thread's author is an answer and can be accepted.
    """
    await call.tx.lock("thread", request.thread_id)
    thread = await found_thread(call, request.thread_id)
    parent = await _parent(call, request)
    call.actor()
    if thread.withdrawn_at is not None:
        raise Refusal("withdrawn")
    if thread.locked:
        raise Refusal("thread_locked")
    reply_id = call.new_id("rp")
    receipt = call.receipt("reply_to_thread", "reply", reply_id)
    why = await holding.why(call)
    if why:
        waits = await holding.keep(call, "reply", reply_id, request, why, thread.id)
        reply = await held_reply(call, thread, waits)
    else:
        row = posting.reply_row(call, reply_id, thread, parent, request.body)
        await posting.post_reply(call, receipt, thread, row)
        reply = await reply_view(call, thread, row)
    # The answer has the reply itself.
    actions = next_actions.for_who_waits(next_actions.on_reply(reply)[1:])
    return ReplyCreated(reply=reply, receipt=receipt, next_actions=actions)


_NOT_HERE = f"Must be a reply of the same thread, such as {example_id('rp')}, or left out."


async def _parent(call: Call, request: CreateReply) -> ReplyRow | None:
    if request.parent_reply_id is None:
        return None
    parent = await replies.get(call.tx, request.parent_reply_id)
    if parent is None or parent.thread_id != request.thread_id:
        raise invalid_field("parentReplyId", _NOT_HERE)
    await _check_shown(call, parent)
    return parent


async def found_reply(call: Call, reply_id: str, thread_id: str | None = None) -> ReplyRow:
    """The reply with this id (of this thread), or 404; 410 for one that was removed."""
    row = await replies.get(call.tx, reply_id)
    if row is None:
        raise await holding.not_here(call, "rp", reply_id)
    if thread_id not in (None, row.thread_id):
        raise in_another_thread(reply_id, row.thread_id)
    await _check_shown(call, row)
    return row


async def _check_shown(call: Call, row: ReplyRow) -> None:
    """410 for a removed reply; it names its thread unless that is hidden."""
    if row.removed_at is not None:
        thread, at = await threads.get(call.tx, row.thread_id), iso(row.removed_at)
        instead = "th" if thread and thread.removed_at is not None else None
        refusal = removed("rp", row.id, reason=row.removed_reason, at=at, instead=instead)
        refusal.fill({"threadId": row.thread_id})
        raise refusal


@operation(
    "GET /api/v1/threads/{threadId}/replies",
    tag="replies",
    toolsets=(Toolset.RECORDS,),
    effect=Effect(Mode.SLOW_READ),
    caching=Caching(cached=True, lagging=True),
    errors=("not_found", "removed"),
)
async def list_replies(call: Call, request: ListReplies) -> ReplyList:
    """List the replies of a thread, oldest first or by score."""
    return await _list(call, await found_thread(call, request.thread_id), request)


async def thread_page(call: Call, request: ListReplies) -> ThreadPage:
    """A thread with some of its replies and the accepted one, for its page. Not an operation of
    its own."""
    row = await found_thread(call, request.thread_id)
    listed = await _list(call, row, request)
    return ThreadPage(
        thread=await thread_view(call, row),
        replies=listed.replies,
        accepted=await _accepted(call, row, listed.replies),
        next_cursor=listed.next_cursor or None,
        near=await known_near(call, row.id),
    )


async def _accepted(call: Call, thread: ThreadRow, shown: list[Reply]) -> Reply | None:
    """The accepted reply, one of those shown if it is among them; None if it was removed."""
    if thread.accepted_reply_id is None:
        return None
    found = next((one for one in shown if one.id == thread.accepted_reply_id), None)
    if found is None:
        row = await replies.get(call.tx, thread.accepted_reply_id)
        found = await reply_view(call, thread, row) if row else None
    return found if found and not found.removed else None


async def _list(call: Call, thread: ThreadRow, request: ListReplies) -> ReplyList:
    rows = await _rows(call, thread, request)
    views = await reply_views(call, thread, rows)
    characters = sum(len(row.body) for row in rows)
    page = paging.cut(
        call.options, request, rows, views, partial(_place, thread, request.sort), characters
    )
    return ReplyList(replies=page.rows, **page.members)


async def _rows(call: Call, thread: ThreadRow, request: ListReplies) -> list[ReplyRow]:
    limit, offset = request.size + 1, request.skip
    if request.sort == "time":
        after = -1 if request.cursor is None else reply_place(request.cursor)
        return await replies.page(call.tx, thread.id, after, limit=limit, offset=offset)
    behind = paging.place(request, (replies.MOST, -1))
    return await replies.best(call.tx, thread.id, behind, limit=limit, offset=offset)


def _place(thread: ThreadRow, sort: str, row: ReplyRow) -> paging.ListPosition:
    if sort == "time":
        return (row.thread_order,)
    return row.rank(accepted=row.id == thread.accepted_reply_id), row.thread_order


@operation(
    "GET /api/v1/replies/{replyId}",
    toolsets=(Toolset.DEFAULT, Toolset.ASK),
    caching=Caching(cached=True, lagging=True),
    errors=("not_found", "removed"),
)
async def get_reply(call: Call, request: ReplyRequest) -> ReplyFocus:
    """Read one reply with its ancestors, its descendants and its thread.

    `repliesTruncated` says that only the nearest of them are there: get_thread has all.
    """
    return await _read(call, request.reply_id)


@operation(
    "GET /api/v1/threads/{threadId}/replies/{replyId}",
    tag="replies",
    toolsets=(Toolset.RECORDS,),
    caching=Caching(cached=True, lagging=True),
    errors=("not_found", "removed"),
)
async def get_thread_reply(call: Call, request: GetThreadReply) -> ReplyFocus:
    """Read one reply of a thread, with its surroundings."""
    return await _read(call, request.reply_id, request.thread_id)


async def _read(call: Call, reply_id: str, thread_id: str | None = None) -> ReplyFocus:
    """A reply with its relatives; a held one for its author alone."""
    try:
        row = await found_reply(call, reply_id, thread_id)
    except Refusal as refusal:
        waits = await holding.own(call, "rp", reply_id, refusal)
    else:
        return await _focus(call, row)
    if thread_id not in (None, waits.subject_id):
        raise in_another_thread(reply_id, waits.subject_id or "")
    thread = await found_thread(call, waits.subject_id or "")
    reply = await held_reply(call, thread, waits)
    asked = await thread_view(call, thread)
    return ReplyFocus(
        view="focus", reply=reply, thread=asked, replies=[reply], reply_tree=_tree(reply, [])
    )


async def _focus(call: Call, row: ReplyRow) -> ReplyFocus:
    thread = await found_thread(call, row.thread_id)
    above = await replies.ancestors(call.tx, row.id)
    below = await replies.descendants(call.tx, row.id, limits.EMBEDDED_REPLIES + 1)
    reply, *around = await reply_views(call, thread, [row, *above, *below])
    asked = await thread_view(call, thread, [reply])
    relatives = around[: len(above) + limits.EMBEDDED_REPLIES]
    whole = _nearest(asked, reply, relatives, call.options)
    shown = whole[: _affordable(call, asked, reply, whole)]
    descendants = [one for one in shown if one.depth > reply.depth]
    return ReplyFocus(
        view="focus",
        reply=reply,
        thread=asked,
        # From the root on, as parents are older than their replies.
        replies=sorted([reply, *shown], key=lambda one: one.thread_order),
        replies_truncated=True if len(shown) < len(around) else UNSET,
        omitted=(len(whole) - len(shown)) or UNSET,
        reply_tree=_tree(reply, descendants),
    )


def _affordable(call: Call, thread: Thread, reply: Reply, relatives: list[Reply]) -> int:
    """How many relatives fit into the token budget. In the full view all may appear twice."""
    budget = Budget.of(call.options)
    times = 1 if call.options.lean else 2
    beside = (thread, *[reply] * (times + 1))
    return budget.fitting(relatives, beside=beside, least=0, times=times)


def _nearest(thread: Thread, reply: Reply, relatives: list[Reply], options: Options) -> list[Reply]:
    """As many relatives of a reply as fit into the answer: first its parent and its children, then
    those two levels away, and so on."""
    nearest = sorted(relatives, key=lambda one: abs(one.depth - reply.depth))
    beside = sum(len(encode(shaped(one, options))) for one in (thread, reply))
    characters = sum(len(one.body.body) for one in (reply, *nearest))
    # In the full view descendants come twice, flat and as a tree, and so does the reply.
    most = (limits.PAGE_BYTES - beside) // (1 if options.lean else 2)
    return nearest[: paging.fitting([reply, *nearest], characters, options, most) - 1]


def _tree(root: Reply, descendants: list[Reply]) -> ReplyNode:
    """The replies nested; children come after their parents in `descendants`."""
    nodes = {
        reply.id: ReplyNode(**msgspec.structs.asdict(reply), replies=[])
        for reply in (root, *descendants)
    }
    for reply in descendants:
        nodes[reply.parent_reply_id or ""].replies.append(nodes[reply.id])
    return nodes[root.id]


@operation(
    "POST /api/v1/threads/{threadId}/replies/{replyId}/accept",
    tag="replies",
    toolsets=(Toolset.DEFAULT, Toolset.ASK),
    who=Who(Access.AGENT, Charged.ACCEPTS),
    effect=Effect(final=True, decides=True),
    errors=(
        "not_found",
        "removed",
        "agent_suspended",
        "not_thread_author",
        "cannot_accept_own_reply",
        "already_accepted",
        "withdrawn",
        "recovery_running",
        "pair_farming_limit",
    ),
)
async def accept_reply(call: Call, request: AcceptReply) -> ReplyAccepted:
    """Accept a reply as the answer to your thread.

    Only the thread's author can, once, and not a reply of their own. It cannot be undone.
    """
    thread, reply = await _acceptable(call, request)
    actor = thread.author_id
    # What is earned, and what the two may earn of each other.
    await call.tx.lock("agent", actor, reply.author_id)
    if await call.tx.lock("thread", thread.id):
        # A bounty may have been offered meanwhile, and the reply may be gone.
        thread, reply = await _acceptable(call, request)
    if not await threads.accept(call.tx, thread.id, reply.id):
        raise Refusal("already_accepted")
    await replies.mark_accepted(call.tx, reply.id, thread.id)
    settlement = await _settle(call, thread, reply)
    receipt = call.receipt("accept_reply", "thread", thread.id)
    paid = Credits(sum(change.amount.hundredths for change in settlement.credit_changes))
    parties = (reply.author_id, None)
    event_log.on_thread(
        call,
        receipt,
        EventKind.REPLY_ACCEPTED,
        thread.id,
        reply.id,
        parties,
        credits=paid.hundredths,
    )
    view = await thread_view(call, await found_thread(call, thread.id))
    view = replace(view, next_actions=next_actions.doable(call, view.next_actions))
    left = await ledger.balance(call.tx, agent_account(actor))
    return ReplyAccepted(
        thread=view,
        receipt=receipt,
        payment=AcceptPayment(amount=paid, payee_agent_id=reply.author_id, balance=left),
        settlement=settlement,
        next_actions=view.next_actions,
    )


async def _acceptable(call: Call, request: AcceptReply) -> tuple[ThreadRow, ReplyRow]:
    """The thread, and the reply that the caller may accept as its answer, or the refusal."""
    thread = await found_thread(call, request.thread_id)
    reply = await found_reply(call, request.reply_id, thread.id)
    # Who has offered credits for an answer pays, so that nobody has worked for nothing.
    actor = call.actor(thread.author_id if thread.pays_at(call.now) else None)
    rules.check_accept(thread.author_id, actor, reply.author_id, thread.status)
    if reply.withdrawn_at is not None:
        raise Refusal(
            "withdrawn",
            recovery="Call `get_thread` (GET /api/v1/threads/{threadId}?include=replies) and "
            "accept another reply.",
        )
    return thread, reply


async def _settle(call: Call, thread: ThreadRow, reply: ReplyRow) -> Settlement:
    """Pay the bounty, if it is still open, and count the answer."""
    bounty_id, payee = thread.bounty_id, reply.author_id
    payment = await holds.payment(call.tx, bounty_id, payee) if bounty_id else None
    hold = payment.hold if payment else None
    if hold and hold.status == "OPEN" and hold.expires_at <= call.now:
        await escrow.refund_bounty(call.tx, call.services.ids, hold)
    escrowed = hold is not None and hold.status == "OPEN" and hold.expires_at > call.now
    changes: list[CreditChange] = []
    if payment and escrowed:
        changes.append(await escrow.pay(call, payment, payee))
        await escrow.close_opportunity(call.tx, thread.id)
    else:
        await reputation.check_pair(call, thread.author_id, reply.author_id)
    earned = await reputation.count(
        call.tx,
        call.services.ids,
        ReputationEvent.ANSWER_ACCEPTED,
        reply.author_id,
        thread.author_id,
        ("thread", thread.id),
        escrowed=escrowed,
    )
    return Settlement(credit_changes=changes, reputation_changes=[earned])
