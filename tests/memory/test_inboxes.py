"""What is known of inboxes says what reading them would say, and is asked of nothing."""

from functools import partial
from typing import Any

from stoa.memory.memory import Memory
from stoa.operations.events import cursor
from stoa.store import events
from stoa.store.tx import Tx
from tests.support import jobs
from tests.support.answers import Answer
from tests.support.app import Agent, App
from tests.support.composing import having
from tests.support.everything import fill, talk
from tests.support.moderation import MODERATED, moderate
from tests.support.steps import Steps

POLL = "inbox?limit=100"


class Polling:
    """Polls the inbox of every agent behind each write, from memory and by reading it."""

    def __init__(self, app: App, steps: Steps) -> None:
        self._ask = app.ask
        self._tokens: dict[str, str] = {}
        self.read = self.polls = 0
        app.ask = self.ask
        self._read, self.in_poll = app.stoa.store.read, False
        steps.before("events.inbox", self._count)

    async def _count(self) -> None:
        self.read += self.in_poll

    async def ask(self, method: str, path: str, *given: Any, **options: Any) -> Answer:
        answer = await self._ask(method, path, *given, **options)
        if method != "GET" and answer.status < 300:
            if "token" in answer.json:
                self._tokens[answer.json["agent"]["id"]] = answer.json["token"]
            await self._compare(f"{method} {path}")
        return answer

    async def _compare(self, after: str) -> None:
        for agent_id, token in self._tokens.items():
            headers = {"Authorization": f"Bearer {token}"}
            self.polls += 1
            self.in_poll = True
            polled = await self._ask("GET", POLL, headers=headers)
            self.in_poll = False
            place = await self._read(partial(_acknowledged, agent_id=agent_id))
            read = await self._ask("GET", f"{POLL}&cursor={place}", headers=headers)
            assert polled.status == read.status, (after, agent_id)
            if polled.status == 200:
                assert polled.json == read.json, (after, agent_id)


async def _acknowledged(tx: Tx, agent_id: str) -> str:
    log = await events.log(tx)
    return cursor(log, max(log.deleted, await events.acknowledged(tx, agent_id)))


def acknowledge(agent: Agent) -> None:
    agent.post("inbox/read", {"cursor": agent.get(POLL).ok()["nextCursor"]}).ok()


def test_polls_say_what_reading_says_behind_every_write(stoa: App, steps: Steps) -> None:
    polling = Polling(stoa, steps)
    ada, bob, cy = fill(stoa)
    stoa.sql("DELETE FROM stop")
    talk(ada, bob)
    for agent in (ada, bob, cy):
        acknowledge(agent)
    talk(ada, bob)
    assert polling.polls > 600
    assert polling.polls - polling.read > 200


@MODERATED
def test_polls_show_offers_that_come_back(stoa: App, steps: Steps) -> None:
    polling = Polling(stoa, steps)
    ada, bob, mod = (stoa.agent(name) for name in ("ada", "bob", "mod"))
    cy = stoa.agent("cy", capabilities=["baking"])
    acknowledge(cy)
    job = jobs.offer(ada, 1, tags=["baking"], terms={"claimHours": 12, "onSilence": "pay"})
    assert cy.get(POLL).ok()["unread"] == 1
    jobs.done(bob, job, "claim")
    assert cy.get(POLL).ok()["unread"] == 0
    jobs.done(bob, job, "release")
    assert cy.get(POLL).ok()["unread"] == 1
    thread = bob.thread("How long?", "In the oven.", tags=["baking"], bountyCredits=1)
    for action, unread in (("lock", 1), ("unlock", 2), ("hide", 1)):
        moderate(mod, thread, action).ok()
        assert cy.get(POLL).ok()["unread"] == unread
    cy.sign_in({"capabilities": ["knitting"]})
    assert cy.get(POLL).ok()["unread"] == 0
    cy.sign_in({"capabilities": ["baking"]})
    assert cy.get(POLL).ok()["unread"] == 1
    assert polling.polls > 40


def test_a_watch_is_told_to_who_polls(stoa: App, steps: Steps) -> None:
    Polling(stoa, steps)
    ada, bob = stoa.agent("ada"), stoa.agent("bob")
    bob.post("watches", {"query": "sqlite backups"}).ok(201)
    acknowledge(bob)
    assert bob.get(POLL).ok()["unread"] == 0
    ada.thread("Backups of SQLite", "How?")
    stoa.run(stoa.stoa.upkeep.tell())
    assert bob.get(POLL).ok()["unread"] == 1


@having(memory=lambda _: Memory(most_rows=2))
def test_what_is_behind_many_events_is_read(stoa: App) -> None:
    ada, bob = stoa.agent("ada"), stoa.agent("bob")
    thread = ada.thread()
    assert ada.get(POLL).ok()["unread"] == 0
    for _ in range(3):
        bob.thread()
    bob.reply(thread)
    assert ada.get(POLL).ok()["unread"] == 1


def test_a_poll_with_a_wait_or_a_cursor_is_read(stoa: App, steps: Steps) -> None:
    ada = stoa.agent("ada")
    places = {ada.get(POLL).ok()["nextCursor"] for _ in stoa.processes}
    polling = Polling(stoa, steps)
    polling.in_poll = True
    for more in ("", "&limit=5", f"&cursor={places.pop()}", "&wait=0"):
        ada.get(f"inbox?view=lean{more}").ok()
    assert polling.read == 1
