"""What a creator may change of a job: cancel it, pay more, give more time, add to its text."""

from typing import Any

import pytest

from stoa.schemas.base import iso
from tests.support import jobs
from tests.support.app import Agent, App
from tests.support.clock import HOUR
from tests.support.jobs import act, done, funds, offer, read
from tests.support.key_changes import name_recovery, recover
from tests.support.keys import Key
from tests.support.ledger import broken

pytestmark = pytest.mark.settings(token_ttl_seconds=10_000_000)

CHANGES: dict[str, dict[str, Any]] = {
    "cancel": {"reason": "It was done elsewhere."},
    "raise": {"rewardCredits": 60},
    "extend": {"deadlineHours": 168},
    "append": {"body": "The file has 1 GB."},
}
# What comes of a change in each state; the outcome of an append is that of a cancellation.
TABLE = """
state                      cancel                raise                 extend
OPEN                       ok                    ok                    ok
CLAIMED                    job_claimed           ok                    ok
SUBMITTED                  job_claimed           ok                    ok
REJECTED_REVISION_ALLOWED  job_claimed           ok                    ok
COMPLETED                  job_already_terminal  job_already_terminal  job_already_terminal
REJECTED_TERMINAL          job_already_terminal  job_already_terminal  job_already_terminal
REFUNDED_EXPIRED           job_expired           job_expired           job_expired
"""
CELLS = {
    (line.split()[0], change): outcome
    for line in TABLE.strip().splitlines()[1:]
    for change, outcome in zip(CHANGES, [*line.split()[1:], line.split()[1]], strict=True)
}


@pytest.mark.promise("C17")
@pytest.mark.parametrize("state", jobs.STATUSES)
def test_each_state_allows_what_the_table_says(
    stoa: App, ada: Agent, bob: Agent, state: str
) -> None:
    for change, body in CHANGES.items():
        job = jobs.job_in(state, ada, bob, reward=4, deadlineHours=100)
        if state == "REFUNDED_EXPIRED":
            ada.sign_in()
        for other in (bob, stoa.agent("cy")):
            act(other, job, change, body).refused(403, "not_job_creator")
        before = read(job, ada)
        answer = act(ada, job, change, {**body, **_more(change)})
        if CELLS[state, change] == "ok":
            answer.ok()
            assert read(job, ada) != before
        else:
            answer.refused(409, CELLS[state, change])
            assert read(job, ada) == before
        assert broken(stoa.settings) == {}


def _more(change: str) -> dict[str, Any]:
    return {"rewardCredits": 5} if change == "raise" else {}


def test_a_cancelled_job_is_refunded_and_counts_against_nobody(stoa: App, ada: Agent) -> None:
    job = offer(ada)
    answer = act(ada, job, "cancel", CHANGES["cancel"]).ok()
    shown = answer["job"]
    assert (shown["status"], shown["cancelled"]) == ("REFUNDED_EXPIRED", True)
    assert shown["timeline"][-1]["event"] == "cancelled"
    assert funds(ada) == (100, 0)
    assert stoa.get("opportunities").ok()["opportunities"] == []
    kinds = [one["kind"] for one in stoa.get("events").ok()["events"] if one.get("jobId")]
    assert kinds == ["job.created", "job.cancelled"]
    assert "elsewhere" not in stoa.get("events").text
    again = act(ada, job, "cancel").refused(409, "job_expired")
    assert "cancelled" in again["error"]  # no deadline has passed
    assert "`create_job`" in again["recovery"]
    components = stoa.get(f"agents/{ada.id}/reputation").ok()["reputation"]["components"]
    assert (components["expiredClaims"], components["undecidedSubmissions"]) == (0, 0)


@pytest.mark.parametrize("engine", ["sqlite"])
def test_a_job_that_is_open_again_beside_a_raise_is_found_by_its_new_reward(
    stoa: App, ada: Agent, bob: Agent
) -> None:
    """One commit has both; what the first adds to the feeds is added behind the second."""
    job = offer(ada, 5, tags=["brewing"])
    done(bob, job, "claim")
    path = f"jobs/{job['id']}"
    raising = ada.ask("POST", f"{path}/raise", {"rewardCredits": 9})
    for answer in stoa.together(bob.ask("POST", f"{path}/release"), raising):
        answer.ok()
    [found] = stoa.get("opportunities?tags=brewing&minReward=9").ok()["opportunities"]
    assert found["rewardCredits"] == 9


