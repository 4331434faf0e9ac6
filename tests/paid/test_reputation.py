"""Reputation: what is earned, what the breakdown shows, the cap of a pair and the other caps."""

from typing import Any

import pytest

from tests.support import jobs
from tests.support.answers import Answer
from tests.support.app import Agent, App
from tests.support.clock import DAY, HOUR, MINUTE, SECOND, START
from tests.support.ledger import broken, rows


def reputation(app: App, agent: Agent) -> Any:
    """The public breakdown of an agent."""
    return app.get(f"agents/{agent.id}/reputation").ok()["reputation"]


def accept_one(asker: Agent, answerer: Agent, **more: Any) -> Answer:
    """Accept an answer to a new thread; the answer, whatever it is."""
    thread = asker.thread(**more)
    return asker.accept(thread, answerer.reply(thread))


def test_a_new_agent_has_no_reputation(stoa: App, ada: Agent) -> None:
    assert stoa.get(f"agents/{ada.id}/reputation").ok().json == {
        "reputation": {
            "agentId": ada.id,
            "formula": "rep-v1",
            "score": 0,
            "components": {
                "acceptedAnswers": 0,
                "completedJobs": 0,
                "adjustments": 0,
                "expiredClaims": 0,
                "undecidedSubmissions": 0,
                "distinctCounterparties": 0,
                "topCounterpartyShare": 0,
            },
            "policy": {"decay": "none", "pairEventsPerDay": 0, "escrowExempt": True},
            "recentEvents": [],
        }
    }


@pytest.mark.settings(limit_pair_reputation=3)
def test_the_policy_in_force_is_shown(stoa: App, ada: Agent) -> None:
    assert reputation(stoa, ada)["policy"]["pairEventsPerDay"] == 3


def test_ten_for_an_accepted_answer_and_twenty_for_a_completed_job(
    stoa: App, ada: Agent, bob: Agent
) -> None:
    cy = stoa.agent("cy")
    accept_one(ada, bob).ok()
    stoa.clock.advance(SECOND)
    jobs.job_in("COMPLETED", ada, bob)
    stoa.clock.advance(SECOND)
    accept_one(cy, bob, bountyCredits=5).ok()
    shown = reputation(stoa, bob)
    assert shown["score"] == 40 == stoa.get(f"agents/{bob.id}").ok()["agent"]["reputationScore"]
    assert shown["components"] == {
        "acceptedAnswers": 2,
        "completedJobs": 1,
        "adjustments": 0,
        "expiredClaims": 0,
        "undecidedSubmissions": 0,
        "distinctCounterparties": 2,
        "topCounterpartyShare": 0.67,
    }
    assert [event["type"] for event in shown["recentEvents"]] == [
        "answer_accepted",
        "job_completed",
        "answer_accepted",
    ]
    assert [event["counterpartyAgentId"] for event in shown["recentEvents"]] == [
        cy.id,
        ada.id,
        ada.id,
    ]
    assert reputation(stoa, ada)["score"] == 0


def test_events_say_what_they_were_for_and_not_how_much_they_counted(
    stoa: App, ada: Agent, bob: Agent
) -> None:
    job = jobs.job_in("COMPLETED", ada, bob)
    assert reputation(stoa, bob)["recentEvents"] == [
        {
            "type": "job_completed",
            "referenceType": "job",
            "referenceId": job["id"],
            "counterpartyAgentId": ada.id,
            "createdAt": "2027-01-15T08:00:00.000Z",
        }
    ]


@pytest.mark.costly
def test_the_last_twenty_events_are_shown(stoa: App, ada: Agent, bob: Agent) -> None:
    threads = [ada.thread() for _ in range(23)]
    for thread in threads:
        stoa.clock.advance(SECOND)
        ada.accept(thread, bob.reply(thread)).ok()
    shown = reputation(stoa, bob)
    assert shown["components"]["acceptedAnswers"] == 23
    assert [event["referenceId"] for event in shown["recentEvents"]] == [
        thread["id"] for thread in reversed(threads[3:])
    ]


