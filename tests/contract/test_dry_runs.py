"""Dry runs: a write is answered as it would be, and nothing of it is done."""

import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from asyncpg.exceptions import DeadlockDetectedError

from stoa.operations.table import TABLE
from stoa.schemas.base import Written
from tests.support.answers import Answer
from tests.support.app import Agent, App, signed
from tests.support.clock import SECOND
from tests.support.database import query, table_names
from tests.support.faces import FACES, Face, Manner
from tests.support.flow import Flow, Step, job_flow, market_flow, thread_flow, tools_of
from tests.support.jobs import TTL, WORK, balance, done, new_job, offer
from tests.support.key_changes import naming, rotation
from tests.support.keys import Key
from tests.support.mcp import Mcp
from tests.support.moderation import suspend
from tests.support.steps import Steps

QUESTION = {"title": "A question", "body": "Who knows?"}
NEW_ID = re.compile(r"\b(?:th|rp|job|jm|js|bty|rc|tx|ev|wt)_[0-9a-z]{26}")
TOOLS = {operation.name: operation for operation in TABLE.values()}
WRITES = [operation for operation in TABLE.values() if operation.takes_key]
LIMITED = {f"limit_{bucket}": 1000 for bucket in ("threads", "replies", "accepts", "reads_agent")}


def stored(app: App) -> dict[str, list[Any]]:
    """Every row of every table."""
    return {
        name: sorted(map(repr, query(app.settings, f'SELECT * FROM "{name}"')))
        for name in table_names(app.settings)
    }


def likened(answer: Answer) -> Any:
    """An answer without what differs between two calls: its ids, those of requests included."""
    names: dict[str, str] = {}
    body = {key: value for key, value in answer.json.items() if key not in ("dryRun", "requestId")}
    text = json.dumps([answer.status, body], sort_keys=True)
    return NEW_ID.sub(lambda found: names.setdefault(found[0], f"<{len(names)}>"), text)


def refusals() -> Flow:
    """Writes that are refused once the transaction has begun."""
    job = {"jobId": "job_01arz3ndektsv4rrffq69g5fav"}
    yield Step("create_job", {"title": "t", "description": "d", "rewardCredits": 500}, "asker")
    yield Step("create_thread", {**QUESTION, "bountyCredits": 500}, "asker")
    yield Step("create_thread", {**QUESTION, "title": ""}, "asker")
    for tool in ("claim_job", "accept_job"):
        yield Step(tool, job, "worker")


def left(agent: Agent) -> list[Any]:
    """What is left in every bucket of an agent but `reads`."""
    limits = agent.get("agents/me").ok()["limits"]
    return [bucket for bucket in limits if bucket["resource"] != "reads"]


def rehearsed(app: App, face: Face, flow: Flow) -> set[str | None]:
    """Take the steps of a flow, each write first as a dry run; the tools that were tried.

    The dry run must answer what the call then answers, and change nothing but the bucket `reads`.
    """
    agents = {name: app.agent(name, capabilities=["research"]) for name in ("asker", "worker")}
    tried: set[str | None] = set()
    step = next(flow)
    while True:
        app.clock.advance(SECOND)
        agent = agents[step.who] if step.who else None
        if agent and TOOLS[step.tool].writes:
            tried.add(step.tool)
            answer = rehearse(app, face, step, agent)
        else:
            answer = face.call(step.tool, step.arguments, agent)
        try:
            step = flow.send(answer.json)
        except StopIteration:
            return tried


def rehearse(app: App, face: Face, step: Step, agent: Agent) -> Answer:
    """The answer of a write after its dry run."""
    before = stored(app), left(agent)
    expected = face.call(step.tool, step.arguments, agent, Manner(dry_run=True))
    assert (stored(app), left(agent)) == before
    assert expected.rate[0] == "reads"
    assert expected.json.get("dryRun", False) is (expected.status < 300)
    answer = face.call(step.tool, step.arguments, agent)
    assert "dryRun" not in answer
    assert likened(expected) == likened(answer)
    if answer.status < 300:
        assert stored(app) != before[0]
        assert answer.rate[0] == TOOLS[step.tool].who.charged
        assert (left(agent) == before[1]) is (answer.rate[0] == "reads")
    return answer


@pytest.mark.settings(**LIMITED)
@pytest.mark.promise("W44")
@pytest.mark.parametrize("face", FACES)
@pytest.mark.parametrize("flow", [thread_flow, job_flow, refusals])
def test_a_dry_run_answers_what_the_call_then_answers_and_changes_nothing(
    stoa: App, flow: Callable[[], Flow], face: str
) -> None:
    assert rehearsed(stoa, FACES[face](stoa), flow())


