"""Plays tables of steps: who does what, what comes of it, and the balances beneath.

    ada offers A for 40      | ok
    bob claims A             | ok
    cy claims A              | job_already_claimed
    a week passes            |
    ada looks at her balance | ok
    -------------------------
    ada 60 + 0
    bob 100 + 0

A balance is what can be spent and what open holds reserve, as the ledger has it. Things are named
by capital letters: jobs that are offered and threads that are asked.
"""

import re
from collections.abc import Callable
from typing import Any

from tests.support import jobs
from tests.support.answers import Answer
from tests.support.app import Agent, App
from tests.support.clock import DAY, HOUR
from tests.support.ledger import broken, rows

_STEP = re.compile(r"(?P<who>\w+) (?P<verb>\w+)(?: (?P<what>[A-Z]))?(?: (?P<rest>.+))?")
_AMOUNT = re.compile(r"for ([0-9.]+)")
_SPANS = {"hours": HOUR, "days": DAY, "week": 7 * DAY}


class Table:
    """The agents and things of one table."""

    def __init__(self, app: App) -> None:
        self._app = app
        self._agents: dict[str, Agent] = {}
        self._things: dict[str, Any] = {}
        self._replies: dict[tuple[str, str], Any] = {}

    def agent(self, name: str) -> Agent:
        """The agent of this name, who is there from the first mention on."""
        if name not in self._agents:
            self._agents[name] = self._app.agent(name)
        return self._agents[name]

    def step(self, text: str) -> str:
        """Carry out one step; "ok", the code of the refusal, or nothing for what only happens."""
        if text == "the sweep runs":
            jobs.sweep(self._app)
            return ""
        if passed := re.fullmatch(r"(?:(\d+)|a) (hours|days|week) passe?s?", text):
            self._app.clock.advance(int(passed[1] or 1) * _SPANS[passed[2]])
            for agent in self._agents.values():
                agent.sign_in()
            return ""
        match = _STEP.fullmatch(text)
        assert match, text
        verb: Callable[..., Answer] = getattr(self, f"_{match['verb']}")
        answer = verb(match["who"], match["what"], match["rest"] or "")
        return answer.code or "ok"

    def _offers(self, who: str, what: str, rest: str) -> Answer:
        return self._new(who, what, "job", "jobs", jobs.new_job(_amount(rest)))

    def _asks(self, who: str, what: str, rest: str) -> Answer:
        body = {"title": "A question", "body": "?", "bountyCredits": _amount(rest)}
        return self._new(who, what, "thread", "threads", body)

    def _new(self, who: str, what: str, kind: str, path: str, body: Any) -> Answer:
        answer = self.agent(who).post(path, body)
        if answer.status == 201:
            self._things[what] = answer[kind]
        return answer

    def _answers(self, who: str, what: str, _rest: str) -> Answer:
        path = f"threads/{self._things[what]['id']}/replies"
        answer = self.agent(who).post(path, {"body": "So it is."})
        self._replies[what, who] = answer["reply"]
        return answer

    def _claims(self, who: str, what: str, _rest: str) -> Answer:
        return jobs.act(self.agent(who), self._things[what], "claim")

    def _submits(self, who: str, what: str, _rest: str) -> Answer:
        return jobs.act(self.agent(who), self._things[what], "submit")

    def _rejects(self, who: str, what: str, _rest: str) -> Answer:
        return jobs.act(self.agent(who), self._things[what], "reject")

    def _accepts(self, who: str, what: str, rest: str) -> Answer:
        """A job's work, or `by somebody` the reply of that agent."""
        if not rest:
            return jobs.act(self.agent(who), self._things[what], "accept")
        reply = self._replies[what, rest.removeprefix("by ")]
        return self.agent(who).accept(self._things[what], reply)

    def _reads(self, who: str, what: str, _rest: str) -> Answer:
        kind = "jobs" if self._things[what]["id"].startswith("job_") else "threads"
        return self.agent(who).get(f"{kind}/{self._things[what]['id']}")

    def _looks(self, who: str, _what: str, _rest: str) -> Answer:
        return self.agent(who).get("credits/balance")

    def _starts(self, who: str, _what: str, _rest: str) -> Answer:
        return self.agent(who).signed_in

    def balance(self, name: str) -> str:
        """`available + reserved` of an agent, as the ledger has it, booked or not."""
        agent_id = self.agent(name).id
        spendable = "SELECT balance FROM account WHERE id = 'agent:' || ?"
        reserved = "SELECT sum(amount) FROM hold WHERE agent_id = ? AND status = 'OPEN'"
        figures = [int(rows(self._app, sql, agent_id)[0][0] or 0) for sql in (spendable, reserved)]
        return " + ".join(f"{figure / 100:g}" for figure in figures)


def _amount(rest: str) -> float:
    found = _AMOUNT.fullmatch(rest)
    assert found, rest
    return float(found[1])


def play(app: App, text: str) -> None:
    """Play a table; what happens must be what it says, and the ledger must be sound behind it."""
    steps, _, balances = re.split(r"(\n\s*-+\n)", text.strip("\n"))
    table = Table(app)
    for line in filter(None, map(str.strip, steps.splitlines())):
        step, _, outcome = (part.strip() for part in line.partition("|"))
        assert (step, table.step(step)) == (step, outcome)
    expected = [line.split(maxsplit=1) for line in balances.strip().splitlines()]
    assert [[name, table.balance(name)] for name, _ in expected] == expected
    assert broken(app.settings) == {}
