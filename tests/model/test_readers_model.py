"""Whatever agents and moderators do, nobody is shown a text that is not for it."""

from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tests.model.readers import Readers, Texts, Thing
from tests.support import jobs
from tests.support.a2a import A2A
from tests.support.answers import Answer
from tests.support.app import Agent, App
from tests.support.clock import HOUR, MINUTE, SECOND
from tests.support.command import run_stoa_here
from tests.support.ledger import broken
from tests.support.mcp import Mcp
from tests.support.moderation import MODERATED, REASON, moderate, operate, report
from tests.support.places import Places
from tests.support.soaking import few

pytestmark = [MODERATED, pytest.mark.own_file]  # a command reads it
ACTS = 60
_WORD, _TAG = "canary", "watches"  # what searches and lists are asked for
_TERMS: list[dict[str, Any]] = [{}, {}, {"claimHours": 2}, {"assignment": "chosen"}]
_LONG = "and so on " * 500
"""An artifact with so much more is not embedded."""


Act = Callable[["Town", Agent], None]


class Town:
    """Four agents who write about anything, a moderator, and what each may read."""

    def __init__(self, app: App, seed: int) -> None:
        self.app, self.chance, self.texts = app, Random(seed), Texts()
        self.things: list[Thing] = []
        self.moderator, self.stranger = app.agent("mod"), app.agent("stranger")
        self.agents = {one.id: one for one in map(self._agent, range(4))}
        for agent in self.agents.values():
            self.ask(agent)
            self.offer(agent)

    def _agent(self, number: int) -> Agent:
        profile = Thing("")

        def readers() -> Readers:  # a moderator's list names whom it hid
            return frozenset({profile.id, self.moderator.id}) if profile.hidden else None

        name, said, skill = (self.texts.new("profile", readers) for _ in range(3))
        agent = self.app.agent(f"{number} {name}", description=said, capabilities=[skill])
        profile.id = profile.author = agent.id
        self.things.append(profile)
        return agent

    # --- What acts are made of. What is missing or refused changes nothing.

    def act(self, acts: Sequence[Act]) -> None:
        """One of these acts of some agent or of the moderator."""
        self.chance.choice(acts)(self, self.chance.choice([*self.agents.values()]))

    def _some(self, *kinds: str) -> Thing:
        found = [one for one in self.things if one.kind in kinds]
        return self.chance.choice(found) if found else Thing("")

    def _author(self, thing: Thing, other: Agent) -> Agent:
        return self.agents.get(thing.author, other)

    def _post(self, agent: Agent, path: str, body: Any = None) -> Answer:
        answer = agent.post(path, body or {})
        self.texts.look(agent.id, path, answer.text)
        return answer

    def _write(self, agent: Agent, path: str, body: Any, member: str, thing: Thing) -> Answer:
        answer = self._post(agent, path, body)
        if answer.status == 201:
            thing.id = answer[member]["id"]
            self.things.append(thing)
        return answer

    def _claimer(self, job: Thing) -> Agent | None:
        """Who works on a job, by what its creator is told."""
        told = self.agents[job.author].get(f"jobs/{job.id}") if job.id else None
        worker = told["job"]["claimedByAgentId"] if told and told.status == 200 else None
        if worker:
            job.parties.add(worker)
        return self.agents[worker] if worker else None

    def _of_both(self, job: Thing) -> Callable[[], Readers]:
        """Its creator and who works on it now."""
        self._claimer(job)
        both = frozenset({*job.parties})
        return lambda: both

    # --- Threads.

    def ask(self, agent: Agent) -> None:
        thread = Thing(agent.id)
        title, body = (self.texts.new("thread", thread.readers) for _ in range(2))
        asked = {"title": f"About {title}", "body": f"{_WORD} {body}", "tags": [_TAG]}
        bounty = self.chance.choice([{}, {"bountyCredits": 1}])
        self._write(agent, "threads", asked | bounty, "thread", thread)

    def reply(self, agent: Agent) -> None:
        thread = self._some("th")
        reply = Thing(agent.id, thread)
        body = {"body": f"{_WORD} {self.texts.new('reply', reply.readers)}"}
        self._write(agent, f"threads/{thread.id}/replies", body, "reply", reply)

    def accept_reply(self, agent: Agent) -> None:
        reply = self._some("rp")
        thread = reply.under or reply
        self._post(self._author(thread, agent), f"threads/{thread.id}/replies/{reply.id}/accept")

    def add(self, agent: Agent) -> None:
        thing = self._some("th", "job")
        where = "threads" if thing.kind == "th" else "jobs"
        of_thing = thing.readers if thing.kind == "th" else thing.readers_of_job
        body = {"body": self.texts.new("addition", of_thing)}
        self._post(self._author(thing, agent), f"{where}/{thing.id}/append", body)

    def withdraw(self, agent: Agent) -> None:
        thing = self._some("th", "rp")
        where = "threads" if thing.kind == "th" else "replies"
        answer = self._post(self._author(thing, agent), f"{where}/{thing.id}/withdraw")
        thing.withdrawn = thing.withdrawn or answer.status == 200

    def tell(self, agent: Agent) -> None:
        reply = self._some("rp")
        outcome = Thing(agent.id, reply)
        said = {"result": "worked", "note": self.texts.new("outcome", outcome.readers)}
        self._write(agent, f"replies/{reply.id}/outcomes", said, "outcome", outcome)

    # --- Jobs.

    def offer(self, agent: Agent) -> None:
        job = Thing(agent.id, parties={agent.id})
        title, body = (self.texts.new("job", job.readers_of_job) for _ in range(2))
        texts = {"title": f"Do {title}", "description": f"{_WORD} {body}", "tags": [_TAG]}
        terms = self.chance.choice(_TERMS)
        self._write(agent, "jobs", jobs.new_job(1, **texts, terms=terms), "job", job)

    def claim(self, agent: Agent) -> None:
        job = self._some("job")
        self._post(agent, f"jobs/{job.id}/claim")
        self._claimer(job)

    def apply(self, agent: Agent) -> None:
        job = self._some("job")
        both = frozenset({job.author, agent.id})
        body = {"message": self.texts.new("application", lambda: both)}
        self._post(agent, f"jobs/{job.id}/apply", body)

    def assign(self, agent: Agent) -> None:
        job = self._some("job")
        self._post(self._author(job, agent), f"jobs/{job.id}/assign", {"agentId": agent.id})
        self._claimer(job)

    def submit(self, agent: Agent) -> None:
        job = self._some("job")
        worker, of_both = self._claimer(job) or agent, self._of_both(job)
        body, artifact = (self.texts.new("submission", of_both) for _ in range(2))
        text = f"{artifact} {self.chance.choice(['', _LONG])}"
        work = {"body": body, "artifacts": [{"name": "it", "text": text}]}
        answer = self._post(worker, f"jobs/{job.id}/submit", work)
        if answer.status == 201:
            self.things.append(Thing(worker.id, job, answer["submission"]["id"]))

    def decide(self, agent: Agent) -> None:
        job = self._some("job")
        how = self.chance.choice(["accept", "reject"])
        why = self.texts.new("rejection", self._of_both(job))
        body = {"reasonCode": "incomplete", "message": why} if how == "reject" else {}
        self._post(self._author(job, agent), f"jobs/{job.id}/{how}", body)

    def leave(self, agent: Agent) -> None:
        job = self._some("job")
        how = self.chance.choice(["cancel", "release"])
        leaver = self._author(job, agent) if how == "cancel" else self._claimer(job) or agent
        self._post(leaver, f"jobs/{job.id}/{how}")

    def message(self, agent: Agent) -> None:
        job = self._some("job")
        writer = self.chance.choice([agent, self._author(job, agent), self._claimer(job) or agent])
        message = Thing(writer.id, job)
        body = {"body": self.texts.new("message", message.readers_of_message)}
        to = self.chance.choice([{}, {"to": "everyone"}, {"to": "parties"}])
        worker = self._claimer(job)
        message.parties = {job.author, worker.id} if worker else set()
        answer = self._write(writer, f"jobs/{job.id}/messages", body | to, "message", message)
        if answer.status != 201 or answer["message"]["to"] == "everyone":
            message.parties = set()

    # --- What concerns nobody else, moderation, and time.

    def keep(self, agent: Agent) -> None:
        own = self.texts.new("watch", lambda: frozenset({agent.id}))
        self._post(agent, "watches", {"query": f"{_WORD} {own}"})

    def report(self, agent: Agent) -> None:
        of_two = frozenset({agent.id, self.moderator.id})
        thing = self._some("th", "rp", "job")
        if thing.id:
            report(agent, thing.id, note=self.texts.new("report", lambda: of_two))

    def moderate(self, _: Agent) -> None:
        self._moderate(self._some(*_TEXTS))

    def moderate_agent(self, agent: Agent) -> None:
        self._moderate(next(one for one in self.things if one.id == agent.id))
        self._pass(MINUTE + SECOND)  # names may be as old

    def _moderate(self, thing: Thing) -> None:
        how = self.chance.choice(["hide", "hide", "restore"])
        if thing.id and moderate(self.moderator, thing.id, how).status == 200:
            thing.hidden = how == "hide"

    def purge(self, _: Agent) -> None:
        thing = self._some(*_TEXTS)
        command = {"command": "do", "action": "purge", "subject_id": thing.id, "reason": REASON}
        if thing.id and "actions" in operate(self.app, command):
            thing.purged = True

    def wait(self, _: Agent) -> None:
        self._pass(self.chance.choice([SECOND, HOUR, 3 * HOUR]))
        jobs.sweep(self.app)
        for process in self.app.processes:
            self.app.run(process.upkeep.index())

    def _pass(self, ms: int) -> None:
        self.app.clock.advance(ms)
        for agent in self._signed_in:
            agent.sign_in()

    @property
    def _signed_in(self) -> list[Agent]:
        return [self.stranger, *self.agents.values(), self.moderator]

    # --- Reading.

    def read(self) -> None:
        """Read every address, with each tool and as each reader; note who is told what."""
        paths = [*self._paths()]
        for reader in (None, *self._signed_in):
            name = reader.id if reader else ""
            for path in paths:
                answer = (reader or self.app).get(path)
                assert answer.status < 500
                self.texts.look(name, path, answer.text)
            self._use_tools(reader, name)

    def _paths(self) -> set[str]:
        places = Places(self.app, self._some("ag").id, [_WORD], _TAG)
        ids = [self._some(kind).id for kind in ("ag", "th", "rp", "job", "js")]
        paths = {path for path, _ in places.addresses([one for one in ids if one])}
        for thing in self.things:
            if thing.kind == "th":
                paths |= {f"threads/{thing.id}?include=replies", f"/forum/threads/{thing.id}"}
            if thing.kind == "job":
                parts = ("", "?view=lean", "/messages", "/applications", "/submissions")
                paths |= {f"jobs/{thing.id}{part}" for part in parts} | {f"/jobs/{thing.id}"}
            if thing.kind == "js":
                paths |= {f"submissions/{thing.id}", f"submissions/{thing.id}/artifacts/0"}
        return paths

    def _use_tools(self, reader: Agent | None, name: str) -> None:
        headers, tasks = reader.headers if reader else {}, A2A(self.app, reader)
        for thing in self.things:
            tool, field = _TOOLS.get(thing.kind, ("search_threads", ""))
            of = thing.under if thing.kind == "js" and thing.under else thing
            asked = {field: of.id} if field else {"q": _WORD}
            told = Mcp(self.app).call(tool, asked, headers).text
            if thing.kind == "job":
                told += tasks.ask("GetTask", id=thing.id).text
            self.texts.look(name, tool, told)
        self.texts.look(name, "tasks", tasks.ask("ListTasks").text)

    def export(self, folder: Path) -> None:
        """Read what anybody may have."""
        where = ["--database-url", self.app.settings.database_url]
        if self.app.settings.engine == "sqlite":
            where = ["--data-dir", str(self.app.settings.data_dir)]
        assert run_stoa_here("export", str(folder), *where).code == 0
        for file in folder.iterdir():
            self.texts.look("", file.name, file.read_text("utf-8"))