def test_a_raised_reward_is_reserved_shown_and_paid(stoa: App, ada: Agent, bob: Agent) -> None:
    job, other = offer(ada, tags=["sql"]), offer(ada, 20)
    for credits in (10, 0, 1.001, 2_000_000):
        act(ada, job, "raise", {"rewardCredits": credits}).invalid("rewardCredits")
    refusal = act(ada, job, "raise", {"rewardCredits": 81}).refused(402, "insufficient_credits")
    assert "at most 80 FORUM_CREDIT" in refusal["recovery"]
    act(ada, job, "raise?dryRun=true", {"rewardCredits": 80}).ok()
    assert act(ada, job, "raise", {"rewardCredits": 30}).ok()["job"]["rewardCredits"] == 30
    assert funds(ada) == (50, 50)
    for path in ("opportunities", "opportunities?tags=sql", "jobs?sort=reward", "jobs?tag=sql"):
        answer = stoa.get(path).ok()
        first = answer.json[path.partition("?")[0]][0]
        assert (first["id"], first["rewardCredits"]) == (job["id"], 30), path
    assert stoa.get("opportunities").ok()["opportunities"][1]["id"] == other["id"]
    done(bob, job, "claim", "submit")
    act(ada, job, "raise", {"rewardCredits": 31.5}).ok()
    [told] = bob.get("inbox?kinds=job.changed").ok()["events"]
    assert told["data"]["credits"] == 31.5
    done(ada, job, "accept")
    assert (funds(ada), funds(bob)) == ((48.5, 20), (131.5, 0))
    kinds = [kind for kind, _ in jobs.entries(ada)]
    assert kinds[:5] == ["signup_grant", "hold", "hold", "hold", "hold"]
    assert broken(stoa.settings) == {}


def test_a_deadline_moves_later_within_a_week_and_nothing_else_moves(
    stoa: App, ada: Agent, bob: Agent
) -> None:
    terms = {"claimHours": 12, "onSilence": "pay", "reviewHours": 24}
    job = offer(ada, deadlineHours=24, terms=terms)
    created = stoa.clock.now
    for wrong in ({"deadlineHours": 24}, {"deadlineHours": 169}, {"deadlineHours": 1}):
        act(ada, job, "extend", wrong).invalid("deadlineHours")
    act(ada, job, "extend", {"deadline": iso(created + 24 * HOUR)}).invalid("deadline")
    act(ada, job, "extend", {}).invalid("deadlineHours")
    done(bob, job, "claim")
    before = read(job, ada)
    stoa.clock.advance(10 * HOUR)
    shown = act(ada, job, "extend", {"deadlineHours": 48}).ok()["job"]
    assert shown["deadline"] == iso(created + 48 * HOUR)
    assert shown["claimExpiresAt"] == before["claimExpiresAt"]
    [told] = bob.get("inbox?kinds=job.changed").ok()["events"]
    assert told["data"]["deadline"] == shown["deadline"]
    done(bob, job, "submit")
    decide_by = read(job, ada)["decideBy"]
    act(ada, job, "extend", {"deadline": iso(created + 168 * HOUR)}).ok()
    assert read(job, ada)["decideBy"] == decide_by
    stoa.clock.advance(24 * HOUR)
    jobs.sweep(stoa)
    assert read(job, ada)["acceptedBy"] == "terms"
    assert broken(stoa.settings) == {}


def test_a_refused_extension_says_which_deadline_may_be_sent(stoa: App, ada: Agent) -> None:
    job, sent = offer(ada, deadlineHours=24), {"deadlineHours": 24}
    [issue] = act(ada, job, "extend", sent).invalid("deadlineHours")["issues"]
    hours = "Must be more than 24 and at most 168 hours from the creation of the job, such as 168."
    assert issue["message"] == hours
    sent = {"deadline": job["deadline"]}
    [issue] = act(ada, job, "extend", sent).invalid("deadline")["issues"]
    assert issue["message"].startswith(f"Must be a time after {job['deadline']} and at most ")
    act(ada, job, "extend", {"deadline": issue["message"].split()[-1].rstrip(".")}).ok()
    [issue] = act(ada, job, "extend", {"deadlineHours": 168}).invalid("deadlineHours")["issues"]
    assert issue["message"].startswith("Must stay as it is: ")


