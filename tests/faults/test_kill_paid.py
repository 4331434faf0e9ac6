"""Killed in the middle of paid work again and again: what was acknowledged stays, and adds up."""

import asyncio
import os
import random
import signal
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import pytest

from stoa.settings import Settings
from tests.support.answers import Answer
from tests.support.crowd import Crowd, Member
from tests.support.database import query
from tests.support.jobs import REJECTION, WORK, new_job
from tests.support.ledger import broken
from tests.support.processes import until, workers
from tests.support.server import Server
from tests.support.soaking import few
from tests.support.stories import EVENTS, SCRIPTS, Kept, Story, problems

CLIENTS = 16
SEED = 20_261_122


class Sent(NamedTuple):
    """A write of an agent, so that it can be sent again."""

    member: int
    path: str
    body: Any
    key: str


@dataclass
class Work:
    """Sixteen clients that offer, work, decide and pay as fast as they can. `last` has the last
    write of each job by the job's mark; with `keyed` each has a key."""

    random: random.Random
    keyed: bool = True
    agents: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    last: dict[str, Sent] = field(default_factory=dict[str, Sent])
    stories: list[Story] = field(default_factory=list[Story])
    acknowledged: int = 0
    happened_untold: int = 0

    async def sign_in(self, url: str) -> None:
        """One agent for each client; their tokens outlive the server."""
        async with Crowd(url, CLIENTS) as crowd:
            members = await crowd.members("client", CLIENTS)
            self.agents = [(member.id, member.token) for member in members]

    async def run(
        self, server: Server, more: int, kill: Callable[[Server], None] = Server.kill
    ) -> None:
        """Work until so many more steps are acknowledged, and kill the server at that moment."""
        enough = asyncio.Event()
        wanted = self.acknowledged + more
        async with Crowd(server.url, CLIENTS) as crowd:
            members = [Member(crowd, *agent) for agent in self.agents]
            clients = [
                asyncio.create_task(self._client(members, number, wanted, enough))
                for number in range(CLIENTS)
            ]
            await enough.wait()
            await asyncio.to_thread(kill, server)
            await asyncio.gather(*clients)

    async def _client(
        self, members: list[Member], number: int, wanted: int, enough: asyncio.Event
    ) -> None:
        worker = (number + 1) % CLIENTS
        try:
            while True:
                job = self._begin(members[number])
                offer = {**new_job(1.25), "title": job.mark}
                await self._send(members, job, number, "jobs", offer)
                for action in self.random.choice(SCRIPTS):
                    await self._step(members, job, action, number, worker)
                if self.acknowledged >= wanted:
                    enough.set()
        except (OSError, EOFError):
            enough.set()

    def _begin(self, creator: Member) -> Story:
        story = Story(creator.id, f"job {len(self.stories)}")
        self.stories.append(story)
        return story

    async def _step(
        self, members: list[Member], job: Story, action: str, creator: int, worker: int
    ) -> None:
        actor = worker if action in ("claim", "submit") else creator
        body: Any = {"submit": WORK, "reject": REJECTION}.get(action)
        job.open = EVENTS[action]
        await self._send(members, job, actor, f"jobs/{job.id}/{action}", body)

    async def _send(
        self, members: list[Member], job: Story, member: int, path: str, body: Any
    ) -> None:
        key = f"{job.mark} {len(job.told)}".replace(" ", "-") if self.keyed else ""
        self.last[job.mark] = Sent(member, path, body, key)
        self._told(job, await members[member].post(path, body, key))

    async def retry(self, server: Server) -> int:
        """Send again what got no answer; how much of it had been done before."""
        async with Crowd(server.url, CLIENTS) as crowd:
            members = [Member(crowd, *agent) for agent in self.agents]
            unanswered = [story for story in self.stories if story.open]
            answers = [await self._again(members, story) for story in unanswered]
        return sum("idempotent-replayed" in answer.headers for answer in answers)

    async def _again(self, members: list[Member], job: Story) -> Answer:
        sent = self.last[job.mark]
        while True:
            answer = await members[sent.member].post(sent.path, sent.body, sent.key)
            if answer.code != "idempotency_in_progress":
                self._told(job, answer)
                return answer
            await asyncio.sleep(int(answer.headers["retry-after"]))

    def _told(self, job: Story, answer: Answer) -> None:
        assert answer.status in (200, 201), answer.text
        job.id = answer["job"]["id"]
        job.told.append((job.open, answer["receipt"]["id"]))
        job.open = ""
        self.acknowledged += 1


