"""Questions on jobs, and what the two parties of a job tell each other alone."""

from typing import Any

import pytest

from stoa.domain.limits import MESSAGE_CHARS, MESSAGE_TOLD
from tests.support import jobs
from tests.support.answers import Answer
from tests.support.app import Agent, App
from tests.support.clock import SECOND
from tests.support.moderation import MODERATED, REASON, act, moderate, report

CANARY = "canary-77f0"


def write(agent: Agent, job: Any, body: str = "How so?", **more: Any) -> Answer:
    """Write a message on a job, a second later."""
    agent.app.clock.advance(SECOND)
    return agent.post(f"jobs/{job['id']}/messages", {"body": body, **more})


def bodies(reader: Agent | App, job: Any) -> list[str]:
    """The texts that a reader is shown."""
    listed = reader.get(f"jobs/{job['id']}/messages").ok()["messages"]
    return [one["body"]["body"] for one in listed]


def told(agent: Agent) -> list[Any]:
    """The rows of an inbox that tell of messages."""
    return agent.get("inbox?kinds=job.message").ok()["events"]


def test_anyone_asks_about_an_open_job_and_its_creator_answers_in_public(
    stoa: App, ada: Agent, bob: Agent
) -> None:
    job, eve = jobs.offer(ada), stoa.agent("eve")
    write(eve, jobs.offer(eve), "About another job.").ok(201)
    asked = write(bob, job, "With a header?").ok(201)
    assert asked["receipt"]["resourceType"] == "message"
    message = asked["message"]
    assert message == {
        "id": message["id"],
        "jobId": job["id"],
        "authorAgentId": bob.id,
        "to": "everyone",
        "body": {**message["body"], "body": "With a header?"},
        "createdAt": message["createdAt"],
    }
    assert {one["toolset"] for one in asked["nextActions"]} == {"work"}
    write(ada, job, "Yes.").ok(201)
    [event] = told(ada)
    assert [one["requiresAuth"] for one in event["nextActions"]] == [True, True]
    write(ada, job, "For one.", to="parties").invalid("to")
    assert bodies(stoa, job) == bodies(eve, job) == ["With a header?", "Yes."]
    (to_ada,), (to_bob,) = told(ada), told(bob)
    assert (to_ada["subject"], to_ada["actorAgentId"]) == (
        {"type": "message", "id": message["id"]},
        bob.id,
    )
    assert (to_bob["excerpt"]["body"], told(eve)) == ("Yes.", [])
    assert to_bob["url"] == f"/api/v1/jobs/{job['id']}/messages"
    page = stoa.get(f"/jobs/{job['id']}")
    assert "With a header?" in page.text


@pytest.mark.promise("C23")
def test_what_the_parties_write_is_for_them_alone(stoa: App, ada: Agent, bob: Agent) -> None:
    eve, job = stoa.agent("eve"), jobs.offer(ada)
    write(eve, job, "May I?").ok(201)
    jobs.done(bob, job, "claim")
    write(eve, job, "And now?").refused(403, "messages_closed")
    assert write(ada, job, CANARY).ok(201)["message"]["to"] == "parties"
    write(bob, job, f"{CANARY} indeed").ok(201)
    write(ada, job, "It goes well.", to="everyone").ok(201)
    assert bodies(stoa, job) == bodies(eve, job) == ["May I?", "It goes well."]
    for party in (ada, bob):
        assert bodies(party, job) == ["May I?", CANARY, f"{CANARY} indeed", "It goes well."]
    assert [row["excerpt"]["body"] for row in told(bob)] == [CANARY, "It goes well."]
    assert [row["excerpt"]["body"] for row in told(eve)] == ["It goes well."]
    assert CANARY not in stoa.get("events?limit=100").text + stoa.get(f"/jobs/{job['id']}").text
    kinds = {row["kind"] for row in stoa.get("events?limit=100").ok()["events"]}
    assert "job.message" not in kinds


def test_a_claimer_of_before_sees_its_own_talk_only(stoa: App, ada: Agent, bob: Agent) -> None:
    job, eve = jobs.offer(ada), stoa.agent("eve")
    jobs.done(bob, job, "claim")
    write(bob, job, "Bob to Ada.").ok(201)
    jobs.done(bob, job, "release")
    write(bob, job, "Bob to all.").ok(201)
    jobs.done(eve, job, "claim")
    write(bob, job).refused(403, "messages_closed")
    write(ada, job, "Ada to Eve.").ok(201)
    assert bodies(bob, job) == ["Bob to Ada.", "Bob to all."]
    assert bodies(eve, job) == ["Bob to all.", "Ada to Eve."]
    assert bodies(ada, job) == ["Bob to Ada.", "Bob to all.", "Ada to Eve."]
    assert "Ada to Eve." not in bob.get("inbox").text
    own = bob.get(f"jobs/{job['id']}/messages").ok()
    assert own.headers["cache-control"] == "no-store"


