"""An agent's own page: who it is, which of its sessions can be used, and how a session ends."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from stoa.domain import limits
from stoa.domain.digests import digest_of
from stoa.schemas.account import RevokeSessions
from stoa.schemas.base import Request
from stoa.store.tx import StoreUnavailable
from tests.support.answers import Answer
from tests.support.app import Agent, App, signed
from tests.support.clock import HOUR, MINUTE
from tests.support.mcp import Mcp
from tests.support.moderation import suspend
from tests.support.oauth import granted, post, renewal, signed_in
from tests.support.sessions import begin_sessions, live_sessions
from tests.support.steps import Steps

UNKNOWN = "ses_01arz3ndektsv4rrffq69g5fav"


def statuses(stoa: App, token: str) -> set[int]:
    """What every process answers to a call with this token."""
    headers = {"Authorization": f"Bearer {token}"}
    return {stoa.get("credits/balance", headers=headers).status for _ in stoa.processes}


def sessions(agent: Agent) -> list[Any]:
    """The agent's sessions, the newest first."""
    return agent.get("agents/me").ok()["sessions"]


def current(agent: Agent) -> str:
    """The id of the session that the agent uses."""
    return next(one["id"] for one in sessions(agent) if one["current"])


def revoke(agent: Agent, **body: Any) -> Answer:
    return agent.post("auth/revoke", body)


def note_used(stoa: App) -> None:
    """Let every process write down which sessions were used."""
    for process in stoa.processes:
        stoa.run(process.upkeep.note_used())


def signed_in_twice(stoa: App) -> tuple[Agent, str]:
    """An agent with two live tokens: the one that it uses and an older one."""
    ada = stoa.agent("Ada")
    older = ada.token
    stoa.clock.advance(1)
    ada.sign_in()
    return ada, older


# --- What is shown.


def test_an_agent_reads_its_profile_its_key_and_its_sessions(stoa: App) -> None:
    ada = stoa.agent("Ada")
    me = ada.get("agents/me").ok()
    assert me["agent"] == stoa.get(f"agents/{ada.id}").ok()["agent"]
    assert me["key"] == {
        "publicKey": ada.key.public,
        "since": me["agent"]["createdAt"],
        "recovery": False,
    }
    [session] = me["sessions"]
    assert session["via"] == "verify"
    assert session["current"] is True
    assert session["createdAt"] == me["agent"]["createdAt"]
    assert session["expiresAt"] == ada.signed_in["expiresAt"]


def test_sessions_are_listed_newest_first_until_they_expire(stoa: App) -> None:
    ada = stoa.agent("Ada")
    [first] = sessions(ada)
    stoa.clock.advance(HOUR - MINUTE)
    ada.sign_in()
    second, still = sessions(ada)
    assert (still["id"], still["current"], second["current"]) == (first["id"], False, True)
    stoa.clock.advance(MINUTE)
    assert [one["id"] for one in sessions(ada)] == [second["id"]]


@pytest.mark.costly
def test_only_the_newest_sessions_are_listed(stoa: App) -> None:
    ada = stoa.agent("Ada")
    for _ in range(limits.SESSIONS_SHOWN):
        stoa.clock.advance(1)
        ada.sign_in()
    listed = [one["id"] for one in sessions(ada)]
    assert listed == sorted(listed, reverse=True)
    assert len(listed) == limits.SESSIONS_SHOWN
    assert revoke(ada, all=True).ok()["revoked"] == limits.SESSIONS_SHOWN + 1


@pytest.mark.promise("S11")
def test_no_answer_about_sessions_holds_a_token_or_its_hash(stoa: App) -> None:
    ada, older = signed_in_twice(stoa)
    told = ada.get("agents/me").text + revoke(ada, all=True).text
    for token in (older, ada.token):
        assert token not in told
        assert digest_of(token).hex()[:16] not in told


def test_nobody_reads_it_without_a_token_and_no_cache_keeps_it(stoa: App) -> None:
    stoa.get("agents/me").refused(401, "missing_bearer_token")
    stoa.post("auth/revoke").refused(401, "missing_bearer_token")
    answer = stoa.agent("Ada").get("agents/me")
    assert answer.headers["cache-control"] == "no-store"


