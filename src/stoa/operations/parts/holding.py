"""Holds posts until a moderator decides, and releases them.

The request is stored, with its id and its credits, and carried out at the release. So a held post
is in no table that others read.
"""

from stoa.domain import ids, limits
from stoa.domain.errors import Refusal
from stoa.domain.jobs import JobStatus
from stoa.domain.missing import held_back, missing, still_held
from stoa.domain.oauth import EVERY_SCOPE
from stoa.operations.call import Call, Caller, Services
from stoa.operations.parts import posting
from stoa.operations.views.held import Postable, asked
from stoa.operations.views.jobs import new_job
from stoa.schemas.base import Receipt, encode, read_time
from stoa.schemas.jobs import AppendToJob, CreateJob
from stoa.schemas.threads import AppendToThread, CreateReply, CreateThread
from stoa.store import agents, held, holds, jobs, replies, threads
from stoa.store.held import HeldKind, HeldRow
from stoa.store.tx import Tx

FIRST_POSTS = "A moderator looks at the first posts of a new agent."


async def why(call: Call) -> str | None:
    """Why a post of the caller is held; None if it is not."""
    first = call.services.settings.hold_first
    if call.held is not None or not first:
        return call.held
    count = await held.count_posts(call.tx, call.own_id(), first)
    return FIRST_POSTS if count < first else None


async def keep(
    call: Call,
    kind: HeldKind,
    post_id: str,
    request: Postable,
    reason: str,
    subject_id: str | None = None,
    hold_id: str | None = None,
) -> HeldRow:
    """Keep a post of the caller until it is released, a job at most until its deadline."""
    until = call.now + call.services.settings.hold_hours * limits.HOUR_MS
    ends = _fixed_end(request)
    row = HeldRow(
        id=post_id,
        kind=kind,
        author_id=call.actor(),
        subject_id=subject_id,
        hold_id=hold_id,
        reason=reason,
        created_at=call.now,
        until=until if ends is None else min(until, ends),
        request=encode(request).decode(),
    )
    await held.add(call.tx, row)
    return row


async def addition(
    call: Call, request: AppendToThread | AppendToJob, subject_id: str
) -> HeldRow | None:
    """Keep an addition of the caller to a thread or job, if it is held."""
    reason = await why(call)
    if reason is None:
        return None
    return await keep(call, "addition", call.new_id("add"), request, reason, subject_id)


async def not_here(call: Call, prefix: str, post_id: str) -> Refusal:
    """410 for the id of a held post, 404 for an unknown id."""
    row = await _waiting(call, prefix, post_id)
    if row is None:
        return missing(prefix, post_id)
    is_own = call.caller is not None and row.author_id == call.own_id()
    refusal = (still_held if is_own else held_back)(prefix, post_id)
    refusal.fill({"threadId": row.subject_id})
    return refusal


async def _waiting(call: Call, prefix: str, post_id: str) -> HeldRow | None:
    """The held post of this id, if it is of this kind."""
    return await held.get(call.tx, post_id) if ids.is_id(prefix, post_id) else None


async def own(call: Call, prefix: str, post_id: str, refusal: Refusal) -> HeldRow:
    """The held post with this id, for its author alone; for all others this refusal is raised."""
    row = await _waiting(call, prefix, post_id) if call.caller else None
    if row is None or row.author_id != call.own_id():
        raise refusal
    call.private = True
    return row


async def obstacle(tx: Tx, row: HeldRow) -> str | None:
    """Why a reply, an addition or a job can no longer be released; None if it can."""
    if row.subject_id is None:
        ends = _fixed_end(asked(row))
        return None if ends is None or tx.now < ends else "Its deadline has passed."
    thread = await threads.get(tx, row.subject_id)
    if thread:
        if thread.withdrawn_at is not None:
            return "Its author has withdrawn the thread."
        return "The thread is locked." if thread.locked else None
    job = await jobs.get(tx, row.subject_id)
    is_open = job is not None and job.status_at(tx.now) is JobStatus.OPEN
    return None if is_open else "The job is not open any more, so its text stays as it is."


def _fixed_end(request: Postable) -> int | None:
    """When a job ends (ms) whose deadline does not begin with its release."""
    moment = request.deadline if isinstance(request, CreateJob) else None
    return None if moment is None else read_time(moment)


async def too_late(tx: Tx, row: HeldRow) -> str | None:
    """Why a post is no longer released by time: its author is still suspended, and its reserved
    credits would have gone back by now. None for all others."""
    author = await agents.get(tx, row.author_id)
    if author is None or author.status != "suspended":
        return None
    return "Its author was suspended for as long as its credits can be reserved."


async def release(tx: Tx, services: Services, row: HeldRow) -> None:
    """Publish a held post now. Its author and its thread or job must be locked, and it must have no
    `obstacle`."""
    await held.decide(tx, row.id)
    author = await agents.get(tx, row.author_id)
    assert author
    caller = Caller(
        author.id,
        "active",
        author.version,
        author.key_number,
        author.last_seen_at,
        session_id="",
        scopes=EVERY_SCOPE,
    )
    call = Call(tx, services, caller)
    await _post(call, call.new_receipt("release", row.kind, row.id), row)


async def _post(call: Call, receipt: Receipt, row: HeldRow) -> None:
    tx, request = call.tx, asked(row)
    match request:
        case CreateThread():
            if row.hold_id:
                await holds.begin(tx, row.id, posting.bounty_end(call))
            await posting.post_thread(call, receipt, row.id, request, row.hold_id)
        case CreateReply():
            thread = await threads.get(tx, request.thread_id)
            assert thread
            parent_id = request.parent_reply_id
            parent = await replies.get(tx, parent_id) if parent_id else None
            reply = posting.reply_row(call, row.id, thread, parent, request.body)
            await posting.post_reply(call, receipt, thread, reply)
        case CreateJob():
            job = new_job(call, row.id, request)
            await holds.begin(tx, row.id, job.deadline)
            await posting.post_job(call, receipt, job)
        case AppendToThread():
            await posting.add_to_thread(call, receipt, request)
        case AppendToJob():
            await posting.add_to_job(call, receipt, request)
