"""Jobs that are offered to one agent, and jobs that require something of who works."""

import re
from typing import Any

import pytest

from tests.support import jobs
from tests.support.app import Agent, App
from tests.support.clock import HOUR, SECOND
from tests.support.faces import Face
from tests.support.jobs import act, done, funds, job_in, offer, read
from tests.support.keys import Key
from tests.support.ledger import broken
from tests.support.moderation import moderate

pytestmark = pytest.mark.settings(admin_keys=[Key("mod").public], token_ttl_seconds=10_000_000)

CANNOT_YET = "The agent in `offeredTo` cannot claim the job before it has what it requires"
WISH = {"message": "I have measured this before."}


def on_offer(reader: Agent | App, path: str = "opportunities") -> list[str]:
    """The jobs and threads that a feed shows."""
    return [row["id"] for row in reader.get(path).ok()["opportunities"]]


def next_of(job: Any, reader: Agent | App, view: str = "full") -> tuple[list[str], set[str]]:
    """What a job says can be done next: `actions`, and the names in `nextActions`."""
    answer = reader.get(f"jobs/{job['id']}?view={view}").ok()
    named = {one if view == "lean" else one["action"] for one in answer["nextActions"]}
    return answer["job"].get("actions", []), named


@pytest.mark.promise("C51")
def test_a_job_offered_to_one_agent_is_claimed_by_that_one_alone(
    stoa: App, ada: Agent, bob: Agent
) -> None:
    fit = {"capabilities": ["sql"]}
    cy, dan = stoa.agent("cy", **fit), stoa.agent("dan", **fit)
    plain = offer(bob, 2, tags=["sql"])
    job = offer(ada, 5, tags=["sql"], terms={"offeredTo": cy.id})
    assert job["terms"]["offeredTo"] == cy.id
    stoa.clock.advance(2 * SECOND)  # the index of offers is made once a second
    for feed in ("", "?tags=sql", "?types=job", "?onSilence=refund", "?assignment=first"):
        assert on_offer(stoa, f"opportunities{feed}") == [plain["id"]], feed
    for _ in range(2):  # made, and remembered
        assert on_offer(cy, "opportunities/recommended") == [job["id"], plain["id"]]
        assert on_offer(dan, "opportunities/recommended") == [plain["id"]]
        assert on_offer(ada, "opportunities/recommended") == [plain["id"]]
    [row, _] = cy.get("opportunities/recommended").ok()["opportunities"]
    assert (row["actions"], row["matchedOn"]) == (["claim"], ["sql"])
    signed_in = cy.sign_in()
    assert [one["id"] for one in signed_in["recommendedOpportunities"]] == [job["id"], plain["id"]]
    [told] = cy.get("inbox?kinds=job.offered").ok()["events"]
    assert (told["jobId"], told["excerpt"]["body"]) == (job["id"], "Do it well.")
    assert "claim_job" in {one["action"] for one in told["nextActions"]}
    others = [one["jobId"] for one in dan.get("inbox?kinds=job.created").ok()["events"]]
    assert others == [plain["id"]]
    assert "job.offered" not in stoa.get("events").text + dan.get("inbox").text
    for view in ("full", "lean"):
        assert "claim_job" in next_of(job, cy, view)[1]
        for reader in (stoa, ada, dan):
            cancels = {"cancel_job"} if view == "full" or reader is ada else set[str]()
            assert next_of(job, reader, view) == ([], {"get_job"} | cancels), view
    act(dan, job, "claim").refused(403, "offered_to_another")
    act(ada, job, "claim").refused(403, "cannot_claim_own_job")
    done(cy, job, "claim")
    act(dan, job, "claim").refused(403, "offered_to_another")
    taken = act(bob, plain, "claim").refused(403, "cannot_claim_own_job")
    assert "suggestions" not in taken
    done(cy, job, "release")
    stoa.clock.advance(2 * SECOND)
    for reader in (stoa, cy, dan):
        assert next_of(job, reader) == ([], {"get_job", "cancel_job"})
    assert on_offer(cy, "opportunities/recommended") == [plain["id"]]
    act(cy, job, "claim").refused(409, "claim_released")
    act(dan, job, "claim").refused(403, "offered_to_another")
    assert broken(stoa.settings) == {}
    done(ada, job, "cancel")
    assert (funds(ada), broken(stoa.settings)) == ((100, 0), {})


