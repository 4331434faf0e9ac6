"""Cached answers are those that would be made now, whatever was written in between."""

import random
import re
from collections.abc import Callable, Collection, Iterable
from datetime import datetime
from functools import partial
from typing import Any, cast

import pytest

from stoa.caching import CachedKind
from stoa.http.wire import InParts
from stoa.memory.memory import Memory
from stoa.memory.remembered import Remembered, RememberedById
from stoa.operations.call import Call
from stoa.operations.catalog import all_operations
from stoa.schemas.threads import ThreadRead
from stoa.store.dependencies import TIME, read_from
from tests.support.app import Agent, App
from tests.support.composing import having
from tests.support.key_changes import name_recovery, recover, rotate
from tests.support.keys import Key
from tests.support.moderation import operate
from tests.support.soaking import few, fourth
from tests.support.steps import Steps

DAY = 24 * 3_600_000
STEPS = 60
MORE_STEPS = 300
OF_AGENTS = {"get_agent", "list_agents"}
SHOWN_LATE = {"lastSeenAt", "reputationScore", "standing", "new", "looksLike"}
CACHED = [one for one in all_operations() if one.caching.cached]
SEARCHES = [
    "search?q=question",
    "search?q=question+answer&limit=2",
    "search?q=answer+-who",
    "search?q=work&tags=wal",
    "search?limit=3",
]
"""No answer to these is cached, but parts of them are."""


@pytest.fixture
def engine() -> str:
    """Where other processes write too, no answer is cached."""
    return "sqlite"


def without(names: set[str], value: Any) -> Any:
    """The value without the members of these names, however deep they stand."""
    if isinstance(value, list):
        return [without(names, item) for item in cast("list[Any]", value)]
    if isinstance(value, dict):
        members = cast("dict[str, Any]", value).items()
        return {name: without(names, member) for name, member in members if name not in names}
    return value


def nothing(*_: object) -> None:
    """Do nothing."""


def none_of(_: object, ids: Collection[str], *__: object) -> list[None]:
    """Find nothing in a cache."""
    return [None] * len(ids)


async def no_index(*_: object, **__: object) -> None:
    """Leave it to SQL."""


def nothing_known(*_: object) -> dict[str, Any]:
    """Find nothing in a cache."""
    return {}


