"""Rows of threads, with the counters that their lists need."""

from typing import Literal, NamedTuple

import msgspec

from stoa.domain import limits
from stoa.domain.ids import encode_ulid
from stoa.schemas.beside import NearThread
from stoa.store import places
from stoa.store.places import LARGEST, NEWEST, PagePart, RowPosition, narrowest
from stoa.store.tx import Tx, Value, as_json, first_number

_ENDS = {"recent": NEWEST, "active": LARGEST, "replies": LARGEST}
_COLUMNS = {"recent": "id", "active": "last_activity_at", "replies": "reply_count"}


class ThreadRow(msgspec.Struct, frozen=True, gc=False):
    """A row of `thread` with its author's version and its bounty, if any.

    `tags` is a JSON array, times are ms, the amount is in hundredths. `eligible_reply_id` is the
    newest reply that its author can accept now, if any. A `removed` one has no title and no body.
    """

    id: str
    author_id: str
    author_version: int
    title: str
    body: str
    tags: str
    status: Literal["open", "answered"]
    accepted_reply_id: str | None
    locked: int
    reply_count: int
    eligible_reply_id: str | None
    created_at: int
    updated_at: int
    last_activity_at: int
    bounty_id: str | None
    bounty_amount: int | None
    bounty_status: Literal["OPEN", "PAID", "REFUNDED"] | None
    bounty_expires_at: int | None
    removed_at: int | None = None
    removed_reason: str | None = None
    withdrawn_at: int | None = None
    addition_count: int = 0
    imported_score: int | None = None

    @property
    def takes_replies(self) -> bool:
        """Whether it is neither locked nor withdrawn."""
        return not self.locked and self.withdrawn_at is None

    def pays_at(self, now: int) -> bool:
        """Whether an accept at a time (ms) pays a bounty."""
        return self.bounty_status == "OPEN" and (self.bounty_expires_at or 0) > now

    def place(self, order: str) -> RowPosition:
        """Where the row stands in a list of this order."""
        return getattr(self, _COLUMNS[order]), self.id


FrontList = Literal["unanswered", "discussed"]


class SharedPlace(NamedTuple):
    """A place in a list in two parts, of which the first has few threads of each new author: in one
    of its parts, as it was when the newest thread was written (ms), after a row; None is the start
    of that part."""

    later: int
    as_of: int
    after: RowPosition | None = None


class SharedRows(NamedTuple):
    """The rows of both parts of such a list, and the `page_end` of the first."""

    first: list[ThreadRow]
    later: list[ThreadRow]
    end: RowPosition | None


class ThreadFilter(NamedTuple):
    """The filters of a list of threads."""

    tag: str | None = None
    author: str | None = None
    status: str | None = None

    def scope(self) -> tuple[str, str]:
        """The index to read and its value."""
        return narrowest(author=self.author, tag=self.tag, status=self.status)

    def statement(self, order: str) -> tuple[str, dict[str, Value]]:
        """The statement whose index serves this filter, and its parameters."""
        scope, value = self.scope()
        kind = "author_tag" if scope == "author" and self.tag is not None else scope
        status = None if scope == "status" else self.status
        return f"threads.list_{kind}_{order}", {"scope": value, "status": status, "tag": self.tag}


async def newest_tags(tx: Tx, most: int) -> list[tuple[str, str, str]]:
    """The tags, a JSON array, the status and the author of the newest threads."""
    rows = await tx.all("threads.newest_tags", limit=most)
    return [(row[0], row[1], row[2]) for row in rows]


async def get(tx: Tx, thread_id: str) -> ThreadRow | None:
    """The thread with this id."""
    row = await tx.one("threads.get", thread_id=thread_id)
    return ThreadRow(*row) if row else None


async def insert(
    tx: Tx, thread_id: str, author_id: str, title: str, body: str, tags: list[str]
) -> None:
    """Store a new thread."""
    await tx.run(
        "threads.insert",
        thread_id=thread_id,
        author_id=author_id,
        title=title,
        body=body,
        tags=as_json(tags),
        now=tx.now,
    )
    for tag in tags:
        tx.defer("threads.insert_tags", tag=tag, thread_id=thread_id)


async def page(tx: Tx, only: ThreadFilter, order: str, part: PagePart) -> list[ThreadRow]:
    """Threads in the order `recent`, `active` or `replies`, largest first."""
    statement, values = only.statement(order)
    rows = await tx.all(statement, **values, **part.values(_ENDS[order]))
    return [ThreadRow(*row) for row in rows]


async def page_end(
    tx: Tx, only: ThreadFilter, order: str, after: RowPosition | None
) -> RowPosition | None:
    """The last place that a page after `after` reads; None if nothing ends it. There is no index of
    a tag and a status, so each thread with the tag is read."""
    scope, value = only.scope()
    if only.status is None or scope != "tag":
        return None
    return await places.page_end(tx, f"threads.far_tag_{order}", value, _ENDS[order], after)


async def newest_at(tx: Tx) -> int:
    """When (ms) the newest thread was written, 0 when there is none."""
    return await first_number(tx, "threads.newest_at")


