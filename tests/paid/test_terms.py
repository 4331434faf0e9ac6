"""Terms of jobs: a claim has an end, and silence has a meaning. All of it booked or not."""

from typing import Any

import pytest

from stoa.schemas.base import iso
from tests.support import jobs
from tests.support.app import Agent, App
from tests.support.clock import HOUR, MINUTE
from tests.support.jobs import act, done, funds, offer, read
from tests.support.keys import Key
from tests.support.ledger import broken, rows
from tests.support.moderation import act as moderate_it
from tests.support.moderation import moderate

pytestmark = pytest.mark.settings(admin_keys=[Key("mod").public], token_ttl_seconds=10_000_000)

PAYS = {"onSilence": "pay", "reviewHours": 24}


def events(stoa: App, job: Any) -> list[tuple[str, str | None, str | None]]:
    """What the log says of a job: kinds, who acted, and `by`."""
    found = stoa.get("events?limit=100").ok()["events"]
    about = [one for one in found if one.get("jobId") == job["id"]]
    return [(one["kind"], one["actorAgentId"], one["data"].get("by")) for one in about]


def told(agent: Agent, kind: str) -> list[Any]:
    """The events of a kind in the inbox of an agent."""
    return agent.get(f"inbox?kinds={kind}").ok()["events"]


def timeline(job: Any, reader: Agent) -> list[tuple[str, str | None]]:
    """What happened to a job, and who did it."""
    return [(one["event"], one["agentId"]) for one in read(job, reader)["timeline"]]


BAD: list[tuple[dict[str, Any], str]] = [
    ({"claimHours": 0}, "terms.claimHours"),
    ({"claimHours": 0.2}, "terms.claimHours"),
    ({"claimHours": 169}, "terms.claimHours"),
    ({"claimHours": "a day"}, "terms.claimHours"),
    ({"onSilence": "pay", "reviewHours": 0.1}, "terms.reviewHours"),
    ({"reviewHours": 24}, "terms.reviewHours"),
    ({"reviewHours": 24, "onSilence": "refund"}, "terms.reviewHours"),
    ({"onSilence": "keep"}, "terms.onSilence"),
    ({"assignment": "auction"}, "terms.assignment"),
    ({"claim_hours": 3}, "terms.claim_hours"),
]


@pytest.mark.checks_input
@pytest.mark.parametrize(("terms", "path"), BAD, ids=str)
def test_terms_that_contradict_or_bound_nothing_are_refused(
    stoa: App, ada: Agent, terms: dict[str, Any], path: str
) -> None:
    ada.post("jobs", jobs.new_job(terms=terms)).invalid(path)
    assert funds(ada) == (100, 0)


@pytest.mark.parametrize("engine", ["sqlite"])
def test_terms_are_shown_as_they_hold_and_a_job_without_shows_nothing_new(
    stoa: App, ada: Agent
) -> None:
    plain = offer(ada)
    assert not {"terms", "claimExpiresAt", "decideBy", "acceptedBy", "cancelled"} & plain.keys()
    assert offer(ada, terms={"onSilence": "pay"})["terms"] == {
        "reviewHours": 48,
        "onSilence": "pay",
        "assignment": "first",
    }
    job = offer(ada, terms={"claimHours": 0.25})
    shown = {"claimHours": 0.25, "onSilence": "refund", "assignment": "first"}
    assert (job["terms"], job["claimExpiresAt"]) == (shown, None)
    lean = stoa.get(f"jobs/{job['id']}?view=lean").ok()["job"]
    assert lean["terms"] == shown
    assert "decideBy" not in job


@pytest.mark.promise("C15")
@pytest.mark.parametrize("booked", [False, True], ids=["not booked", "booked"])
def test_a_claim_without_work_ends_and_the_job_is_open_to_others(
    stoa: App, ada: Agent, bob: Agent, booked: bool
) -> None:
    job = offer(ada, terms={"claimHours": 2})
    done(bob, job, "claim")
    ends = stoa.clock.now + 2 * HOUR
    assert read(job, bob)["claimExpiresAt"] == iso(ends)
    stoa.clock.now = ends - 1
    assert read(job, bob)["status"] == "CLAIMED"
    stoa.clock.now = ends
    if booked:
        jobs.sweep(stoa)
    shown = read(job, stoa)
    assert (shown["status"], shown["claimedByAgentId"], shown["claimExpiresAt"]) == (
        "OPEN",
        None,
        None,
    )
    assert timeline(job, ada)[1:] == [("claimed", bob.id), ("released", None)]
    assert shown["timeline"][-1]["at"] == iso(ends)
    listed = [stoa.get(f"jobs?{only}").ok()["jobs"] for only in ("status=OPEN", "status=CLAIMED")]
    assert [len(found) for found in listed] == [1, 0]
    assert bob.get(f"jobs?claimedBy={bob.id}").ok()["jobs"] == []
    act(bob, job, "submit").refused(403, "not_job_claimer")
    act(bob, job, "claim").refused(409, "claim_released")
    cy = stoa.agent("cy")
    done(cy, job, "claim", "submit")
    done(ada, job, "accept")
    assert (funds(ada), funds(bob), funds(cy)) == ((90, 0), (100, 0), (110, 0))
    assert ("job.released", None, "deadline") in events(stoa, job)
    assert [len(told(agent, "job.released")) for agent in (ada, bob, cy)] == [1, 1, 0]
    kept = "SELECT agent_id, released_by, abandoned FROM released_claim"
    assert rows(stoa, kept) == [(bob.id, "deadline", 1)]
    assert broken(stoa.settings) == {}


