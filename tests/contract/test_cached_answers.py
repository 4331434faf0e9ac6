"""Cached answers are those that would be made now, whatever was written in between."""

import random
from collections.abc import Callable
from typing import Any, cast

import pytest

from stoa.operations.catalog import all_operations
from stoa.store.tx import Work
from tests.support.app import Agent, App

DAY = 24 * 3_600_000
STEPS = 60
SHOWN_LATE = {"lastSeenAt", "reputationScore"}


@pytest.fixture
def engine() -> str:
    """Where other processes write too, no answer is cached."""
    return "sqlite"


def without_what_may_be_late(value: Any) -> Any:
    if isinstance(value, list):
        return [without_what_may_be_late(item) for item in cast("list[Any]", value)]
    if isinstance(value, dict):
        members = cast("dict[str, Any]", value).items()
        return {
            name: without_what_may_be_late(member)
            for name, member in members
            if name not in SHOWN_LATE | {"warnings"}
        }
    return value


class World:
    """Agents who write at random, and readers of all that is cached."""

    def __init__(self, stoa: App, seed: int) -> None:
        self.stoa = stoa
        self.random = random.Random(seed)
        self.agents = [stoa.agent(name) for name in ("Ada", "Grace", "Barbara")]
        self.threads: list[Any] = []
        self.replies: list[Any] = []
        self.fresh = 0
        self.open_thread()
        self.reply()

    def agent(self) -> Agent:
        return self.random.choice(self.agents)

    def open_thread(self) -> None:
        bounty: dict[str, Any] = {"bountyCredits": 1} if self.random.random() < 0.3 else {}
        agent = self.agent()
        self.threads.append((agent, agent.thread(tags=["wal"], **bounty)))

    def reply(self) -> None:
        _, thread = self.random.choice(self.threads)
        parents = [reply for reply in self.replies if reply["threadId"] == thread["id"]]
        parent = self.random.choice([None, *parents])
        self.replies.append(self.agent().reply(thread, parent=parent))

    def accept(self) -> None:
        author, thread = self.random.choice(self.threads)
        of_thread = [reply for reply in self.replies if reply["threadId"] == thread["id"]]
        if of_thread:
            author.accept(thread, self.random.choice(of_thread))

    def rename(self) -> None:
        self.agent().sign_in({"displayName": f"Name {self.random.randrange(1000)}"})

    def register(self) -> None:
        self.agents.append(self.stoa.agent(f"agent {len(self.agents)}"))

    def pay_a_job(self) -> None:
        creator, worker = self.random.sample(self.agents, 2)
        offer = {"title": "Work", "description": "Do it.", "rewardCredits": 1}
        answer = creator.post("jobs", offer)
        if answer.status == 201:
            job_id = answer.json["job"]["id"]
            worker.post(f"jobs/{job_id}/claim").ok()
            worker.post(f"jobs/{job_id}/submit", {"body": "Done."}).ok(201)
            creator.post(f"jobs/{job_id}/accept").ok()

    def let_time_pass(self) -> None:
        self.stoa.clock.advance(self.random.choice([1_000, 20_000, DAY]))
        for agent in self.agents:
            agent.sign_in()

    def step(self) -> str:
        steps: list[Callable[[], None]] = [self.open_thread, self.accept, self.rename]
        steps += [self.reply] * 4 + [self.register, self.pay_a_job, self.let_time_pass]
        step = self.random.choice(steps)
        step()
        return step.__name__

    def targets(self) -> list[str]:
        """Every kind of read that is cached."""
        author, thread = self.random.choice(self.threads)
        reply = self.random.choice(self.replies)
        return [
            "threads?limit=5",
            "threads?sort=active&limit=5",
            "threads?sort=replies",
            "threads?tag=wal",
            "threads?status=open",
            f"threads?author={author.id}",
            "unanswered?limit=3",
            f"threads/{thread['id']}?limit=1",
            f"threads/{thread['id']}?include=replies",
            f"threads/{thread['id']}/replies?limit=3",
            f"replies/{reply['id']}?x=",
            f"threads/{reply['threadId']}/replies/{reply['id']}?x=",
        ]

    def run(self) -> None:
        """Write, and compare all that is cached, many times."""
        for _ in range(STEPS):
            after = self.step()
            for target in self.targets():
                self.compare(target, after)

    def compare(self, target: str, after: str) -> None:
        """What may come from the cache is what is made anew for an address nobody asked for yet."""
        self.fresh += 1
        cached = self.stoa.get(target).ok().json
        made = self.stoa.get(f"{target}&fresh{self.fresh}=1").ok().json
        assert without_what_may_be_late(cached) == without_what_may_be_late(made), (target, after)


@pytest.mark.parametrize("seed", range(3))
def test_a_cached_answer_is_the_one_that_would_be_made_now(stoa: App, seed: int) -> None:
    World(stoa, seed).run()


@pytest.mark.parametrize("path", ["/api/v1/threads/{}?include=replies", "/forum/threads/{}"])
def test_a_write_that_overtakes_a_read_is_seen_by_the_next_one(
    stoa: App, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    ada = stoa.agent("ada")
    other, thread = ada.thread()["id"], ada.thread()["id"]
    store = stoa.stoa.store
    read = store.read
    reads, overtaken_at = 0, -1

    async def overtaken(work: Work[Any], **how: Any) -> Any:
        nonlocal reads
        reads += 1
        answer = await read(work, **how)
        if reads == overtaken_at:
            written = await ada.ask("POST", f"threads/{thread}/replies", {"body": "It overtook."})
            assert written.status == 201
        return answer

    monkeypatch.setattr(store, "read", overtaken)
    stoa.get(path.format(other))
    shown = path.format(thread)
    overtaken_at = 2 * reads  # the last one for this answer
    assert "It overtook." not in stoa.get(shown).text
    assert "It overtook." in stoa.get(shown).text
    made = reads
    assert "It overtook." in stoa.get(shown).text
    assert reads == made, "it is kept now"


def test_every_cached_operation_is_compared(stoa: App) -> None:
    called = {target.partition("?")[0] for target in World(stoa, 0).targets()}
    paths = {path.replace("/", " ").split()[0] + f" {path.count('/')}" for path in called}
    cached = [one for one in all_operations() if one.caching.cached]
    of_table = [one.path.removeprefix("/api/v1/") for one in cached]
    assert {f"{path.split('/')[0]} {path.count('/')}" for path in of_table} == paths


def test_answers_are_cached_at_all(stoa: App) -> None:
    world = World(stoa, 0)
    for target in world.targets():
        path, _, query = target.partition("?")
        scope: dict[str, Any] = {
            "method": "GET",
            "path": f"/api/v1/{path}",
            "query_string": query.encode(),
            "headers": [(b"host", b"127.0.0.1:8080")],
            "client": ("127.0.0.1", 1),
        }
        body = stoa.get(target).ok()
        found = stoa.stoa.ready.find(scope)
        assert found is not None, target
        assert found[2] == body.content


def test_a_change_that_marks_nothing_would_be_noticed(
    stoa: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    def nothing(_: object) -> list[str]:
        return []

    monkeypatch.setattr("stoa.store.engines.sqlite_groups.changed_by", nothing)
    world = World(stoa, 0)
    with pytest.raises(AssertionError, match="threads"):
        world.run()
