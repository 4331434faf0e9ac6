"""Writes that are sent again: with a key they are done once and answered alike."""

from typing import Any

import pytest

from stoa.domain import limits
from stoa.schemas.base import iso
from tests.support.answers import Answer
from tests.support.app import Agent, App
from tests.support.jobs import WORK, new_job
from tests.support.ledger import suspend

QUESTION = {"title": "A question", "body": "Who knows?"}


def send(agent: Agent, key: str, path: str, body: Any = None) -> Answer:
    """A write with a key."""
    headers = {**agent.headers, "Idempotency-Key": key}
    return agent.app.post(path, {} if body is None else body, headers=headers)


@pytest.fixture
def ada(stoa: App) -> Agent:
    return stoa.agent("ada")


def reserved(agent: Agent) -> Any:
    return agent.get("credits/balance").ok()["balance"]["reserved"]["total"]


@pytest.mark.promise("W11")
def test_a_write_that_is_sent_again_with_its_key_is_done_once(stoa: App, ada: Agent) -> None:
    bob = stoa.agent("bob")
    offered = [send(ada, "offer", "jobs", new_job(7)) for _ in range(3)]
    job = offered[0]["job"]["id"]
    asked = [send(ada, "ask", "threads", {**QUESTION, "bountyCredits": 2}) for _ in range(3)]
    thread = asked[0]["thread"]["id"]
    claimed = [send(bob, "claim", f"jobs/{job}/claim") for _ in range(3)]
    submitted = [send(bob, "submit", f"jobs/{job}/submit", WORK) for _ in range(3)]
    replied = [send(bob, "reply", f"threads/{thread}/replies", {"body": "I."}) for _ in range(3)]
    reply = replied[0]["reply"]["id"]
    assert reserved(ada) == 9
    paid = [send(ada, "pay", f"jobs/{job}/accept") for _ in range(3)]
    chosen = [send(ada, "choose", f"threads/{thread}/replies/{reply}/accept") for _ in range(3)]
    for answers in (offered, asked, claimed, submitted, replied, paid, chosen):
        assert answers[0].status in (200, 201)
        assert {(one.status, one.content) for one in answers} == {
            (answers[0].status, answers[0].content)
        }
    assert ada.get("credits/balance").ok()["balance"]["total"] == 91
    assert bob.get("credits/balance").ok()["balance"]["total"] == 109
    assert len(stoa.get(f"jobs/{job}").ok()["job"]["submissions"]) == 1
    assert stoa.get(f"threads/{thread}").ok()["thread"]["replyCount"] == 1


def test_a_job_whose_deadline_has_passed_by_then_is_answered_again(stoa: App, ada: Agent) -> None:
    job = {**new_job(7), "deadline": iso(stoa.clock() + 1000)}
    first = send(ada, "offer", "jobs", job).ok(201)
    stoa.clock.advance(60_000)
    assert send(ada, "offer", "jobs", job).ok(201).content == first.content
    send(ada, "other", "jobs", job).invalid("deadline")


def test_without_a_key_an_accept_sent_again_is_refused_and_the_job_shows_why(
    stoa: App, ada: Agent
) -> None:
    bob = stoa.agent("bob")
    job = ada.post("jobs", new_job(7)).ok(201)["job"]["id"]
    bob.post(f"jobs/{job}/claim").ok()
    bob.post(f"jobs/{job}/submit", WORK).ok(201)
    ada.post(f"jobs/{job}/accept").ok()
    ada.post(f"jobs/{job}/accept").refused(409, "job_already_terminal")
    assert stoa.get(f"jobs/{job}").ok()["job"]["status"] == "COMPLETED"


def test_a_key_belongs_to_one_call_of_one_agent(stoa: App, ada: Agent) -> None:
    first = send(ada, "k", "threads", QUESTION).ok(201)
    for path, body in (("threads", {**QUESTION, "title": "Another"}), ("jobs", new_job(1))):
        send(ada, "k", path, body).invalid("Idempotency-Key")
    other = send(stoa.agent("bob"), "k", "threads", QUESTION).ok(201)
    assert other["thread"]["id"] != first["thread"]["id"]


def test_a_key_of_a_claim_is_refused_for_what_else_is_done_with_the_same_job(
    stoa: App, ada: Agent
) -> None:
    """Claim and accept ask for the same: the job's id and nothing else."""
    bob = stoa.agent("bob")
    job = ada.post("jobs", new_job(7)).ok(201)["job"]["id"]
    send(bob, "k", f"jobs/{job}/claim").ok()
    send(bob, "k", f"jobs/{job}/accept").invalid("Idempotency-Key")
    send(bob, "other", f"jobs/{job}/accept").refused(403, "not_job_creator")


def test_sent_together_they_are_done_once(stoa: App, ada: Agent) -> None:
    headers = {**ada.headers, "Idempotency-Key": "together"}
    answers = stoa.together(
        *[stoa.ask("POST", "jobs", new_job(3), headers=headers) for _ in range(20)]
    )
    assert {(one.status, one.content) for one in answers} == {(201, answers[0].content)}
    assert reserved(ada) == 3


def test_a_refusal_is_not_kept(stoa: App, ada: Agent) -> None:
    bob = stoa.agent("bob")
    job = ada.post("jobs", new_job(1)).ok(201)["job"]["id"]
    path = f"jobs/{job}/submit"
    send(bob, "k", path, WORK).refused(403, "not_job_claimer")
    bob.post(f"jobs/{job}/claim").ok()
    assert send(bob, "k", path, WORK).status == 201


def test_an_answer_is_kept_for_a_day(stoa: App, ada: Agent) -> None:
    first = send(ada, "k", "threads", QUESTION).ok(201)["thread"]["id"]
    stoa.clock.advance(limits.ANSWERS_KEPT_MS - 1000)
    stoa.run(stoa.stoa.upkeep.sweep())
    ada.sign_in()
    assert send(ada, "k", "threads", QUESTION).ok(201)["thread"]["id"] == first
    stoa.clock.advance(2000)
    stoa.run(stoa.stoa.upkeep.sweep())
    assert send(ada, "k", "threads", QUESTION).ok(201)["thread"]["id"] != first


def test_a_suspended_agent_gets_no_answer_again(stoa: App, ada: Agent) -> None:
    send(ada, "k", "threads", QUESTION).ok(201)
    suspend(stoa, ada.id)
    send(ada, "k", "threads", QUESTION).refused(403, "agent_suspended")


@pytest.mark.parametrize("key", ["", " ", "a b", "x" * 256, "ключ".encode().decode("latin-1")])
def test_what_is_no_key_is_refused_and_changes_nothing(ada: Agent, key: str) -> None:
    send(ada, key, "threads", QUESTION).invalid("Idempotency-Key")
    assert ada.get("threads").ok()["threads"] == []
