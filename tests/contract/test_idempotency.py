"""Writes that are sent again: with a key they are done once and answered alike."""

import json
from functools import partial
from typing import Any

import pytest

from stoa.domain import limits
from stoa.schemas.base import iso
from stoa.store import idempotency
from stoa.store.tx import Tx
from tests.support.answers import Answer
from tests.support.app import Agent, App
from tests.support.clock import MINUTE
from tests.support.jobs import WORK, job_in, new_job
from tests.support.late import begin_late
from tests.support.mcp import ERAS, Mcp
from tests.support.moderation import suspend
from tests.support.steps import Steps

REPLAYED = "idempotent-replayed"
QUESTION = {"title": "A question", "body": "Who knows?"}


def send(agent: Agent, key: str, path: str, body: Any = None) -> Answer:
    """A write with a key."""
    headers = {**agent.headers, "Idempotency-Key": key}
    return agent.app.post(path, {} if body is None else body, headers=headers)


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
        send(ada, "k", path, body).refused(422, "idempotency_key_reused")
    other = send(stoa.agent("bob"), "k", "threads", QUESTION).ok(201)
    assert other["thread"]["id"] != first["thread"]["id"]


def test_a_key_of_a_claim_is_refused_for_what_else_is_done_with_the_same_job(
    stoa: App, ada: Agent
) -> None:
    """Claim and accept ask for the same: the job's id and nothing else."""
    bob = stoa.agent("bob")
    job = ada.post("jobs", new_job(7)).ok(201)["job"]["id"]
    send(bob, "k", f"jobs/{job}/claim").ok()
    send(bob, "k", f"jobs/{job}/accept").refused(422, "idempotency_key_reused")
    send(bob, "other", f"jobs/{job}/accept").refused(403, "not_job_creator")


def test_sent_together_they_are_done_once_and_the_others_are_told_to_come_again(
    stoa: App, ada: Agent
) -> None:
    headers = {**ada.headers, "Idempotency-Key": "together"}
    answers = stoa.together(
        *[stoa.ask("POST", "jobs", new_job(3), headers=headers) for _ in range(20)]
    )
    done = {one.content for one in answers if one.status == 201}
    assert len(done) == 1
    assert 409 in {one.status for one in answers}
    for other in answers:
        if other.status != 201:
            other.refused(409, "idempotency_in_progress")
            assert (other["retryable"], other.headers["retry-after"]) == (True, "1")
    assert send(ada, "together", "jobs", new_job(3)).content in done
    assert reserved(ada) == 3


@pytest.mark.parametrize("engine", ["postgresql"])
def test_a_call_is_refused_while_its_twin_runs_in_another_process(stoa: App, ada: Agent) -> None:
    """A transaction of another process has the key: here it is one beside the runner."""

    async def twin(tx: Tx) -> Answer:
        assert await idempotency.take(tx, ada.id, "k")
        headers = {**ada.headers, "Idempotency-Key": "k"}
        return await stoa.ask("POST", "threads", QUESTION, headers=headers)

    stoa.run(stoa.stoa.store.write(twin)).refused(409, "idempotency_in_progress")
    send(ada, "k", "threads", QUESTION).ok(201)


# --- What a replay says and costs.


@pytest.mark.promise("W41")
def test_only_a_replay_says_that_it_is_one(ada: Agent) -> None:
    answers = [send(ada, "k", "threads", QUESTION).ok(201) for _ in range(2)]
    assert [one.headers.get(REPLAYED) for one in answers] == [None, "true"]
    assert REPLAYED not in send(ada, "k", "threads", {**QUESTION, "title": "Other"}).headers
    exposed = answers[0].headers["access-control-expose-headers"]
    assert REPLAYED in exposed.lower().split(", ")


@pytest.mark.settings(limit_threads=3, limit_reads_agent=10)
def test_a_replay_is_charged_to_reads_alone(ada: Agent) -> None:
    assert send(ada, "k", "threads", QUESTION).rate == ("threads", 3, 2)
    assert send(ada, "k", "threads", QUESTION).rate == ("reads", 10, 9)
    assert send(ada, "other", "threads", QUESTION).rate == ("threads", 3, 1)


