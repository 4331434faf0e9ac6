"""One trace of calls, the same ids and the same clock: every engine gives the same answers."""

import hashlib
import itertools
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from stoa.settings import Settings
from tests.support.answers import Answer
from tests.support.app import Agent, App
from tests.support.clock import HOUR, MINUTE
from tests.support.jobs import REJECTION, WORK, new_job
from tests.support.limits_off import LIMITS_OFF
from tests.support.postgresql import PostgreSQL
from tests.support.soaking import few

STEPS = 150
TAGS = ("sql", "Ärger", "z", "日本")
AGENTS = ("ada", "Bob", "émile", "日本")
Told = list[tuple[str, int, list[tuple[str, str]], bytes]]


def repeat_chance(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give the same random bytes from here on as whenever this is called."""
    numbers = itertools.count()

    def next_bytes(size: int) -> bytes:
        return hashlib.shake_128(str(next(numbers)).encode()).digest(size)

    for module in ("entropy", "operations.sessions", "app"):
        monkeypatch.setattr(f"stoa.{module}.random_bytes", next_bytes)


class Trace:
    """Plays calls, drawn by chance from what there is, and keeps every answer."""

    def __init__(self, app: App, seed: int) -> None:
        self.app = app
        self.chance = random.Random(seed)
        self.told: Told = []
        self.threads: list[str] = []
        self.replies: list[tuple[str, str]] = []
        self.jobs: list[str] = []
        self.agents = [app.agent(name, capabilities=[name, "SQL"]) for name in AGENTS]

    def ask(self, agent: Agent | None, method: str, path: str, *body: Any) -> Answer:
        """Make a call and keep its answer."""
        headers = {"X-Request-Id": "0" * 16, **(agent.headers if agent else {})}
        answer = self.app.call(method, path, *body, headers=headers)
        kept = sorted(pair for pair in answer.header_list if pair[0] != "date")
        self.told.append((f"{method} {path}", answer.status, kept, answer.content))
        return answer

    def play(self) -> Told:
        """Some hundred calls that change something, then all that can be read."""
        moves = (self._ask, self._answer, self._accept, self._offer, self._work, self._wait)
        for _ in range(STEPS):
            move: Callable[[Agent], None] = self.chance.choice(moves)
            move(self.chance.choice(self.agents))
        self._read()
        return self.told

    def _pick(self, found: list[Any]) -> Any:
        return self.chance.choice(found) if found else None

    def _ask(self, agent: Agent) -> None:
        body = {
            "title": f"Question {len(self.threads)}",
            "body": self.chance.choice(["Who knows?", "wörd" * 30, "日本語"]),
            "tags": self.chance.sample(TAGS, self.chance.randint(0, 3)),
            "bountyCredits": self.chance.choice([0, 0, 1, 12.5, 1000]),
        }
        answer = self.ask(agent, "POST", "threads", body)
        if answer.status == 201:
            self.threads.append(answer["thread"]["id"])

    def _answer(self, agent: Agent) -> None:
        if thread := self._pick(self.threads):
            near = [reply for place, reply in self.replies if place == thread]
            body = {"body": "So it is.", "parentReplyId": self._pick([None, *near])}
            answer = self.ask(agent, "POST", f"threads/{thread}/replies", body)
            if answer.status == 201:
                self.replies.append((thread, answer["reply"]["id"]))

    def _accept(self, agent: Agent) -> None:
        if place := self._pick(self.replies):
            author = self.app.get(f"threads/{place[0]}").ok()["thread"]["authorAgentId"]
            known = [one for one in self.agents if one.id == author]
            path = f"threads/{place[0]}/replies/{place[1]}/accept"
            self.ask(self.chance.choice([agent, *known]), "POST", path)

    def _offer(self, agent: Agent) -> None:
        tags = self.chance.sample(TAGS, 2)
        more: dict[str, Any] = {"tags": tags, "requirements": ["sql"], "deadlineHours": 30}
        answer = self.ask(agent, "POST", "jobs", new_job(self.chance.randint(1, 20), **more))
        if answer.status == 201:
            self.jobs.append(answer["job"]["id"])

    def _work(self, agent: Agent) -> None:
        for _ in range(4):
            if job := self._pick(self.jobs[-5:]):
                who = self.chance.choice(self.agents)
                action = self.chance.choice(["claim", "submit", "accept", "reject"])
                body = {"submit": [WORK], "reject": [REJECTION]}.get(action, [])
                self.ask(who, "POST", f"jobs/{job}/{action}", *body)
        self.ask(agent, "GET", "credits/balance")

    def _wait(self, _agent: Agent) -> None:
        self.app.clock.advance(self.chance.choice([1, MINUTE, 3 * HOUR]))
        for one in self.agents:
            one.sign_in()
        if self.chance.random() < 0.3:
            self.app.run(self.app.stoa.upkeep.sweep())

    def _read(self) -> None:
        for first in lists():
            path = first
            while path:
                answer = self.ask(None, "GET", path)
                path = cursor_of(path, answer)
        for agent in self.agents:
            for path in ("credits/balance", "credits/ledger", "opportunities/recommended?limit=2"):
                self.ask(agent, "GET", path)
            self.ask(None, "GET", f"agents/{agent.id}/reputation")
        for thread in self.threads:
            self.ask(None, "GET", f"threads/{thread}?include=replies")
        for _, reply in self.replies:
            self.ask(None, "GET", f"replies/{reply}")
        for job in self.jobs:
            self.ask(None, "GET", f"jobs/{job}")


def lists() -> Iterator[str]:
    """Every public list in every order, narrowed and not, in small pages."""
    for sort in ("recent", "active", "replies"):
        for narrowed in ("", "&tag=sql", "&status=open", "&tag=%C3%A4rger"):
            yield f"threads?limit=3&sort={sort}{narrowed}"
    for sort in ("recent", "reward", "deadline"):
        for narrowed in ("", "&tag=sql", "&status=OPEN", "&status=REFUNDED_EXPIRED"):
            yield f"jobs?limit=3&sort={sort}{narrowed}"
    for sort in ("recent", "reputation"):
        for narrowed in ("", "&capability=sql"):
            yield f"agents?limit=2&sort={sort}{narrowed}"
    yield from ("unanswered?limit=3", "opportunities?limit=3", "opportunities?tags=sql,z&limit=3")
    yield from (
        "search?limit=3",
        "search?tags=sql,z&limit=3",
        "search?q=%22question+1%22",
        "market",
    )


def cursor_of(path: str, answer: Answer) -> str:
    """The next page of a list, or nothing."""
    cursor = answer.json.get("nextCursor")
    return f"{path.partition('&cursor=')[0]}&cursor={cursor}" if cursor else ""


@pytest.mark.parametrize("seed", few([1, 2]))
@pytest.mark.long
@pytest.mark.soak
def test_a_trace_gives_the_same_bytes_on_every_engine(
    postgresql: PostgreSQL, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    def told(**database: str) -> Told:
        repeat_chance(monkeypatch)
        values = {"data_dir": str(tmp_path), **LIMITS_OFF, **database}
        values |= {"limit_pair_reputation": 3, "limit_open_claims": 3, "limit_new_agent_holds": 5}
        with App(msgspec.convert(values, Settings)) as app:
            return Trace(app, seed).play()

    embedded, served = told(), told(database_url=postgresql.new())
    statuses = {status for _, status, _, _ in embedded}
    assert {200, 201, 402, 403, 409, 429} <= statuses
    assert len(embedded) > STEPS
    for one, other in zip(embedded, served, strict=False):
        assert other == one
    assert len(served) == len(embedded)
