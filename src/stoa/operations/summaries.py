"""Threads as lists and searches show them, from the cache or made of their rows."""

import hashlib
from collections.abc import Collection, Sequence
from typing import cast

import msgspec

from stoa import entropy
from stoa.domain import limits
from stoa.memory.searched import CachedSummary
from stoa.operations.call import Call
from stoa.operations.views.threads import thread_views
from stoa.schemas.base import encode
from stoa.schemas.encoded import Encoded, without_late
from stoa.schemas.threads import Thread
from stoa.store import threads
from stoa.store.threads import ThreadRow


class _ListRow(Encoded[Thread]):
    """A thread in a list."""

    def __init__(self, thread: CachedSummary) -> None:
        self.resource = thread.view
        self.wire = msgspec.Raw(thread.json + b"}")
        self.known_by = thread.counted


async def listed(call: Call, rows: Sequence[ThreadRow]) -> list[Thread]:
    """The threads of these rows as they travel in a list."""
    kept = call.services.memory.summaries.fresh([row.id for row in rows], call.tx.seen, call.now)
    for thread in kept.values():  # the rows tell of changes of their authors
        call.expires(thread.expires_at)
    if missing := [row for row in rows if row.id not in kept]:
        kept |= await made(call, missing)
    return [cast(Thread, _ListRow(kept[row.id])) for row in rows]


async def summaries(call: Call, thread_ids: Collection[str]) -> dict[str, CachedSummary]:
    """These threads by id in their order. All exist, but those that are hidden are left out: what
    is kept in memory may have found one that was hidden before the first row was read."""
    known = call.services.memory.summaries.fresh(thread_ids, call.tx.seen, call.now)
    if len(known) == len(thread_ids):
        return known
    missing = [thread_id for thread_id in thread_ids if thread_id not in known]
    rows = (await threads.many(call.tx, missing)).values()
    known |= await made(call, [row for row in rows if row.removed_at is None])
    return {thread_id: known[thread_id] for thread_id in thread_ids if thread_id in known}


async def made(call: Call, rows: Sequence[ThreadRow]) -> dict[str, CachedSummary]:
    """Summaries of these rows by id in their order, which are cached from now on."""
    views = await thread_views(call, rows)
    new = {
        view.id: _summary(view, _expires_at(row, call))
        for row, view in zip(rows, views, strict=True)
    }
    call.services.memory.summaries.keep(new, call.tx.seen)
    return new


def _summary(view: Thread, expires_at: int) -> CachedSummary:
    json = encode(view)
    content = hashlib.sha1(b"".join(without_late(json)), usedforsecurity=False)
    return CachedSummary(
        view,
        json[:-1],
        content.digest(),
        expires_at,
        characters=len(view.body.body),
        tags=frozenset(view.tags),
    )


def _expires_at(row: ThreadRow, call: Call) -> int:
    latest = call.now + entropy.lifetime(limits.KEPT_MS)
    deadline = row.bounty_expires_at if row.bounty_status == "OPEN" else None
    ends = (deadline, call.embedded.until)
    return min([latest, *(end for end in ends if end is not None and end > call.now)])
