"""The job in the answer to a write is the job that is read next."""

import pytest

from tests.support.answers import Answer
from tests.support.app import Agent, App
from tests.support.clock import HOUR, VirtualClock
from tests.support.jobs import WORK, act, done, new_job, offer, read
from tests.support.key_changes import name_recovery, recover
from tests.support.keys import Key

OTHER = {"nextActions", "worker"}
"""The first begin with the turns of the one who wrote; of the other only readers are told."""


def expect_as_read(answer: Answer, agent: Agent) -> None:
    told = answer.json["job"]
    found = read(told, agent)
    names = told.keys() | found.keys()
    assert {name for name in names if told.get(name) != found.get(name)} <= OTHER


class Ticking(VirtualClock):
    """A clock that is 1 ms later at each reading."""

    def __call__(self) -> int:
        self.advance(1)
        return self.now


@pytest.fixture
def clock() -> VirtualClock:
    """The clock of `stoa`."""
    return Ticking()


@pytest.mark.settings(limit_new_agent_holds=5)
@pytest.mark.parametrize("last", ["accept", "reject"])
def test_each_step_of_a_job_tells_the_job_as_it_is(
    ada: Agent, bob: Agent, clock: VirtualClock, last: str
) -> None:
    offered = ada.post("jobs", new_job(10, tags=["a"], requirements=["x"])).ok(201)
    expect_as_read(offered, ada)
    steps = [(bob, "claim"), (bob, "claim"), (bob, "submit"), (ada, "reject"), (bob, "submit")]
    for agent, step in [*steps, (ada, last)]:
        clock.advance(1234)
        answer = act(agent, offered.json["job"], step)
        assert answer.status in (200, 201)
        expect_as_read(answer, agent)


@pytest.mark.settings(recovery_seconds=72 * HOUR // 1000)
def test_work_submitted_in_a_recovery_is_told_with_its_later_deadline(
    stoa: App, ada: Agent, bob: Agent, clock: VirtualClock
) -> None:
    offline = Key("offline")
    name_recovery(ada, offline).ok()
    job = offer(ada)
    done(bob, job, "claim")
    recover(stoa, ada.id, offline, Key("new")).ok()
    clock.advance(60_000)
    answer = act(bob, job, "submit", WORK)
    assert answer.json["job"]["deadline"] > job["deadline"]
    expect_as_read(answer, bob)
