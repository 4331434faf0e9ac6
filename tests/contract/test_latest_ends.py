"""Every hold has a latest end that is known when it is made, whatever happens to its agent's keys:
chained recoveries, rejections, work that is submitted again, released claims, promises to decide,
higher rewards and later deadlines, in random order, whether or not posts are held at first."""

from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from typing import Any

import pytest

from tests.support import jobs
from tests.support.answers import Answer
from tests.support.app import Agent, App
from tests.support.clock import HOUR, MINUTE
from tests.support.key_changes import chain, name_recovery, recover, rotate
from tests.support.keys import Key
from tests.support.ledger import broken
from tests.support.moderation import moderate

DELAY = 10 * HOUR
BOUNTY = 12 * HOUR
LIFE = 36 * HOUR
REVIEW = 2 * HOUR
HELD = 3 * HOUR
"""For so long a post is held; the sweep that releases it comes at most `DELAY` later."""
STEPS = 300
SEED = 7
pytestmark = pytest.mark.settings(
    recovery_seconds=DELAY // 1000,
    bounty_ttl_seconds=BOUNTY // 1000,
    job_ttl_seconds=LIFE // 1000,
    token_ttl_seconds=10_000_000,
    signup_grant="1000000",
    hold_hours=HELD // HOUR,
    admin_keys=[Key("mod").public],
)
HOLDS = pytest.mark.settings(hold_first=1000)
"""Every post is held."""