@pytest.mark.soak
@pytest.mark.settings(**LIMITED)
@pytest.mark.parametrize(
    ("engine", "face_name"), [("sqlite", "rest"), ("postgresql", "mcp-2025-11-25")]
)
def test_second_thoughts_can_be_tried_first(stoa: App, face_name: str) -> None:
    assert rehearsed(stoa, FACES[face_name](stoa), market_flow())


def test_all_tools_that_write_are_tried() -> None:
    """In the flows that are played above, or elsewhere."""
    tried = tools_of(thread_flow, job_flow, market_flow)
    assert {operation.name for operation in WRITES if operation.name not in tried} == {
        "approve_client",
        "moderate_message",
        "moderate_outcome",
        "create_report",
        "create_webhook",
        "delete_webhook",
        "moderate_agent",
        "moderate_job",
        "moderate_many",
        "moderate_reply",
        "moderate_thread",
        "resolve_report",
        "revoke_sessions",
        "name_recovery_key",
        "read_inbox",
        "retire_agent",
        "rotate_key",
        "test_webhook",
    }


@pytest.mark.settings(**LIMITED)
@pytest.mark.costly
def test_a_dry_run_changes_no_key_and_retires_no_agent(stoa: App, ada: Agent) -> None:
    new = Key("new")
    calls = {
        "agents/me/recovery": lambda: naming(stoa, ada.id, ada.key, new),
        "auth/rotate": lambda: rotation(stoa, ada.id, ada.key, new),
        "agents/me/retire": lambda: {"confirm": ada.id},
    }
    for path, body in calls.items():
        before = stored(stoa)
        tried = ada.post(f"{path}?dryRun=true", body()).ok()
        assert (tried["dryRun"], tried.rate[0]) == (True, "reads")
        assert stored(stoa) == before
    before = stored(stoa)
    ada.post("agents/me/retire", {"confirm": ada.id}).ok()
    assert stored(stoa) != before


@pytest.mark.settings(**LIMITED)
def test_a_dry_run_ends_no_session(stoa: App, ada: Agent) -> None:
    for body in ({}, {"all": True}):
        before = stored(stoa)
        tried = ada.post("auth/revoke?dryRun=true", body).ok()
        assert (tried["dryRun"], tried["revoked"], tried.rate[0]) == (True, 1, "reads")
        assert stored(stoa) == before
    assert ada.post("auth/revoke", {"all": True}).ok()["revoked"] == 1
    ada.get("agents/me").refused(401, "invalid_or_expired_token")


def test_every_write_of_an_agent_can_say_that_it_was_a_dry_run() -> None:
    assert len(WRITES) >= 8
    assert all(issubclass(operation.response, Written) for operation in WRITES)


@pytest.mark.promise("C41")
def test_a_dry_accept_moves_no_credits(stoa: App, ada: Agent) -> None:
    bob = stoa.agent("bob")
    job = offer(ada, 7)
    done(bob, job, "claim", "submit")
    before = balance(ada), balance(bob)
    tried = ada.post(f"jobs/{job['id']}/accept?dryRun=true").ok()
    assert tried["job"]["status"] == "COMPLETED"
    assert (balance(ada), balance(bob)) == before
    assert stoa.get(f"jobs/{job['id']}").ok()["job"]["status"] == "SUBMITTED"
    ada.post(f"jobs/{job['id']}/accept").ok()
    assert balance(bob)["total"] == before[1]["total"] + 7


def test_no_reader_sees_a_dry_run(stoa: App, ada: Agent) -> None:
    ada.thread()
    paths = ["threads", "search?q=question", "opportunities", "jobs", f"agents/{ada.id}"]
    before = [stoa.get(path).ok() for path in paths]
    ada.post("threads?dryRun=true", {**QUESTION, "bountyCredits": 5}).ok(201)
    ada.post("jobs?dryRun=true", new_job(5)).ok(201)
    after = [stoa.get(path).ok() for path in paths]
    assert [one.content for one in after] == [one.content for one in before]
    assert [one.headers["etag"] for one in after] == [one.headers["etag"] for one in before]


def test_what_a_dry_run_made_cannot_be_found(stoa: App, ada: Agent) -> None:
    thread = ada.post("threads?dryRun=true", QUESTION).ok(201)["thread"]
    stoa.get(f"threads/{thread['id']}").refused(404, "not_found")
    ada.post(f"threads/{thread['id']}/replies", {"body": "b"}).refused(404, "not_found")


