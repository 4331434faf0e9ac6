"""Scopes: a session that was granted `read` reads what is its agent's and writes nothing."""

from collections.abc import Callable
from copy import copy
from typing import Any

import pytest

from stoa.operations.table import TABLE
from tests.support import jobs, moderation
from tests.support.answers import Answer
from tests.support.app import Agent, App
from tests.support.clock import SECOND
from tests.support.database import query, table_names
from tests.support.faces import FACES, Face, Manner
from tests.support.flow import Flow, job_flow, market_flow, thread_flow, tools_of
from tests.support.key_changes import naming, rotation
from tests.support.keys import Key
from tests.support.moderation import suspend
from tests.support.oauth import granted, signed_in
from tests.support.oauth_pages import authorize_path, opened, register

QUESTION = {"title": "A question", "body": "Who knows?"}
WRITES = [operation for operation in TABLE.values() if operation.takes_key]
TOOLS = {operation.name: operation for operation in TABLE.values()}
KEYS_AND_SESSIONS = {"name_recovery_key", "retire_agent", "revoke_sessions", "rotate_key"}
KINDS = ("agent", "job", "message", "outcome", "reply", "thread")
MODERATION = {*(f"moderate_{kind}" for kind in (*KINDS, "many")), "resolve_report"}
OTHERS = {"approve_client", "create_report", "read_inbox"} | {
    *("create_webhook", "delete_webhook", "test_webhook"),
}
UNSHOWN = {"token"}
"""When a session was last used may be noted at any time."""


def reader(agent: Agent) -> Agent:
    """The agent in a session that its key opened for reading."""
    reading = copy(agent)
    agent.app.clock.advance(1)
    reading.token = signed_in(agent.app, agent.key, scope="read")
    return reading


def client_of(agent: Agent, scopes: str) -> Agent:
    """The agent in a session of a client."""
    using = copy(agent)
    using.token = granted(agent.app, agent, scopes).access_token
    return using


def stored(app: App) -> dict[str, list[Any]]:
    """Every row of every table that writes change."""
    return {
        name: sorted(map(repr, query(app.settings, f'SELECT * FROM "{name}"')))
        for name in table_names(app.settings)
        if name not in UNSHOWN
    }


def forbidden(answer: Answer) -> Answer:
    """The answer, which must be that the scope is missing."""
    answer.refused(403, "insufficient_scope")
    assert (answer["scope"], answer["retryable"]) == ("read write", False)
    return answer


def played(app: App, face: Face, flow: Flow) -> set[str | None]:
    """Take the steps of a flow. Each write is tried first by a session that may only read, which
    changes nothing, and each read is made by it; the tools that were tried."""
    agents = {name: app.agent(name, capabilities=["research"]) for name in ("asker", "worker")}
    readers = {name: reader(agent) for name, agent in agents.items()}
    tried: set[str | None] = set()
    step = next(flow)
    while True:
        app.clock.advance(SECOND)
        agent = readers[step.who] if step.who else None
        if step.who and TOOLS[step.tool].writes:
            tried.add(step.tool)
            before = stored(app)
            for manner in (Manner(), Manner(dry_run=True), Manner(key="k")):
                forbidden(face.call(step.tool, step.arguments, readers[step.who], manner))
            assert stored(app) == before
            agent = agents[step.who]
        answer = face.call(step.tool, step.arguments, agent)
        try:
            step = flow.send(answer.json)
        except StopIteration:
            return tried


@pytest.mark.promise("J11")
@pytest.mark.parametrize("flow", [thread_flow, job_flow])
@pytest.mark.costly
def test_a_session_that_may_only_read_writes_nothing_through_any_face(
    stoa: App, face: Face, flow: Callable[[], Flow]
) -> None:
    assert played(stoa, face, flow())


@pytest.mark.soak
@pytest.mark.parametrize("engine", ["postgresql"])
def test_it_has_no_second_thoughts_through_another_face(stoa: App) -> None:
    assert played(stoa, FACES["mcp-2026-07-28"](stoa), market_flow())


@pytest.mark.soak
@pytest.mark.parametrize("engine", ["sqlite"])
def test_a_session_that_may_only_read_has_no_second_thoughts(stoa: App) -> None:
    assert played(stoa, FACES["rest"](stoa), market_flow())


def test_every_write_is_tried() -> None:
    """A new write joins one of these sets, or the flows, when it refuses such a session."""
    tried = tools_of(thread_flow, job_flow, market_flow)
    not_tried = {operation.name for operation in WRITES if operation.name not in tried}
    assert not_tried == KEYS_AND_SESSIONS | MODERATION | OTHERS


def refused_and_allowed(agent: Agent, calls: dict[str, Any]) -> None:
    """Try each write by path in a session that may only read, which changes nothing; in the
    agent's own session it can be made."""
    reading = reader(agent)
    before = stored(agent.app)
    for path, body in calls.items():
        told = forbidden(reading.post(path, body)).headers["www-authenticate"]
        assert told == 'Bearer error="insufficient_scope", scope="read write"'
    assert stored(agent.app) == before
    for path, body in calls.items():
        assert agent.post(f"{path}?dryRun=true", body)["dryRun"] is True


def test_it_changes_no_key_and_retires_no_agent(stoa: App) -> None:
    ada, new = stoa.agent("Ada"), Key("new")
    calls: dict[str, Any] = {
        "agents/me/recovery": naming(stoa, ada.id, ada.key, new),
        "auth/rotate": rotation(stoa, ada.id, ada.key, new),
        "agents/me/retire": {"confirm": ada.id},
    }
    refused_and_allowed(ada, calls)


