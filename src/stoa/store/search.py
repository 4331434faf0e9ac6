"""The texts of the search index, each with a fixed number: a later text has a larger one."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import msgspec

from stoa.domain.attributions import without_attribution
from stoa.store.places import NEWEST, PagePart, RowPosition, page_end
from stoa.store.replies import score_of
from stoa.store.tx import Tx, as_json

_tags = msgspec.json.Decoder(tuple[str, ...]).decode


class Narrowing(NamedTuple):
    """The filters of a search: by this author, with all of these tags, with this status, created at
    `since` (ms) or later."""

    author: str | None = None
    tags: Sequence[str] = ()
    status: str | None = None
    since: int = 0


class SearchText(NamedTuple):
    """A text as it is now: the opening of a thread, or a reply, whose `title` is empty. `thread` is
    the number of the opening, the time is that of the thread, ms."""

    number: int
    thread: int
    created_at: int
    title: str
    body: str
    author_id: str
    tags: Sequence[str]
    is_answered: bool
    is_accepted: bool
    is_shown: bool

    @property
    def parts(self) -> tuple[str, ...]:
        """The indexed text beside the title: the body, and of the opening each tag of its
        thread."""
        body = without_attribution(self.body)
        return (body, *self.tags) if self.number == self.thread else (body,)

    @property
    def characters(self) -> int:
        """The length of all indexed text."""
        return len(self.title) + sum(map(len, self.parts))


class NumberedText(NamedTuple):
    """The values of a text that may change, without the text itself."""

    number: int
    thread_id: str
    reply_id: str | None
    is_shown: bool
    is_answered: bool
    is_accepted: bool


class Opening(NamedTuple):
    """The opening of a thread: its number, the id of the thread and its title."""

    number: int
    thread_id: str
    title: str


Whose = tuple[str, str]
"""The ids of a thread and of its text: that of a reply, or again its own."""


async def add(tx: Tx, thread_id: str, reply_id: str | None) -> None:
    """Give a text its number: that of a reply, or the opening of a thread."""
    await tx.number("search.insert_post", thread_id=thread_id, reply_id=reply_id)


async def numbered(
    tx: Tx, replies: Iterable[str], openings: Iterable[str], whole: Iterable[str]
) -> list[NumberedText]:
    """The texts of replies, of openings of threads, and of whole threads, hidden or not."""
    threads = as_json({*openings, *whole})
    rows = await tx.all(
        "search.numbered", replies=as_json([*replies]), threads=threads, whole=as_json([*whole])
    )
    return [NumberedText(*row) for row in rows]


async def best_scores(tx: Tx, thread_ids: Iterable[str]) -> dict[str, int]:
    """The scores of the best replies of these threads, of those where it is not 0."""
    worths = await best_worths(tx, thread_ids)
    return {one: score for one, worth in worths.items() if (score := score_of(worth))}


async def best_worths(tx: Tx, thread_ids: Iterable[str]) -> dict[str, int]:
    """The worths of the best replies of these threads, of those where that is not 0."""
    rows = await tx.all("search.best_worths", thread_ids=as_json([*thread_ids]))
    return {row[0]: row[1] for row in rows if row[1]}


async def texts(tx: Tx, numbers: Iterable[int]) -> list[SearchText]:
    """The texts with these numbers, hidden or not."""
    return _texts(await tx.all("search.texts", numbers=as_json([*numbers])))


async def behind(tx: Tx, after: int, limit: int) -> list[SearchText]:
    """The texts after this number, hidden or not."""
    return _texts(await tx.all("search.behind", after=after, limit=limit))


async def whose(tx: Tx, numbers: Iterable[int], *, shown: bool = False) -> dict[int, Whose]:
    """The threads and ids of these texts, or only of those that are `shown`, which takes five times
    as long."""
    statement = "search.whose_shown" if shown else "search.whose"
    rows = await tx.all(statement, numbers=as_json([*numbers]))
    return {row[0]: (row[1], row[2] or row[1]) for row in rows}


async def openings(tx: Tx, numbers: Iterable[int]) -> list[Opening]:
    """The openings with these numbers that are not hidden."""
    return [Opening(*row) for row in await tx.all("search.openings", numbers=as_json([*numbers]))]


async def tagged_end(tx: Tx, tags: list[str], after: RowPosition | None) -> RowPosition | None:
    """The last place that a page after `after` reads: each thread with the first of `tags` is
    read."""
    return await page_end(tx, "threads.far_tag_recent", tags[0], NEWEST, after)


async def tagged(tx: Tx, narrowed: Narrowing, part: PagePart) -> list[str]:
    """Ids of the threads that have all tags, newest first, whenever they were created; the end of
    the part is of `tagged_end`."""
    rows = await tx.all(
        "search.tagged",
        tag=narrowed.tags[0],
        author=narrowed.author,
        tags=as_json([*narrowed.tags]),
        status=narrowed.status,
        **part.values(NEWEST),
    )
    return [row[0] for row in rows]


def _texts(rows: Iterable[Sequence[object]]) -> list[SearchText]:
    return [SearchText(*row)._replace(tags=_tags(row[6])) for row in rows]  # pyright: ignore[reportArgumentType]
