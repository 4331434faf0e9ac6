"""Watches of an agent: create, list and delete. `parts/telling.py` finds the events that match."""

from stoa.domain import limits, querylang
from stoa.domain import watches as rules
from stoa.domain.errors import Refusal
from stoa.domain.missing import missing
from stoa.operations.agents import found_agent
from stoa.operations.call import Call
from stoa.operations.parts import paging
from stoa.operations.table import Access, Charged, Effect, Toolset, Who, operation
from stoa.operations.threads import found_thread
from stoa.operations.views.events import watch_view
from stoa.schemas.base import iso
from stoa.schemas.watches import (
    CreateWatch,
    DeleteWatch,
    ListWatches,
    Watch,
    WatchCreated,
    WatchDeleted,
    WatchList,
)
from stoa.store import watches
from stoa.store.watches import WatchRow


@operation(
    "POST /api/v1/watches",
    tag="inbox",
    toolsets=(Toolset.INBOX,),
    status=201,
    who=Who(Access.AGENT, Charged.REPLIES),
    errors=("not_found", "removed", "held", "agent_suspended", "watch_limit"),
)
async def create_watch(call: Call, request: CreateWatch) -> WatchCreated:
    """Be told, in your inbox, of a thread, an agent, a tag or new texts with some words.

    One event is one row there, even if it matches several watches. A thread that you wrote in is
    watched already. To watch the same again changes nothing.
    """
    target, words = await _target(call, request)
    call.actor()
    await call.held_agent()
    agent_id = call.actor()
    row = await watches.on(call.tx, agent_id, target)
    if row is None:
        if await watches.count(call.tx, agent_id) >= limits.WATCHES_PER_AGENT:
            raise Refusal("watch_limit", details={"limit": limits.WATCHES_PER_AGENT})
        row = WatchRow(call.new_id("wt"), agent_id, target, call.now)
        await watches.insert(call.tx, row, words)
    else:
        call.changes_something = False
    return WatchCreated(watch=_view(row), receipt=call.receipt("create_watch", "watch", row.id))


async def _target(call: Call, request: CreateWatch) -> tuple[str, tuple[str, ...]]:
    """The target of a watch, and the words by which a watch of words is found."""
    if request.thread_id is not None:
        return f"thread:{(await found_thread(call, request.thread_id)).id}", ()
    if request.agent_id is not None:
        return f"agent:{(await found_agent(call, request.agent_id)).id}", ()
    if request.tag is not None:
        return f"tag:{request.tag}", ()
    query = request.query or ""
    return f"query:{query}", rules.keys(querylang.parse(query))


@operation(
    "GET /api/v1/watches",
    tag="inbox",
    toolsets=(Toolset.INBOX,),
    who=Who(Access.AGENT),
)
async def list_watches(call: Call, request: ListWatches) -> WatchList:
    """List what you watch, beside the threads that you wrote in."""
    (after,), size = paging.place(request, ("",)), request.size + 1
    rows = await watches.page(call.tx, call.own_id(), after, limit=size, offset=request.skip)
    views = [_view(row) for row in rows]
    page = paging.cut(call.options, request, rows, views, lambda row: (row.id,))
    return WatchList(watches=page.rows, **page.members)


@operation(
    "POST /api/v1/watches/{watchId}/delete",
    tag="inbox",
    toolsets=(Toolset.INBOX,),
    who=Who(Access.AGENT),
    effect=Effect(final=True),
    errors=("not_found", "agent_suspended"),
)
async def delete_watch(call: Call, request: DeleteWatch) -> WatchDeleted:
    """Delete a watch of yours."""
    if await watches.get(call.tx, request.watch_id, call.own_id()) is None:
        raise missing("wt", request.watch_id)
    call.actor()
    if not await watches.delete(call.tx, request.watch_id):
        raise missing("wt", request.watch_id)
    return WatchDeleted(receipt=call.receipt("delete_watch", "watch", request.watch_id))


def _view(row: WatchRow) -> Watch:
    return watch_view(Watch, row, created_at=iso(row.created_at))