def kept_in(database: Settings) -> tuple[Kept, set[str]]:
    """The jobs by their marks as `(id, events)`, and all receipts."""
    jobs = dict(query(database, "SELECT id, title FROM job"))
    assert len(set(jobs.values())) == len(jobs), "a job is there twice"
    events: dict[str, list[str]] = {job_id: [] for job_id in jobs}
    told = "SELECT job_id, event FROM job_event ORDER BY job_id, position"
    for job_id, event in query(database, told):
        events[job_id].append(event)
    receipts = {row[0] for row in query(database, "SELECT id FROM receipt")}
    return {mark: (job_id, events[job_id]) for job_id, mark in jobs.items()}, receipts


@pytest.mark.promise("C13")
@pytest.mark.long
@pytest.mark.parametrize(("engine", "kills"), few([("sqlite", 1), ("postgresql", 2)]))
def test_kills_during_paid_work_lose_nothing_and_leave_the_books_balanced(
    start_server: Callable[..., Server], engine: str, kills: int
) -> None:
    kill_during_paid_work(start_server, engine, kills)


@pytest.mark.soak
@pytest.mark.timeout(600)
@pytest.mark.parametrize(("engine", "kills"), [("sqlite", 20), ("postgresql", 20)])
def test_twenty_kills_during_paid_work_lose_nothing_and_leave_the_books_balanced(
    start_server: Callable[..., Server], engine: str, kills: int
) -> None:
    work = kill_during_paid_work(start_server, engine, kills)
    # What nobody was told of did happen now and then, or no kill came in the middle of anything.
    assert work.happened_untold > 0


def kill_during_paid_work(start_server: Callable[..., Server], engine: str, kills: int) -> Work:
    """Kill a server so often while paid work goes on; nothing acknowledged may be lost."""
    work = Work(random.Random(SEED))
    server = start_server(signup_grant=1_000_000)
    asyncio.run(work.sign_in(server.url))
    for number in range(kills):
        before = work.acknowledged
        asyncio.run(work.run(server, work.random.randrange(20, 150)))
        assert work.acknowledged > before, f"kill {number}: nothing was under way"
        server = start_server(data_dir=server.data_dir, signup_grant=1_000_000)
        assert problems(work.stories, *kept_in(server.database)) == []
        assert broken(server.database) == {}
        if engine == "sqlite":
            assert query(server.database, "PRAGMA integrity_check") == [("ok",)]
    kept, _ = kept_in(server.database)
    unknown = [story for story in work.stories if story.open]
    assert len(unknown) > kills
    work.happened_untold = sum(
        kept.get(story.mark, ("", []))[1][-1:] == [story.open] for story in unknown
    )
    return work


COMMITTING = """
SELECT count(*) FROM pg_stat_activity
WHERE datname = current_database() AND pid <> pg_backend_pid()
AND state = 'active' AND coalesce(wait_event_type, '') NOT IN ('Client', 'Lock')
"""


COMMIT_S = 0.05
SLOW_COMMITS = (
    f"""
    CREATE FUNCTION wait_a_little() RETURNS trigger LANGUAGE plpgsql
    AS 'BEGIN PERFORM pg_sleep({COMMIT_S}); RETURN NULL; END'
    """,
    """
    CREATE CONSTRAINT TRIGGER slow_commit AFTER INSERT ON receipt
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION wait_a_little()
    """,
)
"""Let each commit take its time, as on a slow disk, so that many calls wait for one."""