@pytest.mark.parametrize("terms", [{"claimHours": 1}, {"assignment": "chosen"}])
def test_no_job_is_recommended_to_who_gave_it_back(
    stoa: App, ada: Agent, bob: Agent, terms: dict[str, Any]
) -> None:
    cy, is_chosen = stoa.agent("cy", capabilities=["sql"]), "assignment" in terms
    plain = offer(ada, 2, terms=terms)
    job = offer(ada, 5, tags=["sql"], terms=terms)
    if is_chosen:
        act(cy, job, "apply", WISH).ok()
        act(ada, job, "assign", {"agentId": cy.id}).ok()
        done(cy, job, "release")
        act(cy, job, "claim").refused(409, "claim_released")
    else:
        done(cy, job, "claim")
        stoa.clock.advance(2 * HOUR)
        jobs.sweep(stoa)
    query = "?assignment=chosen" if is_chosen else ""
    for _ in range(2):
        stoa.clock.advance(2 * SECOND)
        assert on_offer(cy, f"opportunities/recommended{query}") == [plain["id"]]
        assert on_offer(bob, f"opportunities/recommended{query}") == [job["id"], plain["id"]]
        assert on_offer(cy, f"opportunities{query}") == [job["id"], plain["id"]]
    if not is_chosen:
        taken = job_in("CLAIMED", ada, bob)
        suggested = act(cy, taken, "claim").refused(409, "job_already_claimed")["suggestions"]
        assert [one["id"] for one in suggested["openJobs"]] == [plain["id"]]


def test_no_job_is_recommended_that_requires_more_than_its_reader_has(
    stoa: App, face: Face, ada: Agent, bob: Agent
) -> None:
    fit = {"capabilities": ["sql"]}
    cy, dan = stoa.agent("cy", **fit), stoa.agent("dan", **fit)
    job_in("COMPLETED", bob, dan)
    least = {"completedJobs": 1, "reputation": 20}
    plain, hard, chosen = [
        offer(ada, reward, tags=["sql"], terms=terms)["id"]
        for reward, terms in (
            (1, {"claimHours": 1}),
            (5, {"requires": least}),
            (6, {"requires": least, "assignment": "chosen"}),
        )
    ]
    alone = offer(ada, 4, tags=["sql"], terms={"requires": least, "offeredTo": cy.id})["id"]

    def recommended(reader: Agent, **wanted: Any) -> list[str]:
        found = face.call("get_recommended_opportunities", wanted, reader).ok()
        return [row["id"] for row in found["opportunities"]]

    def sees(reader: Agent, *shown: str, assigned: bool) -> None:
        for _ in range(2):  # made, and remembered
            stoa.clock.advance(2 * SECOND)  # the index of offers is made once a second
            assert recommended(reader) == recommended(reader, onSilence="refund") == [*shown]
            assert recommended(reader, limit=1) == [shown[0]]
            assert recommended(reader, assignment="chosen") == ([chosen] if assigned else [])
        signed_in = reader.sign_in()["recommendedOpportunities"]
        assert [row["id"] for row in signed_in] == [*shown]

    sees(cy, alone, plain, assigned=False)
    sees(dan, hard, plain, assigned=True)
    sees(bob, plain, assigned=False)
    assert on_offer(cy) == [hard, plain]
    job_in("COMPLETED", bob, cy)
    sees(cy, hard, alone, plain, assigned=True)
    moderate(stoa.agent("mod"), dan.id, "adjust", points=-1).ok()
    sees(dan, plain, assigned=False)
    moderate(stoa.agent("mod"), dan.id, "adjust", points=1).ok()
    sees(dan, hard, plain, assigned=True)


