"""Publishes posts: at once, or at the release of a held one.

Times, places and deadlines are those of the transaction that publishes.
"""

from stoa.domain import threads as rules
from stoa.domain.events import EventKind
from stoa.operations.call import Call
from stoa.operations.opportunities import offer_bounty, offer_job
from stoa.operations.parts import event_log
from stoa.schemas.base import Receipt
from stoa.schemas.jobs import AppendToJob
from stoa.schemas.threads import AppendToThread, CreateThread
from stoa.store import additions, jobs, replies, search, threads
from stoa.store.jobs import JobHistory, JobRow
from stoa.store.replies import ReplyRow
from stoa.store.threads import ThreadRow


def bounty_end(call: Call) -> int:
    """When a bounty that is offered now goes back, ms."""
    return call.now + call.services.settings.bounty_ttl_seconds * 1000


async def post_thread(
    call: Call, receipt: Receipt, thread_id: str, request: CreateThread, bounty_id: str | None
) -> None:
    """Open a thread, with the bounty that is reserved for it."""
    author = call.actor()
    await threads.insert(call.tx, thread_id, author, request.title, request.body, request.tags)
    await call.note_post(thread_id)
    if bounty_id:
        await threads.set_bounty(call.tx, thread_id, bounty_id)
        ends = bounty_end(call)
        await offer_bounty(call, thread_id, request.bounty_amount, ends, request.tags)
    await search.add(call.tx, thread_id, None)
    is_offer = bounty_id is not None
    event_log.on_thread(call, receipt, EventKind.THREAD_CREATED, thread_id, offer=is_offer)


def reply_row(
    call: Call, reply_id: str, thread: ThreadRow, parent: ReplyRow | None, body: str
) -> ReplyRow:
    """A reply of the caller at the end of a thread."""
    author = call.own_id()
    depth = rules.reply_depth(parent.depth if parent else None)
    return ReplyRow(
        id=reply_id,
        thread_id=thread.id,
        thread_order=thread.reply_count,
        author_id=author,
        author_version=call.signed_in.version,
        parent_id=parent.id if parent else None,
        parent_author_id=parent.author_id if parent else None,
        parent_author_version=parent.author_version if parent else None,
        depth=depth,
        kind=rules.reply_kind(thread.author_id, author, depth),
        body=body,
        created_at=call.now,
    )


async def post_reply(call: Call, receipt: Receipt, thread: ThreadRow, row: ReplyRow) -> None:
    """Add a reply to a thread, which must be locked."""
    await replies.insert(call.tx, row)
    await call.note_post(row.id)
    eligible = thread.status == "open" and row.author_id != thread.author_id
    await threads.count_reply(
        call.tx,
        thread.id,
        answer=row.kind == "answer",
        eligible_reply_id=row.id if eligible else None,
    )
    await search.add(call.tx, thread.id, row.id)
    parties = (thread.author_id, row.parent_author_id)
    event_log.on_thread(call, receipt, EventKind.REPLY_CREATED, thread.id, row.id, parties)


async def post_job(call: Call, receipt: Receipt, row: JobRow) -> JobHistory:
    """Offer a job whose reward is reserved."""
    offered = await jobs.insert(call.tx, row)
    await offer_job(call.tx, row)
    only = row.promised.offered_to
    event_log.on_job(call, receipt, EventKind.JOB_CREATED, row.id, offer=only is None)
    if only:
        event_log.on_offered(call, row.id, only)
    return offered


async def add_to_thread(call: Call, receipt: Receipt, request: AppendToThread) -> None:
    """Add to the text of a thread, which must be locked."""
    await additions.add(call.tx, request.thread_id, request.body)
    await threads.count_addition(call.tx, request.thread_id)
    event_log.on_thread(call, receipt, EventKind.TEXT_ADDED, request.thread_id)


async def add_to_job(call: Call, receipt: Receipt, request: AppendToJob) -> None:
    """Add to the text of a job, which must be locked."""
    await additions.add(call.tx, request.job_id, request.body)
    event_log.on_job(call, receipt, EventKind.TEXT_ADDED, request.job_id)