def kill_between_write_and_answer(server: Server) -> None:
    """Kill a server; one on PostgreSQL is stopped first, until its sessions have done what they
    were asked for, or wait for it or each other: commits under way are then done, and nobody was
    told."""
    if server.database.engine == "postgresql":
        for process in (server.process.pid, *workers(server)):
            os.kill(process, signal.SIGSTOP)
        until(lambda: query(server.database, COMMITTING) == [(0,)])
    server.kill()


def killed_until(start_server: Callable[..., Server], work: Work, enough: int) -> None:
    """Kill a server again and again, each time with calls under way, and retry them, until so many
    of them had been done before the kill. Everything must have been done exactly once."""
    server = start_server(signup_grant=1_000_000)
    asyncio.run(work.sign_in(server.url))
    if server.database.engine == "postgresql":
        for statement in SLOW_COMMITS:
            query(server.database, statement)
    lost = 0
    while lost < enough:
        asyncio.run(work.run(server, work.random.randrange(20, 60), kill_between_write_and_answer))
        server = start_server(data_dir=server.data_dir, signup_grant=1_000_000)
        lost += asyncio.run(work.retry(server))
        kept, receipts = kept_in(server.database)
        assert problems(work.stories, kept, receipts) == []
        assert len(receipts) == work.acknowledged
        assert broken(server.database) == {}


@pytest.mark.promise("W45")
@pytest.mark.long
@pytest.mark.parametrize(("engine", "enough"), few([("sqlite", 2), ("postgresql", 2)]))
def test_writes_whose_answers_a_kill_has_lost_are_retried_with_their_keys_and_done_once(
    start_server: Callable[..., Server], engine: str, enough: int
) -> None:
    killed_until(start_server, Work(random.Random(SEED)), enough)


@pytest.mark.soak
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("engine", ["sqlite", "postgresql"])
def test_two_hundred_writes_whose_answers_were_lost_are_done_once(
    start_server: Callable[..., Server], engine: str
) -> None:
    killed_until(start_server, Work(random.Random(SEED)), 200)


@pytest.mark.soak
@pytest.mark.long
def test_without_keys_such_a_retry_is_noticed(start_server: Callable[..., Server]) -> None:
    with pytest.raises(AssertionError):
        killed_until(start_server, Work(random.Random(SEED), keyed=False), 1)


# --- The check itself.

STORY = Story("ag_1", "job 1", "job_1", [("created", "rc_1"), ("claimed", "rc_2")], "submitted")
TOLD = ["created", "claimed"]
RECEIPTS = {"rc_1", "rc_2"}


@pytest.mark.parametrize(
    ("events", "fits"),
    [
        (TOLD, True),
        ([*TOLD, "submitted"], True),
        (["created"], False),
        ([*TOLD, "submitted", "accepted"], False),
        ([*TOLD, "accepted"], False),
        (["claimed", "created"], False),
    ],
)
def test_the_check_takes_what_was_told_and_at_most_the_step_asked_for(
    events: list[str], fits: bool
) -> None:
    assert (problems([STORY], {"job 1": ("job_1", events)}, RECEIPTS) == []) is fits


def test_the_check_notices_lost_jobs_receipts_and_jobs_of_nobody() -> None:
    there = {"job 1": ("job_1", TOLD)}
    assert problems([STORY], {}, RECEIPTS) == [
        "job 1: told ['created', 'claimed'], asked 'submitted', there is []",
        "job 1: told job_1, there is ",
    ]
    assert problems([STORY], there, {"rc_1"}) == ["job 1: no rc_2"]
    assert problems([STORY], there | {"job 2": ("job_2", TOLD)}, RECEIPTS) == [
        "job 2: nobody asked for it"
    ]
    assert problems([STORY], {"job 1": ("job_9", TOLD)}, RECEIPTS) == [
        "job 1: told job_1, there is job_9"
    ]
