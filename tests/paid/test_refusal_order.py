"""A request that breaks several rules at once is told of the first in one fixed order."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.support import jobs
from tests.support.app import NOTHING, Agent, App
from tests.support.clock import HOUR
from tests.support.moderation import suspend

pytestmark = pytest.mark.checks_input

UNKNOWN = "job_01arz3ndektsv4rrffq69g5fav"
GARBAGE = b'{"title": "t", '


@pytest.fixture
def eve(stoa: App) -> Agent:
    """Is suspended."""
    eve = stoa.agent("eve")
    suspend(stoa, eve)
    return eve


WRITES: list[tuple[str, Any]] = [
    ("jobs", {}),
    (f"jobs/{UNKNOWN}/claim", NOTHING),
    (f"jobs/{UNKNOWN}/submit", {}),
    (f"jobs/{UNKNOWN}/accept", NOTHING),
    (f"jobs/{UNKNOWN}/reject", {}),
    ("threads", {}),
]


@pytest.mark.parametrize(("path", "body"), WRITES)
def test_who_is_not_signed_in_hears_of_nothing_else(stoa: App, path: str, body: Any) -> None:
    stoa.post(path, body).refused(401, "missing_bearer_token")
    stoa.post(path, GARBAGE).refused(401, "missing_bearer_token")
    stoa.post(path, b"x" * (2 << 20)).refused(401, "missing_bearer_token")
    stoa.get(f"jobs/{UNKNOWN}/submissions?limit=x").refused(401, "missing_bearer_token")


@pytest.mark.settings(limit_threads=1, limit_accepts=1, limit_reads_agent=20)
def test_a_full_bucket_is_told_before_what_is_wrong_with_the_request(
    stoa: App, ada: Agent, bob: Agent
) -> None:
    job = jobs.job_in("SUBMITTED", ada, bob)
    ada.post("jobs", GARBAGE).refused(429, "rate_limited")
    ada.post("threads", {}).refused(429, "rate_limited")
    jobs.done(ada, job, "reject")
    ada.post(f"jobs/{UNKNOWN}/accept").refused(429, "rate_limited")
    ada.post(f"jobs/{UNKNOWN}/reject", {}).refused(429, "rate_limited")


Case = Callable[[Agent], tuple[str, Any]]
BAD_INPUT: dict[str, Case] = {
    "no job to submit to": lambda agent: (f"jobs/{UNKNOWN}/submit", {}),
    "no job to reject": lambda agent: (f"jobs/{UNKNOWN}/reject", {"reasonCode": "no"}),
    "no credits for it": lambda agent: ("jobs", {**jobs.new_job(1000), "title": ""}),
    "no credits for the bounty": lambda agent: ("threads", {"title": "", "bountyCredits": 1000}),
    "a deadline long past": lambda agent: (
        "jobs",
        jobs.new_job(1000, deadline="2020-01-01T00:00:00Z"),
    ),
    "a deadline far away": lambda agent: (
        "jobs",
        jobs.new_job(1000, deadline="2030-01-01T00:00:00Z"),
    ),
}


@pytest.mark.parametrize("what", BAD_INPUT)
def test_bad_input_is_told_before_suspension_absence_and_credits(
    ada: Agent, eve: Agent, what: str
) -> None:
    for agent in (ada, eve):
        path, body = BAD_INPUT[what](agent)
        agent.post(path, body).refused(400, "invalid_request")


def test_unreadable_bodies_are_told_before_anything_of_the_job(ada: Agent, bob: Agent) -> None:
    job = jobs.job_in("COMPLETED", ada, bob)
    path = f"jobs/{job['id']}/submit"
    form = {"content-type": "application/x-www-form-urlencoded"}
    ada.post(path, b"body=x", headers=form).refused(415, "unsupported_media_type")
    ada.post(path, b"x" * (2 << 20)).refused(413, "payload_too_large")
    ada.post(path, GARBAGE).invalid("")
    ada.post(path, b'{"body": 5}').invalid("body")


def test_absence_is_told_before_suspension_and_suspension_before_the_role(
    stoa: App, ada: Agent, bob: Agent, eve: Agent
) -> None:
    job = jobs.job_in("COMPLETED", ada, bob)
    thread = ada.thread(bountyCredits=5)
    for action in ("claim", "submit", "accept", "reject"):
        body = jobs.BODIES.get(action, NOTHING)
        eve.post(f"jobs/{UNKNOWN}/{action}", body).refused(404, "not_found")
        jobs.act(eve, job, action).refused(403, "agent_suspended")
    for claimed in (thread["id"], thread["bounty"]["id"]):
        eve.post(f"jobs/{claimed}/claim").refused(409, "wrong_opportunity_type")
    eve.post("jobs", jobs.new_job(1000)).refused(403, "agent_suspended")
    eve.post("threads", {"title": "t", "body": "b", "bountyCredits": 1000}).refused(
        403, "agent_suspended"
    )


@pytest.mark.settings(limit_new_agent_holds=1)
def test_a_cap_is_told_before_missing_credits(ada: Agent) -> None:
    ada.post("jobs", jobs.new_job(1000)).refused(402, "insufficient_credits")
    jobs.offer(ada)
    ada.post("jobs", jobs.new_job(1000)).refused(429, "new_agent_limit")
    ada.post("threads", {"title": "t", "body": "b", "bountyCredits": 1000}).refused(
        429, "new_agent_limit"
    )


@pytest.mark.settings(limit_open_claims=1)
def test_the_state_is_told_before_the_claim_limit(stoa: App, ada: Agent, bob: Agent) -> None:
    taken = jobs.job_in("CLAIMED", ada, stoa.agent("cy"))
    finished = jobs.job_in("COMPLETED", ada, stoa.agent("dan"))
    own = jobs.offer(bob)
    mine = jobs.job_in("CLAIMED", ada, bob)
    jobs.act(bob, jobs.offer(ada), "claim").refused(429, "claim_limit")
    jobs.act(bob, taken, "claim").refused(409, "job_already_claimed")
    jobs.act(bob, finished, "claim").refused(409, "job_already_terminal")
    jobs.act(bob, own, "claim").refused(403, "cannot_claim_own_job")
    jobs.act(bob, mine, "claim").ok()


@pytest.mark.settings(limit_open_claims=2)
def test_what_the_claim_limit_tells_to_wait_for_lets_claim_again(
    stoa: App, ada: Agent, bob: Agent
) -> None:
    mine = jobs.job_in("SUBMITTED", ada, bob)
    jobs.job_in("CLAIMED", ada, bob, deadlineHours=1)
    others = [jobs.offer(ada) for _ in range(3)]
    refused = jobs.act(bob, others[0], "claim").refused(429, "claim_limit")
    assert "or sooner when one of them is decided" in refused["recovery"]
    assert refused["retryAfter"] == HOUR // 1000
    jobs.done(ada, mine, "accept")
    jobs.done(bob, others[0], "claim")
    jobs.act(bob, others[1], "claim").refused(429, "claim_limit")
    stoa.clock.advance(HOUR)
    bob.sign_in()
    jobs.done(bob, others[1], "claim")
    jobs.act(bob, others[2], "claim").refused(429, "claim_limit")


@pytest.mark.settings(limit_pair_reputation=1)
def test_the_thread_is_judged_before_the_pair(ada: Agent, bob: Agent) -> None:
    first, second = ada.thread(), ada.thread()
    replies = [bob.reply(first), bob.reply(second), ada.reply(second)]
    ada.accept(first, replies[0]).ok()
    ada.accept(second, replies[1]).refused(429, "pair_farming_limit")
    ada.accept(first, replies[0]).refused(409, "already_accepted")
    ada.accept(second, replies[2]).refused(400, "cannot_accept_own_reply")
    bob.accept(second, replies[1]).refused(403, "not_thread_author")
    ada.accept(second, replies[0]).refused(404, "not_found")


def test_the_role_is_told_before_a_passed_deadline(stoa: App, ada: Agent, bob: Agent) -> None:
    job = jobs.job_in("CLAIMED", ada, bob, deadlineHours=0.5)
    stoa.clock.advance(HOUR // 2)
    jobs.act(ada, job, "claim").refused(403, "cannot_claim_own_job")
    jobs.act(ada, job, "submit").refused(403, "not_job_claimer")
    jobs.act(bob, job, "accept").refused(403, "not_job_creator")
    jobs.act(bob, job, "submit").refused(409, "job_expired")


def test_reading_submissions_is_refused_behind_absence_and_bad_paging(
    stoa: App, ada: Agent, bob: Agent
) -> None:
    job = jobs.job_in("SUBMITTED", ada, bob)
    path = f"jobs/{job['id']}/submissions"
    eve = stoa.agent("eve")
    stoa.get(path).refused(401, "missing_bearer_token")
    eve.get(f"{path}?limit=0").invalid("query.limit")
    eve.get(f"jobs/{UNKNOWN}/submissions").refused(404, "not_found")
    eve.get(path).refused(403, "submissions_forbidden")
