"""When a job ends: the two ways to say it, their bounds, and every form that is refused."""

from typing import Any

import pytest

from stoa.schemas.base import iso
from tests.paid.conftest import Shared
from tests.support import jobs
from tests.support.app import Agent, App
from tests.support.clock import HOUR, START

LATEST = "2027-01-22T08:00:00.000Z"


@pytest.fixture
def rich(shared: Shared) -> Agent:
    """An agent on the shared application, whose clock stands at the start."""
    return shared.agent("rich")


GOOD = [
    ("null", LATEST),
    ("168", LATEST),
    ("168.0", LATEST),
    ("1.68e2", LATEST),
    ("1", "2027-01-15T09:00:00.000Z"),
    ("0.5", "2027-01-15T08:30:00.000Z"),
    ("1e-1", "2027-01-15T08:06:00.000Z"),
    ("0.000001", "2027-01-15T08:00:00.004Z"),
    ("2.3", "2027-01-15T10:18:00.000Z"),
    ("0.1", "2027-01-15T08:06:00.000Z"),
    ("36.6", "2027-01-16T20:36:00.000Z"),
]


@pytest.mark.parametrize(("hours", "deadline"), GOOD)
def test_a_job_ends_so_many_hours_from_now(rich: Agent, hours: str, deadline: str) -> None:
    body = f'{{"title":"t","description":"d","rewardCredits":1,"deadlineHours":{hours}}}'
    assert rich.post("jobs", body.encode()).ok(201)["job"]["deadline"] == deadline


BAD = [
    "0",
    "-0",
    "0.0",
    "-1",
    "-1e-400",
    "1e-400",
    "1e-9",
    "168.0001",
    "168.00000000000000000000000001",
    "169",
    "1e400",
    "-1e400",
    "1e999999999",
    "9" * 400,
    "true",
    "false",
    '"5"',
    '""',
    "[]",
    "[5]",
    "{}",
]


@pytest.mark.parametrize("hours", BAD)
@pytest.mark.checks_input
def test_hours_out_of_bounds_are_refused(rich: Agent, hours: str) -> None:
    body = f'{{"title":"t","description":"d","rewardCredits":1,"deadlineHours":{hours}}}'
    rich.post("jobs", body.encode()).invalid("deadlineHours")
    assert jobs.funds(rich) == (1_000_000, 0)


@pytest.mark.parametrize("hours", ["NaN", "Infinity", "-Infinity", "1e", ".5", "05", "1" * 5000])
@pytest.mark.checks_input
def test_hours_that_are_not_json_are_refused(rich: Agent, hours: str) -> None:
    body = f'{{"title":"t","description":"d","rewardCredits":1,"deadlineHours":{hours}}}'
    rich.post("jobs", body.encode()).refused(400, "invalid_request")
    assert jobs.funds(rich) == (1_000_000, 0)


TIMES = [
    ("2027-01-22T08:00:00.000Z", LATEST),
    ("2027-01-22T08:00:00Z", LATEST),
    ("2027-01-22T08:00Z", LATEST),
    ("2027-01-22t08:00:00z", LATEST),
    ("2027-01-22t08:00:00Z", LATEST),
    ("2027-01-22T08:00:00.000z", LATEST),
    ("2027-01-22T09:30:00+01:30", LATEST),
    ("2027-01-21T23:00:00-09:00", LATEST),
    ("20270122T080000Z", LATEST),
    ("2027-W03-5T08:00:00Z", LATEST),
    ("2027-01-22 08:00:00+00:00", LATEST),
    ("2027-01-15T08:00:00.001Z", "2027-01-15T08:00:00.001Z"),
    ("2027-01-15T08:00:00.0019Z", "2027-01-15T08:00:00.001Z"),
    ("2027-01-19T21:47:16.297Z", "2027-01-19T21:47:16.297Z"),
]


@pytest.mark.parametrize(("deadline", "kept"), TIMES)
def test_a_job_ends_at_a_time_with_a_zone(rich: Agent, deadline: str, kept: str) -> None:
    assert jobs.offer(rich, deadline=deadline)["deadline"] == kept