def test_a_claim_that_ends_after_a_rejection_ends_the_job(
    stoa: App, ada: Agent, bob: Agent
) -> None:
    job = offer(ada, terms={"claimHours": 2})
    done(bob, job, "claim", "submit")
    assert read(job, bob)["claimExpiresAt"] is None
    stoa.clock.advance(5 * HOUR)
    done(ada, job, "reject")
    ends = stoa.clock.now + 2 * HOUR
    assert read(job, ada)["claimExpiresAt"] == iso(ends)
    stoa.clock.now = ends
    shown = read(job, ada)
    assert (shown["status"], shown["lastRejectReasonCode"]) == ("REJECTED_TERMINAL", "incomplete")
    assert [job["id"] for job in stoa.get("jobs?status=REJECTED_TERMINAL").ok()["jobs"]]
    assert (funds(ada), funds(bob)) == ((100, 0), (100, 0))
    assert read(job, bob)["submissions"][0]["body"]["body"] == jobs.WORK["body"]
    act(ada, job, "reject").refused(409, "job_already_terminal")
    assert broken(stoa.settings) == {}


@pytest.mark.settings(terms_min_seconds=72 * 3600)
def test_no_review_is_shorter_than_the_service_allows_said_or_not(stoa: App, ada: Agent) -> None:
    for terms in ({"onSilence": "pay"}, {"onSilence": "pay", "reviewHours": 71}):
        refused = ada.post("jobs", jobs.new_job(terms=terms)).invalid("terms.reviewHours")
        assert refused["issues"][0]["message"] == "Must be at least 72, such as 72."
    for terms in ({}, {"claimHours": 72}, {"onSilence": "pay", "reviewHours": 72}):
        offer(ada, 1, terms=terms)


@pytest.mark.parametrize("hours", [24, 30])
def test_where_the_deadline_comes_first_it_wins(
    stoa: App, ada: Agent, bob: Agent, hours: float
) -> None:
    job = offer(ada, deadlineHours=24, terms={"claimHours": hours})
    deadline = job["deadline"]
    said = "Work that is undecided at the deadline is not paid."
    note = act(bob, job, "claim").ok()["note"]
    assert note == f"Hand in work before {deadline}, when your claim ends. {said}"
    stoa.clock.advance(24 * HOUR)
    assert read(job, stoa)["status"] == "REFUNDED_EXPIRED"
    jobs.sweep(stoa)
    assert read(job, stoa)["status"] == "REFUNDED_EXPIRED"
    assert rows(stoa, "SELECT count(*) FROM released_claim") == [(0,)]
    assert (
        stoa.get(f"agents/{bob.id}/reputation").ok()["reputation"]["components"]["expiredClaims"]
        == 1
    )


def test_an_open_job_after_a_claim_s_end_still_has_its_deadline(
    stoa: App, ada: Agent, bob: Agent
) -> None:
    job = offer(ada, deadlineHours=24, terms={"claimHours": 2})
    done(bob, job, "claim")
    stoa.clock.advance(24 * HOUR)
    shown = read(job, stoa)
    assert (shown["status"], shown["claimedByAgentId"]) == ("REFUNDED_EXPIRED", None)
    assert [one["event"] for one in shown["timeline"]][-2:] == ["released", "expired"]
    listed = stoa.get("jobs?status=REFUNDED_EXPIRED").ok()["jobs"]
    assert [one["id"] for one in listed] == [job["id"]]
    market = stoa.get("market").ok()["market"]["jobs"]["byStatus"]
    assert (market["REFUNDED_EXPIRED"], market["CLAIMED"]) == (1, 0)
    jobs.sweep(stoa)
    assert read(job, stoa)["timeline"] == shown["timeline"]
    assert funds(ada) == (100, 0)
    reputation = stoa.get(f"agents/{bob.id}/reputation").ok()["reputation"]
    assert reputation["components"]["expiredClaims"] == 0
    assert broken(stoa.settings) == {}