@pytest.mark.settings(limit_threads=1, limit_reads_agent=3)
@pytest.mark.promise("W42")
def test_a_full_bucket_does_not_stop_a_replay(stoa: App, ada: Agent) -> None:
    first = send(ada, "k", "threads", QUESTION).ok(201)
    again = send(ada, "k", "threads", QUESTION).ok(201)
    assert (again.content, again.rate) == (first.content, ("reads", 3, 2))
    changed = send(ada, "k", "threads", {**QUESTION, "title": "Another"})
    assert changed.refused(422, "idempotency_key_reused").rate == ("reads", 3, 1)
    new = send(ada, "new", "threads", QUESTION).refused(429, "rate_limited")
    assert new["resource"] == "threads"
    send(ada, "k", "threads", QUESTION).ok(201)
    assert send(ada, "k", "threads", QUESTION).refused(429, "rate_limited")["resource"] == "reads"
    suspend(stoa, ada)
    send(ada, "k", "threads", QUESTION).refused(429, "rate_limited")


@pytest.mark.settings(limit_threads=1)
def test_a_replay_whose_answer_is_gone_by_then_writes_nothing(
    stoa: App, ada: Agent, steps: Steps
) -> None:
    """It was let past the full bucket because its answer was stored."""
    send(ada, "k", "threads", QUESTION).ok(201)
    stoa.clock.advance(limits.ANSWERS_KEPT_MS - MINUTE)
    ada.sign_in()
    ada.thread()
    stoa.clock.advance(MINUTE)
    begin_late(stoa, steps, 1)
    send(ada, "k", "threads", QUESTION).refused(409, "idempotency_in_progress")
    send(ada, "k", "threads", QUESTION).refused(429, "rate_limited")


# --- Over MCP.


@pytest.mark.promise("W43")
def test_one_set_of_keys_serves_both_faces(stoa: App, ada: Agent) -> None:
    for version in ERAS:
        first = send(ada, version, "threads", QUESTION).ok(201)
        arguments = {**QUESTION, "idempotencyKey": version, "authorization": f"Bearer {ada.token}"}
        again = Mcp(stoa, version).call("create_thread", arguments).ok()
        assert again["result"]["structuredContent"] == first.json
        assert again["result"]["_meta"]["idempotentReplayed"] is True
        assert again.headers[REPLAYED] == "true"
        new = {**arguments, "idempotencyKey": f"{version} mcp".replace(" ", "-")}
        made = Mcp(stoa, version).call("create_thread", new).ok()
        assert "idempotentReplayed" not in made["result"].get("_meta", {})
        over_rest = send(ada, new["idempotencyKey"], "threads", QUESTION).ok(201)
        assert over_rest.json == made["result"]["structuredContent"]
        assert over_rest.headers[REPLAYED] == "true"


def test_a_key_is_one_for_both_faces_when_another_call_comes_with_it(stoa: App, ada: Agent) -> None:
    send(ada, "k", "threads", QUESTION).ok(201)
    arguments = {**QUESTION, "title": "Another", "idempotencyKey": "k"}
    assert Mcp(stoa).result("create_thread", arguments, ada)["code"] == "idempotency_key_reused"


@pytest.mark.parametrize("key", ["", "a b", "x" * 256, 7, ["k"], {}])
def test_what_is_no_key_over_mcp_is_refused_under_its_name(stoa: App, ada: Agent, key: Any) -> None:
    refused = Mcp(stoa).result("create_thread", {**QUESTION, "idempotencyKey": key}, ada)
    assert [issue["path"] for issue in refused["issues"]] == ["idempotencyKey"]
    assert ada.get("threads").ok()["threads"] == []


def test_a_key_that_is_null_over_mcp_is_none(stoa: App, ada: Agent) -> None:
    arguments = {**QUESTION, "idempotencyKey": None}
    made = [Mcp(stoa).result("create_thread", arguments, ada)["thread"]["id"] for _ in range(2)]
    assert made[0] != made[1]


