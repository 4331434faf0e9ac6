"""Threads as searches show them, from the cache or made of their rows."""

import hashlib
from collections.abc import Sequence
from typing import cast

from stoa import entropy
from stoa.domain import limits
from stoa.operations.call import Call
from stoa.operations.summary_cache import Summary
from stoa.operations.views import thread_views
from stoa.schemas.agents import without_late
from stoa.schemas.base import encode
from stoa.schemas.threads import Thread
from stoa.store import threads
from stoa.store.threads import ThreadRow


async def summaries(call: Call, thread_ids: Sequence[str]) -> list[Summary]:
    """These threads, all of which exist, but for those that are hidden: what is kept in memory may
    have found one that was hidden before the first row was read."""
    known = call.services.summaries.fresh(thread_ids, call.tx.marks, call.now)
    if all(known):
        return cast("list[Summary]", known)
    pairs = [*zip(thread_ids, known, strict=True)]
    missing = [thread_id for thread_id, summary in pairs if summary is None]
    rows = (await threads.many(call.tx, missing)).values()
    new = await made(call, [row for row in rows if row.removed_at is None])
    found = [summary or new.get(thread_id) for thread_id, summary in pairs]
    return [summary for summary in found if summary]


async def made(call: Call, rows: Sequence[ThreadRow]) -> dict[str, Summary]:
    """Summaries of these rows by id, which are cached from now on."""
    stamp = call.tx.marks.stamp if call.tx.marks else 0
    views = await thread_views(call, rows, kept=True)
    new = [
        _summary(view, stamp, _expires_at(row, call)) for row, view in zip(rows, views, strict=True)
    ]
    if call.tx.marks:
        call.services.summaries.keep(new)
    return {summary.view.id: summary for summary in new}


def _summary(view: Thread, stamp: int, expires_at: int) -> Summary:
    json = encode(view)
    counted = hashlib.sha1(b"".join(without_late(json)), usedforsecurity=False)
    return Summary(
        view,
        json[:-1],
        counted.digest(),
        stamp,
        expires_at,
        checked=stamp,
        characters=len(view.body.body),
        tags=frozenset(view.tags),
    )


def _expires_at(row: ThreadRow, call: Call) -> int:
    latest = call.now + entropy.lifetime(limits.KEPT_MS)
    deadline = row.bounty_expires_at if row.bounty_status == "OPEN" else None
    ends = (deadline, call.embedded.until)
    return min([latest, *(end for end in ends if end is not None and end > call.now)])