@pytest.mark.settings(job_ttl_seconds=720 * 3600)
def test_a_refused_extension_asks_for_no_more_hours_than_a_call_may_have(
    stoa: App, ada: Agent
) -> None:
    job = offer(ada, deadlineHours=24)
    [issue] = act(ada, job, "extend", {"deadlineHours": 24}).invalid("deadlineHours")["issues"]
    assert " at most 168 hours from the creation of the job, such as 168." in issue["message"]
    act(ada, job, "extend", {"deadlineHours": 168}).ok()
    [issue] = act(ada, job, "extend", {"deadlineHours": 168}).invalid("deadlineHours")["issues"]
    assert issue["message"].startswith("Must be left out: send as `deadline` a time that is ")
    act(ada, job, "extend", {"deadline": issue["message"].split()[-1].rstrip(".")}).ok()


def test_an_extended_open_job_is_offered_until_then(stoa: App, ada: Agent) -> None:
    job = offer(ada, deadlineHours=24, tags=["sql"])
    act(ada, job, "extend", {"deadlineHours": 48}).ok()
    stoa.clock.advance(30 * HOUR)
    jobs.sweep(stoa)
    [row] = stoa.get("opportunities").ok()["opportunities"]
    assert (row["id"], row["expiresAt"]) == (job["id"], read(job, ada)["deadline"])
    listed = stoa.get("jobs?sort=deadline&tag=sql").ok()["jobs"]
    assert [one["id"] for one in listed] == [job["id"]]


def test_what_is_added_stands_below_the_text_five_times_at_most(stoa: App, ada: Agent) -> None:
    job = offer(ada)
    assert "additions" not in job
    shown: Any = job
    for number in range(5):
        stoa.clock.advance(1000)
        shown = act(ada, job, "append", {"body": f"And {number}."}).ok()["job"]
    added: Any = shown["additions"]
    assert [one["body"]["body"] for one in added] == [f"And {number}." for number in range(5)]
    assert added[-1]["createdAt"] == iso(stoa.clock.now)
    assert shown["description"] == job["description"]
    assert stoa.get(f"jobs/{job['id']}").ok()["job"]["additions"] == added
    full = act(ada, job, "append", {"body": "And more."}).refused(409, "additions_full")
    # A second job would reserve a second reward.
    assert f"/api/v1/jobs/{job['id']}/messages" in full["recovery"]
    act(ada, job, "append", {"body": "x" * 10_001}).invalid("body")
    events = [one["kind"] for one in stoa.get("events").ok()["events"]]
    assert events.count("text.added") == 5
    assert "And 0" not in stoa.get("events").text


@pytest.mark.parametrize("engine", ["sqlite"])
def test_nothing_is_spent_or_taken_back_during_a_recovery(stoa: App, ada: Agent) -> None:
    job = offer(ada, deadlineHours=24)
    name_recovery(ada, Key("offline")).ok()
    recover(stoa, ada.id, Key("offline"), Key("new")).ok()
    for change, body in CHANGES.items():
        answer = act(ada, job, change, body)
        assert answer.code == (None if change == "append" else "recovery_running"), change
    assert read(job, stoa)["status"] == "OPEN"


@pytest.mark.parametrize("engine", ["sqlite"])
def test_the_page_of_a_job_shows_its_terms_and_what_was_added(stoa: App, ada: Agent) -> None:
    job = offer(ada, terms={"claimHours": 12, "onSilence": "pay", "reviewHours": 24})
    act(ada, job, "append", {"body": "The file has *1* GB."}).ok()
    for accept in ("text/html", "text/markdown"):
        page = stoa.get(f"/jobs/{job['id']}", headers={"Accept": accept}).ok().text
        assert "A claim ends after 12 hours without work." in page
        assert "Work that is not decided within 24 hours is accepted and paid." in page
        assert " GB." in page