@moderation.MODERATED
@pytest.mark.costly
def test_it_moderates_nothing(stoa: App) -> None:
    ada, mod = stoa.agent("Ada"), stoa.agent("mod")
    thread = ada.thread()
    job, bob = jobs.offer(ada), stoa.agent("Bob")
    asked = jobs.act(bob, job, "messages", {"body": "How?"}).ok(201)["message"]
    reply = ada.reply(thread)
    said = bob.post(f"replies/{reply['id']}/outcomes", {"result": "worked"}).ok(201)["outcome"]
    things = (thread, reply, job, asked, said, {"id": ada.id})
    report = moderation.report(bob, thread).ok(201)["report"]
    act = {"subject": moderation.subject(thread), "action": "hide", "reason": "r"}
    calls: dict[str, Any] = {
        **{f"{moderation.path(thing)}/hide": {"reason": "r"} for thing in things},
        "admin/bulk": {"actions": [act]},
        f"admin/reports/{report['id']}/resolve": {"outcome": "upheld", "reason": "r"},
    }
    assert len(calls) == len(MODERATION)
    refused_and_allowed(mod, calls)


@pytest.mark.costly
def test_it_approves_reports_acknowledges_and_makes_no_webhook(stoa: App) -> None:
    ada, bob, client_id = stoa.agent("Ada"), stoa.agent("Bob"), register(stoa)
    thread = ada.thread()
    bob.reply(thread)
    code = opened(stoa, authorize_path(client_id)).code
    hook = {"url": "https://agent.example/"}
    webhook_id = ada.post("webhooks", hook).ok(201)["webhook"]["id"]
    calls: dict[str, Any] = {
        f"auth/approvals/{code}": {"clientId": client_id},
        "reports": {"subject": {"type": "agent", "id": bob.id}, "reason": "spam"},
        "inbox/read": {"cursor": ada.get("inbox").ok()["nextCursor"]},
        "webhooks": hook,
        f"webhooks/{webhook_id}/test": {},
        f"webhooks/{webhook_id}/delete": {},
    }
    assert len(calls) == len(OTHERS)
    refused_and_allowed(ada, calls)


@pytest.mark.promise("J12")
def test_a_session_that_may_only_read_ends_itself_alone(stoa: App) -> None:
    ada = stoa.agent("Ada")
    reading = reader(ada)
    others = [one["id"] for one in reading.get("agents/me").ok()["sessions"] if not one["current"]]
    assert len(others) == 1
    forbidden(reading.post("auth/revoke", {"all": True}))
    forbidden(reading.post("auth/revoke", {"sessionId": others[0]}))
    ada.get("agents/me").ok()
    assert reading.post("auth/revoke", {}).ok()["revoked"] == 1
    reading.get("agents/me").refused(401, "invalid_or_expired_token")
    ada.get("agents/me").ok()


@pytest.mark.promise("J13")
def test_the_session_of_a_client_writes_but_decides_nothing_about_keys_and_sessions(
    stoa: App,
) -> None:
    ada = stoa.agent("Ada")
    stoa.clock.advance(1)
    using = client_of(ada, "read write")
    using.thread()
    others = [one["id"] for one in using.get("agents/me").ok()["sessions"] if not one["current"]]
    calls: dict[str, Any] = {
        "auth/rotate": rotation(stoa, ada.id, ada.key, Key("new")),
        "agents/me/retire": {"confirm": ada.id},
    }
    for path, body in calls.items():
        using.post(path, body).refused(403, "key_session_required")
    for body in ({"all": True}, {"sessionId": others[0]}):
        using.post("auth/revoke", body).refused(403, "key_session_required")
    ada.get("agents/me").ok()
    assert using.post("auth/revoke", {}).ok()["revoked"] == 1


def test_reads_are_those_of_the_agent(stoa: App) -> None:
    ada = stoa.agent("Ada")
    reading = reader(ada)
    for path in ("agents/me", "credits/balance", "credits/ledger", "opportunities/recommended"):
        assert reading.get(path).ok().status == ada.get(path).status
    assert reading.get("agents/me").ok()["sessions"][0]["scopes"] == ["read"]


def test_what_is_missing_and_what_is_suspended_is_told_first(stoa: App) -> None:
    ada = stoa.agent("Ada")
    reading = reader(ada)
    reading.post("threads", {"title": ""}).invalid()
    reading.post("threads/th_01arz3ndektsv4rrffq69g5fav/replies", {"body": "b"}).refused(
        404, "not_found"
    )
    suspend(stoa, ada)
    reading.token = signed_in(stoa, ada.key, scope="read")
    reading.post("threads", QUESTION).refused(403, "agent_suspended")


@pytest.mark.settings(limit_threads=2, limit_reads_agent=9)
def test_such_a_write_is_charged_as_a_refused_one(stoa: App) -> None:
    reading = reader(stoa.agent("Ada"))
    assert forbidden(reading.post("threads", QUESTION)).rate == ("reads", 9, 8)


def test_no_stored_answer_is_repeated_to_it(stoa: App) -> None:
    ada = stoa.agent("Ada")
    key = {"Idempotency-Key": "once"}
    ada.post("threads", QUESTION, headers=key).ok(201)
    forbidden(reader(ada).post("threads", QUESTION, headers=key))
    ada.post("threads", QUESTION, headers=key).ok(201)
