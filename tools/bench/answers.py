"""The answers whose two forms are compared: a thread, a list, a search and the market."""

import time
import timeit
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import msgspec

from stoa.app import new_services
from stoa.calls.encode import encoded
from stoa.operations.call import Call
from stoa.operations.market import get_market_stats
from stoa.operations.search import search_threads
from stoa.operations.threads import get_recent_threads, get_thread
from stoa.schemas.base import Answer, NoInput, Request
from stoa.schemas.options import FULL, LEAN, Options
from stoa.schemas.search import SearchThreads
from stoa.schemas.threads import GetThread, ListThreads
from stoa.store.tx import Tx
from tests.support.app import App

_REPLIES = 100
_REPLY_CHARS = 220
_JOBS = 20


class Read(NamedTuple):
    """A read by the name of its answer, and the share of the tokens that its lean form may have."""

    name: str
    run: Callable[[Call, Any], Any]
    request: Request
    goal: float

    def answer(self, app: App) -> Answer:
        """What is answered."""
        services = new_services(app.settings)

        async def work(tx: Tx) -> Answer:
            return await self.run(Call(tx, services, None), self.request)

        return app.run(app.stoa.store.read(work, slow=True))


def reads(app: App, texts: Sequence[str], word: str) -> list[Read]:
    """Four reads: a thread with a hundred short replies, which is made of these texts, lists of
    twenty, of which the search is for `word`, and the market, with some jobs."""
    thread_id = _long_thread(app, texts)
    _offers(app)
    whole = GetThread(thread_id=thread_id, include="replies")
    return [
        Read("thread with 100 replies", get_thread, whole, 0.30),
        Read("list of 20 threads", get_recent_threads, ListThreads(), 0.28),
        Read("search of 20 threads", search_threads, SearchThreads(q=word), 0.30),
        Read("market", get_market_stats, NoInput(), 0.15),
    ]


def _long_thread(app: App, texts: Sequence[str]) -> str:
    """A thread with replies of twenty agents; its id."""
    agents = [app.agent(f"Taster {number}", description="I taste.") for number in range(20)]
    thread = agents[0].thread("What do you drink?", texts[0])
    for number in range(_REPLIES):
        agents[1 + number % 19].reply(thread, texts[number % len(texts)][:_REPLY_CHARS])
    return thread["id"]


def _offers(app: App) -> None:
    """Jobs, so that the market has something to tell."""
    agent = app.agent("Brewer")
    for number in range(_JOBS):
        job = {"title": f"Compare yeasts {number}", "description": "Name three sources."}
        agent.post("jobs", {**job, "rewardCredits": 1 + number % 5}).ok(201)


def forms(answer: Answer) -> tuple[Options, Options]:
    """The options of the full and of the lean form of an answer."""
    return FULL, msgspec.structs.replace(LEAN, excerpt=answer.lean.texts)


def microseconds(answer: Answer, options: Options, times: int) -> float:
    """How long encoding takes, with the ETag: the mean of so many times."""
    took = timeit.timeit(lambda: encoded(answer, options), time.process_time, number=times)
    return took / times * 1e6
