"""Paid work over HTTP, and what its clients were told, held against what the database has."""

import asyncio
import random
import time
from collections import Counter
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, NamedTuple

import asyncpg

from tests.support.answers import Answer
from tests.support.crowd import Crowd, Member
from tests.support.jobs import REJECTION, WORK, new_job
from tests.support.stories import EVENTS, SCRIPTS, Kept, Story, problems

_ANSWER_S = 60.0
_AGAIN_S = 0.25  # sooner than Retry-After asks for
_BODIES: dict[str, Any] = {"submit": WORK, "reject": REJECTION}
_SHOWN = 200
_SETTLED_TWICE = """
    SELECT reference_id FROM ledger_transaction
    WHERE kind IN ('payout', 'refund') GROUP BY 1 HAVING count(*) > 1
"""


class Found(NamedTuple):
    """`lost`: what clients were told and is not there, or is there and nobody asked for. `twice`:
    what happened two times."""

    lost: list[str]
    twice: list[str]


@dataclass
class Tally:
    """What the clients saw in one round. `acknowledged` are moments of the steady clock, in s."""

    acknowledged: list[float] = field(default_factory=list[float])
    refused: int = 0
    errors: Counter[str] = field(default_factory=Counter[str])

    def longest_gap(self, since: float) -> float:
        """The longest time without an acknowledged write after this moment, in seconds."""
        moments = [since, *(moment for moment in self.acknowledged if moment > since)]
        return max((b - a for a, b in pairwise(moments)), default=0.0)


class PaidLoad:
    """Clients that offer, work, decide and pay, each at its own jobs and with little pause."""

    def __init__(self, url: str, clients: int, pause_s: float) -> None:
        self._url = url
        self._count = clients
        self._pause_s = pause_s
        self._random = random.Random(clients)
        self._agents: list[tuple[str, str]] = []
        self._running: list[asyncio.Task[None]] = []
        self._on = False
        self.stories: list[Story] = []
        self._wanted = 0
        self._enough = asyncio.Event()
        self.tally = Tally()

    async def sign_in(self) -> None:
        """One agent for each client."""
        async with Crowd(self._url, self._count) as crowd:
            members = await crowd.members("client", self._count)
            self._agents = [(member.id, member.token) for member in members]

    def start(self) -> None:
        """Begin, with a new tally."""
        self.tally = Tally()
        self._on = True
        self._running = [asyncio.create_task(self._client(n)) for n in range(self._count)]

    async def acknowledged(self, more: int) -> None:
        """Wait until so many more writes are acknowledged."""
        self._wanted = len(self.tally.acknowledged) + more
        self._enough.clear()
        await self._enough.wait()

    async def stop(self) -> None:
        """Let every client end the step that it is at."""
        self._on = False
        await asyncio.gather(*self._running)

    async def _client(self, number: int) -> None:
        while self._on:
            try:
                async with Crowd(self._url, 1) as line:
                    own, next_one = self._agents[number], self._agents[(number + 1) % self._count]
                    while self._on:
                        await self._job(Member(line, *own), Member(line, *next_one))
            except (OSError, EOFError, TimeoutError) as error:
                self.tally.errors[f"connection: {type(error).__name__} {error}"] += 1
                await asyncio.sleep(self._pause_s)

    async def _job(self, creator: Member, worker: Member) -> None:
        """One story to its end, or to the first step that is not acknowledged."""
        story = Story(creator.id, f"job {len(self.stories)}")
        self.stories.append(story)
        offer = {**new_job(1.25), "title": story.mark}
        if not await self._step(story, creator, "jobs", offer):
            return
        for action in self._random.choice(SCRIPTS):
            actor = worker if action in ("claim", "submit") else creator
            story.open = EVENTS[action]
            path = f"jobs/{story.id}/{action}"
            if not self._on or not await self._step(story, actor, path, _BODIES.get(action)):
                return

    async def _step(self, story: Story, actor: Member, path: str, body: Any) -> bool:
        answer = await asyncio.wait_for(actor.post(path, body), _ANSWER_S)
        if answer.status in (200, 201):
            self.tally.acknowledged.append(time.monotonic())
            if len(self.tally.acknowledged) >= self._wanted:
                self._enough.set()
            story.id = story.id or answer["job"]["id"]
            story.told.append((story.open, answer["receipt"]["id"]))
            story.open = ""
        elif _retryable(answer):
            self.tally.refused += 1
            await asyncio.sleep(_AGAIN_S)
        else:
            self.tally.errors[f"{answer.status} {answer.text[:_SHOWN]}"] += 1
        await asyncio.sleep(self._pause_s)
        return answer.status in (200, 201)

    async def found(self, database: str) -> Found:
        """Compare what clients were told with what the database has."""
        connection = await asyncpg.connect(database)
        try:
            kept, receipts, twice = await _kept(connection)
        finally:
            await connection.close()
        return Found(problems(self.stories, kept, receipts), twice)


def _retryable(answer: Answer) -> bool:
    return (
        answer.status == 503
        and answer.json.get("retryable") is True
        and int(answer.headers.get("retry-after", "0")) > 0
    )


async def _kept(connection: Any) -> tuple[Kept, set[str], list[str]]:
    async with connection.transaction(isolation="repeatable_read", readonly=True):
        jobs = await connection.fetch("SELECT title, id FROM job")
        told = await connection.fetch("SELECT job_id, event FROM job_event ORDER BY 1, position")
        receipts = {row["id"] for row in await connection.fetch("SELECT id FROM receipt")}
        settled = [row["reference_id"] for row in await connection.fetch(_SETTLED_TWICE)]
    events: dict[str, list[str]] = {row["id"]: [] for row in jobs}
    for row in told:
        events[row["job_id"]].append(row["event"])
    kept = {row["title"]: (row["id"], events[row["id"]]) for row in jobs}
    offered = Counter(row["title"] for row in jobs)
    repeated = [title for title, times in offered.items() if times > 1]
    return kept, receipts, [*(f"{hold} is settled" for hold in settled), *repeated]
