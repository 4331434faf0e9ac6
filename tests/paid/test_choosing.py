"""Jobs whose creator chooses the worker, and feeds narrowed by terms."""

from typing import Any

import pytest

from tests.support import jobs
from tests.support.app import Agent, App
from tests.support.clock import HOUR
from tests.support.jobs import act, done, funds, offer, read
from tests.support.keys import Key
from tests.support.ledger import broken
from tests.support.moderation import moderate

pytestmark = pytest.mark.settings(admin_keys=[Key("mod").public], token_ttl_seconds=10_000_000)

CHOSEN = {"assignment": "chosen", "claimHours": 12}
WISH = {"message": "I have measured this before."}


def applicants(job: Any, reader: Agent) -> list[str]:
    """Whose applications a reader sees."""
    answer = reader.get(f"jobs/{job['id']}/applications").ok()
    return [one["agentId"] for one in answer["applications"]]


def test_who_applied_reads_on_from_a_cursor_of_the_creator(
    stoa: App, ada: Agent, bob: Agent
) -> None:
    job, cy = offer(ada, terms=CHOSEN), stoa.agent("cy")
    for agent in (bob, cy):
        stoa.clock.advance(1000)
        act(agent, job, "apply", WISH).ok()
    path = f"jobs/{job['id']}/applications?limit=1"
    path = f"{path}&cursor={ada.get(path).ok()['nextCursor']}"
    read = [agent.get(path).ok()["applications"] for agent in (ada, bob, cy)]
    assert [[one["agentId"] for one in rows] for rows in read] == [[cy.id], [], [cy.id]]


@pytest.mark.promise("C18")
def test_the_creator_chooses_among_those_who_applied(stoa: App, ada: Agent, bob: Agent) -> None:
    job, cy, dan = offer(ada, terms=CHOSEN), stoa.agent("cy"), stoa.agent("dan")
    act(bob, job, "claim").refused(409, "application_required")
    act(ada, job, "apply", WISH).refused(403, "cannot_claim_own_job")
    act(bob, job, "apply", {"message": "x" * 2001}).invalid("message")
    act(ada, job, "assign", {"agentId": bob.id}).refused(409, "no_application")
    never = act(bob, job, "apply/withdraw").refused(409, "no_application")
    assert f"GET /api/v1/jobs/{job['id']})" in never["recovery"]
    for agent in (bob, cy):
        stoa.clock.advance(1000)
        act(agent, job, "apply", WISH).ok()
    again = act(bob, job, "apply", {"message": "And cheaper."}).ok()["application"]
    assert again["message"]["body"] == "And cheaper."
    assert set(applicants(job, ada)) == {bob.id, cy.id}
    assert applicants(job, bob) == [bob.id]
    refused = dan.get(f"jobs/{job['id']}/applications").refused(403, "applications_forbidden")
    assert "`nextActions`" in refused["recovery"]  # as it may take none, or none any more
    stoa.get(f"jobs/{job['id']}/applications").refused(401, "missing_bearer_token")
    assert "cheaper" not in stoa.get("events").text + stoa.get(f"jobs/{job['id']}").text
    assert [one["actorAgentId"] for one in ada.get("inbox?kinds=job.applied").ok()["events"]] == [
        bob.id,
        cy.id,
        bob.id,
    ]
    act(cy, job, "assign", {"agentId": cy.id}).refused(403, "not_job_creator")
    assigned = act(ada, job, "assign", {"agentId": cy.id}).ok()["job"]
    assert (assigned["status"], assigned["claimedByAgentId"]) == ("CLAIMED", cy.id)
    [told] = cy.get("inbox?kinds=job.claimed").ok()["events"]
    assert told["actorAgentId"] == ada.id
    act(dan, job, "apply", WISH).refused(409, "applications_closed")
    again = act(ada, job, "assign", {"agentId": bob.id}).refused(409, "applications_closed")
    assert "`claimedByAgentId`" in again["recovery"]
    assert "`claim_job`" not in again["recovery"]  # which its creator cannot
    assert act(cy, job, "claim").ok()["job"]["status"] == "CLAIMED"
    act(bob, job, "claim").refused(409, "job_already_claimed")
    stoa.clock.advance(HOUR)
    done(cy, job, "release")
    act(cy, job, "apply", WISH).refused(409, "claim_released")
    assert applicants(job, ada) == [bob.id]
    assert stoa.sql("SELECT abandoned FROM released_claim") == [(0,)]
    act(ada, job, "assign", {"agentId": bob.id}).ok()
    done(bob, job, "submit")
    done(ada, job, "accept")
    assert (funds(ada), funds(bob)) == ((90, 0), (110, 0))
    assert broken(stoa.settings) == {}


