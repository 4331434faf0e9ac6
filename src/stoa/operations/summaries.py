"""Threads as lists and searches show them, from the cache or made of their rows."""

import hashlib
import sys
from collections.abc import Collection, Mapping, Sequence
from typing import cast

import msgspec
from msgspec import UNSET, UnsetType

from stoa import entropy
from stoa.domain import limits
from stoa.memory.searched import CachedAuthor, CachedThread
from stoa.operations.call import Call
from stoa.operations.views.threads import thread_views
from stoa.schemas.agents import Agent
from stoa.schemas.base import encode
from stoa.schemas.content import Addition, UntrustedContent
from stoa.schemas.encoded import EncodedRow, known_by
from stoa.schemas.threads import Thread
from stoa.store import threads
from stoa.store.threads import ThreadRow


class ListedThread(msgspec.Struct, frozen=True, gc=False):
    """A thread and its author, both in JSON."""

    thread: CachedThread
    author: CachedAuthor

    @property
    def json(self) -> bytes:
        """Its JSON but for the last brace."""
        return b"".join((self.thread.before, self.author.json, self.thread.behind))

    @property
    def counted(self) -> bytes:
        """A hash of what ETags count of it."""
        return self.thread.counted + self.author.counted

    @property
    def expires_at(self) -> int:
        """When (ms) it may be another one, or too old."""
        return min(self.thread.expires_at, self.author.expires_at)

    def text(self) -> str:
        """What its author wrote, with what was added."""
        texts = msgspec.json.decode(self.json + b"}", type=_Texts)
        return "\n".join([texts.body.body, *(one.body.body for one in texts.additions or ())])


class _Texts(msgspec.Struct):
    """The texts of a thread, of all that its JSON has."""

    body: UntrustedContent
    additions: list[Addition] | UnsetType = UNSET


async def listed(call: Call, rows: Sequence[ThreadRow]) -> list[Thread]:
    """The threads of these rows as they travel in a list."""
    known = await _cached(call, [row.id for row in rows])
    if missing := [row for row in rows if row.id not in known]:
        known |= await made(call, missing)
    for one in known.values():  # the rows tell of changes of their authors
        call.expires(one.expires_at)
    shown = [known[row.id] for row in rows]
    return [cast(Thread, EncodedRow(Thread, one.json + b"}", one.counted)) for one in shown]


async def summaries(call: Call, thread_ids: Collection[str]) -> dict[str, ListedThread]:
    """These threads by id in their order. All exist, but those that are hidden are left out: what
    is kept in memory may have found one that was hidden before the first row was read."""
    known = await _cached(call, thread_ids)
    if len(known) == len(thread_ids):
        return known
    missing = [thread_id for thread_id in thread_ids if thread_id not in known]
    rows = (await threads.many(call.tx, missing)).values()
    known |= await made(call, [row for row in rows if row.removed_at is None])
    return {thread_id: known[thread_id] for thread_id in thread_ids if thread_id in known}


async def made(call: Call, rows: Sequence[ThreadRow]) -> dict[str, ListedThread]:
    """The threads of these rows by id in their order, which are cached from now on."""
    views = await thread_views(call, rows)
    authors = _made_authors(call, {view.author_agent_id: view.author for view in views})
    new = {
        row.id: _encoded(view, _expires_at(row, call.now))
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
    """These agents, by id, in JSON, which are cached from now on."""
    ends_at, until = call.now + entropy.lifetime(limits.KEPT_MS), call.embedded.until
    if until is not None and until > call.now:
        ends_at = min(ends_at, until)
    new = {
        agent_id: CachedAuthor(encode(agent), known_by(agent), ends_at)
        for agent_id, agent in agents.items()
    }
    call.services.memory.authors.keep(new, call.tx.seen)
    return new


def _encoded(view: Thread, expires_at: int) -> CachedThread:
    before, behind = encode(view).split(encode(view.author), 1)
    return CachedThread(
        view.id,
        view.author_agent_id,
        before,
        behind[:-1],
        hashlib.sha1(before + behind, usedforsecurity=False).digest(),
        expires_at,
        len(view.body.body),
        tuple(view.tags),
        view.created_at,
        extended=view.additions is not UNSET,
    )


def _expires_at(row: ThreadRow, now: int) -> int:
    """When (ms) the thread changes by the passing of time: a bounty that is open is refunded."""
    deadline = row.bounty_expires_at if row.bounty_status == "OPEN" else None
    return deadline if deadline is not None and deadline > now else sys.maxsize