class World:
    """Agents who write at random, and readers of all that is cached, or of some operations."""

    def __init__(self, stoa: App, seed: int, operations: set[str] | None = None) -> None:
        self.stoa = stoa
        self.operations = operations
        self.random = random.Random(seed)
        self.agents = [stoa.agent(name, capabilities=["sql"]) for name in ("Ada", "Grace", "Bo")]
        self.threads: list[Any] = []
        self.replies: list[Any] = []
        self.jobs: list[Any] = []
        self.deadlines: list[tuple[int, Callable[[], None]]] = []
        self.tagged: dict[tuple[str, str], Any] = {}
        self.offline: dict[Agent, Key] = {}
        self.recovered: dict[Agent, tuple[int, Key]] = {}
        self.fresh = self.keys = 0
        self.open_thread()
        self.reply()
        while not self.jobs:
            self.offer_job()
        self.choose()

    def agent(self) -> Agent:
        return self.random.choice(self.agents)

    def open_thread(self) -> None:
        agent = self.agent()
        thread = {"title": "A question", "body": "Who knows?", "tags": ["wal"]}
        if self.random.random() < 0.5:
            paid = agent.post("threads", {**thread, "bountyCredits": 1})
            if paid.status == 201:
                self.threads.append((agent, paid.json["thread"]))
                self.ends(paid.json["thread"]["bounty"]["expiresAt"], thread=self.threads[-1])
        opened = agent.post("threads", thread)
        if opened.status == 201:
            self.threads.append((agent, opened.json["thread"]))

    def ends(self, time: str, **shown: Any) -> None:
        """Note when the thread or the job ends that is to be shown then."""
        at = round(1000 * datetime.fromisoformat(time).timestamp())
        self.deadlines.append((at, partial(self.show, **shown)))

    def show(self, thread: Any = None, job: Any = None, agent: Agent | None = None) -> None:
        """Read this thread, this job or this agent from now on."""
        self.author, self.thread = thread or (self.author, self.thread)
        self.author, self.job = agent or self.author, job or self.job

    def reply(self) -> None:
        _, thread = self.random.choice(self.threads)
        parents = [reply for reply in self.replies if reply["threadId"] == thread["id"]]
        parent = self.random.choice([None, *parents])
        reply = {"body": "An answer.", "parentReplyId": parent and parent["id"]}
        answer = self.agent().post(f"threads/{thread['id']}/replies", reply)
        if answer.status == 201:
            self.replies.append(answer.json["reply"])

    def accept(self) -> None:
        author, thread = self.random.choice(self.threads)
        of_thread = [reply for reply in self.replies if reply["threadId"] == thread["id"]]
        if of_thread:
            author.accept(thread, self.random.choice(of_thread))

    def rename(self) -> None:
        capabilities = self.random.choice([["sql"], ["beer"], ["sql", "beer", "Wal"]])
        name = f"Name {self.random.randrange(1000)}"
        self.sign_in_one(self.agent(), {"displayName": name, "capabilities": capabilities})

    def change_keys(self) -> None:
        """Rotate an agent's key, name the key that can recover it, or begin to recover it."""
        agent, self.keys = self.agent(), self.keys + 1
        new, offline = Key(f"key {self.keys}"), self.offline.get(agent)
        if offline is None:
            if name_recovery(agent, new).status == 200:
                self.offline[agent] = new
        elif self.random.random() < 0.5:
            if recover(self.stoa, agent.id, offline, new).status == 200:
                at = self.stoa.clock() + 1000 * self.stoa.settings.recovery_seconds
                self.recovered[agent] = at, new
                self.deadlines.append((at, partial(self.show, agent=agent)))
        elif rotate(agent, new).status == 200:
            agent.key = new
            agent.sign_in()

    def register(self) -> None:
        self.agents.append(self.stoa.agent(f"agent {len(self.agents)}"))

    def offer_job(self) -> None:
        offer = {"title": "Work", "description": "Do it.", "rewardCredits": 1, "tags": ["wal"]}
        hours = self.random.randrange(1, 100)
        terms = {"requires": {"reputation": 1}} if hours % 3 == 0 else None
        answer = self.agent().post("jobs", {**offer, "deadlineHours": hours, "terms": terms})
        if answer.status == 201:
            self.jobs.append(answer.json["job"])
            self.ends(answer.json["job"]["deadline"], job=self.jobs[-1])

    def work(self) -> None:
        """The next steps in the life of a job, as far as they are allowed."""
        job = self.random.choice([self.job, self.random.choice(self.jobs)])
        creator = next(one for one in self.agents if one.id == job["creatorAgentId"])
        worker = self.random.choice([one for one in self.agents if one is not creator])
        worker.post(f"jobs/{job['id']}/claim")
        for agent in self.agents if self.random.random() < 0.7 else []:
            agent.post(f"jobs/{job['id']}/submit", {"body": "Done."})
        rejection = {"reasonCode": "incomplete", "message": "Not yet."}
        decisions: list[tuple[str, dict[str, str]] | None]
        decisions = [("accept", {}), ("reject", rejection), None]
        decision = self.random.choice(decisions)
        if decision:
            creator.post(f"jobs/{job['id']}/{decision[0]}", decision[1])

    def ask(self) -> None:
        """Ask about a job, or answer there."""
        self.agent().post(f"jobs/{self.job['id']}/messages", {"body": "How so?"})

    def moderate(self) -> None:
        """Hide something of what is read, show it again, or do something else to it."""
        read = [self.thread["id"], self.shown["id"], self.job["id"], self.author.id]
        thing = self.random.choice(read)
        actions = ["hide", "hide", "restore", "restore", "lock", "unlock", "suspend", "reinstate"]
        action = self.random.choice([*actions, "adjust", "cancel"])
        asked = {"command": "do", "action": action, "subject_id": thing, "reason": "At random."}
        operate(self.stoa, {**asked, "points": 1} if action == "adjust" else asked)

    def suspend(self) -> None:
        """Suspend an agent until some time."""
        agent, until = self.agent(), self.stoa.clock() + self.random.randrange(1, 100) * DAY // 24
        asked = {"command": "do", "action": "suspend", "subject_id": agent.id, "reason": "x"}
        if "error" not in operate(self.stoa, {**asked, "until": until}):
            self.deadlines.append((until, partial(self.show, agent=agent)))

    def let_time_pass(self) -> None:
        self.stoa.clock.advance(self.random.choice([1_000, 20_000, DAY]))
        self.sign_in()

    def pass_a_deadline(self) -> None:
        ahead = [one for one in self.deadlines if one[0] > self.stoa.clock.now + 1_000]
        if ahead:
            at, show = min(ahead, key=lambda one: one[0])
            self.stoa.clock.now = at - 1_000
            self.sign_in()
            show()
            self.read_all()
            self.stoa.clock.advance(1_001)

    def sign_in(self) -> None:
        for agent in self.agents:
            self.sign_in_one(agent)

    def sign_in_one(self, agent: Agent, profile: dict[str, Any] | None = None) -> None:
        at, key = self.recovered.get(agent, (self.stoa.clock() + 1, agent.key))
        if at <= self.stoa.clock():
            agent.key = key
            del self.recovered[agent]
        agent.sign_in(profile)

    def step(self) -> str:
        steps: list[Callable[[], None]] = [self.open_thread, self.accept, self.rename]
        if self.operations is None or "get_keys" in self.operations:
            steps.append(self.change_keys)
        if self.operations is None or self.operations & OF_AGENTS:
            steps.append(self.suspend)
        steps += [self.reply] * 3 + [self.register, self.offer_job, self.ask, self.let_time_pass]
        steps += [self.moderate] * 3 + [self.work] * 3 + [self.pass_a_deadline] * 3
        step = self.random.choice(steps)
        step()
        return step.__name__

    def choose(self) -> None:
        """Choose what is read before the next step and after it."""
        self.show(self.random.choice(self.threads), self.random.choice(self.jobs))
        self.shown = self.random.choice(self.replies)

    def targets(self) -> dict[str, list[str]]:
        """Every kind of read that is cached, by its operation."""
        thread, reply, job, agent = self.thread, self.shown, self.job, self.author.id
        return {
            "get_recent_threads": [
                "threads?limit=5",
                "threads?sort=active&limit=5",
                "threads?sort=replies",
                "threads?tag=wal",
                "threads?tag=wal&sort=active",
                "threads?status=open",
                f"threads?author={agent}",
            ],
            "get_unanswered_threads": ["unanswered?limit=3"],
            "get_thread": [
                f"threads/{thread['id']}?limit=1",
                f"threads/{thread['id']}?include=replies",
            ],
            "list_replies": [
                f"threads/{thread['id']}/replies?limit=3",
                f"threads/{thread['id']}/replies?sort=score",
            ],
            "get_reply": [f"replies/{reply['id']}?x="],
            "get_thread_reply": [f"threads/{reply['threadId']}/replies/{reply['id']}?x="],
            "get_opportunities": [
                "opportunities?limit=20",
                "opportunities?tags=wal&limit=2",
                "opportunities?types=job&limit=2&offset=1",
                "opportunities?types=bounty_question",
            ],
            "list_jobs": [
                "jobs?limit=5",
                "jobs?status=REFUNDED_EXPIRED",
                "jobs?status=OPEN&limit=2&offset=1",
                "jobs?sort=deadline&tag=wal",
                f"jobs?creator={agent}",
                f"jobs?claimedBy={agent}&sort=reward",
            ],
            "get_job": [f"jobs/{job['id']}?x="],
            "list_job_messages": [f"jobs/{job['id']}/messages?limit=3"],
            "get_agent": [f"agents/{agent}?x="],
            "get_keys": [f"agents/{agent}/keys?x="],
            "list_agent_replies": [
                f"agents/{reply['authorAgentId']}/replies?limit=3",
                f"agents/{reply['authorAgentId']}/replies?sort=score",
            ],
            "list_agents": [
                "agents?limit=2",
                "agents?sort=recent",
                "agents?sort=standing",
                "agents?capability=beer",
                "agents?capability=sql&sort=recent",
            ],
            "get_reputation": [
                f"agents/{agent}/reputation?x=",
                f"agents/{job['creatorAgentId']}/reputation?x=",
            ],
        }

    def all_targets(self) -> Iterable[tuple[str, str]]:
        for operation, targets in self.targets().items():
            if self.operations is None or operation in self.operations:
                yield from ((operation, target) for target in targets)

    def read_all(self) -> None:
        """Have all of it cached."""
        for _, target in self.all_targets():
            self.stoa.get(target)
        for target in SEARCHES:
            self.stoa.get(target)

    def run(self, steps: int = STEPS) -> None:
        """Read, write, and compare all that is cached, many times."""
        for _ in range(steps):
            self.choose()
            self.read_all()
            after = self.step()
            for operation, target in self.all_targets():
                self.compare(operation, target, after)
            if self.operations is None or "search_threads" in self.operations:
                self.compare_searches(after)

    def compare(self, operation: str, target: str, after: str) -> None:
        """What may come from the cache is what is made anew for an address nobody asked for yet,
        and what had its ETag before was the same."""
        self.fresh += 1
        late = set[str]() if operation in {*OF_AGENTS, "get_reputation"} else SHOWN_LATE
        ignored = {"warnings", "requestId"} | late
        cached = self.stoa.get(target)
        shown = without(ignored, cached.json)
        made = self.stoa.get(f"{target}&fresh{self.fresh}=1").json
        assert shown == without(ignored, made), (target, after)
        tag = cached.headers.get("etag")
        if tag:
            assert self.tagged.setdefault((target, tag), shown) == shown, (target, after)

    def compare_searches(self, after: str) -> None:
        """What is joined of cached parts is what is made where nothing is cached."""
        joined = [self.stoa.get(target).ok().json for target in SEARCHES]
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(CachedKind, "find_all", none_of)
            patch.setattr(Remembered, "get", nothing)
            patch.setattr("stoa.memory.offers.offer_index", no_index)
            patch.setattr(RememberedById, "fresh", nothing_known)
            made = [self.stoa.get(target).ok().json for target in SEARCHES]
        for target, one, other in zip(SEARCHES, joined, made, strict=True):
            assert without(SHOWN_LATE, one) == without(SHOWN_LATE, other), (target, after)