@pytest.mark.parametrize("booked", [True, False])
@pytest.mark.parametrize(
    ("status", "creator", "worker"),
    [
        ("OPEN", (0, 0), (0, 0)),
        ("CLAIMED", (0, 0), (1, 0)),
        ("SUBMITTED", (0, 1), (0, 0)),
        ("REJECTED_REVISION_ALLOWED", (0, 0), (1, 0)),
        ("COMPLETED", (0, 0), (0, 0)),
        ("REJECTED_TERMINAL", (0, 0), (0, 0)),
    ],
)
def test_silence_of_either_party_shows(
    shared: Any, status: str, creator: tuple[int, int], worker: tuple[int, int], booked: bool
) -> None:
    ada, bob = shared.agent("ada"), shared.agent("bob")
    jobs.job_in(status, ada, bob, deadlineHours=1)
    assert (silence_of(ada), silence_of(bob)) == ((0, 0), (0, 0))
    shared.app.clock.advance(HOUR)
    if booked:
        jobs.sweep(shared.app)
    assert (silence_of(ada), silence_of(bob)) == (creator, worker)


def silence_of(agent: Agent) -> tuple[int, int]:
    """The claims that the agent let expire, and the work of others that it did not decide."""
    parts = reputation(agent.app, agent)["components"]
    return parts["expiredClaims"], parts["undecidedSubmissions"]


@pytest.mark.parametrize("booked", [True, False])
def test_silence_that_the_terms_of_a_job_answer_counts_for_nobody(
    shared: Any, booked: bool
) -> None:
    ada, bob = shared.agent("ada"), shared.agent("bob")
    jobs.job_in("SUBMITTED", ada, bob, terms={"onSilence": "pay", "reviewHours": 1})
    jobs.job_in("CLAIMED", ada, bob, terms={"claimHours": 1})
    shared.app.clock.advance(HOUR)
    if booked:
        jobs.sweep(shared.app)
    assert (silence_of(ada), silence_of(bob)) == ((0, 0), (0, 0))


def test_an_unknown_agent_has_no_reputation(stoa: App) -> None:
    for agent_id in ("ag_01arz3ndektsv4rrffq69g5fav", "nonsense", "th_01arz3ndektsv4rrffq69g5fav"):
        stoa.get(f"agents/{agent_id}/reputation").refused(404, "not_found")


PAIR = pytest.mark.settings(limit_pair_reputation=3)


@pytest.mark.promise("C9")
@PAIR
def test_the_fourth_unpaid_accept_of_a_pair_in_a_day_is_refused(
    stoa: App, ada: Agent, bob: Agent
) -> None:
    for agents in ((ada, bob), (bob, ada), (ada, bob)):
        accept_one(*agents).ok()
        stoa.clock.advance(MINUTE)
    for agents in ((ada, bob), (bob, ada)):
        answer = accept_one(*agents).refused(429, "pair_farming_limit")
        assert answer["retryable"] is True
        assert answer["retryAfter"] == 24 * 3600 - 3 * 60
        assert answer.headers["retry-after"] == str(answer["retryAfter"])
        assert answer["recovery"]
    assert (reputation(stoa, bob)["score"], reputation(stoa, ada)["score"]) == (20, 10)


@PAIR
def test_a_refused_accept_leaves_the_thread_open(stoa: App, ada: Agent, bob: Agent) -> None:
    for _ in range(3):
        accept_one(ada, bob).ok()
    thread = ada.thread()
    reply = bob.reply(thread)
    ada.accept(thread, reply).refused(429, "pair_farming_limit")
    now = stoa.get(f"threads/{thread['id']}").ok()["thread"]
    assert (now["status"], now["acceptedReplyId"]) == ("open", None)
    assert now["lastActivityAt"] == thread["lastActivityAt"]
    cy = stoa.agent("cy")
    ada.accept(thread, cy.reply(thread)).ok()
    assert broken(stoa.settings) == {}


@PAIR
@pytest.mark.costly
def test_paid_accepts_and_jobs_neither_count_nor_are_refused(
    stoa: App, ada: Agent, bob: Agent
) -> None:
    for _ in range(4):
        accept_one(ada, bob, bountyCredits=1).ok()
        jobs.job_in("COMPLETED", ada, bob, rewardCredits=1)
    for _ in range(3):
        accept_one(ada, bob).ok()
    accept_one(ada, bob).refused(429, "pair_farming_limit")
    accept_one(ada, bob, bountyCredits=1).ok()
    jobs.job_in("COMPLETED", bob, ada, rewardCredits=1)
    assert reputation(stoa, bob)["components"]["acceptedAnswers"] == 8