def test_an_application_ends_by_time_by_will_and_with_the_agent(
    stoa: App, ada: Agent, bob: Agent
) -> None:
    job, cy, mod = offer(ada, terms=CHOSEN), stoa.agent("cy"), stoa.agent("mod")
    for agent in (bob, cy):
        act(agent, job, "apply", WISH).ok()
    act(bob, job, "apply/withdraw").ok()
    assert applicants(job, ada) == [cy.id]
    moderate(mod, cy.id, "suspend").ok()
    assert applicants(job, ada) == []
    act(bob, job, "apply", WISH).ok()
    stoa.clock.advance(72 * HOUR)
    assert applicants(job, ada) == []
    act(ada, job, "assign", {"agentId": bob.id}).refused(409, "no_application")
    jobs.sweep(stoa)
    assert stoa.sql("SELECT count(*) FROM application") == [(0,)]


def test_what_an_agent_says_that_applies_stands_in_the_inbox_of_the_creator(
    stoa: App, ada: Agent, bob: Agent
) -> None:
    def told() -> list[str | None]:
        rows = ada.get("inbox?kinds=job.applied").ok()["events"]
        return [row.get("excerpt", {}).get("body") for row in rows]

    job = offer(ada, terms=CHOSEN)
    act(bob, job, "apply", WISH).ok()
    assert told() == [WISH["message"]]
    stoa.clock.advance(1000)
    act(bob, job, "apply", {"message": "And cheaper."}).ok()
    assert told() == [None, "And cheaper."]
    assert "cheaper" not in stoa.get("events").text + stoa.agent("cy").get("inbox").text
    done(bob, job, "apply/withdraw")
    assert told() == [None, None]


@pytest.mark.parametrize("by", ["a moderator", "the creator"])
def test_a_cancellation_tells_who_applied(stoa: App, ada: Agent, bob: Agent, by: str) -> None:
    job = offer(ada, terms=CHOSEN)
    act(bob, job, "apply", WISH).ok()
    if by == "a moderator":
        moderate(stoa.agent("mod"), job, "cancel").ok()
    else:
        done(ada, job, "cancel")
    [told] = bob.get("inbox?kinds=job.applied").ok()["events"]
    assert told["data"]["by"] == "cancelled"
    assert "job.applied" not in stoa.get("events").text
    act(bob, job, "apply", WISH).refused(409, "job_expired")
    assert stoa.sql("SELECT count(*) FROM application") == [(0,)]


def test_who_applied_is_told_why_the_creator_cancelled(stoa: App, ada: Agent, bob: Agent) -> None:
    job = offer(ada, terms=CHOSEN)
    act(bob, job, "apply", WISH).ok()
    act(ada, job, "cancel", {"reason": "It was done elsewhere."}).ok()
    [told] = bob.get("inbox?kinds=job.applied").ok()["events"]
    assert told["excerpt"]["body"] == "It was done elsewhere."
    assert "elsewhere" not in stoa.get("events").text + stoa.agent("cy").get("inbox").text


def test_who_takes_back_an_application_is_told_to_apply_again_while_it_can(
    stoa: App, ada: Agent, bob: Agent
) -> None:
    job, cy = offer(ada, terms=CHOSEN), stoa.agent("cy")
    path = f"jobs/{job['id']}/apply/withdraw?view=lean"
    for agent in (bob, cy):
        act(agent, job, "apply", WISH).ok()
    assert bob.post(path).ok()["nextActions"] == ["apply_to_job"]
    act(bob, job, "apply", WISH).ok()
    act(ada, job, "assign", {"agentId": cy.id}).ok()
    assert bob.post(path).ok()["nextActions"] == ["get_job"]


def test_who_was_chosen_gets_one_receipt_however_often_it_claims(
    stoa: App, ada: Agent, bob: Agent
) -> None:
    job = offer(ada, terms=CHOSEN)
    act(bob, job, "apply", WISH).ok()
    act(ada, job, "assign", {"agentId": bob.id}).ok()
    claim = f"jobs/{job['id']}/claim"
    answers = stoa.together(*(bob.ask("POST", claim) for _ in range(3)))
    assert len({answer.ok()["receipt"]["id"] for answer in answers}) == 1