@dataclass
class Town:
    """One who offers, whose keys change all the time, one who works and a moderator; `ends` has the
    latest end (ms) of each hold, as it was known when the hold was made, and `extended` that of a
    job whose deadline is moved as far as it may be."""

    app: App
    random: Random
    ends: dict[str, int] = field(default_factory=dict[str, int])
    extended: dict[str, int] = field(default_factory=dict[str, int])
    jobs: list[str] = field(default_factory=list[str])
    refused: set[str] = field(default_factory=set[str])
    recoveries: int = 0
    decided: int = 0
    keys: int = 0

    def __post_init__(self) -> None:
        self.ada, self.bob = self.app.agent("ada"), self.app.agent("bob")
        self.mod = self.app.agent("mod")
        self.waits = HELD + DELAY if self.app.settings.hold_first else 0
        self.named = dict[str, Key]()
        self.name()

    def key(self) -> Key:
        """A key that nobody had."""
        self.keys += 1
        return Key(f"key {self.keys}")

    def acts(self) -> list[Callable[[], object]]:
        """What may happen next."""
        work = [self.claim, self.submit, self.submit, self.reject, self.accept, self.release]
        offers = [self.offer, self.offer, self.ask, self.raise_reward, self.extend]
        changes = [self.recover, self.recover, self.name, self.rotate]
        decides = [self.decide] * 3 if self.waits else []
        return [*work, *offers, *changes, *decides, *[self.pass_time] * 3]

    def offer(self) -> None:
        hours = self.random.randint(1, 30)
        promised = {"onSilence": "pay", "reviewHours": REVIEW // HOUR, "claimHours": 1}
        more = self.random.choice([{}, {"terms": promised}])
        answer = self.ada.post("jobs", jobs.new_job(1, deadlineHours=hours, **more))
        if self.seen(answer):
            made, review = answer["job"]["id"], REVIEW if more else 0
            self.jobs.append(made)
            latest = self.app.clock() + self.waits + review + DELAY
            self.ends[made] = latest + hours * HOUR
            self.extended[made] = latest + LIFE

    def ask(self) -> None:
        answer = self.ada.post("threads", {"title": "t", "body": "b", "bountyCredits": 1})
        if self.seen(answer):
            bounty, latest = answer["thread"]["bounty"]["id"], self.app.clock() + self.waits
            self.ends[bounty] = latest + BOUNTY + DELAY

    def decide(self) -> None:
        """A moderator releases or refuses one of the posts that are held."""
        held = self.app.sql("SELECT id FROM held_post WHERE decided_at IS NULL ORDER BY id")
        if held:
            (post,) = self.random.choice(held)
            moderate(self.mod, post, self.random.choice(["release", "release", "hide"])).ok()
            self.decided += 1

    def claim(self) -> None:
        self.act(self.bob, "claim")

    def submit(self) -> None:
        self.act(self.bob, "submit")

    def reject(self) -> None:
        self.act(self.ada, "reject")

    def accept(self) -> None:
        self.act(self.ada, "accept")

    def release(self) -> None:
        self.act(self.bob, "release")

    def raise_reward(self) -> None:
        self.act(self.ada, "raise", {"rewardCredits": self.random.randint(2, 9)})

    def extend(self) -> None:
        hours = self.random.randint(20, 40)
        job = self.act(self.ada, "extend", {"deadlineHours": hours})
        if job:
            self.ends[job] = self.extended[job]

    def act(self, agent: Agent, action: str, body: Any = None) -> str | None:
        """Do it with one of the newest jobs; the job if that was possible."""
        if not self.jobs:
            return None
        job = self.random.choice(self.jobs[-3:])
        return job if self.seen(jobs.act(agent, {"id": job}, action, body)) else None

    def recover(self) -> None:
        new, in_force = self.key(), self.named[chain(self.app, self.ada.id)["recoveryKey"]]
        if self.seen(recover(self.app, self.ada.id, in_force, new)):
            self.ada.key, self.recoveries = new, self.recoveries + 1

    def name(self) -> None:
        key = self.key()
        self.named[key.public] = key
        self.seen(name_recovery(self.ada, key))

    def rotate(self) -> None:
        new = self.key()
        if self.seen(rotate(self.ada, new)):
            self.ada.key = new
            self.ada.sign_in()

    def pass_time(self) -> None:
        self.app.clock.advance(self.random.choice([MINUTE, HOUR, 4 * HOUR, DELAY]))
        if self.app.get(f"agents/{self.ada.id}").ok()["agent"].get("keyChangeAt") is None:
            self.ada.sign_in()
        jobs.sweep(self.app)

    def seen(self, answer: Answer) -> bool:
        if answer.code:
            self.refused.add(answer.code)
        assert answer.status < 500
        return answer.status < 300

    def outlived(self) -> list[str]:
        """The open holds that may end later than was known when they were made. That of a held
        post has no end of its own, but the post is not held any longer."""
        rows = self.app.sql(
            "SELECT h.id, CASE WHEN p.id IS NULL THEN h.expires_at END, p.until "
            "FROM hold h LEFT JOIN held_post p ON p.hold_id = h.id AND p.decided_at IS NULL "
            "WHERE h.status = 'OPEN'"
        )
        now = self.app.clock()
        return [
            one
            for one, at, until in rows
            if max(at or 0, now) > self.ends[one] or (until is not None and now >= until)
        ]


@pytest.mark.promise("K32")
@pytest.mark.parametrize("held", [False, pytest.param(True, marks=HOLDS)], ids=["open", "held"])
@pytest.mark.costly
def test_no_hold_outlives_the_end_that_was_known_when_it_was_made(stoa: App, held: bool) -> None:
    town = Town(stoa, Random(SEED))
    for _ in range(STEPS):
        town.random.choice(town.acts())()
        assert town.outlived() == []
    waited = stoa.sql("SELECT type FROM hold WHERE waited = 1")
    assert {one for (one,) in waited} == {"job", "bounty"}
    assert town.recoveries > 5
    assert {"recovery_running", "submit_not_allowed", "job_expired"} <= town.refused
    assert broken(stoa.settings) == {}
    assert (town.decided > 5) is held
    released = stoa.sql("SELECT count(*) FROM held_post WHERE decided_at >= until")
    assert (released[0][0] > 5) is held


@pytest.mark.costly
def test_holds_that_wait_for_each_recovery_outlive_it(stoa: App) -> None:
    """The control of the test above: what has waited is forgotten."""
    town = Town(stoa, Random(SEED))
    for _ in range(STEPS):
        town.random.choice(town.acts())()
        if town.outlived():
            return
        stoa.sql("UPDATE hold SET waited = 0")
    pytest.fail("no hold outlived its end")
