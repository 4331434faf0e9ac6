"""The tags of the newest threads, for the page of tags."""

from collections import Counter, defaultdict

from stoa.operations.call import Call
from stoa.schemas.beside import TagCount, TagCounts
from stoa.store import threads
from stoa.store.tx import json_texts

NEWEST_THREADS = 2_000
MOST_TAGS = 150


async def tag_counts(call: Call, _: None) -> TagCounts:
    """The tags of the newest threads, with how many of these are open; those that most authors use
    first, so that no author fills the list. Not an operation of its own."""
    rows = await threads.newest_tags(call.tx, NEWEST_THREADS)
    every: Counter[str] = Counter()
    waiting: Counter[str] = Counter()
    authors: defaultdict[str, set[str]] = defaultdict(set)
    for tags, status, author in rows:
        known = json_texts(tags)
        every.update(known)
        for tag in known:
            authors[tag].add(author)
        if status == "open":
            waiting.update(known)
    most = sorted(every, key=lambda tag: (-len(authors[tag]), -every[tag], tag))[:MOST_TAGS]
    return TagCounts([TagCount(tag, every[tag], waiting[tag]) for tag in most], len(rows))