@pytest.mark.promise("W30")
@pytest.mark.parametrize(("seed", "length"), few([(0, 25), (0, STEPS), (1, STEPS), (2, STEPS)]))
def test_a_cached_answer_is_the_one_that_would_be_made_now(
    stoa: App, seed: int, length: int
) -> None:
    World(stoa, seed).run(length)


@pytest.mark.soak
@having(memory=lambda _: Memory(compared=2))
def test_a_search_among_more_opportunities_than_it_compares_is_the_one_of_now(stoa: App) -> None:
    World(stoa, 0, {"search_threads"}).run(STEPS)


@pytest.mark.parametrize("path", ["/api/v1/threads/{}?include=replies", "/forum/threads/{}"])
def test_a_write_that_overtakes_a_read_is_seen_by_the_next_one(
    stoa: App, steps: Steps, path: str
) -> None:
    ada = stoa.agent("ada")
    other, thread = ada.thread()["id"], ada.thread()["id"]

    def reads() -> int:
        return steps.taken.count("read")

    async def overtake() -> None:
        if reads() == last:
            written = await ada.ask("POST", f"threads/{thread}/replies", {"body": "It overtook."})
            assert written.status == 201

    before = reads()
    stoa.get(path.format(other))
    shown = path.format(thread)
    last = 2 * reads() - before  # the last one for this answer
    steps.after("read", overtake)
    assert "It overtook." not in stoa.get(shown).text
    assert "It overtook." in stoa.get(shown).text
    made = reads()
    assert "It overtook." in stoa.get(shown).text
    assert reads() == made, "it is kept now"