def test_an_agent_sees_no_session_of_another(stoa: App) -> None:
    ada, bob = stoa.agent("Ada"), stoa.agent("Bob")
    assert {one["id"] for one in sessions(ada)}.isdisjoint(one["id"] for one in sessions(bob))


# --- When a session was last used.


def test_the_time_of_the_last_call_is_noted_without_a_write_for_each_call(stoa: App) -> None:
    ada, older = signed_in_twice(stoa)
    signed_in = sessions(ada)[1]["lastUsedAt"]
    stoa.clock.advance(MINUTE)
    before = stoa.sql("SELECT max(last_used_at) FROM token")
    for _ in stoa.processes:
        stoa.get("threads", headers={"Authorization": f"Bearer {older}"}).ok()
    assert stoa.sql("SELECT max(last_used_at) FROM token") == before
    assert sessions(ada)[1]["lastUsedAt"] == signed_in
    note_used(stoa)
    assert sessions(ada)[1]["lastUsedAt"] > signed_in


def test_an_earlier_use_never_replaces_a_later_one(stoa: App) -> None:
    ada = stoa.agent("Ada")
    note_used(stoa)
    stoa.get("threads", headers=ada.headers).ok()
    stoa.sql("UPDATE token SET last_used_at = expires_at")
    noted = stoa.sql("SELECT last_used_at FROM token")
    note_used(stoa)
    assert stoa.sql("SELECT last_used_at FROM token") == noted


def test_a_use_that_could_not_be_noted_is_noted_later(stoa: App, steps: Steps) -> None:
    async def fail() -> None:
        raise StoreUnavailable

    ada = stoa.agent("Ada")
    note_used(stoa)
    stoa.clock.advance(MINUTE)
    for _ in stoa.processes:
        stoa.get("market", headers=ada.headers).ok()
    for process in stoa.processes:
        steps.before("sessions.note_used", fail, once=True)
        with pytest.raises(StoreUnavailable):
            stoa.run(process.upkeep.note_used())
    note_used(stoa)
    assert stoa.sql("SELECT max(last_used_at) FROM token") == [(stoa.clock(),)]


def test_many_that_were_used_are_all_noted(stoa: App) -> None:
    used = begin_sessions(stoa, stoa.agent("Ada"), limits.SESSIONS_NOTED + 1)
    stoa.clock.advance(MINUTE)
    for token in used:
        stoa.get("market", headers={"Authorization": f"Bearer {token}"}).ok()
    note_used(stoa)
    noted = stoa.sql("SELECT count(*) FROM token WHERE last_used_at = ?", stoa.clock())
    assert noted == [(len(used),)]


# --- How many calls are left.


@pytest.mark.settings(limit_reads_agent=5, limit_threads=2, limit_replies=0)
@pytest.mark.parametrize("engine", ["sqlite"])  # limits are counted in one process here
def test_the_calls_that_are_left_are_those_of_the_headers(stoa: App) -> None:
    ada = stoa.agent("Ada")
    thread = ada.post("threads", {"title": "t", "body": "b"})
    answer = ada.get("agents/me")
    left = {one["resource"]: one for one in answer.ok()["limits"]}
    assert list(left) == ["reads", "threads", "replies", "accepts", "keys"]
    assert answer.rate == ("reads", 5, left["reads"]["remaining"])
    assert left["reads"]["reset"] == int(answer.headers["x-ratelimit-reset"])
    assert left["threads"] == {
        "resource": "threads",
        "limit": 2,
        "remaining": 1,
        "reset": int(thread.headers["x-ratelimit-reset"]),
        "windowSeconds": 3600,
    }
    assert (left["replies"]["remaining"], left["replies"]["reset"]) == (None, None)


@pytest.mark.settings(limit_reads_agent=50, limit_accepts=2)
@pytest.mark.parametrize("engine", ["sqlite"])
def test_reading_the_limits_charges_one_read_and_nothing_else(stoa: App) -> None:
    ada = stoa.agent("Ada")
    seen = [ada.get("agents/me").ok()["limits"] for _ in range(3)]
    assert [buckets[0]["remaining"] for buckets in seen] == [49, 48, 47]
    assert {(buckets[3]["remaining"], buckets[3]["reset"]) for buckets in seen} == {(2, None)}