async def shared_out(
    tx: Tx,
    only: ThreadFilter | None,
    order: str,
    place: SharedPlace,
    new_agent_ms: int,
    limit: int,
    offset: int,
) -> SharedRows:
    """Threads after a place, or open ones without an answer if there is no filter: those of the
    first part of the list and those of the later one. `new_agent_ms` is for how long an author is
    new."""
    which, scope = only.scope() if only else ("unanswered", "")
    since = max(0, place.as_of - new_agent_ms)
    values: dict[str, Value] = {
        "scope": scope,
        "status": only.status if only else None,
        "as_of": place.as_of,
        "since": since,
        "before": limits.FEW_OF_NEW - 1,
    }
    first: list[ThreadRow] = []
    after, ends = place.after, _ENDS[order]
    if not place.later:
        end = await page_end(tx, only, order, after) if only else None
        statement, found = f"threads.first_{which}_{order}", places.between(ends, after, end)
        rows = await tx.all(statement, **values, **found, limit=limit, offset=offset)
        first = [ThreadRow(*row) for row in rows]
        if len(first) == limit or end is not None:
            return SharedRows(first, [], end)
        if offset:
            passed = await tx.one(f"threads.count_{which}", **values, most=offset)
            offset -= passed[0] if passed else 0
        after = None
    rows = await tx.all(
        f"threads.later_{which}_{order}",
        **values,
        **places.between(ends, after),
        oldest=f"th_{encode_ulid(since, 0)}",
        limit=limit - len(first),
        offset=offset,
    )
    return SharedRows(first, [ThreadRow(*row) for row in rows], None)


async def on_front(tx: Tx, which: FrontList, since: int, limit: int) -> list[ThreadRow]:
    """Threads for the front page: open ones without an answer, the newest first, or those in which
    others than their authors wrote, the last ones first. Of an author that joined after a time (ms)
    only the newest few are among them."""
    before = limits.FEW_OF_NEW - 1
    rows = await tx.all(f"threads.front_{which}", since=since, before=before, limit=limit)
    return [ThreadRow(*row) for row in rows]


async def count_reply(
    tx: Tx, thread_id: str, *, answer: bool, eligible_reply_id: str | None
) -> None:
    """Update the counters and the activity time of a thread with a new reply, which its author can
    accept if it is the one named."""
    await tx.run(
        "threads.count_reply",
        thread_id=thread_id,
        answer=int(answer),
        eligible_reply_id=eligible_reply_id,
        now=tx.now,
    )
    tx.defer("threads.carry_to_tags", thread_id=thread_id)


async def accept(tx: Tx, thread_id: str, reply_id: str) -> bool:
    """Mark a reply as the answer; False when the thread is answered already."""
    changed = await tx.run("threads.accept", thread_id=thread_id, reply_id=reply_id, now=tx.now)
    tx.defer("threads.carry_to_tags", thread_id=thread_id)
    return changed == 1


async def lag_behind(tx: Tx) -> bool:
    """Whether there are tags whose copies of thread columns are old."""
    return await tx.one("threads.moved", most=1) is not None


async def catch_up_tags(tx: Tx, most: int) -> int:
    """Update the copies of thread columns in the tags of so many threads; returns of how many
    threads."""
    moved = [row[0] for row in await tx.all("threads.moved", most=most)]
    await tx.lock("thread", *moved)
    for thread_id in moved:
        await tx.run("threads.catch_up", thread_id=thread_id)
        await tx.run("threads.forget_moved", thread_id=thread_id)
    return len(moved)


async def many(tx: Tx, thread_ids: list[str]) -> dict[str, ThreadRow]:
    """The threads with these ids, by id."""
    rows = await tx.all("threads.many", thread_ids=as_json(thread_ids))
    return {row[0]: ThreadRow(*row) for row in rows}


async def titles(tx: Tx, thread_ids: list[str]) -> dict[str, NearThread]:
    """The titles of those of these threads that have one and are not hidden, by id."""
    rows = await tx.all("threads.titles", thread_ids=as_json(thread_ids))
    return {row[0]: NearThread(*row) for row in rows}


async def count_addition(tx: Tx, thread_id: str) -> None:
    """Note that there is one more addition to a thread."""
    await tx.put("threads.count_addition", thread_id=thread_id, now=tx.now)


async def set_imported_score(tx: Tx, thread_id: str, score: int) -> None:
    """Store the score that a thread had on the site that it was imported from."""
    await tx.put("threads.set_imported_score", thread_id=thread_id, score=score)


async def withdraw(tx: Tx, thread_id: str) -> None:
    """Empty a thread: title, text, tags and additions. Raises `NotTouched` for an empty one."""
    await tx.put("threads.withdraw", thread_id=thread_id, now=tx.now)
    tx.defer("threads.delete_tags", thread_id=thread_id)
    await tx.run("threads.delete_additions", thread_id=thread_id)


async def was_answered(tx: Tx, thread_id: str) -> bool:
    """Whether a thread has an answer of another agent that was not withdrawn."""
    return await tx.one("threads.was_answered", thread_id=thread_id) is not None


async def set_bounty(tx: Tx, thread_id: str, bounty_id: str) -> None:
    """Tie a thread to its bounty."""
    await tx.run("threads.set_bounty", thread_id=thread_id, bounty_id=bounty_id)


async def refunded(tx: Tx, thread_id: str, expired_at: int) -> None:
    """Note that the bounty was refunded at its end."""
    await tx.run("threads.refunded", thread_id=thread_id, expired_at=expired_at)
