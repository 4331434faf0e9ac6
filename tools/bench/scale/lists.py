"""Every list and the thread read, as the store runs them, with the values of a random reader."""

import random
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

from stoa.domain.labels import wanted_words
from stoa.settings import Settings
from stoa.store import agents, jobs, ledger, opportunities, replies, search, submissions, threads
from stoa.store.agents import AgentRow
from stoa.store.jobs import JobFilter, JobRow
from stoa.store.opportunities import START, OfferReader, OffersWanted
from stoa.store.places import AFTER_EVERYTHING, PagePart
from stoa.store.threads import SharedPlace, ThreadFilter, ThreadRow
from stoa.store.tx import Tx
from tools.bench.scale.world import END, LONG_THREAD, TAGS, UNFINISHED_JOBS, World

PAGE = 21
"""Rows of a page and one more, which tells whether there is a next one."""
REPLIES = 101


@dataclass(frozen=True)
class Pick:
    """Random rows of a database: lists are narrowed to what they have, and begin behind them."""

    thread: ThreadRow
    agent: AgentRow
    job: JobRow
    open_job: JobRow
    tag: str
    long_thread: str


List = Callable[[Tx, Pick], Awaitable[Any]]


async def pick(tx: Tx, world: World, chance: random.Random) -> Pick:
    """Choose rows."""
    place = world.jobs - chance.randrange(UNFINISHED_JOBS) - 1
    while world.status(place) != "OPEN":
        place = world.jobs - chance.randrange(UNFINISHED_JOBS) - 1
    thread = await threads.get(tx, world.thread(chance.randrange(world.threads)))
    agent = await agents.get(tx, world.agent(chance.randrange(world.agents)))
    job = await jobs.get(tx, world.job(chance.randrange(world.jobs)))
    open_job = await jobs.get(tx, world.job(place))
    assert thread
    assert agent
    assert job
    assert open_job
    return Pick(thread, agent, job, open_job, chance.choice(TAGS), world.thread(0))


def lists() -> dict[str, List]:
    """Every list in each of its orders, its first page and one behind a random row, by name."""
    return dict([*_threads(), *_agents(), *_jobs(), *_feeds(), *_others()])


def _threads() -> Iterator[tuple[str, List]]:
    filters: dict[str, Callable[[Pick], ThreadFilter]] = {
        "all": lambda _: ThreadFilter(),
        "author": lambda it: ThreadFilter(author=it.thread.author_id),
        "status": lambda it: ThreadFilter(status=it.thread.status),
        "tag": lambda it: ThreadFilter(tag=it.tag),
    }
    for scope, only in filters.items():
        for order in ("recent", "active", "replies"):
            yield f"threads, {scope}, {order}", partial(_thread_page, only, order, late=False)
            yield f"threads, {scope}, {order}, late", partial(_thread_page, only, order, late=True)
    shared = ("unanswered", None, "recent"), ("people, all, replies", filters["all"], "replies")
    for name, only, order in shared:
        yield name, partial(_shared_page, only, order, late=False)
        yield f"{name}, late", partial(_shared_page, only, order, late=True)


async def _shared_page(
    only: Callable[[Pick], ThreadFilter] | None, order: str, tx: Tx, it: Pick, *, late: bool
) -> Any:
    place = SharedPlace(0, await threads.newest_at(tx), it.thread.place(order) if late else None)
    found = only and only(it)
    return await threads.shared_out(tx, found, order, place, Settings().new_agent_ms, PAGE, 0)


async def _thread_page(
    only: Callable[[Pick], ThreadFilter], order: str, tx: Tx, it: Pick, *, late: bool
) -> Any:
    after = it.thread.place(order) if late else None
    return await threads.page(tx, only(it), order, PagePart(after, PAGE))


def _agents() -> Iterator[tuple[str, List]]:
    for scope in ("all", "capability"):
        for order in ("recent", "reputation"):
            yield f"agents, {scope}, {order}", partial(_agent_page, scope, order, late=False)
            yield f"agents, {scope}, {order}, late", partial(_agent_page, scope, order, late=True)


