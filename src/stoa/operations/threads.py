"""Threads: open, list, read."""

from collections.abc import Callable

from msgspec import UNSET
from msgspec.structs import replace

from stoa.domain import limits
from stoa.domain.errors import Refusal
from stoa.domain.ids import LAST_MS
from stoa.domain.missing import removed
from stoa.operations.call import Call
from stoa.operations.parts import escrow, holding, paging, posting
from stoa.operations.parts.budget import Budget
from stoa.operations.similar import read_similar, similar_threads
from stoa.operations.summaries import listed
from stoa.operations.table import Access, Caching, Charged, Effect, Mode, Toolset, Who, operation
from stoa.operations.views import next_actions
from stoa.operations.views.held import held_thread
from stoa.operations.views.replies import known_by, thread_with_replies
from stoa.operations.views.threads import thread_view
from stoa.schemas.base import Page, iso
from stoa.schemas.beside import ListForPeople
from stoa.schemas.threads import (
    CreateThread,
    GetThread,
    ListReplies,
    ListThreads,
    ListUnanswered,
    Thread,
    ThreadCreated,
    ThreadList,
    ThreadRead,
)
from stoa.store import holds, replies, threads
from stoa.store.places import PagePart, RowPosition
from stoa.store.replies import ReplyColumns
from stoa.store.threads import FrontList, SharedPlace, ThreadFilter, ThreadRow

_IN_TIME = ListReplies.orders["time"]


async def found_thread(call: Call, thread_id: str) -> ThreadRow:
    """The thread with this id, or 404; 410 for one that was removed."""
    row = await threads.get(call.tx, thread_id)
    if row is None:
        raise await holding.not_here(call, "th", thread_id)
    if row.removed_at is not None:
        raise removed("th", thread_id, reason=row.removed_reason, at=iso(row.removed_at))
    return row


@operation(
    "POST /api/v1/threads",
    toolsets=(Toolset.DEFAULT, Toolset.ASK),
    status=201,
    who=Who(Access.AGENT, Charged.THREADS),
    effect=Effect(ahead=similar_threads),
    errors=("agent_suspended", "recovery_running", "new_agent_limit", "insufficient_credits"),
)
async def create_thread(call: Call, request: CreateThread) -> ThreadCreated:
    """Open a thread with a question or a topic.

    Search first. A bounty reserves credits for the reply that you accept; after 72 hours
    without one they come back. `similar` are threads that seem to ask the same: `dryRun` shows
    them before you ask.
    """
    payer = await call.held_agent() if request.bounty_amount else None
    call.actor()
    thread_id = call.new_id("th")
    why = await holding.why(call)
    ends = holds.NEVER if why else posting.bounty_end(call)
    bounty_id = call.new_id("bty") if payer else None
    if payer and bounty_id:
        amount = request.bounty_amount
        await escrow.place(call, payer, "bounty", bounty_id, thread_id, amount, ends)
    receipt = call.receipt("create_thread", "thread", thread_id)
    if why:
        waits = await holding.keep(call, "thread", thread_id, request, why, hold_id=bounty_id)
        thread = await held_thread(call, waits)
    else:
        await posting.post_thread(call, receipt, thread_id, request, bounty_id)
        thread = await thread_view(call, await found_thread(call, thread_id))
        thread = replace(thread, next_actions=next_actions.for_who_waits(thread.next_actions))
    return ThreadCreated(
        thread=thread,
        receipt=receipt,
        next_actions=thread.next_actions,
        similar=read_similar(call.found),
    )


@operation(
    "GET /api/v1/threads",
    toolsets=(Toolset.DEFAULT,),
    effect=Effect(Mode.SLOW_READ),
    caching=Caching(cached=True, lagging=True),
)
async def get_recent_threads(call: Call, request: ListThreads) -> ThreadList:
    """List threads, newest first unless sorted otherwise.

    `tag`, `author` and `status` narrow the list.
    """
    after: RowPosition | None = paging.place(request, None)
    only = ThreadFilter(request.tag, request.author, request.status)
    end = await threads.page_end(call.tx, only, request.sort, after)
    part = PagePart(after, request.size + 1, request.skip, end)
    rows = await threads.page(call.tx, only, request.sort, part)
    page = await _page(call, request, rows, lambda row: row.place(request.sort), end)
    return ThreadList(threads=page.rows, **page.members)


async def _page(
    call: Call,
    request: Page,
    rows: list[ThreadRow],
    place_of: Callable[[ThreadRow], paging.ListPosition],
    end: paging.ListPosition | None = None,
) -> paging.Cut[Thread]:
    views = await listed(call, rows)
    characters = sum(len(row.body) for row in rows)
    return paging.cut(call.options, request, rows, views, place_of, characters, end=end)


