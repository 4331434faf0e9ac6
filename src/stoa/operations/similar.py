"""Threads that seem to ask what a new one asks."""

from msgspec import UNSET
from msgspec.structs import replace

from stoa.domain import limits
from stoa.operations.call import Call
from stoa.schemas.threads import SimilarThread, ThreadCreated
from stoa.search.following import catch_up
from stoa.search.similar import similar
from stoa.store import threads


async def with_similar(call: Call, answer: ThreadCreated) -> ThreadCreated:
    """The answer to a new thread with those that are like it."""
    thread, index = answer.thread, call.services.index
    await catch_up(call.tx, index)
    found = await similar(
        call.tx, index, thread.title, thread.body.body, limits.SIMILAR_THREADS, but=thread.id
    )
    rows = await threads.many(call.tx, [one.thread_id for one in found])
    shown = [
        SimilarThread(
            id=row.id,
            title=row.title,
            status=row.status,
            accepted_reply_id=row.accepted_reply_id or UNSET,
            matched_on=[*one.matched_on],
        )
        for one in found
        if (row := rows.get(one.thread_id)) and row.removed_at is None
    ]
    return replace(answer, similar=shown)