def test_no_other_is_pointed_to_a_job_that_is_offered_to_one(
    stoa: App, ada: Agent, bob: Agent
) -> None:
    cy = stoa.agent("cy")
    offered = offer(ada, 9, title="Baking bread", tags=["bread"], terms={"offeredTo": cy.id})
    taken = job_in("CLAIMED", ada, cy)
    suggested = act(bob, taken, "claim").refused(409, "job_already_claimed")["suggestions"]
    assert suggested == {"openJobs": []}
    ada.thread("Baking bread", tags=["bread"])
    found = bob.get("search?q=baking&tags=bread").ok()
    assert (len(found["threads"]), found["relatedOpportunities"]) == (1, [])
    for form, link in (("text/html", f'href="/agents/{cy.id}"'), ("text/markdown", "[cy]")):
        page = stoa.get(f"/jobs/{offered['id']}", headers={"Accept": form}).ok().text
        told = page.partition("It is offered to ")[2].partition(" alone.")[0]
        assert link in told
        assert "cy" in told.replace(cy.id, "")
    open_to_all = offer(ada, 1, terms={"claimHours": 1})
    listed = stoa.get("jobs?status=OPEN").ok()["jobs"]
    claims = [one["id"] for one in listed if "claim_job" in str(one["nextActions"])]
    assert (claims, len(listed)) == ([open_to_all["id"]], 2)
    act(ada, open_to_all, "cancel").ok()
    done(cy, offered, "claim", "submit")
    done(ada, offered, "accept")
    assert funds(cy) == (109, 0)


@pytest.mark.promise("C52")
def test_a_job_requires_what_its_creator_asked_for(stoa: App, ada: Agent, bob: Agent) -> None:
    cy = stoa.agent("cy")
    terms = {"requires": {"reputation": 20, "completedJobs": 1}}
    job = offer(ada, terms=terms)
    chosen = offer(ada, terms={**terms, "assignment": "chosen"})
    missing = {
        "reputation": {"wanted": 20, "yours": 0},
        "completedJobs": {"wanted": 1, "yours": 0},
    }
    for one, action, body in ((job, "claim", None), (chosen, "apply", WISH)):
        refusal = act(bob, one, action, body).refused(403, "claim_requirements")
        assert refusal["missing"] == missing
    assert (
        "The worker must have 1 or more completed jobs."
        in stoa.get(f"/jobs/{job['id']}", headers={"Accept": "text/markdown"}).text
    )
    job_in("COMPLETED", cy, bob)
    act(bob, chosen, "apply", WISH).ok()
    done(bob, job, "claim")
    assert read(job, stoa)["claimedByAgentId"] == bob.id
    assert stoa.get(f"jobs/{job['id']}?view=lean").ok()["job"]["terms"]["requires"] == {
        "reputation": 20,
        "completedJobs": 1,
    }


@pytest.mark.settings(limit_open_claims=1)
def test_who_cannot_take_the_job_any_more_is_not_assigned(
    stoa: App, ada: Agent, bob: Agent
) -> None:
    cy = stoa.agent("cy")
    job_in("COMPLETED", cy, bob)
    terms = {"assignment": "chosen", "requires": {"reputation": 20}}
    job, other = offer(ada, terms=terms), offer(ada)
    act(bob, job, "apply", WISH).ok()
    done(bob, other, "claim")
    wish = {"agentId": bob.id}
    act(ada, job, "assign", wish).refused(409, "applicant_unavailable")
    done(bob, other, "release")
    stoa.sql("UPDATE agent SET reputation = 19, adjustment = -1 WHERE id = ?", bob.id)
    act(ada, job, "assign", wish).refused(409, "applicant_unavailable")
    assert read(job, stoa)["status"] == "OPEN"
    stoa.sql("UPDATE agent SET reputation = 20, adjustment = 0 WHERE id = ?", bob.id)
    act(ada, job, "assign", wish).ok()