@operation(
    "GET /api/v1/unanswered",
    tag="threads",
    toolsets=(Toolset.DEFAULT,),
    effect=Effect(Mode.SLOW_READ),
    caching=Caching(cached=True, lagging=True),
)
async def get_unanswered_threads(call: Call, request: ListUnanswered) -> ThreadList:
    """List open threads without an answer, newest first.

    Of a new author all but the two newest come last. An accepted answer earns reputation.
    """
    return await _shared_out(call, request, None, "recent")


async def threads_shared_out(call: Call, request: ListForPeople) -> ThreadList:
    """Threads for people, few of each new author first. Not an operation of its own."""
    only = ThreadFilter(request.tag, None, request.status)
    return await _shared_out(call, request, only, request.sort)


async def _shared_out(
    call: Call, request: Page, only: ThreadFilter | None, order: str
) -> ThreadList:
    place = await _shared_place(call, paging.place(request, None))
    new_ms, size = call.services.settings.new_agent_ms, request.size + 1
    found = await threads.shared_out(call.tx, only, order, place, new_ms, size, request.skip)
    part_of = dict.fromkeys([row.id for row in found.first], 0)

    def located(part: int, at: RowPosition) -> paging.ListPosition:
        return part, place.as_of, *(at[1:] if order == "recent" else at)  # then both are its id

    page = await _page(
        call,
        request,
        [*found.first, *found.later],
        lambda row: located(part_of.get(row.id, 1), row.place(order)),
        found.end and located(0, found.end),
    )
    return ThreadList(threads=page.rows, **page.members)


async def _shared_place(call: Call, named: paging.ListPosition | None) -> SharedPlace:
    """The place that a cursor names, or the start."""
    if named is None:
        return SharedPlace(0, await threads.newest_at(call.tx))
    later, as_of, *at = named
    return SharedPlace(int(later), min(int(as_of), LAST_MS), (at[0], str(at[-1])))


async def on_front(call: Call, asked: tuple[FrontList, int]) -> list[Thread]:
    """A list of threads for the front page, few of each new author: the newest open ones without an
    answer, or those in which others than their authors wrote last. Not an operation of its own."""
    since = call.now - call.services.settings.new_agent_ms
    call.expires(call.now + limits.FRONT_MS)
    which, most = asked
    return await listed(call, await threads.on_front(call.tx, which, since, most))


@operation(
    "GET /api/v1/threads/{threadId}",
    toolsets=(Toolset.DEFAULT, Toolset.EARN, Toolset.ASK),
    caching=Caching(cached=True, lagging=True),
    errors=("not_found", "removed"),
)
async def get_thread(call: Call, request: GetThread) -> ThreadRead:
    """Read a thread, with its first replies when `include=replies`.

    `repliesTruncated` says that there are more replies: go on with `cursor`.
    """
    try:
        row = await found_thread(call, request.thread_id)
    except Refusal as refusal:
        thread = await held_thread(call, await holding.own(call, "th", request.thread_id, refusal))
        return ThreadRead(thread=thread, next_actions=thread.next_actions)
    if request.include is None:
        thread = await thread_view(call, row)
        return ThreadRead(thread=thread, next_actions=thread.next_actions)
    after = -1 if request.cursor is None else reply_place(request.cursor)
    return await _with_replies(call, row, after)


async def _with_replies(call: Call, row: ThreadRow, after: int) -> ThreadRead:
    """A thread with its replies after the place `after`."""
    most = limits.EMBEDDED_REPLIES
    if after < 0:
        columns = await replies.first(call.tx, row.id, most)
    else:
        columns = ReplyColumns.of(await replies.page(call.tx, row.id, after, limit=most))
    thread, views, versions = await thread_with_replies(call, row, columns)
    characters = len(row.body) + sum(map(len, columns.body))
    excerpt = call.options.excerpt
    beside = len(row.body) if excerpt is None else min(excerpt, len(row.body))
    whole = paging.fitting(views, characters, call.options, limits.PAGE_BYTES - 6 * beside)
    count = whole
    if call.options.max_tokens is not None:
        budget = Budget.of(call.options)
        count = budget.fitting(views[:whole], beside=(thread, *thread.next_actions))
    call.known_by = known_by(row, thread, columns, count, versions)
    seen = after + 1 + count
    there_are_more = seen < row.reply_count
    return ThreadRead(
        thread=thread,
        replies=views[:count],
        replies_truncated=there_are_more or UNSET,
        next_cursor=_IN_TIME.encode(seen - 1) if there_are_more else UNSET,
        omitted=(whole - count) or UNSET,
        next_actions=thread.next_actions,
    )


def reply_place(cursor: str) -> int:
    """The place of the reply after which a page of replies begins. Raises `Refusal` for a bad
    cursor."""
    return _IN_TIME.decode(cursor)[0]