@pytest.mark.parametrize("ended_by", ["deadline", "creator", "moderator"])
def test_a_job_that_is_open_again_for_a_moment_is_refunded_with_its_labels(
    stoa: App, ada: Agent, bob: Agent, ended_by: str
) -> None:
    """The ends of both claims and what follows are booked in one transaction."""
    more: dict[str, Any] = {"tags": ["brewing"], "requirements": ["brewing"], "deadlineHours": 2}
    offered = [offer(ada, **more, terms={"claimHours": 1}) for _ in range(2)]
    for job in offered:
        done(bob, job, "claim")
    stoa.clock.advance(2 * HOUR if ended_by == "deadline" else HOUR)
    if ended_by == "deadline":
        jobs.sweep(stoa)
    for job in offered:
        if ended_by == "creator":
            done(ada, job, "cancel")
        elif ended_by == "moderator":
            moderate_it(stoa, job, "cancel")
        assert read(job, ada)["status"] == "REFUNDED_EXPIRED"
    assert funds(ada) == (100, 0)
    assert rows(stoa, "SELECT count(*) FROM opportunity_term")[0][0] == 0
    assert broken(stoa.settings) == {}


def test_a_worker_gives_a_claim_back_terms_or_not(stoa: App, ada: Agent, bob: Agent) -> None:
    job, cy = offer(ada, tags=["sql"]), stoa.agent("cy")
    act(bob, job, "release").refused(409, "not_claimed")
    done(bob, job, "claim")
    assert stoa.get("opportunities").ok()["opportunities"] == []
    act(cy, job, "release").refused(403, "not_job_claimer")
    stoa.clock.advance(15 * MINUTE - 1)
    answer = act(bob, job, "release", {"reason": "It needs a machine that I lack."}).ok()
    assert (answer["job"]["status"], answer["receipt"]["action"]) == ("OPEN", "release_job")
    assert timeline(job, ada)[-1] == ("released", bob.id)
    row = stoa.get("opportunities?tags=sql").ok()["opportunities"][0]
    assert (row["id"], row["createdAt"]) == (job["id"], job["createdAt"])
    [event] = told(ada, "job.released")
    assert event["excerpt"]["body"] == "It needs a machine that I lack."
    assert event["data"]["by"] == "worker"
    assert "lack" not in stoa.get("events").text
    act(bob, job, "claim").refused(409, "claim_released")
    act(bob, job, "release").refused(409, "not_claimed")
    done(cy, job, "claim")
    act(bob, job, "release").refused(403, "not_job_claimer")
    first = act(cy, job, "claim").ok()["receipt"]
    assert first["agentId"] == cy.id
    done(cy, job, "submit")
    act(cy, job, "release").refused(409, "not_claimed")
    done(ada, job, "reject")
    done(cy, job, "release")
    assert read(job, ada)["status"] == "REJECTED_TERMINAL"
    assert funds(ada) == (100, 0)
    act(cy, job, "release").refused(409, "not_claimed")
    kept = "SELECT agent_id, released_by, abandoned FROM released_claim ORDER BY agent_id"
    assert sorted(rows(stoa, kept)) == sorted([(bob.id, "worker", 0), (cy.id, "worker", 0)])
    assert broken(stoa.settings) == {}


def test_a_claim_given_back_late_counts_as_abandoned(stoa: App, ada: Agent, bob: Agent) -> None:
    job = offer(ada)
    done(bob, job, "claim")
    stoa.clock.advance(15 * MINUTE)
    done(bob, job, "release")
    assert rows(stoa, "SELECT abandoned FROM released_claim") == [(1,)]


@pytest.mark.parametrize("ended_by", ["worker", "time"])
def test_a_hidden_job_that_loses_its_worker_is_refunded(
    stoa: App, ada: Agent, bob: Agent, ended_by: str
) -> None:
    mod = stoa.agent("mod")
    job = offer(ada, terms={"claimHours": 2})
    done(bob, job, "claim")
    moderate(mod, job, "hide")
    if ended_by == "worker":
        done(bob, job, "release")
    else:
        stoa.clock.advance(2 * HOUR)
    jobs.sweep(stoa)
    bob.get(f"jobs/{job['id']}").refused(410, "removed")
    assert funds(ada) == (100, 0)
    kinds = [one["kind"] for one in ada.get("inbox").ok()["events"]]
    assert kinds[-2:] == ["job.released", "job.expired"]
    moderate(mod, job, "restore")
    assert read(job, stoa)["status"] == "REFUNDED_EXPIRED"
    assert broken(stoa.settings) == {}