def test_a_key_over_mcp_is_an_argument_of_tools_that_write(stoa: App, ada: Agent) -> None:
    near = Mcp(stoa).result("create_thread", {**QUESTION, "idempotency_key": "k"}, ada)
    assert near["issues"][0]["message"].startswith("Did you mean `idempotencyKey`?")
    read = Mcp(stoa).result("get_recent_threads", {"idempotencyKey": "k"})
    assert [warning["path"] for warning in read["warnings"]] == ["idempotencyKey"]


def test_a_refusal_is_not_kept(stoa: App, ada: Agent) -> None:
    bob = stoa.agent("bob")
    job = ada.post("jobs", new_job(1)).ok(201)["job"]["id"]
    path = f"jobs/{job}/submit"
    send(bob, "k", path, WORK).refused(403, "not_job_claimer")
    bob.post(f"jobs/{job}/claim").ok()
    assert send(bob, "k", path, WORK).status == 201


@pytest.mark.parametrize("swept", [True, False])
def test_an_answer_is_kept_for_a_day(stoa: App, ada: Agent, *, swept: bool) -> None:
    first = send(ada, "k", "threads", QUESTION).ok(201)["thread"]["id"]
    stoa.clock.advance(limits.ANSWERS_KEPT_MS)
    stoa.run(stoa.stoa.upkeep.sweep())
    ada.sign_in()
    assert send(ada, "k", "threads", QUESTION).ok(201)["thread"]["id"] == first
    stoa.clock.advance(1)
    if swept:
        stoa.run(stoa.stoa.upkeep.sweep())
    second = send(ada, "k", "threads", {**QUESTION, "title": "Another question"}).ok(201)
    assert REPLAYED not in second.headers
    again = send(ada, "k", "threads", {**QUESTION, "title": "Another question"}).ok(201)
    assert (again.content, again.headers[REPLAYED]) == (second.content, "true")


def test_a_suspended_agent_gets_no_answer_again(stoa: App, ada: Agent) -> None:
    send(ada, "k", "threads", QUESTION).ok(201)
    suspend(stoa, ada)
    send(ada, "k", "threads", QUESTION).refused(403, "agent_suspended")


def test_a_repeat_that_meets_the_end_of_a_suspension_is_done_once(
    stoa: App, ada: Agent, steps: Steps
) -> None:
    asked = {**QUESTION, "bountyCredits": 2}
    first = send(ada, "k", "threads", asked).ok(201)
    suspend(stoa, ada)
    reinstate = {"command": "do", "action": "reinstate", "subject_id": ada.id, "reason": "So."}
    reinstated = partial(stoa.stoa.operate, json.dumps(reinstate).encode())
    steps.before("write", reinstated, once=True)
    again = send(ada, "k", "threads", asked).ok(201)
    assert (again.content, again.headers[REPLAYED]) == (first.content, "true")
    assert reserved(ada) == 2


@pytest.mark.promise("M26")
def test_what_a_suspended_agent_decides_is_decided_once_with_its_key(stoa: App, ada: Agent) -> None:
    bob = stoa.agent("bob")
    one, two, three = (job_in("SUBMITTED", ada, bob, reward=5) for _ in range(3))
    thread = ada.thread("A question", "Who knows?", bountyCredits=5)
    accept = f"threads/{thread['id']}/replies/{bob.reply(thread)['id']}/accept"
    suspend(stoa, ada)
    rejection = {"reasonCode": "incomplete"}
    for key, path, body in (
        ("pay", f"jobs/{one['id']}/accept", None),
        ("refuse", f"jobs/{two['id']}/reject", rejection),
        ("choose", accept, None),
    ):
        first, again = send(ada, key, path, body).ok(), send(ada, key, path, body).ok()
        assert (again.content, again.headers[REPLAYED]) == (first.content, "true")
    for key in ("pay", "refuse", "choose"):
        reused = send(ada, key, f"jobs/{three['id']}/accept")
        reused.refused(422, "idempotency_key_reused")


@pytest.mark.parametrize("key", ["", " ", "a b", "x" * 256, "ключ".encode().decode("latin-1")])
def test_what_is_no_key_is_refused_and_changes_nothing(ada: Agent, key: str) -> None:
    send(ada, key, "threads", QUESTION).invalid("Idempotency-Key")
    assert ada.get("threads").ok()["threads"] == []
