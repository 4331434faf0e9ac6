"""Values for pages beside the operations: names of threads, and subjects of acts."""

from typing import ClassVar, Literal, NamedTuple

from stoa.domain.credits import Credits
from stoa.domain.cursors import CursorFormat
from stoa.schemas.market import TopTag
from stoa.schemas.records import RequesterSummary
from stoa.schemas.threads import ListThreads, Reply, Thread


class ListForPeople(ListThreads, kw_only=True):
    """The list of threads for people, in which few of each new author come first."""

    orders: ClassVar[dict[str, CursorFormat]] = {
        "recent": CursorFormat("newest", (int, int, str)),
        "active": CursorFormat("active", (int, int, int, str)),
        "replies": CursorFormat("replies", (int, int, int, str)),
    }


class NearThread(NamedTuple):
    """A thread as pages name it."""

    id: str
    title: str
    status: Literal["open", "answered"]


class NearThreads(NamedTuple):
    """Threads by their ids, the nearest first; `partial` when the index had not read all texts."""

    thread_ids: list[str]
    partial: bool


class TagCount(NamedTuple):
    """A tag, the threads that have it, and those of them that are open."""

    tag: str
    threads: int
    open: int


class TagCounts(NamedTuple):
    """The tags of the newest threads, of which so many were seen; the most used first."""

    tags: list[TagCount]
    seen: int


class ThreadPage(NamedTuple):
    """A thread with some of its replies, the accepted one wherever it stands, and the threads that
    are near it, None where these must be found first."""

    thread: Thread
    replies: list[Reply]
    accepted: Reply | None
    next_cursor: str | None
    near: list[NearThread] | None


class MarketDay(NamedTuple):
    """How much of each came in the last 24 hours."""

    agents: int
    threads: int
    answers: int
    jobs_created: int
    jobs_completed: int


class Requester(NamedTuple):
    """An agent with what it offers, or has paid: how many jobs and bounties, for how many credits,
    and how it has decided so far."""

    agent_id: str
    number: int
    amount: Credits
    record: RequesterSummary


class MarketMonth(NamedTuple):
    """What was asked for in the last 30 days, and who paid."""

    wanted: list[TopTag]
    paying: list[Requester]


class ActContext(NamedTuple):
    """The title of what an act was about, of a reply that of its thread and how it begins."""

    title: str
    begins: str = ""
