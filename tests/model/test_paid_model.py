"""The service and a model of it take the same steps under a virtual clock, and never differ."""

import shutil
import tempfile
from collections import Counter
from collections.abc import Sequence
from itertools import count
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, TypeVar

import hypothesis.strategies as st
import msgspec
import pytest
from hypothesis import HealthCheck, settings
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    precondition,
    rule,
    run_state_machine_as_test,
)

from stoa.settings import Settings
from tests.model.forms import iso, kept, ms, terms_of
from tests.model.recorded import check_record
from tests.model.town import DAY, ENDED, HOUR, Job, Promised, Thread, Town
from tests.support import in_memory, jobs
from tests.support.answers import Answer
from tests.support.app import Agent, App
from tests.support.clock import START, VirtualClock
from tests.support.faces import FACES, Face, Manner
from tests.support.keys import Key
from tests.support.ledger import broken, rows
from tests.support.limits_off import LIMITS_OFF
from tests.support.moderation import moderate
from tests.support.reuse import Reused

T = TypeVar("T")

CAPS = {"limit_pair_reputation": 3, "limit_new_agent_holds": 5, "limit_open_claims": 10}
TOKEN_LIFE = 100 * DAY
AGENTS = 5

which = st.integers(0, 10**6)
"""Picks one of those there are."""
spans = st.sampled_from([1, 1000, HOUR // 2, HOUR - 1, HOUR, 6 * HOUR, DAY - 1, DAY, 70 * HOUR])
lives = st.sampled_from([1, HOUR // 2, HOUR, DAY, 72 * HOUR, 168 * HOUR])
terms = st.sampled_from([None, None, HOUR // 4, HOUR, 6 * HOUR, DAY, 168 * HOUR])
ACTIONS = ["claim", "submit", "accept", "reject", "release"]
amounts = st.sampled_from([100, 101, 250, 1_999, 5_000, 9_999, 10_000, 10_001, 30_000])


class Style(NamedTuple):
    """How writes are called: through which faces at the same time, with one key if there are
    several; through which face a dry run is made first, and then the call is repeated."""

    faces: tuple[str, ...]
    tried: str | None
    repeated: str | None


class Sent(NamedTuple):
    """A write that was done, with its key."""

    agent: Agent
    tool: str
    arguments: dict[str, Any]
    manner: Manner
    answer: Answer
    at: int


PLAINLY = Style(("rest",), None, None)
faces = st.sampled_from(list(FACES))
perhaps = st.none() | faces
styles = st.builds(Style, st.lists(faces, min_size=1, max_size=3).map(tuple), perhaps, perhaps)


class PaidWork(RuleBasedStateMachine):
    """Takes every step twice: in the application and in the model."""

    steps = 0
    longest = 16 * DAY
    databases: ClassVar[Reused | None] = None

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp(prefix="stoa-model-", dir=in_memory.folder()))
        self.clock = VirtualClock()
        values = {"data_dir": str(self.folder), **LIMITS_OFF, **CAPS}
        values["database_url"] = self.databases.take() if self.databases else ""
        values["token_ttl_seconds"] = TOKEN_LIFE // 1000
        values["database_timeout_seconds"] = 60  # a slow machine is no outage
        values["admin_keys"] = [Key("mod").public]
        settings = msgspec.convert(values, Settings)
        kept = self.databases[settings.database_url] if self.databases else None
        self.app = App(settings, self.clock, kept)
        self.town = Town(START)
        self.agents: list[Agent] = []
        self.mod = self.app.agent("mod")
        self.jobs: list[str] = []
        self.threads: list[tuple[str, list[str]]] = []
        self.signed_in_at = START
        self.style = PLAINLY
        self.keys = count()
        self.sent: list[Sent] = []

    @rule(style=styles)
    def change_style(self, style: Style) -> None:
        """From now on writes are tried, sent and repeated in this way."""
        self.style = style

    def send(self, agent: Agent, tool: str, arguments: dict[str, Any]) -> Answer:
        """A write, as the style says. Its dry run must come to the same."""
        face, dry = self.style.tried, Manner(dry_run=True)
        tried = self.face(face).call(tool, arguments, agent, dry) if face else None
        manner = Manner(None if self.style == PLAINLY else f"key-{next(self.keys)}")
        answer = self.send_together(agent, tool, arguments, manner)
        if tried:
            self.count()
            assert (tried.status, tried.code) == (answer.status, answer.code)
        if manner.key and answer.code is None:
            self.sent.append(Sent(agent, tool, arguments, manner, answer, self.clock.now))
            if self.style.repeated:
                self.repeat(self.sent[-1], self.style.repeated)
        return answer

    def send_together(
        self, agent: Agent, tool: str, arguments: dict[str, Any], manner: Manner
    ) -> Answer:
        """The one answer to all the calls; besides it some are told that one still runs."""
        asked = [self.face(face).ask(tool, arguments, agent, manner) for face in self.style.faces]
        answers = self.app.together(*asked)
        told = [one for one in answers if one.code != "idempotency_in_progress"]
        assert len({(one.status, one.code) for one in told}) == 1
        assert told[0].code or all(one.json == told[0].json for one in told)
        return told[0]

    def repeat(self, sent: Sent, face: str) -> None:
        """A write is sent again with its key, and answered alike."""
        self.count()
        again = self.face(face).call(sent.tool, sent.arguments, sent.agent, sent.manner)
        assert (again.status, kept(again)) == (sent.answer.status, kept(sent.answer))
        assert again.headers["idempotent-replayed"] == "true"

    @precondition(lambda self: self.lately())
    @rule(number=which, face=faces)
    def repeat_later(self, number: int, face: str) -> None:
        """A write of the last day is sent again with its key."""
        self.repeat(self.pick(self.lately(), number)[1], face)

    @precondition(lambda self: self.lately())
    @rule(number=which, face=faces)
    def take_a_key_twice(self, number: int, face: str) -> None:
        """Another write with the key of one of the last day is refused."""
        self.count()
        _, sent = self.pick(self.lately(), number)
        other = {"title": "another", "body": "b", "bountyCredits": 1}
        answer = self.face(face).call("create_thread", other, sent.agent, sent.manner)
        assert answer.code == "idempotency_key_reused"

    def lately(self) -> list[Sent]:
        """The writes whose answers must still be stored."""
        return [sent for sent in self.sent if self.clock.now - sent.at < DAY]

    def face(self, name: str) -> Face:
        """A face of the application."""
        return FACES[name](self.app)

    def pick(self, things: Sequence[T], number: int) -> tuple[int, T]:
        """One of these, by a number that may be any."""
        return number % len(things), things[number % len(things)]

    def count(self) -> None:
        """A step of both was compared."""
        type(self).steps += 1

    def agree(self, answer: Answer, refusal: str | None) -> None:
        """What came of a step must be what the model says."""
        self.count()
        assert answer.code == refusal, (answer.content[:500], refusal)
        if refusal in ("new_agent_limit", "pair_farming_limit"):
            assert answer["retryAfter"] == self.town.retry_after

    @initialize()
    def two_meet(self) -> None:
        """There are always two agents."""
        self.join()
        self.join()

    @precondition(lambda self: len(self.agents) < AGENTS)
    @rule()
    def join(self) -> None:
        """A new agent signs in."""
        self.agents.append(self.app.agent(f"agent {len(self.agents)}"))
        self.town.join()

    @rule(number=which, reward=amounts, life=lives, claim_life=terms, review=terms)
    def offer(
        self, number: int, reward: int, life: int, claim_life: int | None, review: int | None
    ) -> None:
        """An agent offers a job, often with terms."""
        self.offer_as(number, reward, life, (claim_life, review))

    def offer_as(
        self, number: int, reward: int, life: int, promised: Promised, *, is_chosen: bool = False
    ) -> None:
        """An agent offers a job with these terms; perhaps it will choose the worker."""
        index, agent = self.pick(self.agents, number)
        ends = (self.clock.now + life) / 1000
        more = terms_of(*promised, is_chosen=is_chosen)
        answer = self.send(
            agent, "create_job", jobs.new_job(reward / 100, deadline=iso(ends), **more)
        )
        self.agree(answer, self.town.offer(index, reward, life, promised, is_chosen=is_chosen))
        if answer.status == 201:
            self.jobs.append(answer["job"]["id"])

    @rule(number=which, amount=st.one_of(st.just(0), amounts))
    def ask(self, number: int, amount: int) -> None:
        """An agent asks, with or without a bounty."""
        index, agent = self.pick(self.agents, number)
        body = {"title": "t", "body": "b", "bountyCredits": amount / 100}
        answer = self.send(agent, "create_thread", body)
        self.agree(answer, self.town.ask(index, amount))
        if answer.status == 201:
            self.threads.append((answer["thread"]["id"], []))

    @precondition(lambda self: self.threads)
    @rule(number=which, thread=which)
    def reply(self, number: int, thread: int) -> None:
        """An agent answers."""
        index, agent = self.pick(self.agents, number)
        place, (thread_id, replies) = self.pick(self.threads, thread)
        arguments = {"threadId": thread_id, "body": "b"}
        answer = self.send(agent, "reply_to_thread", arguments)
        self.agree(answer, self.town.reply(index, self.town.threads[place]))
        if answer.status == 201:
            replies.append(answer["reply"]["id"])

    @precondition(lambda self: any(replies for _, replies in self.threads))
    @rule(number=which, thread=which, reply=which, by_author=st.booleans())
    def accept_reply(self, number: int, thread: int, reply: int, by_author: bool) -> None:
        """An agent, often the author, accepts an answer."""
        answered = [place for place, (_, replies) in enumerate(self.threads) if replies]
        _, place = self.pick(answered, thread)
        author = self.town.threads[place].author
        index = author if by_author else number % len(self.agents)
        self.accept_as(index, place, reply % len(self.threads[place][1]))

    def accept_as(self, index: int, place: int, reply: int) -> None:
        """An agent accepts an answer."""
        thread_id, replies = self.threads[place]
        arguments = {"threadId": thread_id, "replyId": replies[reply]}
        answer = self.send(self.agents[index], "accept_reply", arguments)
        known = self.town.threads[place]
        self.agree(answer, self.town.accept_reply(index, known, reply))
        self.check_thread(place)

    @precondition(lambda self: self.jobs)
    @rule(number=which, job=which, action=st.sampled_from(ACTIONS))
    def act(self, number: int, job: int, action: str) -> None:
        """An agent changes a job."""
        place, job_id = self.pick(self.jobs, job)
        self.act_as(number % len(self.agents), place, job_id, action)

    @precondition(lambda self: any(job.held for job in self.town.jobs))
    @rule(job=which, number=which, decisions=st.lists(st.booleans(), min_size=1, max_size=6))
    def go_on(self, job: int, number: int, decisions: list[bool]) -> None:
        """Who has the role does what is next with a job, some times in a row."""
        held = [place for place, known in enumerate(self.town.jobs) if known.held]
        _, place = self.pick(held, job)
        for accepts in decisions:
            known = self.town.jobs[place]
            others = [index for index in range(len(self.agents)) if index != known.creator]
            decision = "accept" if accepts else "reject"
            index, action = {
                "OPEN": (others[number % len(others)], "claim"),
                "SUBMITTED": (known.creator, decision),
            }.get(known.status, (known.claimer or 0, "submit"))
            self.act_as(index, place, self.jobs[place], action)

    @rule(number=which, other=which, amount=st.sampled_from([0, 0, 100]), span=spans)
    def favour(self, number: int, other: int, amount: int, span: int) -> None:
        """Two agents ask and accept each other, now and some time later."""
        for _ in range(2):
            asked = len(self.threads)
            self.ask(number, amount)
            if len(self.threads) > asked:
                self.reply(other, asked)
            if len(self.threads) > asked and self.threads[asked][1]:
                self.accept_as(number % len(self.agents), asked, 0)
        self.wait(span)

    def act_as(self, index: int, place: int, job_id: str, action: str) -> None:
        """An agent does something with a job."""
        arguments = {"jobId": job_id, **jobs.BODIES.get(action, {})}
        answer = self.send(self.agents[index], f"{action}_job", arguments)
        step = {
            "claim": self.town.claim,
            "submit": self.town.submit,
            "accept": self.town.accept,
            "reject": self.town.reject,
            "release": self.town.release,
        }[action]
        self.agree(answer, step(index, self.town.jobs[place]))
        self.check_job(place)

    @rule(span=spans)
    def wait(self, span: int) -> None:
        """Time passes."""
        self.clock.advance(span)
        self.town.tick(span)
        if self.clock.now > self.signed_in_at + TOKEN_LIFE - 10 * DAY:
            self.signed_in_at = self.clock.now
            for index, agent in enumerate((*self.agents, self.mod)):
                if not self.is_away(index):
                    agent.sign_in()

    def is_away(self, index: int) -> bool:
        """Whether an agent can no longer sign in."""
        return False

    @precondition(lambda self: self.threads)
    @rule(thread=which)
    def hide_thread(self, thread: int) -> None:
        """A moderator hides a thread and shows it again: its bounty stays refunded."""
        place, (thread_id, _) = self.pick(self.threads, thread)
        for action in ("hide", "restore"):
            self.agree(moderate(self.mod, thread_id, action), None)
        self.town.hide_thread(self.town.threads[place])
        self.check_thread(place)

    @precondition(lambda self: self.jobs)
    @rule(job=which)
    def hide_job(self, job: int) -> None:
        """A moderator hides a job and shows it again: an open one stays refunded."""
        place, job_id = self.pick(self.jobs, job)
        for action in ("hide", "restore"):
            self.agree(moderate(self.mod, job_id, action), None)
        self.town.cancel(self.town.jobs[place])
        self.check_job(place)

    @precondition(lambda self: self.jobs)
    @rule(job=which)
    def cancel_job(self, job: int) -> None:
        """A moderator cancels a job, which must be open."""
        place, job_id = self.pick(self.jobs, job)
        answer = moderate(self.mod, job_id, "cancel")
        self.agree(answer, self.town.cancel(self.town.jobs[place]))
        self.check_job(place)

    @rule(number=which, points=st.integers(-1000, 1000).filter(bool))
    def adjust(self, number: int, points: int) -> None:
        """A moderator gives an agent points, or takes some."""
        index, agent = self.pick(self.agents, number)
        self.agree(moderate(self.mod, agent.id, "adjust", points=points), None)
        self.town.agents[index].score += points
        self.check_agent(index)

    @rule()
    def sweep(self) -> None:
        """The server sweeps."""
        jobs.sweep(self.app)

    @rule(number=which)
    def look_at_own(self, number: int) -> None:
        """An agent reads what is their own."""
        self.check_agent(number % len(self.agents))

    @precondition(lambda self: self.jobs)
    @rule(number=which)
    def look_at_job(self, number: int) -> None:
        """An agent reads a job."""
        self.check_job(number % len(self.jobs))

    @precondition(lambda self: self.threads)
    @rule(number=which)
    def look_at_thread(self, number: int) -> None:
        """An agent reads a thread."""
        self.check_thread(number % len(self.threads))

    @rule(number=which)
    def look_at_feeds(self, number: int) -> None:
        """An agent reads what can be earned. A job comes back to the feeds with the sweep."""
        self.count()
        jobs.sweep(self.app)
        open_now = [*self._open_jobs(), *self._open_bounties()]
        ordered = [row[2] for row in sorted(open_now, key=lambda row: row[:3], reverse=True)]
        shown = self.app.get("opportunities?limit=100").ok()["opportunities"]
        assert [row["id"] for row in shown] == ordered[:100]
        index, agent = self.pick(self.agents, number)
        left_out = {row[2] for row in open_now if row[3] == index}
        known_jobs = zip(self.jobs, self.town.jobs, strict=True)
        left_out |= {job_id for job_id, known in known_jobs if index in known.losers}
        fits = sorted([*open_now, *self._for_one(index)], key=lambda row: row[:3], reverse=True)
        recommended = agent.get("opportunities/recommended?limit=100").ok()["opportunities"]
        expected = [row[2] for row in fits if row[2] not in left_out]
        assert [row["id"] for row in recommended] == expected

    def _open_jobs(self) -> list[tuple[int, int, str, int]]:
        return [
            (known.reward, known.created_at, job_id, known.creator)
            for job_id, known in zip(self.jobs, self.town.jobs, strict=True)
            if known.status == "OPEN" and not known.is_chosen
        ]

    def _for_one(self, index: int) -> list[tuple[int, int, str, int]]:
        """The open jobs that only one agent is shown."""
        return []

    def _open_bounties(self) -> list[tuple[int, int, str, int]]:
        return [
            (known.amount, known.offered_at, thread_id, known.author)
            for (thread_id, _), known in zip(self.threads, self.town.threads, strict=True)
            if known.held
        ]

    def check_job(self, place: int) -> None:
        """A job must be shown as the model has it."""
        self.count()
        known: Job = self.town.jobs[place]
        job = jobs.read({"id": self.jobs[place]}, self.app)
        claimer = job["claimedByAgentId"]
        figures = (
            job["status"],
            None if claimer is None else [agent.id for agent in self.agents].index(claimer),
            job["submissionCount"],
            job["rejectCount"],
            job["revisionRemaining"],
            round(job["rewardCredits"] * 100),
            ms(job.get("claimExpiresAt")),
            ms(job.get("decideBy")),
            job.get("acceptedBy") == "terms",
            job.get("cancelled", False),
        )
        assert figures == known.figures(self.clock.now)
        assert len(job["submissions"]) == known.submissions

    def check_thread(self, place: int) -> None:
        """A thread must be shown as the model has it."""
        self.count()
        known: Thread = self.town.threads[place]
        thread_id, replies = self.threads[place]
        thread = self.app.get(f"threads/{thread_id}").ok()["thread"]
        accepted = thread["acceptedReplyId"]
        figures = (
            thread["status"],
            None if accepted is None else replies.index(accepted),
            thread["bounty"] and thread["bounty"]["status"],
            round(thread["bountyCredits"] * 100),
        )
        assert figures == known.figures

    def check_agent(self, index: int) -> None:
        """Balance, ledger, record and reputation must be those of the model."""
        self.count()
        agent, known = self.agents[index], self.town.agents[index]
        own = jobs.balance(agent)
        held = self.town.holds(index)
        reserved = own["reserved"]
        assert round(own["available"] * 100) == known.available
        assert round(reserved["total"] * 100) == sum(held)
        listed = [*reserved["jobs"], *reserved["bounties"]]
        assert Counter(round(row["amount"] * 100) for row in listed) == Counter(held)
        entries = Counter(
            (kind, round(amount * 100))
            for kind, amount in jobs.entries(agent)
            if kind != "paid_out"  # moves nothing: it tells of a hold that was paid
        )
        assert entries == Counter(known.entries)
        check_record(self.app, agent.id, index, self.town.agents)

    def check_everything(self) -> None:
        """What anybody can read must be as the model has it."""
        assert len(self.jobs) == len(self.town.jobs)
        assert len(self.threads) == len(self.town.threads)
        for place in range(len(self.jobs)):
            self.check_job(place)
        for place in range(len(self.threads)):
            self.check_thread(place)
        self.check_lists()

    def check_lists(self) -> None:
        """Jobs must be listed by the status that the model has."""
        for status in jobs.STATUSES:
            expected = [
                job_id
                for job_id, known in zip(self.jobs, self.town.jobs, strict=True)
                if known.status == status
            ]
            answer = self.app.get(f"jobs?status={status}&limit=100").ok()
            assert [job["id"] for job in answer["jobs"]] == sorted(expected)[::-1][:100]

    def check_market(self) -> None:
        """The market must count what the model has."""
        self.wait(6000)
        shown = self.app.get("market").ok()["market"]
        counts = Counter(job.status for job in self.town.jobs)
        assert shown["jobs"]["byStatus"] == {status: counts[status] for status in jobs.STATUSES}
        reserved = sum(sum(self.town.holds(index)) for index in range(len(self.agents)))
        assert round(shown["credits"]["reserved"] * 100) == reserved
        bounties = Counter(thread.bounty for thread in self.town.threads)
        bounties["REFUNDED"] += sum(thread.refunded_before for thread in self.town.threads)
        assert list(shown["bounties"].values()) == [
            bounties[state] for state in ("OPEN", "PAID", "REFUNDED")
        ]

    def teardown(self) -> None:
        """All must agree; then all time passes, and no hold is left without an end."""
        try:
            self.check_everything()
            self.check_market()
            for index in range(len(self.agents)):
                self.check_agent(index)
            assert broken(self.app.settings) == {}
            self.wait(self.longest)
            self.check_everything()
            assert all(job.status in ENDED for job in self.town.jobs)
            for index in range(len(self.agents)):
                assert self.town.holds(index) == []
                self.check_agent(index)
            open_holds = rows(self.app, "SELECT * FROM hold WHERE status = 'OPEN'")
            assert open_holds == []
            assert broken(self.app.settings) == {}
        finally:
            self.app.close()
            if self.databases:
                self.databases.give_back(self.app.settings.database_url)
            shutil.rmtree(self.folder)


EVERY_CHECK: list[Any] = list(HealthCheck)


def explore(examples: int, steps: int, machine: type[PaidWork] = PaidWork, **more: Any) -> int:
    """So many towns of at most so many steps each; how many were compared."""
    before = machine.steps
    run_state_machine_as_test(
        machine,
        settings=settings(
            max_examples=examples,
            stateful_step_count=steps,
            suppress_health_check=EVERY_CHECK,
            **more,
        ),
    )
    return machine.steps - before


def compare(steps: int, machine: type[PaidWork] = PaidWork) -> None:
    """So many steps or some more, in towns of at most a hundred: how long each is, is chance."""
    while steps > 0:
        steps -= explore(max(1, steps // 50), 100, machine)


def on(databases: Reused, machine: type[PaidWork] = PaidWork) -> type[PaidWork]:
    """A machine whose towns stand on these databases."""
    return type(machine.__name__, (machine,), {"databases": databases})


@pytest.mark.promise("C12")
@pytest.mark.long
def test_two_hundred_steps_agree_with_the_model() -> None:
    compare(200)


@pytest.mark.long
def test_fifty_steps_on_postgresql_agree_with_the_model(reused: Reused) -> None:
    compare(50, on(reused))


@pytest.mark.soak
@pytest.mark.timeout(3600)
def test_fifty_thousand_steps_agree_with_the_model() -> None:
    compare(50_000)


@pytest.mark.soak
@pytest.mark.timeout(4 * 3600)
def test_fifty_thousand_steps_on_postgresql_agree_with_the_model(reused: Reused) -> None:
    compare(50_000, on(reused))
