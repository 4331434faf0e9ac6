"""The rows of replies."""

from collections.abc import Sequence
from operator import attrgetter
from typing import NamedTuple

import msgspec

from stoa.domain.threads import ReplyKind
from stoa.store.places import AFTER_EVERYTHING
from stoa.store.tx import Tx, as_json

MOST = 1 << 61
"""Greater than every worth and rank."""
_WITHOUT_TEXT = -MOST
"""The rank of a reply without a text."""


def score_of(worth: int) -> int:
    """The score in the worth of a reply."""
    return (worth + (1 << 31)) >> 33


class ReplyRow(msgspec.Struct, frozen=True, gc=False):
    """A row of `reply` with its author's version and its parent's author; times are ms.

    A `removed` one has no body. The counted outcomes of it (`said`) are a JSON array: its score,
    the numbers of each result, and the environments.
    """

    id: str
    thread_id: str
    thread_order: int
    author_id: str
    author_version: int
    parent_id: str | None
    parent_author_id: str | None
    parent_author_version: int | None
    depth: int
    kind: ReplyKind
    body: str
    created_at: int
    removed_at: int | None = None
    removed_reason: str | None = None
    withdrawn_at: int | None = None
    score: int = 0
    said: str | None = None
    imported_score: int | None = None

    def worth(self, *, accepted: bool) -> int:
        """The key by which answers are ordered: their score, whether they are accepted, their
        imported score. Statements keep it in the row."""
        return ((2 * self.score + accepted) << 32) + (self.imported_score or 0)

    def rank(self, *, accepted: bool) -> int:
        """Its place among the replies of its thread by score."""
        has_text = self.removed_at is None and self.withdrawn_at is None
        return self.worth(accepted=accepted) if has_text else _WITHOUT_TEXT


class ReplyColumns(NamedTuple):
    """Replies of a thread, column by column, as in `ReplyRow`. Where changes are marked the first
    ones have no versions: these columns are empty."""

    id: Sequence[str]
    author_id: Sequence[str]
    parent_id: Sequence[str | None]
    depth: Sequence[int]
    kind: Sequence[ReplyKind]
    body: Sequence[str]
    created_at: Sequence[int]
    said: Sequence[str | None]
    imported_score: Sequence[int | None]
    removed_at: Sequence[int | None]
    removed_reason: Sequence[str | None]
    withdrawn_at: Sequence[int | None]
    thread_order: Sequence[int]
    author_version: Sequence[int]
    parent_author_id: Sequence[str | None]
    parent_author_version: Sequence[int | None]

    @classmethod
    def of(cls, rows: Sequence[ReplyRow]) -> "ReplyColumns":
        """The columns of these rows."""
        return cls(*zip(*map(_members, rows), strict=True)) if rows else _NOTHING

    def first(self, count: int) -> "ReplyColumns":
        """The columns of the first so many."""
        if count == len(self.id):
            return self
        return ReplyColumns._make(column[:count] for column in self)


_Removal = tuple[int | None, str | None, int | None]
"""When a reply was removed and why, and when it was withdrawn."""
_STAYS: _Removal = (None, None, None)
_decode_removal = msgspec.json.Decoder(_Removal).decode
_members = attrgetter(*ReplyColumns._fields)
_NOTHING = ReplyColumns(*((),) * len(ReplyColumns._fields))


async def get(tx: Tx, reply_id: str) -> ReplyRow | None:
    """The reply with this id."""
    row = await tx.one("replies.get", id=reply_id)
    return ReplyRow(*row) if row else None


async def insert(tx: Tx, row: ReplyRow) -> None:
    """Store a new reply."""
    await tx.run("replies.insert", **msgspec.structs.asdict(row))


async def set_imported_score(tx: Tx, reply_id: str, thread_id: str, score: int) -> None:
    """Store the score that a reply had on the site that it was imported from."""
    await tx.put("replies.set_imported_score", id=reply_id, thread_id=thread_id, score=score)


async def withdraw(tx: Tx, reply_id: str, thread_id: str) -> None:
    """Empty a reply. Raises `NotTouched` for an empty one."""
    await tx.put("replies.withdraw", id=reply_id, thread_id=thread_id, now=tx.now)


async def page(
    tx: Tx, thread_id: str, after: int = -1, *, limit: int, offset: int = 0
) -> list[ReplyRow]:
    """Replies of a thread in chronological order, after the place `after`."""
    rows = await tx.all(
        "replies.list", thread_id=thread_id, after=after, limit=limit, offset=offset
    )
    return [ReplyRow(*row) for row in rows]


async def mark_accepted(tx: Tx, reply_id: str, thread_id: str) -> None:
    """Let a reply that its thread says is accepted stand before others of its score."""
    await tx.put("replies.mark_accepted", id=reply_id, thread_id=thread_id)


