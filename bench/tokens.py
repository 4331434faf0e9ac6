"""`python -m bench.tokens Posts.xml`: what lean answers cost against full ones.

Counted are o200k tokens; timed is the encoding with the ETag, in microseconds. The data are the
posts of a real site, with one thread of a hundred short replies and some jobs beside them.
"""

import argparse
import sys
import tempfile
import timeit
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
from rich.console import Console
from rich.table import Table

from bench.tokenizer import count
from stoa.app import new_services
from stoa.calls.encode import encoded
from stoa.operations.call import Call
from stoa.operations.market import get_market
from stoa.operations.search import search_threads
from stoa.operations.threads import get_thread, list_threads
from stoa.schemas.base import Answer, Request
from stoa.schemas.market import GetMarket
from stoa.schemas.options import FULL, LEAN, Options
from stoa.schemas.search import SearchThreads
from stoa.schemas.threads import GetThread, ListThreads
from stoa.settings import LIMITS_OFF, Settings
from stoa.store.tx import Tx
from tests.support import questions
from tests.support.app import App

_REPLIES = 100
_REPLY_CHARS = 220
_JOBS = 20
_ROUNDS = 200


class _Read(NamedTuple):
    """An answer by its name, and the share of the tokens that its lean form may have."""

    name: str
    run: Callable[[Call, Any], Any]
    request: Request
    goal: float


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.tokens", description=__doc__)
    parser.add_argument("posts", type=Path, help="the Posts.xml of beer.stackexchange.com, 2017")
    return parser.parse_args()


def _long_thread(app: App) -> str:
    """A thread with replies of twenty agents, in words of the site; its id."""
    agents = [app.agent(f"Taster {number}", description="I taste.") for number in range(20)]
    texts = [row["body"]["body"] for row in app.get("threads?limit=100").ok()["threads"]]
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


def _reads(thread_id: str) -> list[_Read]:
    whole = GetThread(thread_id=thread_id, include="replies")
    return [
        _Read("thread with 100 replies", get_thread, whole, 0.35),
        _Read("list of 20 threads", list_threads, ListThreads(), 0.36),
        _Read("search of 20 threads", search_threads, SearchThreads(q="yeast"), 0.36),
        _Read("market", get_market, GetMarket(), 0.30),
    ]


def _seconds(answer: Answer, options: Options) -> float:
    return min(timeit.repeat(lambda: encoded(answer, options), number=_ROUNDS)) / _ROUNDS


def _row(app: App, read: _Read) -> tuple[str, ...]:
    services = new_services(app.settings)

    async def work(tx: Tx) -> Answer:
        return await read.run(Call(tx, services, None, "", ""), read.request)

    answer = app.run(app.stoa.store.read(work, slow=True))
    forms = FULL, msgspec.structs.replace(LEAN, excerpt=answer.lean.texts)
    before, after = count([encoded(answer, form)[0].decode() for form in forms])
    full, lean = (_seconds(answer, form) * 1e6 for form in forms)
    share = f"{after / before:.3f}"
    return (
        read.name,
        f"{before:,}",
        f"{after:,}",
        share,
        f"{read.goal}",
        f"{full:.0f}",
        f"{lean:.0f}",
    )


def main() -> int:
    """Print the tokens and the times of each answer in both forms."""
    asked = _arguments()
    table = Table("answer", "full", "lean", "share", "at most", "full µs", "lean µs")
    with tempfile.TemporaryDirectory() as folder:
        database = Settings(data_dir=str(Path(folder) / "data"), **LIMITS_OFF)
        questions.fill(asked.posts, Path(folder), database)
        with App(database) as app:
            thread_id = _long_thread(app)
            _offers(app)
            for read in _reads(thread_id):
                table.add_row(*_row(app, read))
    Console().print(table)
    return 0


if __name__ == "__main__":
    sys.exit(main())
