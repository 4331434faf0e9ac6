"""What the parties of a job write, apply with and hand in: nothing shows it to anybody else."""

import asyncio
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from stoa.cli import export_files
from stoa.operations.catalog import all_operations
from stoa.operations.table import Toolset
from stoa.store.engines import engine_of
from tests.support import jobs
from tests.support.app import Agent, App
from tests.support.mcp import Mcp
from tests.support.moderation import report
from tests.support.receiver import Receiver
from tests.support.webhooks import LOOPBACK, active, deliver

CANARY = "canary-3e9d"
WORK = {
    "body": f"{CANARY} work",
    "artifacts": [{"name": CANARY, "text": CANARY}, {"name": "long", "text": CANARY * 600}],
}
EVERY_SET = "?toolsets=" + ",".join(one for one in Toolset if one is not Toolset.DEFAULT)


class Talk:
    """A job that was given back and claimed again, whose private texts all have the canary. Of its
    four outsiders one is nobody, one has applied, and one has worked on it before."""

    def __init__(self, app: App, ada: Agent, bob: Agent, receiver: Receiver) -> None:
        self.app, self.ada, self.bob = app, ada, bob
        stranger, applicant, former = (app.agent(name) for name in ("cy", "dan", "eve"))
        self.agents = (stranger, applicant, former)
        for agent in self.agents:
            for scope in ("events", "inbox"):
                active(agent, receiver, scope=scope)
        self.job = jobs.offer(ada, tags=["beer"], terms={"assignment": "chosen"})
        for agent, wish in ((applicant, "Me?"), (former, "Or me?"), (bob, CANARY)):
            jobs.act(agent, self.job, "apply", {"message": wish}).ok()
        self._assign(former)
        self.write(former, "My own.")
        jobs.done(former, self.job, "release")
        self._assign(bob)
        self.message = self.write(ada, f"{CANARY} do it")
        self.write(bob, f"{CANARY} done")
        jobs.act(bob, self.job, "submit", WORK).ok(201)
        jobs.act(ada, self.job, "reject", {"reasonCode": "other", "message": CANARY}).ok()
        jobs.act(bob, self.job, "submit", WORK).ok(201)

    def _assign(self, worker: Agent) -> None:
        jobs.act(self.ada, self.job, "assign", {"agentId": worker.id}).ok()

    def write(self, agent: Agent, body: str) -> Any:
        """A message, for the two parties alone."""
        message = jobs.act(agent, self.job, "messages", {"body": body}).ok(201)["message"]
        assert message["to"] == "parties"
        return message

    def values(self) -> defaultdict[str, str]:
        """What stands in a path."""
        job_id, message_id = self.job["id"], self.message["id"]
        known = {
            "submissionId": jobs.read(self.job, self.ada)["latestSubmissionId"],
            "messageId": message_id,
            "agentId": self.bob.id,
            "replyId": message_id,
            "code": "7K3QX9AB",
            "artifact": "1",
        }
        return defaultdict(lambda: job_id, known)

    def told(self) -> Iterator[tuple[str, str]]:
        """All that outsiders are told, and where."""
        reads, values = [one for one in all_operations() if one.method == "GET"], self.values()
        for reader in (self.app, *self.agents):
            for operation in reads:
                for query in ("?limit=100", f"?q={CANARY}&view=lean"):
                    target = operation.path.format_map(values) + query
                    yield target, reader.get(target).text
            for page in ("/jobs", f"/jobs/{values['jobId']}", f"/agents/{self.bob.id}"):
                for form in ("text/html", "text/markdown"):
                    yield page, reader.get(page, headers={"Accept": form}).text
        tools = Mcp(self.app, path=f"/mcp{EVERY_SET}")
        for operation in reads:
            if operation.toolsets - {Toolset.DEFAULT}:
                arguments = {name: values[name] for name in operation.path_fields}
                for agent in self.agents:
                    answer = tools.call(operation.name, arguments, agent.headers)
                    yield operation.name, answer.text


@pytest.fixture
def talk(stoa: App, ada: Agent, bob: Agent, receiver: Receiver) -> Talk:
    return Talk(stoa, ada, bob, receiver)


def _asked_for(text: str) -> str:
    """An answer without what was asked for, which some repeat."""
    for echo in (f'"query":"{CANARY}"', f"q={CANARY}"):
        text = text.replace(echo, "")
    return text


@pytest.mark.settings(**LOOPBACK)
@pytest.mark.costly
def test_nothing_shows_outsiders_what_the_parties_of_a_job_write(
    talk: Talk, receiver: Receiver, tmp_path: Path
) -> None:
    places = 0
    for place, text in talk.told():
        assert CANARY not in _asked_for(text), place
        places += 1
    assert places > 400
    deliver(talk.app)
    events = receiver.events
    assert {"job.claimed", "job.released", "job.submitted", "job.rejected"} <= {
        one["kind"] for one in events
    }
    assert CANARY not in str(events)

    async def exported() -> None:
        settings = talk.app.settings
        async with engine_of(settings).open_source(settings, talk.app.clock) as source:
            await export_files.write(source, tmp_path / "out")

    asyncio.run(exported())
    written = b"".join(file.read_bytes() for file in (tmp_path / "out").iterdir())
    assert talk.job["id"].encode() in written
    assert CANARY.encode() not in written
    for agent in talk.agents:
        report(agent, talk.message).refused(404, "not_found")
    report(talk.ada, talk.message).ok(201)


@pytest.mark.settings(**LOOPBACK)
@pytest.mark.costly
def test_the_two_parties_are_shown_all_of_it(talk: Talk) -> None:
    path = f"jobs/{talk.job['id']}"
    for party in (talk.ada, talk.bob):
        messages = party.get(f"{path}/messages").ok().text
        assert messages.count(CANARY) == 2
        assert party.get(path).ok().text.count(CANARY) > 4
        long = party.get(f"submissions/{talk.values()['submissionId']}/artifacts/1").ok()
        assert long.text == CANARY * 600
    former = talk.agents[2].get(f"{path}/messages").ok()["messages"]
    assert [one["body"]["body"] for one in former] == ["My own."]