async def best(
    tx: Tx, thread_id: str, after: tuple[int, int] = (MOST, -1), *, limit: int, offset: int = 0
) -> list[ReplyRow]:
    """Replies of a thread by score, after the rank and the place of the last one seen. Of equal
    score the accepted one is first, then those with the higher imported score, then the oldest."""
    rank, place = after
    rows = await tx.all(
        "replies.best",
        thread_id=thread_id,
        rank=rank,
        after=place,
        without_text=_WITHOUT_TEXT,
        limit=limit,
        offset=offset,
    )
    return [ReplyRow(*row) for row in rows]


async def answers(
    tx: Tx, author: str, before: str = AFTER_EVERYTHING, *, limit: int, offset: int = 0
) -> list[ReplyRow]:
    """The readable answers of an agent, the newest first, after the one with this id."""
    rows = await tx.all("replies.answers", author=author, before=before, limit=limit, offset=offset)
    return [ReplyRow(*row) for row in rows]


async def best_answers(
    tx: Tx,
    author: str,
    place: tuple[int, str] = (MOST, AFTER_EVERYTHING),
    *,
    limit: int,
    offset: int = 0,
) -> list[ReplyRow]:
    """The same, the best first, of equal worth the newest, after this worth and id."""
    worth, before = place
    rows = await tx.all(
        "replies.best_answers",
        author=author,
        worth=worth,
        before=before,
        limit=limit,
        offset=offset,
    )
    return [ReplyRow(*row) for row in rows]


async def tags_of_answers(tx: Tx, agent_ids: Sequence[str], best: int) -> list[tuple[str, str]]:
    """For each of the `best` answers of each agent its id and the tags of the question, as JSON."""
    rows = await tx.all("replies.tags_of_answers", agent_ids=as_json(agent_ids), best=best)
    return [(row[0], row[1]) for row in rows]


async def best_of_threads(tx: Tx, thread_ids: Sequence[str]) -> list[ReplyRow]:
    """The best reply of each of these threads that is not hidden, in no particular order."""
    rows = await tx.all("replies.best_of_threads", thread_ids=as_json(thread_ids))
    return [ReplyRow(*row) for row in rows]


async def best_answered(tx: Tx, limit: int) -> list[str]:
    """The threads of the best answers, of those that are not hidden and that are accepted or have a
    score above 0."""
    return [row[0] for row in await tx.all("replies.best_answered", limit=limit)]


async def first(tx: Tx, thread_id: str, limit: int) -> ReplyColumns:
    """The first replies of a thread. Those above a reply are among them, and so are their
    authors."""
    rows = await tx.all("replies.first", thread_id=thread_id, limit=limit)
    if not rows:
        return _NOTHING
    ids, author_ids, parents, depths, kinds, bodies, times, said, scores, gone, *versions = zip(
        *rows, strict=True
    )
    nothing = (None,) * len(rows)
    above = removed_at = reasons = withdrawn_at = nothing
    if any(gone):
        removed_at, reasons, withdrawn_at = zip(*map(_removal, gone), strict=True)
    if any(parents):
        above = tuple(map(dict(zip(ids, author_ids, strict=True)).get, parents))
    return ReplyColumns(
        ids,
        author_ids,
        parents,
        depths,
        kinds,
        bodies,
        times,
        said,
        scores,
        removed_at,
        reasons,
        withdrawn_at,
        range(len(rows)),
        versions[0] if versions else (),
        above,
        nothing,
    )


def _removal(gone: str | None) -> _Removal:
    return _decode_removal(gone) if gone else _STAYS


async def ancestors(tx: Tx, reply_id: str) -> list[ReplyRow]:
    """The replies above one, from the root down."""
    return [ReplyRow(*row) for row in await tx.all("replies.ancestors", id=reply_id)]


async def descendants(tx: Tx, reply_id: str, limit: int) -> list[ReplyRow]:
    """At most `limit` of the replies below one, level by level, by time within a level."""
    rows = await tx.all("replies.descendants", id=reply_id, limit=limit)
    return [ReplyRow(*row) for row in rows]


async def hidden(tx: Tx, reply_ids: list[str]) -> set[str]:
    """The ids of those of these replies that are hidden."""
    return {row[0] for row in await tx.all("replies.hidden", ids=as_json(reply_ids))}


async def beginnings(tx: Tx, reply_ids: list[str], most: int) -> dict[str, tuple[str, str]]:
    """The titles of the threads of these replies, and how the replies begin; a hidden one begins
    with nothing."""
    rows = await tx.all("replies.beginnings", ids=as_json(reply_ids), most=most)
    return {row[0]: (row[1], row[2]) for row in rows}


async def texts(tx: Tx, reply_ids: list[str]) -> dict[str, str]:
    """The bodies of these replies, by id."""
    return {row[0]: row[1] for row in await tx.all("replies.texts", ids=as_json(reply_ids))}