def test_every_millisecond_is_kept(rich: Agent) -> None:
    for milliseconds in range(1, 1000, 37):
        deadline = f"2027-01-16T08:00:00.{milliseconds:03}Z"
        assert jobs.offer(rich, reward=1, deadline=deadline)["deadline"] == deadline


BAD_TIMES: list[Any] = [
    "2027-01-22T08:00:00.001Z",
    "2027-01-15T08:00:00.000Z",
    "2027-01-15T08:00:00.0009Z",
    "2027-01-15T07:59:59Z",
    "1970-01-01T00:00:00Z",
    "9999-12-31T23:59:59Z",
    "9999-12-31T23:59:59.999999-23:59",
    "0001-01-01T00:00:00+23:59",
    "0001-01-01T00:00:00Z",
    "2027-01-16",
    "2027-01-16T08:00:00",
    "2027-02-30T08:00:00Z",
    "2027-01-16T25:00:00Z",
    "2027-01-16T08:00:00+99:00",
    "16.01.2027",
    "tomorrow",
    "1800001000",
    "2027-01-16T08:00:00Z\n",
    "２０２７-01-16T08:00:00Z",
    " 2027-01-16T08:00:00Z",
    "",
    "2027-01-16T08:00:00." + "1" * 40 + "Z",
    1800001000000,
    True,
    [],
    {},
]


@pytest.mark.parametrize("deadline", BAD_TIMES)
@pytest.mark.checks_input
def test_other_times_are_refused(rich: Agent, deadline: Any) -> None:
    rich.post("jobs", jobs.new_job(deadline=deadline)).invalid("deadline")
    assert jobs.funds(rich) == (1_000_000, 0)


def test_a_deadline_is_given_one_way(rich: Agent) -> None:
    both = jobs.new_job(deadline="2027-01-16T08:00:00Z", deadlineHours=24)
    rich.post("jobs", both).invalid("deadline")
    rich.post("jobs", jobs.new_job(deadline=None, deadlineHours=24)).ok(201)
    rich.post("jobs", jobs.new_job(deadline="2027-01-16T08:00:00Z", deadlineHours=None)).ok(201)


@pytest.mark.settings(job_ttl_seconds=3600)
def test_the_configured_life_of_a_job_bounds_both_ways(ada: Agent) -> None:
    assert jobs.offer(ada)["deadline"] == "2027-01-15T09:00:00.000Z"
    assert jobs.offer(ada, deadlineHours=1)["deadline"] == "2027-01-15T09:00:00.000Z"
    ada.post("jobs", jobs.new_job(deadlineHours=1.001)).invalid("deadlineHours")
    ada.post("jobs", jobs.new_job(deadline="2027-01-15T09:00:00.001Z")).invalid("deadline")


@pytest.mark.parametrize("status", ["OPEN", "CLAIMED", "SUBMITTED", "REJECTED_REVISION_ALLOWED"])
def test_a_job_lives_up_to_its_deadline_and_not_a_millisecond_longer(
    stoa: App, ada: Agent, status: str
) -> None:
    bob = stoa.agent("bob")
    job = jobs.job_in(status, ada, bob, deadlineHours=0.5)
    next_step = {"OPEN": (bob, "claim"), "SUBMITTED": (ada, "accept")}.get(status, (bob, "submit"))
    late = jobs.job_in(status, ada, bob, deadlineHours=0.5)
    stoa.clock.now = START + HOUR // 2 - 1
    jobs.done(next_step[0], job, next_step[1])
    stoa.clock.now += 1
    jobs.act(next_step[0], late, next_step[1]).refused(409, "job_expired")
    assert jobs.read(late, stoa)["status"] == "REFUNDED_EXPIRED"


@pytest.mark.settings(job_ttl_seconds=100_000)
def test_the_most_hours_that_a_refusal_names_can_be_sent(stoa: App, ada: Agent) -> None:
    refused = ada.post("jobs", jobs.new_job(deadlineHours=28)).invalid("deadlineHours")
    hours = refused["issues"][0]["message"].split()[-4]
    assert jobs.offer(ada, deadlineHours=float(hours))["deadline"] == iso(START + 100_000_000)
