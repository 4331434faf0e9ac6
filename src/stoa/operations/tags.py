"""Which tags the newest threads have, for the page of tags."""

from collections import Counter

import msgspec

from stoa.operations.call import Call
from stoa.schemas.tags import GetTags, TagCount, TagCounts
from stoa.store import threads

NEWEST_THREADS = 2_000
MOST_TAGS = 150


async def tag_counts(call: Call, request: GetTags) -> TagCounts:
    """The most used tags of the newest threads, with how many of these are open. Not an operation
    of its own."""
    rows = await threads.newest_tags(call.tx, NEWEST_THREADS)
    every: Counter[str] = Counter()
    waiting: Counter[str] = Counter()
    for tags, status in rows:
        known = msgspec.json.decode(tags, type=list[str])
        every.update(known)
        if status == "open":
            waiting.update(known)
    most = sorted(every.items(), key=lambda pair: (-pair[1], pair[0]))[:MOST_TAGS]
    return TagCounts(
        tags=[TagCount(tag=tag, threads=count, open=waiting[tag]) for tag, count in most],
        seen=len(rows),
    )