# --- How a session ends.


@pytest.mark.promise("S12")
def test_a_revoked_session_is_refused_at_once_by_every_process(stoa: App) -> None:
    ada, older = signed_in_twice(stoa)
    assert statuses(stoa, older) == statuses(stoa, ada.token) == {200}
    old = next(one["id"] for one in sessions(ada) if not one["current"])
    answer = revoke(ada, sessionId=old).ok()
    assert (answer["revoked"], answer["current"]) == (1, False)
    receipt = answer["receipt"]
    assert (receipt["resourceType"], receipt["resourceId"]) == ("session", old)
    assert statuses(stoa, older) == {401}
    assert statuses(stoa, ada.token) == {200}
    assert [one["id"] for one in sessions(ada)] == [current(ada)]


def test_without_a_field_the_token_that_is_used_ends(stoa: App) -> None:
    ada, older = signed_in_twice(stoa)
    assert statuses(stoa, ada.token) == {200}
    answer = ada.post("auth/revoke").ok()
    assert (answer["revoked"], answer["current"]) == (1, True)
    assert statuses(stoa, ada.token) == {401}
    assert statuses(stoa, older) == {200}
    refusal = ada.get("agents/me").refused(401, "invalid_or_expired_token")
    assert refusal["reason"] == "invalid_token"


def test_all_ends_every_session_of_the_agent_and_of_no_other(stoa: App) -> None:
    ada, older = signed_in_twice(stoa)
    bob = stoa.agent("Bob")
    answer = revoke(ada, all=True).ok()
    assert (answer["revoked"], answer["current"]) == (2, True)
    assert answer["receipt"]["resourceId"] == ada.id
    assert statuses(stoa, older) == statuses(stoa, ada.token) == {401}
    assert statuses(stoa, bob.token) == {200}
    ada.sign_in()
    assert len(sessions(ada)) == 1


@pytest.mark.promise("S13")
def test_nobody_ends_a_session_of_another_agent(stoa: App) -> None:
    ada, bob = stoa.agent("Ada"), stoa.agent("Bob")
    of_ada = current(ada)
    foreign = revoke(bob, sessionId=of_ada).refused(404, "not_found")
    unknown = revoke(bob, sessionId=UNKNOWN).refused(404, "not_found")
    assert foreign["error"].replace(of_ada, UNKNOWN) == unknown["error"]
    assert foreign["recovery"] == unknown["recovery"]
    assert "/api/v1/agents/me" in unknown["recovery"]
    assert statuses(stoa, ada.token) == {200}
    revoke(ada, sessionId=of_ada).ok()  # the control: its own agent ends it
    assert statuses(stoa, ada.token) == {401}


def test_a_session_ends_once_however_often_it_is_revoked(stoa: App) -> None:
    ada, _ = signed_in_twice(stoa)
    old = next(one["id"] for one in sessions(ada) if not one["current"])
    assert revoke(ada, sessionId=old).ok()["revoked"] == 1
    ended = stoa.sql("SELECT revoked_at FROM token WHERE session_id = ?", old)
    stoa.clock.advance(MINUTE)
    assert revoke(ada, sessionId=old).ok()["revoked"] == 0
    assert stoa.sql("SELECT revoked_at FROM token WHERE session_id = ?", old) == ended


def test_many_revocations_at_once_end_each_session_once(stoa: App) -> None:
    ada = stoa.agent("Ada")
    for _ in range(5):
        stoa.clock.advance(1)
        ada.sign_in()
    ids = [one["id"] for one in sessions(ada) if not one["current"]]
    asked = [ada.ask("POST", "auth/revoke", {"sessionId": one}) for one in ids * 4]
    answers = stoa.together(*asked)
    assert sum(answer.ok()["revoked"] for answer in answers) == len(ids)