@PAIR
def test_an_accept_whose_bounty_was_refunded_counts_as_unpaid(
    stoa: App, ada: Agent, bob: Agent
) -> None:
    late = ada.thread(bountyCredits=5)
    reply = bob.reply(late)
    stoa.clock.advance(72 * HOUR)
    for agent in (ada, bob):
        agent.sign_in()
    for _ in range(3):
        accept_one(ada, bob).ok()
    ada.accept(late, reply).refused(429, "pair_farming_limit")
    stoa.clock.advance(DAY)
    ada.sign_in()
    ada.accept(late, reply).ok()


@PAIR
def test_every_pair_is_counted_by_itself(stoa: App, ada: Agent, bob: Agent) -> None:
    cy = stoa.agent("cy")
    for _ in range(3):
        accept_one(ada, bob).ok()
    accept_one(ada, cy).ok()
    accept_one(cy, bob).ok()
    accept_one(bob, ada).refused(429, "pair_farming_limit")


@PAIR
@pytest.mark.costly
def test_the_window_slides_exactly(stoa: App, ada: Agent, bob: Agent) -> None:
    times = (0, 6 * HOUR, 6 * HOUR + 1)
    for time in times:
        stoa.clock.now = START + time
        for agent in (ada, bob):
            agent.sign_in()
        accept_one(ada, bob).ok()

    def at(time: int) -> Answer:
        stoa.clock.now = START + time
        for agent in (ada, bob):
            agent.sign_in()
        return accept_one(ada, bob)

    assert at(DAY - 1).refused(429, "pair_farming_limit")["retryAfter"] == 1
    at(DAY).ok()
    refused = at(DAY + 1).refused(429, "pair_farming_limit")
    assert refused["retryAfter"] == 6 * 3600
    at(DAY + 6 * HOUR - 1).refused(429, "pair_farming_limit")
    at(DAY + 6 * HOUR).ok()
    at(DAY + 6 * HOUR).refused(429, "pair_farming_limit")
    at(DAY + 6 * HOUR + 1).ok()
    times = rows(stoa, "SELECT created_at FROM reputation_event ORDER BY created_at")
    stamps = [row[0] for row in times]
    assert all(later - first >= DAY for first, later in zip(stamps, stamps[3:], strict=False))


@PAIR
def test_waiting_as_long_as_told_is_enough(stoa: App, ada: Agent, bob: Agent) -> None:
    stoa.clock.advance(777)
    for _ in range(3):
        accept_one(ada, bob).ok()
        stoa.clock.advance(1234)
    wait = accept_one(ada, bob).refused(429, "pair_farming_limit")["retryAfter"]
    stoa.clock.advance(wait * SECOND)
    for agent in (ada, bob):
        agent.sign_in()
    accept_one(ada, bob).ok()


@PAIR
def test_the_cap_holds_when_many_accepts_come_at_once(stoa: App, ada: Agent, bob: Agent) -> None:
    paths: list[str] = []
    for _ in range(12):
        thread = ada.thread()
        paths.append(f"threads/{thread['id']}/replies/{bob.reply(thread)['id']}/accept")
    answers = stoa.together(*(ada.ask("POST", path) for path in paths))
    assert sorted(answer.status for answer in answers) == [200] * 3 + [429] * 9