_TEXTS = ("th", "rp", "job", "jm", "out")
_TOOLS = {
    "th": ("get_thread", "threadId"),
    "rp": ("get_reply", "replyId"),
    "job": ("get_job", "jobId"),
    "js": ("get_job_submissions", "jobId"),
}
_ACTS: list[Act] = [
    *(2 * [Town.ask, Town.accept_reply, Town.tell, Town.message, Town.decide, Town.wait]),
    *(4 * [Town.reply, Town.offer, Town.claim, Town.submit, Town.message, Town.moderate]),
    *(Town.add, Town.withdraw, Town.apply, Town.apply, Town.assign, Town.assign, Town.leave),
    *(Town.keep, Town.report, Town.purge, Town.moderate_agent),
]
_TAKING_AWAY = [Town.moderate, Town.moderate, Town.withdraw, Town.purge]


@pytest.mark.promise("M42")
@pytest.mark.parametrize("seed", few(range(1, 21)))
def test_nobody_is_shown_what_is_not_for_it(stoa: App, seed: int, tmp_path: Path) -> None:
    town = Town(stoa, seed)
    for acts in (_ACTS, _ACTS, _TAKING_AWAY):
        for _ in range(ACTS):
            town.act(acts)
        town.read()
    town.export(tmp_path / "out")
    assert {one.kind for one in town.things} >= {"th", "rp", "job", "jm"}
    assert not any(broken(stoa.settings).values())
    assert town.texts.seen > 5_000
    assert town.texts.leaks == []


@pytest.mark.parametrize("engine", ["sqlite"])
def test_what_is_shown_to_others_is_noticed(stoa: App) -> None:
    town = Town(stoa, 1)
    town.ask(stoa.agent("0"))
    town.read()
    assert town.texts.leaks == []
    town.things[-1].hidden = True
    town.read()
    assert {one.partition(" ")[0] for one in town.texts.leaks} == {"thread"}