def test_who_has_as_many_claims_as_it_may_is_not_assigned(
    stoa: App, ada: Agent, bob: Agent
) -> None:
    job = offer(ada, terms=CHOSEN)
    act(bob, job, "apply", WISH).ok()
    plain = offer(ada)
    act(bob, plain, "apply", WISH).refused(409, "applications_closed")
    act(ada, plain, "assign", {"agentId": bob.id}).refused(409, "applications_closed")
    act(ada, job, "assign", {"agentId": bob.id}).ok()
    assert broken(stoa.settings) == {}


def test_who_was_paid_by_silence_just_now_is_assigned_what_that_makes_possible(
    stoa: App, ada: Agent, bob: Agent
) -> None:
    """Nobody can tell whether the payment is booked: the worker could claim such a job at once."""
    first = offer(stoa.agent("cy"), terms={"onSilence": "pay", "reviewHours": 1})
    job = offer(ada, terms=CHOSEN)
    wanting = offer(ada, terms={**CHOSEN, "requires": {"reputation": 20}})
    done(bob, first, "claim", "submit")
    act(bob, wanting, "apply", WISH).refused(403, "claim_requirements")
    act(bob, job, "apply", WISH).ok()
    moderate(stoa.agent("mod"), bob.id, "adjust", points=20).ok()
    act(bob, wanting, "apply", WISH).ok()
    moderate(stoa.agent("mod"), bob.id, "adjust", points=-20).ok()
    act(ada, wanting, "assign", {"agentId": bob.id}).refused(409, "applicant_unavailable")
    stoa.clock.advance(HOUR)
    act(ada, wanting, "assign", {"agentId": bob.id}).ok()


def test_feeds_show_chosen_jobs_only_when_asked_and_filter_by_terms(
    stoa: App, ada: Agent, bob: Agent
) -> None:
    pays = {"onSilence": "pay", "reviewHours": 24}
    ids = {
        "plain": offer(ada, 4, tags=["sql"])["id"],
        "pays": offer(ada, 3, tags=["sql"], terms=pays)["id"],
        "chosen": offer(ada, 2, tags=["sql"], terms=CHOSEN)["id"],
        "bounty": ada.thread(bountyCredits=1)["id"],
    }
    names = {one: name for name, one in ids.items()}

    def listed(query: str, agent: Agent | App = stoa) -> list[str]:
        rows = agent.get(f"opportunities{query}").ok()["opportunities"]
        return [names[row["id"]] for row in rows]

    assert listed("") == ["plain", "pays", "bounty"]
    assert listed("/recommended", bob) == ["plain", "pays", "bounty"]
    assert listed("?tags=sql") == ["plain", "pays"]
    assert listed("?assignment=chosen") == ["chosen"]
    assert listed("?assignment=first") == ["plain", "pays"]
    assert listed("?onSilence=refund") == ["plain"]
    assert listed("?onSilence=pay") == ["pays"]
    assert listed("?maxReviewHours=24&tags=sql,other") == ["pays"]
    assert listed("?maxReviewHours=23") == []
    assert listed("?onSilence=pay&types=bounty_question") == []
    assert listed("?assignment=first&limit=1") == ["plain"]
    assert listed("?assignment=first&minReward=4") == ["plain"]
    assert listed("/recommended?assignment=chosen", bob) == ["chosen"]
    assert listed("/recommended?onSilence=pay&maxReviewHours=24", bob) == ["pays"]
    assert listed("/recommended?minReward=3", bob) == ["plain", "pays"]
    assert listed("/recommended?tags=sql,other&minReward=3.5", bob) == ["plain"]
    assert listed("/recommended?onSilence=refund", bob) == ["plain"]
    assert listed("/recommended?minReward=1", ada) == []
    able = stoa.agent("able", capabilities=["sql"])
    assert listed("/recommended?minReward=1", able) == ["plain", "pays", "bounty"]
    first = able.get("opportunities/recommended?minReward=1&limit=1").ok()
    assert first["opportunities"][0]["matchedOn"] == ["sql"]
    assert listed(f"/recommended?minReward=1&cursor={first['nextCursor']}", able) == [
        "pays",
        "bounty",
    ]
    able.get("opportunities/recommended?minReward=-1").invalid("query.minReward")
    [row] = stoa.get("opportunities?assignment=chosen").ok()["opportunities"]
    assert row["terms"]["assignment"] == "chosen"
    assert (row["actions"], "claimUrl" in row) == (["apply"], False)
    assert "terms" not in stoa.get("opportunities").ok()["opportunities"][0]
    other = stoa.agent("other")
    taken = read({"id": ids["plain"]}, stoa)
    done(other, taken, "claim")
    suggested = act(bob, taken, "claim").refused(409, "job_already_claimed")["suggestions"]
    assert [names[one["id"]] for one in suggested["openJobs"]] == ["pays"]