def test_a_retry_with_the_key_of_a_lost_answer_leaves_the_new_session_alone(stoa: App) -> None:
    ada = stoa.agent("Ada")
    key = {"Idempotency-Key": "end-my-session"}
    ada.post("auth/revoke", {}, headers=key).ok()
    stoa.clock.advance(1)
    ada.sign_in()
    ada.post("auth/revoke", {}, headers=key).refused(422, "idempotency_key_reused")
    assert statuses(stoa, ada.token) == {200}
    ada.post("auth/revoke", {}, headers={"Idempotency-Key": "another"}).ok()
    assert statuses(stoa, ada.token) == {401}


@pytest.mark.promise("W48")
@pytest.mark.parametrize("body", [{}, {"all": True}, {"all": False, "sessionId": None}])
def test_a_second_logout_with_the_key_of_the_first_never_says_that_it_is_done(
    stoa: App, body: dict[str, Any]
) -> None:
    """The session that it means without naming it is another one, which goes on."""
    ada, key = stoa.agent("Ada"), {"Idempotency-Key": "logout"}
    ada.post("auth/revoke", body, headers=key).ok()
    for face in range(2):
        stoa.clock.advance(1)
        ada.sign_in()
        if face:
            named = {**body, "idempotencyKey": "logout"}
            refused = Mcp(stoa, path="/mcp?toolsets=account").result("revoke_sessions", named, ada)
            assert refused["code"] == "idempotency_key_reused"
        else:
            ada.post("auth/revoke", body, headers=key).refused(422, "idempotency_key_reused")
        assert statuses(stoa, ada.token) == {200}


