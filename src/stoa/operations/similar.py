"""Threads that seem to ask what a new one asks."""

import msgspec
from msgspec import UNSET

from stoa.domain import limits
from stoa.operations.call import Call
from stoa.schemas.base import encode
from stoa.schemas.threads import CreateThread, SimilarThread
from stoa.search.following import catch_up
from stoa.search.similar import similar
from stoa.store import threads

_decode = msgspec.json.Decoder(list[SimilarThread]).decode


async def similar_threads(call: Call, request: CreateThread) -> bytes:
    """Those that are like a thread to be made, as JSON."""
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
    """The same, of what was read; none where nothing could be."""
    return _decode(found) if found else []