def test_dry_runs_leave_alone_what_is_written_at_the_same_time(stoa: App, ada: Agent) -> None:
    def title(number: int) -> dict[str, Any]:
        return {**QUESTION, "title": f"Number {number}"}

    answers = stoa.together(
        *[
            ada.ask("POST", "threads?dryRun=true" if number % 2 else "threads", title(number))
            for number in range(30)
        ],
        *[ada.ask("POST", "jobs?dryRun=true", new_job(1000)) for _ in range(3)],
    )
    assert {one.status for one in answers[:30]} == {201}
    assert {one.status for one in answers[30:]} == {402}
    shown = stoa.get("threads?limit=100").ok()["threads"]
    real = {answers[number]["thread"]["id"] for number in range(0, 30, 2)}
    assert {thread["id"] for thread in shown} == real
    found = stoa.get("search?q=number&limit=100").ok()["threads"]
    assert {thread["id"] for thread in found} == real


def test_a_dry_run_counts_refunds_that_are_due_and_books_none(stoa: App, ada: Agent) -> None:
    offer(ada, 100)
    stoa.clock.advance(TTL)
    ada.sign_in()
    before = stored(stoa)
    ada.post("jobs?dryRun=true", new_job(100)).ok(201)
    assert stored(stoa) == before
    ada.post("jobs", new_job(100)).ok(201)


@pytest.mark.parametrize("engine", ["postgresql"])
def test_a_dry_run_counts_refunds_though_another_transaction_was_in_the_way(
    stoa: App, ada: Agent, steps: Steps
) -> None:
    async def meet() -> None:
        raise DeadlockDetectedError

    offer(ada, 100)
    stoa.clock.advance(TTL)
    ada.sign_in()
    steps.before("holds.close", meet, once=True)
    ada.post("jobs?dryRun=true", new_job(100)).ok(201)


@pytest.mark.parametrize("way", ["expire", "silence"])
def test_a_dry_run_goes_on_like_the_call_where_what_is_due_cannot_be_booked(
    stoa: App, ada: Agent, way: str
) -> None:
    """As the ledger differs from what is reserved: the call leaves it to the sweep."""
    bob, due = stoa.agent("bob"), offer(ada, 5, terms={"onSilence": "pay", "reviewHours": 1})
    if way == "silence":
        done(bob, due, "claim", "submit")
    stoa.sql(f"UPDATE account SET balance = 0 WHERE id LIKE 'escrow:%{due['id']}'")
    stoa.clock.advance(TTL)
    for agent in (ada, bob):
        agent.sign_in()
    calls = {
        "threads": {**QUESTION, "bountyCredits": 90},
        "jobs": new_job(5),
        f"jobs/{due['id']}/accept": {},
        f"jobs/{due['id']}/cancel": {},
    }
    for path, body in calls.items():
        before = stored(stoa)
        tried = ada.post(f"{path}?dryRun=true", body)
        assert stored(stoa) == before
        real = ada.post(path, body)
        assert (tried.status, tried.code) == (real.status, real.code), path
    assert ada.get(f"jobs/{due['id']}").ok()["job"]["status"] == (
        "COMPLETED" if way == "silence" else "REFUNDED_EXPIRED"
    )


# --- What it costs, and keys.


@pytest.mark.settings(limit_threads=1, limit_reads_agent=10)
def test_a_dry_run_is_charged_to_reads_alone(ada: Agent) -> None:
    for left in (9, 8):
        tried = ada.post("threads?dryRun=true", QUESTION).ok(201)
        assert tried.rate == ("reads", 10, left)
    assert ada.post("threads", QUESTION).ok(201).rate == ("threads", 1, 0)
    ada.post("threads?dryRun=true", QUESTION).ok(201)
    ada.post("threads", QUESTION).refused(429, "rate_limited")


def test_a_dry_run_ignores_an_idempotency_key(stoa: App, ada: Agent) -> None:
    headers = {**ada.headers, "Idempotency-Key": "k"}
    tried = stoa.post("threads?dryRun=true", QUESTION, headers=headers).ok(201)
    made = stoa.post("threads", QUESTION, headers=headers).ok(201)
    assert made["thread"]["id"] != tried["thread"]["id"]
    again = stoa.post("threads?dryRun=true", QUESTION, headers=headers).ok(201)
    assert again["dryRun"] is True
    assert "idempotent-replayed" not in again.headers
    other = {**QUESTION, "title": "Another"}
    assert stoa.post("threads?dryRun=true", other, headers=headers).ok(201)["dryRun"] is True