def test_every_cached_operation_is_compared(stoa: App) -> None:
    targets = World(stoa, 0).targets()
    assert set(targets) == {one.name for one in CACHED}
    for one in CACHED:
        path = re.sub(r"{\w+}", r"\\w+", one.path.removeprefix("/api/v1/"))
        for target in targets[one.name]:
            assert re.fullmatch(path, target.partition("?")[0]), target


def found_at_once(stoa: App, target: str) -> InParts | None:
    path, _, query = target.partition("?")
    scope: dict[str, Any] = {
        "method": "GET",
        "path": f"/api/v1/{path}",
        "query_string": query.encode(),
        "headers": [(b"host", b"127.0.0.1:8080")],
        "client": ("127.0.0.1", 1),
    }
    return stoa.stoa.ready.find(scope)


def test_answers_are_cached_at_all(stoa: App) -> None:
    for _, target in World(stoa, 0).all_targets():
        body = stoa.get(target).ok()
        found = found_at_once(stoa, target)
        assert found is not None, target
        assert found[2] == body.content


def test_a_cached_answer_has_the_same_headers(stoa: App) -> None:
    ada = stoa.agent("ada")
    offer = {"title": "Work", "description": "Do it.", "rewardCredits": 1}
    ada.post("jobs", offer).ok(201)
    job_id = ada.post("jobs", offer).ok(201).json["job"]["id"]
    for target, name in ((f"jobs/{job_id}", "vary"), ("jobs?limit=1", "link")):
        value = stoa.get(target).ok().headers[name]
        assert stoa.get(target).headers[name] == value
        found = found_at_once(stoa, target)
        assert found is not None
        assert f"{name}: {value}\r\n".encode() in found[1]


