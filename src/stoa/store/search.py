"""The full-text index over titles, bodies and replies."""

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import NamedTuple

import msgspec

from stoa.domain.querylang import Query
from stoa.domain.words import without_repeats, words
from stoa.store.places import NEWEST, RowPosition, between, page_end
from stoa.store.posts import Posts, Whose
from stoa.store.tx import Tx

NEWEST_MATCHES = 10_000
"""A search looks at this many of the newest texts with its words, so that common ones cost no more
than rare ones."""

PHRASE_WORDS = 4
"""A query with more words in its phrases, which take longest to look for, looks at fewer texts: at
half as many for twice as many words."""

BEST_MATCHES = 10
"""For each result wanted the threads of so many texts are looked up, before it is those of all.
Where an author or tags narrow the search it is more of them or all, as the engine does it best."""

_MERGED_PAGES = 64
"""Other writes wait meanwhile: it takes some 4 ms."""


class Narrowing(NamedTuple):
    """What threads a search is narrowed to: by this author, with all of these tags, with this
    status, created at `since` (ms) or later."""

    author: str | None = None
    tags: Sequence[str] = ()
    status: str | None = None
    since: int = 0


async def add(tx: Tx, thread_id: str, reply_id: str | None, title: str, body: str) -> None:
    """Make a text findable."""
    number = await tx.number("search.insert_post", thread_id=thread_id, reply_id=reply_id)
    index(tx, number, title, body)


def index(tx: Tx, number: int, title: str, body: str) -> None:
    """Put the text of this number into the index."""
    title, body = (tx.searchable(without_repeats(words(text))) for text in (title, body))
    tx.defer("search.index_post", id=number, title=title, body=body)


async def merge(tx: Tx) -> None:
    """Merge a part of what commits have added to the index, so that a search has fewer places to
    look in."""
    await tx.run("search.merge", pages=_MERGED_PAGES)


def remove(tx: Tx, thread_id: str, reply_id: str | None) -> None:
    """Let a text not be found any more: a reply, or all of a thread without one. Deferred, because
    texts are put into the index so: some may be on their way."""
    tx.defer("search.unindex", thread_id=thread_id, reply_id=reply_id)


async def add_again(tx: Tx, removed: Sequence[tuple[str, str | None]]) -> None:
    """Make texts findable that were removed, as far as they are shown now, under the numbers that
    they had: replies of threads, or all of a thread without a reply."""
    texts: dict[int, tuple[str, str]] = {}
    for thread_id, reply_id in removed:
        rows = await tx.all("search.texts", thread_id=thread_id, reply_id=reply_id)
        texts |= {row[0]: (row[1], row[2]) for row in rows}
    for number, text in texts.items():
        index(tx, number, *text)


async def newest_post(tx: Tx) -> int:
    """The number of the text that was added last, 0 when there is none."""
    row = await tx.one("search.newest_post")
    return row[0] if row else 0


async def find(
    tx: Tx,
    posts: Posts,
    query: Query,
    narrowed: Narrowing,
    newest: int,
    limit: int,
    offset: int,
    *,
    recent: bool = False,
) -> dict[str, str]:
    """The best matching texts by their threads, the best or the most recent threads first.

    Texts added after the text number `newest` are left out.
    """
    anything = narrowed == Narrowing() and not recent
    numbers = tx.ranked(query, newest, NEWEST_MATCHES) if anything else None
    if numbers is not None:
        return await _best(tx, posts, numbers, limit, offset)
    rows = await tx.all(
        f"search.find_{_kind(query)}",
        match=tx.match(query),
        author=narrowed.author,
        tags=msgspec.json.encode(narrowed.tags).decode(),
        status=narrowed.status,
        since=narrowed.since,
        recent=int(recent),
        newest=newest,
        matches=_matches(query),
        some=min(BEST_MATCHES * (limit + offset), NEWEST_MATCHES),
        limit=limit,
        offset=offset,
    )
    return {row[0]: row[1] or row[0] for row in rows}


def _matches(query: Query) -> int:
    """How many texts a query looks at."""
    looked_for = (*query.include, *query.exclude)
    words = sum(len(phrase) for phrase in looked_for if phrase[1:])
    return NEWEST_MATCHES * PHRASE_WORDS // max(PHRASE_WORDS, words)


async def _best(
    tx: Tx, posts: Posts, numbers: Iterator[int], limit: int, offset: int
) -> dict[str, str]:
    """The best texts by their threads, of numbers with the best ones first."""
    found: dict[str, str] = {}
    known, wanted = posts.known.get, limit + offset
    count = 2 * wanted
    for number in numbers:
        whose = known(number)
        if whose:
            thread_id, text_id = whose
            if thread_id not in found:
                found[thread_id] = text_id
        else:
            some = [number, *islice(numbers, count - 1)]
            for one in filter(None, await _looked_up(tx, posts, some)):
                found.setdefault(*one)
            count = min(2 * count, NEWEST_MATCHES)
        if len(found) >= wanted:
            break
    return dict(islice(found.items(), offset, wanted)) if offset or len(found) > wanted else found


async def _looked_up(tx: Tx, posts: Posts, numbers: Sequence[int]) -> list[Whose | None]:
    """Whose these texts are, None for those that are not found."""
    known = posts.known
    missing = [number for number in numbers if number not in known]
    rows = await tx.all("postings.whose", numbers=msgspec.json.encode(missing).decode())
    new: dict[int, Whose] = {row[0]: (row[1], row[2] or row[1]) for row in rows}
    posts.keep(new)
    return [known.get(number) or new.get(number) for number in numbers]


def _kind(query: Query) -> str:
    if query.quoted:
        return "phrases"
    if query.include[1:]:
        return "words"
    return "forms" if query.forms else "word"


async def tagged_end(tx: Tx, tags: list[str], after: RowPosition | None) -> RowPosition | None:
    """The last place that a page behind `after` looks at: each thread with the first of `tags` is
    looked at."""
    return await page_end(tx, "threads.far_tag_recent", tags[0], NEWEST, after)


async def tagged(
    tx: Tx,
    narrowed: Narrowing,
    after: RowPosition | None,
    limit: int,
    offset: int,
    upto: RowPosition | None,
) -> list[str]:
    """Ids of the threads that have all tags, newest first, behind `after`; `upto` is of
    `tagged_end`. Whenever they were created."""
    rows = await tx.all(
        "search.tagged",
        tag=narrowed.tags[0],
        author=narrowed.author,
        tags=msgspec.json.encode(narrowed.tags).decode(),
        status=narrowed.status,
        **between(NEWEST, after, upto),
        limit=limit,
        offset=offset,
    )
    return [row[0] for row in rows]