BAD: list[tuple[dict[str, Any], str]] = [
    ({"offeredTo": "ag_01arz3ndektsv4rrffq69g5fav"}, "terms.offeredTo"),
    ({"offeredTo": "cy"}, "terms.offeredTo"),
    ({"requires": {"reputation": 0}}, "terms.requires.reputation"),
    ({"requires": {"completedJobs": 1.5}}, "terms.requires.completedJobs"),
    ({"requires": {"completedJobs": 1_000_001}}, "terms.requires.completedJobs"),
    ({"requires": {"standing": 101}}, "terms.requires.standing"),
    ({"requires": {"completed_jobs": 5}}, "terms.requires.completed_jobs"),
    ({"requires": 5}, "terms.requires"),
]


@pytest.mark.checks_input
@pytest.mark.parametrize(("terms", "path"), BAD, ids=str)
def test_offers_and_requirements_that_nobody_could_meet_are_refused(
    stoa: App, ada: Agent, terms: dict[str, Any], path: str
) -> None:
    ada.post("jobs", jobs.new_job(terms=terms)).invalid(path)
    assert funds(ada) == (100, 0)


@pytest.mark.checks_input
def test_a_job_is_offered_to_another_agent_that_can_claim_it(
    stoa: App, ada: Agent, bob: Agent
) -> None:
    for terms in ({"offeredTo": ada.id}, {"offeredTo": bob.id, "assignment": "chosen"}):
        ada.post("jobs", jobs.new_job(terms=terms)).invalid("terms.offeredTo")
    refused = ada.post("jobs", jobs.new_job(terms={"offeredTo": "bob"})).invalid("terms.offeredTo")
    assert re.search(r"such as ag_\w{26}: `list_agents` finds it", refused.text)
    bob.post("agents/me/retire", {"confirm": bob.id}).ok()
    ada.post("jobs", jobs.new_job(terms={"offeredTo": bob.id})).invalid("terms.offeredTo")
    assert "requires" not in offer(ada, terms={"requires": {}})["terms"]


def test_a_creator_is_told_that_the_agent_it_offers_a_job_to_cannot_claim_it_yet(
    stoa: App, face: Face, ada: Agent, bob: Agent
) -> None:
    job_in("COMPLETED", ada, bob)
    hard, met = [
        jobs.new_job(2, terms={"offeredTo": bob.id, "requires": least})
        for least in ({"reputation": 21, "completedJobs": 3}, {"reputation": 20})
    ]
    lacks = f"{CANNOT_YET}: reputation 20 of 21, completedJobs 1 of 3."
    assert face.call("create_job", hard, ada).ok(201)["note"] == lacks
    assert ada.post("jobs?view=lean", hard).ok(201)["note"] == lacks
    assert "note" not in face.call("create_job", met, ada).ok(201)


def test_the_agent_that_a_job_is_offered_to_is_told_what_becomes_of_the_offer(
    stoa: App, ada: Agent, bob: Agent
) -> None:
    job = offer(ada, 5, terms={"offeredTo": bob.id})
    act(ada, job, "raise", {"rewardCredits": 6}).ok()
    done(ada, job, "cancel")
    told = bob.get("inbox?kinds=job.changed,job.cancelled").ok()["events"]
    assert [(row["kind"], row["jobId"]) for row in told] == [
        ("job.changed", job["id"]),
        ("job.cancelled", job["id"]),
    ]
    assert {one["action"] for one in told[1]["nextActions"]} == {"get_job"}


def test_an_offer_to_an_agent_ends_with_its_deadline(stoa: App, ada: Agent, bob: Agent) -> None:
    job = offer(ada, terms={"offeredTo": bob.id}, deadlineHours=1)
    stoa.clock.advance(HOUR)
    assert on_offer(bob, "opportunities/recommended") == []
    act(bob, job, "claim").refused(409, "job_expired")
    assert funds(ada) == (100, 0)
    for reader in (ada, bob):
        [told] = reader.get("inbox?kinds=job.expired").ok()["events"]
        assert (told["jobId"], told["actorAgentId"]) == (job["id"], None)
        assert {one["action"] for one in told["nextActions"]} == {"get_job"}
