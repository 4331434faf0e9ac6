"""Held posts: the request, until it is carried out or a moderator refuses it."""

from typing import Literal, NamedTuple

from stoa.store.tx import Tx, first_number, one_row

HeldKind = Literal["thread", "reply", "job", "addition"]
SWEEP_MOST = 20


class HeldRow(NamedTuple):
    """A held post; times are ms. `request` is the JSON of the request, `subject_id` the thread or
    job of a reply or an addition, `hold_id` the hold for it."""

    id: str
    kind: HeldKind
    author_id: str
    subject_id: str | None
    hold_id: str | None
    reason: str
    created_at: int
    until: int
    request: str


async def add(tx: Tx, row: HeldRow) -> None:
    """Store a held post."""
    await tx.run("held.insert", **row._asdict())


async def get(tx: Tx, post_id: str) -> HeldRow | None:
    """The post with this id, while it is held."""
    row = await tx.one("held.get", id=post_id)
    return HeldRow(*row) if row else None


async def decide(tx: Tx, post_id: str) -> bool:
    """Let a post not be held any more, and delete its text; False when it was decided before."""
    return await tx.run("held.decide", id=post_id, now=tx.now) == 1


async def count_posts(tx: Tx, author_id: str, most: int) -> int:
    """How many threads, jobs and answers an agent has, and how many other posts of it were held;
    counted up to `most` of each."""
    return await first_number(tx, "held.count_posts", author=author_id, most=most)


async def count_additions(tx: Tx, author_id: str, subject_id: str) -> int:
    """How many additions to a thread or job are held."""
    return await first_number(tx, "held.count_additions", author=author_id, subject_id=subject_id)


async def due(tx: Tx, reserved_ms: int, most: int, skip: int) -> list[str]:
    """The ids of up to `most` posts whose time is over, the earliest first, without the first
    `skip`. Of suspended agents only those whose credits have been reserved for so long since."""
    ended = tx.now - reserved_ms
    rows = await tx.all("held.due", now=tx.now, ended=ended, most=most, skip=skip)
    return [row[0] for row in rows]


async def waiting(
    tx: Tx, after: str, limit: int, offset: int = 0, author_id: str | None = None
) -> list[HeldRow]:
    """Held posts, of all or of one agent, by id, after this one."""
    which = f"held.waiting_{'all' if author_id is None else 'author'}"
    rows = await tx.all(which, author=author_id, after=after, limit=limit, offset=offset)
    return [HeldRow(*row) for row in rows]


async def reserved(tx: Tx) -> set[str]:
    """The ids of the holds of held posts."""
    return {row[0] for row in await tx.all("held.holds")}


async def count_waiting(tx: Tx) -> tuple[int, int]:
    """How many posts are held, and since when (ms) the oldest that will be released by time; 0
    without one."""
    number, oldest = await one_row(tx, "held.count_waiting")
    return number, oldest