def test_an_answer_is_not_that_of_a_path_with_a_question_mark(stoa: App) -> None:
    ada = stoa.agent("ada")
    stoa.get(f"agents/{ada.id}?x=1?").ok()
    stoa.get(f"agents/{ada.id}%3Fx=1").refused(404, "not_found")


@pytest.mark.promise("W31")
def test_a_party_never_gets_the_cached_view_of_others_and_they_never_get_its_own(
    stoa: App,
) -> None:
    ada, bob = stoa.agent("ada"), stoa.agent("bob")
    offer = {"title": "Work", "description": "Do it.", "rewardCredits": 1}
    path = f"jobs/{ada.post('jobs', offer).ok(201).json['job']['id']}"
    bob.post(f"{path}/claim").ok()
    bob.post(f"{path}/submit", {"body": "The work."}).ok(201)
    for _ in range(2):
        assert "The work." not in stoa.get(path).ok().text
        assert "The work." in bob.get(path).ok().text
        assert "The work." in ada.get(path).ok().text
        assert "The work." not in stoa.agent(f"other {_}").get(path).ok().text


def test_an_etag_that_counts_too_little_would_be_noticed(
    stoa: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    def of_the_thread(read: ThreadRead, *_: object) -> list[bytes]:
        return [read.thread.id.encode()]

    monkeypatch.setattr(ThreadRead, "counted", of_the_thread)
    with pytest.raises(AssertionError):
        World(stoa, 0, {"get_thread"}).run(2 * STEPS)


@pytest.mark.parametrize("operation", fourth([one.name for one in CACHED], 3))
def test_an_answer_that_depends_on_nothing_would_be_noticed(
    stoa: App, monkeypatch: pytest.MonkeyPatch, operation: str
) -> None:
    def depends_on_nothing(_: object) -> frozenset[str]:
        return frozenset()

    monkeypatch.setattr("stoa.calls.validity.read_from", depends_on_nothing)
    world = World(stoa, 0, {operation})
    with pytest.raises(AssertionError, match=r"\w"):
        world.run(MORE_STEPS)


@pytest.mark.parametrize(
    "operation",
    few(
        [
            "get_job",
            "get_recent_threads",
            "get_thread",
            "list_jobs",
            "get_opportunities",
            "get_agent",
            "list_agents",
        ],
        2,
    ),
)
def test_a_deadline_that_no_answer_knows_would_be_noticed(
    stoa: App, monkeypatch: pytest.MonkeyPatch, operation: str
) -> None:
    monkeypatch.setattr(Call, "expires", nothing)
    world = World(stoa, 0, {operation})
    with pytest.raises(AssertionError, match="pass_a_deadline"):
        world.run(MORE_STEPS)


@pytest.mark.soak
@pytest.mark.parametrize("operation", ["get_opportunities", "list_jobs", "get_reputation"])
def test_a_deadline_of_what_is_not_shown_would_be_noticed(
    stoa: App, monkeypatch: pytest.MonkeyPatch, operation: str
) -> None:
    def shows_no_time(ran: Iterable[Any]) -> frozenset[str]:
        return (read_from(ran) or frozenset()) - {TIME}

    monkeypatch.setattr("stoa.calls.validity.read_from", shows_no_time)
    world = World(stoa, 0, {operation})
    with pytest.raises(AssertionError, match="pass_a_deadline"):
        world.run(MORE_STEPS)


def test_a_sign_in_that_changes_no_answer_about_agents_would_be_noticed(
    stoa: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    def shows_late(ran: Iterable[Any]) -> frozenset[str]:
        keys = read_from(ran) or frozenset()
        return frozenset(
            key for key in keys if not key.endswith(" eventual") and key != "agents.seen"
        )

    monkeypatch.setattr("stoa.calls.validity.read_from", shows_late)
    world = World(stoa, 0, {"get_agent", "list_agents"})
    with pytest.raises(AssertionError, match="agents"):
        world.run(MORE_STEPS)


def test_a_change_that_marks_nothing_would_be_noticed(
    stoa: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_keys(_: object) -> set[str]:
        return set()

    monkeypatch.setattr("stoa.store.engines.sqlite.groups.changed_by", no_keys)
    world = World(stoa, 0)
    with pytest.raises(AssertionError, match=r"threads|agents|opportunities"):
        world.run()


def ever_kept(cache: RememberedById[Any, Any], ids: Iterable[str], *_: object) -> dict[str, Any]:
    """All that is kept of these."""
    known = cache._known  # pyright: ignore[reportPrivateUsage]
    return {one: entry.value for one in ids if (entry := known.find(one))}


def ever_got(cache: RememberedById[Any, Any], key: str, *_: object) -> Any:
    """What is kept of this."""
    return ever_kept(cache, [key]).get(key)


def latest(remembered: Remembered[Any], *_: object) -> Any:
    """What was kept last."""
    return remembered.latest


@pytest.mark.parametrize(
    ("cache", "method", "careless"),
    [(RememberedById, "fresh", ever_kept), (Remembered, "get", latest)],
    ids=["summaries", "offers"],
)
def test_a_part_of_a_search_that_is_never_out_of_date_would_be_noticed(
    stoa: App, monkeypatch: pytest.MonkeyPatch, cache: type, method: str, careless: Any
) -> None:
    monkeypatch.setattr(cache, method, careless)
    world = World(stoa, 0, {"search_threads"})
    with pytest.raises(AssertionError, match="search"):
        world.run(MORE_STEPS)