@pytest.mark.settings(limit_new_agent_holds=5)
class TestNewAgents:
    """In its first day an agent has at most five open holds."""

    def test_the_sixth_open_hold_is_refused(self, stoa: App, ada: Agent) -> None:
        for _ in range(3):
            jobs.offer(ada, 1)
            stoa.clock.advance(MINUTE)
        ada.thread(bountyCredits=1)
        ada.thread(bountyCredits=0)
        ada.thread(bountyCredits=1)
        answer = ada.post("jobs", jobs.new_job(1)).refused(429, "new_agent_limit")
        assert answer["retryAfter"] == 24 * 3600 - 3 * 60
        assert answer.headers["retry-after"] == str(answer["retryAfter"])
        body = {"title": "t", "body": "b", "bountyCredits": 1}
        ada.post("threads", body).refused(429, "new_agent_limit")
        ada.thread(bountyCredits=0)
        assert jobs.funds(ada) == (95, 5)

    def test_a_hold_that_ended_makes_room(self, stoa: App, ada: Agent, bob: Agent) -> None:
        for _ in range(4):
            jobs.offer(ada, 1)
        job = jobs.job_in("SUBMITTED", ada, bob)
        ada.post("jobs", jobs.new_job(1)).refused(429, "new_agent_limit")
        jobs.done(ada, job, "accept")
        jobs.offer(ada, 1, deadlineHours=0.5)
        ada.post("jobs", jobs.new_job(1)).refused(429, "new_agent_limit")
        stoa.clock.advance(HOUR // 2)
        jobs.offer(ada, 1)

    def test_the_window_ends_after_a_day(self, stoa: App, ada: Agent) -> None:
        for _ in range(5):
            jobs.offer(ada, 1)
        stoa.clock.advance(DAY - 1)
        ada.sign_in()
        answer = ada.post("jobs", jobs.new_job(1)).refused(429, "new_agent_limit")
        assert answer["retryAfter"] == 1
        stoa.clock.advance(1)
        for _ in range(3):
            jobs.offer(ada, 1)

    def test_many_at_once_make_no_more_than_five(self, stoa: App, ada: Agent) -> None:
        many = (ada.ask("POST", "jobs", jobs.new_job(1)) for _ in range(20))
        answers = stoa.together(*many)
        assert sorted(answer.status for answer in answers) == [201] * 5 + [429] * 15


@pytest.mark.settings(new_agent_seconds=60, limit_new_agent_holds=1)
def test_the_configured_window_of_a_new_agent_is_kept(stoa: App, ada: Agent) -> None:
    jobs.offer(ada, 1)
    ada.post("jobs", jobs.new_job(1)).refused(429, "new_agent_limit")
    stoa.clock.advance(MINUTE)
    jobs.offer(ada, 1)


@pytest.mark.settings(limit_open_claims=10, signup_grant="1000")
class TestClaims:
    """An agent holds at most ten claimed, undecided jobs, five in its first day."""

    def claims(self, ada: Agent, bob: Agent, count: int) -> list[Any]:
        """So many claimed jobs."""
        return [jobs.job_in("CLAIMED", ada, bob, rewardCredits=1) for _ in range(count)]

    def test_a_new_agent_claims_five(self, ada: Agent, bob: Agent) -> None:
        self.claims(ada, bob, 5)
        answer = jobs.act(bob, jobs.offer(ada, 1), "claim").refused(429, "claim_limit")
        assert answer["retryAfter"] == DAY // SECOND
        assert answer.headers["retry-after"] == str(answer["retryAfter"])

    def test_an_agent_claims_ten(self, stoa: App, ada: Agent, bob: Agent) -> None:
        stoa.clock.advance(DAY)
        for agent in (ada, bob):
            agent.sign_in()
        self.claims(ada, bob, 10)
        jobs.act(bob, jobs.offer(ada, 1), "claim").refused(429, "claim_limit")

    def test_undecided_counts_and_decided_does_not(self, stoa: App, ada: Agent, bob: Agent) -> None:
        first, second, *_ = self.claims(ada, bob, 5)
        jobs.done(bob, first, "submit")
        job = jobs.offer(ada, 1)
        jobs.act(bob, job, "claim").refused(429, "claim_limit")
        jobs.done(ada, first, "reject")
        jobs.act(bob, job, "claim").refused(429, "claim_limit")
        jobs.done(bob, first, "submit")
        jobs.done(ada, first, "accept")
        jobs.done(bob, job, "claim")
        jobs.act(bob, second, "claim").ok()
        jobs.act(bob, jobs.offer(ada, 1), "claim").refused(429, "claim_limit")

    def test_a_job_that_expired_makes_room_before_it_is_booked(
        self, stoa: App, ada: Agent, bob: Agent
    ) -> None:
        jobs.job_in("CLAIMED", ada, bob, deadlineHours=0.5)
        self.claims(ada, bob, 4)
        stoa.clock.advance(HOUR // 2)
        jobs.done(bob, jobs.offer(ada, 1), "claim")
        jobs.act(bob, jobs.offer(ada, 1), "claim").refused(429, "claim_limit")

    def test_many_at_once_make_no_more_than_five(self, stoa: App, ada: Agent, bob: Agent) -> None:
        offered = [jobs.offer(ada, 1) for _ in range(12)]
        many = (bob.ask("POST", f"jobs/{job['id']}/claim") for job in offered)
        answers = stoa.together(*many)
        assert sorted(answer.status for answer in answers) == [200] * 5 + [429] * 7


@pytest.mark.settings(limit_open_claims=2)
def test_a_configured_claim_limit_below_five_holds_for_new_agents_too(
    ada: Agent, bob: Agent
) -> None:
    for _ in range(2):
        jobs.job_in("CLAIMED", ada, bob, rewardCredits=1)
    jobs.act(bob, jobs.offer(ada, 1), "claim").refused(429, "claim_limit")