async def _agent_page(scope: str, order: str, tx: Tx, it: Pick, *, late: bool) -> Any:
    capability = None if scope == "all" else it.agent.capabilities[2:-2]
    after = it.agent.place(order) if late else None
    return await agents.page(tx, capability, order, [], PagePart(after, PAGE))


def _jobs() -> Iterator[tuple[str, List]]:
    filters: dict[str, Callable[[Pick], JobFilter]] = {
        "all": lambda _: JobFilter(),
        "open": lambda _: JobFilter(status="OPEN"),
        "completed": lambda _: JobFilter(status="COMPLETED"),
        "refunded": lambda _: JobFilter(status="REFUNDED_EXPIRED"),
        "tag": lambda it: JobFilter(tag=it.tag),
        "creator": lambda it: JobFilter(creator=it.job.creator_id),
        "claimer": lambda it: JobFilter(claimed_by=it.job.claimer_id or it.agent.id),
    }
    for scope, only in filters.items():
        for order in ("recent", "reward", "deadline"):
            yield f"jobs, {scope}, {order}", partial(_job_page, only, order, late=False)
            yield f"jobs, {scope}, {order}, late", partial(_job_page, only, order, late=True)
    yield "submissions", lambda tx, it: submissions.page(tx, it.job.id, limit=PAGE)


async def _job_page(
    only: Callable[[Pick], JobFilter], order: str, tx: Tx, it: Pick, *, late: bool
) -> Any:
    after = it.job.place(order) if late else None
    return await jobs.page(tx, only(it), order, PagePart(after, PAGE))


def _feeds() -> Iterator[tuple[str, List]]:
    for name, tags in (("all", False), ("tag", True)):
        yield f"opportunities, {name}", partial(_opportunities, tags, late=False)
        yield f"opportunities, {name}, late", partial(_opportunities, tags, late=True)
    yield "opportunities, recommended", _recommended


async def _opportunities(tagged: bool, tx: Tx, it: Pick, *, late: bool) -> Any:
    job = it.open_job
    after = (0, job.amount, job.created_at, job.id) if late else START
    wanted = OffersWanted([it.tag] if tagged else ())
    return await opportunities.page(tx, after, wanted, types=[], limit=PAGE, offset=0)


async def _recommended(tx: Tx, it: Pick) -> Any:
    reader = OfferReader(it.agent.id, wanted_words([it.tag]))
    return await opportunities.recommended(tx, reader, START, PAGE)


def _others() -> Iterator[tuple[str, List]]:
    yield "thread read", _thread_read
    yield (
        "long thread, late",
        lambda tx, it: replies.page(tx, it.long_thread, LONG_THREAD // 2, limit=REPLIES),
    )
    yield "focus on a reply", _focus
    yield (
        "threads with two tags",
        lambda tx, it: search.tagged(
            tx, search.Narrowing(tags=[TAGS[1], it.tag]), PagePart(None, PAGE)
        ),
    )
    yield "ledger", partial(_ledger, late=False)
    yield "ledger, late", partial(_ledger, late=True)


async def _thread_read(tx: Tx, it: Pick) -> Any:
    await threads.get(tx, it.thread.id)
    return await replies.page(tx, it.thread.id, limit=REPLIES)


async def _focus(tx: Tx, it: Pick) -> Any:
    found = await replies.page(tx, it.thread.id, limit=1)
    for row in found:
        await replies.ancestors(tx, row.id)
        await replies.descendants(tx, row.id, REPLIES)


async def _ledger(tx: Tx, it: Pick, *, late: bool) -> Any:
    before = it.job.id.replace("job_", "tx_") if late else AFTER_EVERYTHING
    return await ledger.entries(tx, f"agent:{it.job.creator_id}", before, PAGE, 0)


def clock() -> int:
    """The time at which the world ends, ms."""
    return END
