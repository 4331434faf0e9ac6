"""Threads as lists and searches show them, from the cache or made from their rows."""

import sys
from collections.abc import Collection, Mapping, Sequence

from stoa import entropy
from stoa.domain import limits
from stoa.memory.searched import CachedAuthor, CachedThread, ListedThread
from stoa.operations.call import Call
from stoa.operations.views.threads import thread_views
from stoa.schemas.agents import Agent
from stoa.schemas.threads import Thread
from stoa.store import threads
from stoa.store.threads import ThreadRow


async def listed(call: Call, rows: Sequence[ThreadRow]) -> list[Thread]:
    """The threads of these rows in the form of a list."""
    known = await _cached(call, [row.id for row in rows])
    if missing := [row for row in rows if row.id not in known]:
        known |= await made(call, missing)
    for one in known.values():  # the rows tell of changes of their authors
        call.expires(one.expires_at)
    return [known[row.id].view for row in rows]


async def summaries(call: Call, thread_ids: Collection[str]) -> dict[str, ListedThread]:
    """These threads by id in their order. All exist, but hidden ones are left out: an index in
    memory may have found one that was hidden before the first row was read."""
    known = await _cached(call, thread_ids)
    if len(known) == len(thread_ids):
        return known
    missing = [thread_id for thread_id in thread_ids if thread_id not in known]
    rows = (await threads.many(call.tx, missing)).values()
    known |= await made(call, [row for row in rows if row.removed_at is None])
    return {thread_id: known[thread_id] for thread_id in thread_ids if thread_id in known}


async def made(call: Call, rows: Sequence[ThreadRow]) -> dict[str, ListedThread]:
    """The threads of these rows by id in their order, cached from now on."""
    views = await thread_views(call, rows)
    authors = _made_authors(call, {view.author_agent_id: view.author for view in views})
    new = {
        row.id: CachedThread.of(view, _expires_at(row, call.now))
        for row, view in zip(rows, views, strict=True)
    }
    call.services.memory.threads.keep(new, call.tx.seen)
    return {one.id: ListedThread(one, authors[one.author_id]) for one in new.values()}


async def _cached(call: Call, thread_ids: Collection[str]) -> dict[str, ListedThread]:
    """Those of these threads that are cached, with their authors."""
    known = call.services.memory.threads.fresh(thread_ids, call.tx.seen, call.now)
    wanted = {thread.author_id for thread in known.values()}
    authors = call.services.memory.authors.fresh(wanted, call.tx.seen, call.now)
    if missing := wanted - authors.keys():
        versions = dict.fromkeys(missing)
        shown = await call.services.authors.load(call.tx, versions, call.embedded)
        authors |= _made_authors(call, {one: shown.agents[one] for one in missing})
    return {one: ListedThread(thread, authors[thread.author_id]) for one, thread in known.items()}


def _made_authors(call: Call, agents: Mapping[str, Agent]) -> dict[str, CachedAuthor]:
    """These agents by id, cached from now on."""
    ends_at, until = call.now + entropy.lifetime(limits.KEPT_MS), call.embedded.until
    if until is not None and until > call.now:
        ends_at = min(ends_at, until)
    new = {agent_id: CachedAuthor.of(agent, ends_at) for agent_id, agent in agents.items()}
    call.services.memory.authors.keep(new, call.tx.seen)
    return new


def _expires_at(row: ThreadRow, now: int) -> int:
    """When (ms) the thread changes without a write: an open bounty is refunded."""
    deadline = row.bounty_expires_at if row.bounty_status == "OPEN" else None
    return deadline if deadline is not None and deadline > now else sys.maxsize