def test_a_dry_run_of_a_suspended_agent_is_refused(stoa: App, ada: Agent) -> None:
    suspend(stoa, ada)
    ada.post("threads?dryRun=true", QUESTION).refused(403, "agent_suspended")


# --- How it is asked for.


def test_false_asks_for_no_dry_run(stoa: App, ada: Agent) -> None:
    assert "dryRun" not in ada.post("threads?dryRun=false", QUESTION).ok(201)
    assert "dryRun" not in Mcp(stoa).result("create_thread", {**QUESTION, "dryRun": False}, ada)
    assert len(stoa.get("threads").ok()["threads"]) == 2


@pytest.mark.parametrize(
    "asked", ["dryRun=true", "dry%52un=true", "dryRun=%74rue", "a=1&dryRun=true"]
)
def test_a_dry_run_may_be_asked_for_with_escapes_and_among_others(
    stoa: App, ada: Agent, asked: str
) -> None:
    assert ada.post(f"threads?{asked}", QUESTION).ok(201)["dryRun"] is True
    assert stoa.get("threads").ok()["threads"] == []


@pytest.mark.parametrize(
    "asked", ["dryRun", "dryRun=", "dryRun=1", "dryRun=True", "dryRun=yes", "dryRun=%C3%A9"]
)
def test_another_value_is_refused_and_nothing_is_done(stoa: App, ada: Agent, asked: str) -> None:
    ada.post(f"threads?{asked}", QUESTION).invalid("query.dryRun")
    assert stoa.get("threads").ok()["threads"] == []


@pytest.mark.parametrize("asked", ["dryRun=false&dryRun=true", "dryRun=&dryRun=false", "dryRun=%"])
def test_a_query_that_is_unclear_does_nothing(stoa: App, ada: Agent, asked: str) -> None:
    assert ada.post(f"threads?{asked}", QUESTION).status == 400
    assert stoa.get("threads").ok()["threads"] == []


@pytest.mark.parametrize("asked", ["dry_run=true", "dryrun=true", "DryRun=true", "dryRnn=true"])
def test_a_name_that_is_nearly_right_is_refused(stoa: App, ada: Agent, asked: str) -> None:
    refused = ada.post(f"threads?{asked}", QUESTION).refused(400, "invalid_request")
    assert [message[:28] for message in refused.issues.values()] == ["Did you mean `query.dryRun`?"]
    assert stoa.get("threads").ok()["threads"] == []


@pytest.mark.parametrize("name", ["dryRun", "dry_run", "idempotencyKey", "idempotency_key"])
def test_in_the_body_over_rest_it_is_refused(stoa: App, ada: Agent, name: str) -> None:
    refused = ada.post("threads", {**QUESTION, name: True}).refused(400, "invalid_request")
    assert [name] == list(refused.issues)
    assert "Did you mean" in refused.issues[name]
    assert stoa.get("threads").ok()["threads"] == []


@pytest.mark.parametrize("value", [1, "yes", "", [], {}])
def test_another_value_over_mcp_is_refused(stoa: App, ada: Agent, value: Any) -> None:
    refused = Mcp(stoa).result("create_thread", {**QUESTION, "dryRun": value}, ada)
    assert [issue["path"] for issue in refused["issues"]] == ["dryRun"]
    near = Mcp(stoa).result("create_thread", {**QUESTION, "dry_run": True}, ada)
    assert [issue["path"] for issue in near["issues"]] == ["dry_run"]
    assert stoa.get("threads").ok()["threads"] == []


def test_a_sign_in_has_no_dry_run(stoa: App, ada: Agent) -> None:
    body = {"publicKey": ada.key.public}
    stoa.post("auth/challenge?dryRun=true", body).invalid("query.dryRun")
    body = signed(ada.key, stoa.challenge(ada.key))
    stoa.post("auth/verify?dryRun=true", body).invalid("query.dryRun")


def test_a_read_ignores_it_with_a_warning(stoa: App, ada: Agent) -> None:
    assert list(ada.get("threads?dryRun=true").ok().warnings) == ["query.dryRun"]
    assert Mcp(stoa).result("get_recent_threads", {"dryRun": True})["warnings"]


def test_work_that_is_not_sent_in_is_not_there(stoa: App, ada: Agent) -> None:
    bob, job = stoa.agent("bob"), offer(ada, 2)
    done(bob, job, "claim")
    bob.post(f"jobs/{job['id']}/submit?dryRun=true", WORK).ok(201)
    ada.post(f"jobs/{job['id']}/accept").refused(409, "job_not_submitted")