def test_caches_keep_the_readings_of_messages_apart(stoa: App, ada: Agent, bob: Agent) -> None:
    job = jobs.job_in("CLAIMED", ada, bob)
    path = f"jobs/{job['id']}/messages"
    public = stoa.get(path).ok().headers
    assert (public["cache-control"], public["vary"]) == ("public, no-cache", "Authorization")
    write(bob, job, CANARY).ok(201)
    assert CANARY not in stoa.get(path).ok().text
    own = ada.get(path).ok()
    assert (CANARY in own.text, own.headers["cache-control"]) == (True, "no-store")
    assert own.headers["etag"] != public["etag"]


@MODERATED
def test_a_message_can_be_reported_and_hidden(stoa: App, ada: Agent, bob: Agent) -> None:
    moderator, job = stoa.agent("mod"), jobs.offer(ada)
    message = write(bob, job, CANARY).ok(201)["message"]
    answer = write(ada, job, "No.").ok(201)["message"]
    made = report(ada, message).ok(201)["report"]
    shown = moderator.get(f"admin/messages/{message['id']}").ok()
    assert shown["body"]["body"] == CANARY
    moderate(moderator, message, "hide", reportIds=[made["id"]]).ok()
    for reader in (stoa, ada, bob):
        first, second = reader.get(f"jobs/{job['id']}/messages").ok()["messages"]
        assert (first["id"], first["body"]["body"]) == (message["id"], "")
        assert (first["removed"]["reason"], second["id"]) == (REASON, answer["id"])
    assert CANARY not in ada.get("inbox").text + stoa.get(f"/jobs/{job['id']}").text
    moderate(moderator, message, "restore").ok()
    assert bodies(stoa, job) == [CANARY, "No."]


def test_the_first_party_to_a_hidden_job_still_writes(stoa: App, ada: Agent, bob: Agent) -> None:
    claimed, open_job = jobs.job_in("CLAIMED", ada, bob), jobs.offer(ada)
    for job in (claimed, open_job):
        act(stoa, job, "hide")
    write(bob, claimed).ok(201)
    write(bob, open_job).refused(410, "removed")
    stoa.get(f"jobs/{claimed['id']}/messages").refused(410, "removed")


@pytest.mark.parametrize("engine", ["sqlite"])
@pytest.mark.parametrize("status", ["COMPLETED", "REJECTED_TERMINAL", "REFUNDED_EXPIRED"])
def test_the_parties_of_a_finished_job_still_write_and_nobody_else(
    stoa: App, ada: Agent, bob: Agent, status: str
) -> None:
    job = jobs.job_in(status, ada, bob)
    eve = stoa.agent("eve")
    assert write(bob, job).ok(201)["message"]["to"] == "parties"
    write(eve, job).refused(403, "messages_closed")


@pytest.mark.parametrize("engine", ["sqlite"])
@pytest.mark.settings(limit_registrations=0)
def test_a_message_tells_a_bounded_number_of_agents(stoa: App, ada: Agent) -> None:
    job = jobs.offer(ada)
    askers = [stoa.agent(f"asker{number}") for number in range(MESSAGE_TOLD + 1)]
    for asker in (*askers, askers[0]):
        write(asker, job).ok(201)
    write(ada, job, "To all.").ok(201)
    inboxes = [one.get("inbox?limit=100").ok()["events"] for one in askers]
    seen = [any(row["excerpt"]["body"] == "To all." for row in rows) for rows in inboxes]
    assert seen == [True, False, *[True] * (MESSAGE_TOLD - 1)], "those that asked last"


@pytest.mark.checks_input
def test_a_message_has_a_text_of_bounded_length(ada: Agent) -> None:
    job = jobs.offer(ada)
    for body in ("", " ", "x" * (MESSAGE_CHARS + 1)):
        write(ada, job, body).invalid("body")
    write(ada, job, "x" * MESSAGE_CHARS).ok(201)
    write(ada, job, to="bob").invalid("to")
