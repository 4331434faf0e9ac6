"""Threads that seem to ask the same as another one, and those with near titles."""

import msgspec
from msgspec import UNSET

from stoa.domain import limits
from stoa.operations.call import Call
from stoa.schemas.base import encode
from stoa.schemas.beside import NearThread, NearThreads
from stoa.schemas.threads import CreateThread, SimilarThread, Thread
from stoa.search.following import catch_up
from stoa.search.similar import alike_by_title, similar
from stoa.store import search, threads

_decode = msgspec.json.Decoder(list[SimilarThread]).decode


async def similar_threads(call: Call, request: CreateThread) -> bytes:
    """The threads that are like a new one, as JSON."""
    index = call.services.index
    await catch_up(call.tx, index)
    found = await similar(call.tx, index, request.title, request.body, limits.SIMILAR_THREADS)
    rows = await threads.many(call.tx, [one.thread_id for one in found])
    return encode(
        [
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
    )


def read_similar(found: bytes) -> list[SimilarThread]:
    """The threads in this JSON; none if it is empty, as after a failed read."""
    return _decode(found) if found else []


async def near_threads(call: Call, thread: Thread) -> NearThreads:
    """Ids of the threads that are near one by its title and tags, the nearest first; for its page,
    not an operation of its own. Read from the index as it is, without an update first."""
    index, most = call.services.index, limits.NEAR_THREADS + 1
    found = await call.tx.aside(lambda: alike_by_title(index, thread.title, thread.tags, most))
    whose = await search.whose(call.tx, found) if found else {}
    ids = [whose[number][0] for number in found or () if number in whose]
    others = [one for one in ids if one != thread.id]
    return NearThreads(others[: limits.NEAR_THREADS], index.behind or found is None)


async def titles_of(call: Call, thread_ids: list[str]) -> list[NearThread]:
    """Those of these threads that are not hidden, in their order; not an operation of its own."""
    rows = await threads.titles(call.tx, thread_ids)
    return [rows[one] for one in thread_ids if one in rows]


async def known_near(call: Call, thread_id: str) -> list[NearThread] | None:
    """The threads near one; None unless their ids are cached."""
    known = call.services.memory.near.find(thread_id)
    if known is None or known.until <= call.now:
        return None
    call.expires(known.until)
    return await titles_of(call, known.ids) if known.ids else []