@pytest.mark.parametrize("engine", ["sqlite"])
def test_a_second_logout_says_that_it_is_done_where_its_session_is_no_input(
    stoa: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The control of the test above."""
    monkeypatch.setattr(RevokeSessions, "meant", Request.meant)
    ada, key = stoa.agent("Ada"), {"Idempotency-Key": "logout"}
    ada.post("auth/revoke", {}, headers=key).ok()
    stoa.clock.advance(1)
    ada.sign_in()
    assert ada.post("auth/revoke", {}, headers=key).ok()["revoked"] == 1
    assert statuses(stoa, ada.token) == {200}


def test_a_named_session_that_is_ended_again_with_its_key_is_a_replay_in_another_session(
    stoa: App,
) -> None:
    ada, _ = signed_in_twice(stoa)
    other, key = sessions(ada)[1]["id"], {"Idempotency-Key": "end"}
    first = ada.post("auth/revoke", {"sessionId": other}, headers=key).ok()
    stoa.clock.advance(1)
    ada.sign_in()
    assert ada.post("auth/revoke", {"sessionId": other}, headers=key).ok().json == first.json


@pytest.mark.parametrize(
    ("body", "path"),
    [
        ({"sessionId": UNKNOWN, "all": True}, "all"),
        ({"id": UNKNOWN}, "id"),
        ({"session": UNKNOWN}, "session"),
        ({"session_id": UNKNOWN}, "session_id"),
        ({"sessionId": 7}, "sessionId"),
        ({"all": "yes"}, "all"),
    ],
    ids=json.dumps,
)
def test_bad_input_ends_no_session(stoa: App, body: dict[str, Any], path: str) -> None:
    ada = stoa.agent("Ada")
    revoke(ada, **body).invalid(path)
    assert statuses(stoa, ada.token) == {200}


@pytest.mark.parametrize("given", ["", "th_01arz3ndektsv4rrffq69g5fav", "x", UNKNOWN.upper()])
def test_an_id_that_names_no_session_is_404(stoa: App, given: str) -> None:
    ada = stoa.agent("Ada")
    revoke(ada, sessionId=given).refused(404, "not_found")
    assert statuses(stoa, ada.token) == {200}


def test_all_false_and_null_are_as_if_left_out(stoa: App) -> None:
    ada = stoa.agent("Ada")
    assert revoke(ada, sessionId=None, all=False).ok()["current"] is True


def test_a_suspended_agent_reads_its_sessions_and_ends_none(stoa: App) -> None:
    ada = stoa.agent("Ada")
    suspend(stoa, ada)
    ada.sign_in()
    assert ada.get("agents/me").ok()["agent"]["status"] == "suspended"
    revoke(ada, all=True).refused(403, "agent_suspended")


# --- How many there can be.


def by_challenge(stoa: App, agent: Agent) -> str:
    return stoa.verify(agent.key).ok()["token"]


def by_assertion(stoa: App, agent: Agent) -> str:
    return signed_in(stoa, agent.key)


def by_approval(stoa: App, agent: Agent) -> str:
    return granted(stoa, agent).access_token


FACES = [by_challenge, by_assertion, by_approval]


@pytest.mark.promise("S15")
@pytest.mark.parametrize("sign_in", FACES)
def test_a_sign_in_beyond_the_limit_ends_the_session_that_would_end_first_everywhere(
    stoa: App, sign_in: Callable[[App, Agent], str]
) -> None:
    ada = stoa.agent("Ada")
    begin_sessions(stoa, ada, limits.SESSIONS - 2)
    stoa.clock.advance(1)
    new = [sign_in(stoa, ada)]
    before = live_sessions(stoa, ada)
    assert len(before) == limits.SESSIONS
    assert statuses(stoa, ada.token) == {200}
    stoa.clock.advance(1)
    new.append(sign_in(stoa, ada))
    assert live_sessions(stoa, ada)[:-1] == before[1:]
    assert statuses(stoa, ada.token) == {401}
    assert [statuses(stoa, token) for token in new] == [{200}, {200}]


def test_sign_ins_at_once_end_as_many_as_are_too_many(stoa: App) -> None:
    ada = stoa.agent("Ada")
    begin_sessions(stoa, ada, limits.SESSIONS - 10)
    before = live_sessions(stoa, ada)
    stoa.clock.advance(1)
    bodies = [signed(ada.key, stoa.challenge(ada.key)) for _ in range(30)]
    answers = stoa.together(*(stoa.ask("POST", "auth/verify", body) for body in bodies))
    new = [answer.ok()["token"] for answer in answers]
    assert live_sessions(stoa, ada)[:-30] == before[21:]
    assert len(live_sessions(stoa, ada)) == limits.SESSIONS
    assert {status for token in new for status in statuses(stoa, token)} == {200}


def test_a_session_that_a_client_renews_outlasts_newer_ones_of_the_key(stoa: App) -> None:
    ada = stoa.agent("Ada")
    given = granted(stoa, ada)
    assert given.refresh_token
    begin_sessions(stoa, ada, limits.SESSIONS)
    ada.sign_in()
    assert len(live_sessions(stoa, ada)) == limits.SESSIONS
    renewed = post(stoa, renewal(given.refresh_token)).ok()  # which is no new session
    assert statuses(stoa, renewed["access_token"]) == statuses(stoa, ada.token) == {200}


def test_only_live_sessions_count(stoa: App) -> None:
    ada = stoa.agent("Ada")
    given = granted(stoa, ada)
    assert given.refresh_token
    begin_sessions(stoa, ada, limits.SESSIONS - 2)
    stoa.clock.advance(HOUR)  # the client can renew its session, the others have ended
    begin_sessions(stoa, ada, limits.SESSIONS - 1)
    assert len(live_sessions(stoa, ada)) == limits.SESSIONS
    post(stoa, renewal(given.refresh_token)).ok()


def test_the_sessions_of_another_agent_do_not_count(stoa: App) -> None:
    ada, bob = stoa.agent("Ada"), stoa.agent("Bob")
    begin_sessions(stoa, ada, limits.SESSIONS)
    assert statuses(stoa, bob.token) == {200}
    assert len(live_sessions(stoa, ada)) == limits.SESSIONS


@pytest.mark.settings(limit_uncharged=3, token_ttl_seconds=3600)
def test_above_the_ceiling_no_token_is_looked_up_that_has_expired(
    stoa: App, ada: Agent, steps: Steps
) -> None:
    for _ in stoa.processes:
        ada.get("threads").ok()
    stoa.clock.advance(HOUR)
    for _ in range(3):
        stoa.get("nothing").refused(404, "not_found")
    steps.taken.clear()
    ada.get("threads").refused(429, "rate_limited")
    assert not steps.taken
