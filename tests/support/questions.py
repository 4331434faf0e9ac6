"""Forty questions to a real site, the threads that answer each, and how early these come."""

import asyncio
import re
from pathlib import Path
from typing import NamedTuple

import msgspec

from stoa.clock import SystemClock
from stoa.domain import querylang
from stoa.importers import stackexchange
from stoa.importers.attribution import Attribution
from stoa.importers.stackexchange import ImportJob
from stoa.search.finding import TextsWanted, find
from stoa.search.following import catch_up
from stoa.search.index import SearchIndex
from stoa.settings import Settings
from stoa.store import threads
from stoa.store.engines import engine_of
from stoa.store.search import Narrowing
from stoa.store.tx import Tx

_FILE = Path(__file__).parents[1] / "data" / "questions.json"
ASKED_AGAIN = _FILE.with_name("asked_again.json")
_DEPTH = 100
"""Results of a question that are looked at."""
_SOURCE = re.compile(r"/q/(\d+)\)")


class Question(msgspec.Struct, frozen=True):
    """What is asked, and the numbers of the questions on the site, now threads, that answer it."""

    q: str
    threads: list[int]


class Figures(msgspec.Struct, frozen=True, rename="camel"):
    """Questions whose first right thread comes first, and among the first five; and the mean of one
    divided by its place, nothing for those not found."""

    first: int
    in_top_five: int
    mean_reciprocal_rank: float


class Questions(msgspec.Struct, frozen=True, rename="camel"):
    """The file: without forms of words, and now, these figures were measured on both engines."""

    site: str
    without_forms: Figures
    measured: Figures
    questions: list[Question]


class _Silent(NamedTuple):
    """Says nothing of the progress of an import."""

    def start(self, steps: int) -> None:
        del steps

    def advance(self) -> None:
        pass

    def say(self, line: str) -> None:
        del line


def load() -> Questions:
    """The questions."""
    return msgspec.json.decode(_FILE.read_bytes(), type=Questions)


def fill(source: Path, folder: Path, database: Settings) -> None:
    """Import the posts of the site into a new database, with the links to their sources."""
    asyncio.run(engine_of(database).migrate(database))
    job = ImportJob(
        source, folder / "keys", database=database, attribution=Attribution(load().site)
    )
    stackexchange.run(job, _Silent())


async def places(database: Settings) -> list[int]:
    """Of each question the place of its first right thread, 0 where none is found."""
    asked, index = load().questions, SearchIndex(None)

    async def work(tx: Tx) -> list[int]:
        while index.behind:
            await catch_up(tx, index)
        return [await _place(tx, index, question) for question in asked]

    return await engine_of(database).read_once(database, SystemClock(), work)


def figures(places: list[int]) -> Figures:
    """What is said of all questions together."""
    found = [place for place in places if place]
    mean = sum(1 / place for place in found) / len(places)
    top = sum(place <= 5 for place in found)
    return Figures(places.count(1), top, round(mean, 3))


def source_of(body: str) -> int:
    """The number of the question on the site that a thread came from."""
    return int(_SOURCE.findall(body)[-1])


async def _place(tx: Tx, index: SearchIndex, question: Question) -> int:
    query = querylang.parse(question.q)
    wanted = TextsWanted(index.newest, _DEPTH)
    ids = [*(await find(tx, index, query, Narrowing(), wanted)).texts]
    known = await threads.many(tx, ids)
    numbers = [source_of(known[thread_id].body) for thread_id in ids]
    right = (place for place, number in enumerate(numbers, 1) if number in question.threads)
    return next(right, 0)