@pytest.mark.promise("C16")
@pytest.mark.parametrize("booked", [False, True], ids=["not booked", "booked"])
def test_silence_pays_by_the_creator_s_own_word(
    stoa: App, ada: Agent, bob: Agent, booked: bool
) -> None:
    job = offer(ada, deadlineHours=24, terms=PAYS)
    stoa.clock.advance(23 * HOUR)
    assert "within 24 hours is accepted and paid" in act(bob, job, "claim").ok()["note"]
    decide_by = stoa.clock.now + 24 * HOUR
    pays = f"If undecided at {iso(decide_by)}, the work is accepted and pays you."
    assert act(bob, job, "submit").ok(201)["note"] == pays
    assert read(job, stoa)["decideBy"] == iso(decide_by)
    stoa.clock.advance(2 * HOUR)
    jobs.sweep(stoa)
    shown = read(job, stoa)
    assert (shown["status"], shown["revisionRemaining"]) == ("SUBMITTED", 0)
    stoa.clock.now = decide_by - 1
    assert read(job, stoa)["status"] == "SUBMITTED"
    stoa.clock.now = decide_by
    if booked:
        jobs.sweep(stoa)
    shown = read(job, stoa)
    members = ("status", "acceptedBy", "completedAt", "decideBy")
    assert [shown[name] for name in members] == ["COMPLETED", "terms", *[iso(decide_by)] * 2]
    assert shown["timeline"][-1] == {"event": "accepted", "agentId": None, "at": iso(decide_by)}
    assert [one["id"] for one in stoa.get("jobs?status=COMPLETED").ok()["jobs"]] == [job["id"]]
    stoa.clock.advance(HOUR)
    act(ada, job, "reject").refused(409, "job_already_terminal")
    act(ada, job, "accept").refused(409, "job_already_terminal")
    assert (funds(ada), funds(bob)) == ((90, 0), (110, 0))
    assert stoa.get(f"agents/{bob.id}").ok()["agent"]["reputationScore"] == 20
    assert events(stoa, job)[-1] == ("job.accepted", None, "terms")
    assert [len(told(agent, "job.accepted")) for agent in (ada, bob)] == [1, 1]
    assert read(job, stoa)["completedAt"] == iso(decide_by)
    assert broken(stoa.settings) == {}


def test_the_worker_s_own_balance_shows_the_payment_at_once(
    stoa: App, ada: Agent, bob: Agent
) -> None:
    job = offer(ada, terms=PAYS)
    done(bob, job, "claim", "submit")
    stoa.clock.advance(24 * HOUR)
    assert funds(bob) == (110, 0)
    assert broken(stoa.settings) == {}


def test_a_rejection_behind_the_deadline_is_the_last(stoa: App, ada: Agent, bob: Agent) -> None:
    job = offer(ada, deadlineHours=24, terms=PAYS)
    stoa.clock.advance(23 * HOUR)
    done(bob, job, "claim", "submit")
    stoa.clock.advance(HOUR)
    assert act(ada, job, "reject").ok()["job"]["status"] == "REJECTED_TERMINAL"
    assert funds(ada) == (100, 0)
    stoa.clock.advance(100 * HOUR)
    jobs.sweep(stoa)
    assert read(job, stoa)["status"] == "REJECTED_TERMINAL"
    assert broken(stoa.settings) == {}


def test_a_revision_has_a_review_of_its_own_and_a_decision_ends_it(
    stoa: App, ada: Agent, bob: Agent
) -> None:
    job = offer(ada, terms=PAYS)
    done(bob, job, "claim", "submit")
    stoa.clock.advance(20 * HOUR)
    done(ada, job, "reject")
    assert read(job, ada)["decideBy"] is None
    stoa.clock.advance(10 * HOUR)
    done(bob, job, "submit")
    assert read(job, ada)["decideBy"] == iso(stoa.clock.now + 24 * HOUR)
    stoa.clock.advance(20 * HOUR)
    done(ada, job, "accept")
    assert "acceptedBy" not in read(job, ada)
    stoa.clock.advance(20 * HOUR)
    jobs.sweep(stoa)
    assert broken(stoa.settings) == {}


def test_work_that_is_not_handed_in_by_the_deadline_is_not_paid(
    stoa: App, ada: Agent, bob: Agent
) -> None:
    job = offer(ada, deadlineHours=24, terms=PAYS)
    done(bob, job, "claim")
    stoa.clock.advance(24 * HOUR)
    act(bob, job, "submit").refused(409, "job_expired")
    stoa.clock.advance(100 * HOUR)
    assert funds(ada) == (100, 0)
