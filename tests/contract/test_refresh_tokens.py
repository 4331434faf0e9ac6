"""Refresh tokens: each is good once, and whatever ends a session ends them."""

from collections import Counter
from typing import Any

import pytest

from stoa.domain import tokens
from stoa.domain.digests import digest_of
from stoa.domain.oauth import OAuthRefusal
from stoa.operations.parts.grants import Tokens
from tests.support.app import Agent, App
from tests.support.clock import DAY, HOUR, MINUTE, SECOND
from tests.support.key_changes import name_recovery, recover, rotate
from tests.support.keys import Key
from tests.support.oauth import BASE, ask, bearer, granted, post, refused, renewal


def renewed(app: App, token: str | None, **more: str) -> Any:
    """The answer to a renewal, which must succeed."""
    assert token
    return post(app, renewal(token, **more)).ok()


def is_live(app: App, token: str) -> bool:
    """What every process says of a token."""
    answers = {app.get("agents/me", headers=bearer(token)).status for _ in app.processes}
    assert answers in ({200}, {401})
    return answers == {200}


def refuse(app: App, given: Tokens) -> None:
    """No token of this session is good any more."""
    assert given.refresh_token
    refused(post(app, renewal(given.refresh_token)), 400, "invalid_grant")
    assert not is_live(app, given.access_token)


@pytest.mark.promise("J5")
def test_a_refresh_token_gives_the_session_a_new_token_and_is_replaced(stoa: App) -> None:
    ada = stoa.agent("Ada")
    first = granted(stoa, ada, "read")
    assert first.refresh_token
    assert tokens.well_formed(first.refresh_token)
    stoa.clock.advance(HOUR)
    assert not is_live(stoa, first.access_token)
    second = renewed(stoa, first.refresh_token)
    assert (second["scope"], second["expires_in"]) == ("read", 3600)
    assert second["refresh_token"] != first.refresh_token
    assert is_live(stoa, second["access_token"])
    renewed(stoa, second["refresh_token"])
    assert not is_live(stoa, second["access_token"])


def test_a_renewed_session_is_the_one_that_it_was(stoa: App) -> None:
    ada = stoa.agent("Ada")
    stoa.clock.advance(1)
    given = granted(stoa, ada)
    before = ada.get("agents/me").ok()["sessions"][0]
    assert (before["via"], before["client"]) == ("authorization_code", "A client")
    stoa.clock.advance(30 * MINUTE)
    token = renewed(stoa, given.refresh_token)["access_token"]
    after = stoa.get("agents/me", headers=bearer(token)).ok()["sessions"][0]
    assert after["current"] is True
    assert after["expiresAt"] > before["expiresAt"]
    same = ("id", "createdAt", "via", "client", "scopes")
    assert [after[name] for name in same] == [before[name] for name in same]
    assert len(ada.get("agents/me").ok()["sessions"]) == 2


@pytest.mark.promise("J6")
def test_a_refresh_token_that_comes_back_ends_its_session(stoa: App) -> None:
    ada = stoa.agent("Ada")
    given, other = granted(stoa, ada), granted(stoa, ada)
    second = renewed(stoa, given.refresh_token)
    assert is_live(stoa, second["access_token"])
    assert given.refresh_token
    stoa.clock.advance(30 * SECOND)
    refused(post(stoa, renewal(given.refresh_token)), 400, "invalid_grant")
    assert not is_live(stoa, second["access_token"])
    refused(post(stoa, renewal(second["refresh_token"])), 400, "invalid_grant")
    assert is_live(stoa, other.access_token)
    renewed(stoa, other.refresh_token)
    ada.get("agents/me").ok()


@pytest.mark.promise("J7")
def test_a_refresh_token_used_two_hundred_times_at_once_gives_one_token(stoa: App) -> None:
    given = granted(stoa, stoa.agent("Ada"))
    assert given.refresh_token
    form = renewal(given.refresh_token)
    answers = stoa.together(*(ask(stoa, form) for _ in range(200)))
    assert Counter(answer.status for answer in answers) == {200: 200}
    [(token, refresh)] = {(one["access_token"], one["refresh_token"]) for one in answers}
    assert is_live(stoa, token)
    assert stoa.sql("SELECT count(*) FROM token WHERE client_id IS NOT NULL") == [(1,)]
    assert stoa.sql("SELECT count(*) FROM refresh_token") == [(2,)]
    renewed(stoa, refresh)


@pytest.mark.promise("J22")
def test_a_renewal_whose_answer_was_lost_is_given_again_for_thirty_seconds(stoa: App) -> None:
    ada = stoa.agent("Ada")
    given = granted(stoa, ada, "read")
    lost = renewed(stoa, given.refresh_token)
    stoa.clock.advance(30 * SECOND - 1)
    again = renewed(stoa, given.refresh_token)
    assert again.json == {**lost.json, "expires_in": 3600 - 29}
    assert is_live(stoa, again["access_token"])
    renewed(stoa, again["refresh_token"])
    assert len(ada.get("agents/me").ok()["sessions"]) == 2


@pytest.mark.parametrize("uses", [1, 3])
def test_a_late_call_gets_what_came_of_its_refresh_token_since(stoa: App, uses: int) -> None:
    """Two processes of a client that share its tokens, one of them slow: with anything older the
    slow one would end the session at its next use."""
    given = granted(stoa, stoa.agent("Ada"))
    newest = renewed(stoa, given.refresh_token)
    for _ in range(uses):
        stoa.clock.advance(5 * SECOND)
        newest = renewed(stoa, newest["refresh_token"])
    late = renewed(stoa, given.refresh_token)
    assert late.json == newest.json
    stoa.clock.advance(HOUR)
    renewed(stoa, late["refresh_token"])


def test_no_chain_of_uses_keeps_an_old_refresh_token_alive(stoa: App) -> None:
    given = granted(stoa, stoa.agent("Ada"))
    newest = renewed(stoa, given.refresh_token)
    for _ in range(2):
        stoa.clock.advance(10 * SECOND)
        renewed(stoa, given.refresh_token)
        newest = renewed(stoa, newest["refresh_token"])
    assert given.refresh_token
    stoa.clock.advance(10 * SECOND)
    refused(post(stoa, renewal(given.refresh_token)), 400, "invalid_grant")
    assert not is_live(stoa, newest["access_token"])
    refused(post(stoa, renewal(newest["refresh_token"])), 400, "invalid_grant")


def test_a_used_refresh_token_gives_another_client_nothing_and_ends_nothing(stoa: App) -> None:
    given = granted(stoa, stoa.agent("Ada"))
    second = renewed(stoa, given.refresh_token)
    assert given.refresh_token
    form = renewal(given.refresh_token, client_id="https://other.example/client.json")
    for _ in range(2):
        refused(post(stoa, form), 400, "invalid_grant")
        assert is_live(stoa, second["access_token"])
        stoa.clock.advance(30 * SECOND)


def test_a_session_that_has_ended_gives_nothing_again(stoa: App) -> None:
    ada = stoa.agent("Ada")
    given = granted(stoa, ada)
    renewed(stoa, given.refresh_token)
    by_all(stoa, ada)
    assert given.refresh_token
    refused(post(stoa, renewal(given.refresh_token)), 400, "invalid_grant")


def test_a_refresh_token_lives_thirty_days_after_its_last_use(stoa: App) -> None:
    given = granted(stoa, stoa.agent("Ada"))
    stoa.clock.advance(30 * DAY - 1)
    second = renewed(stoa, given.refresh_token)
    stoa.clock.advance(30 * DAY)
    refused(post(stoa, renewal(second["refresh_token"])), 400, "invalid_grant")


def test_the_sweep_leaves_a_session_that_can_be_renewed(stoa: App) -> None:
    ada = stoa.agent("Ada")
    given = granted(stoa, ada)
    stoa.clock.advance(29 * DAY)
    stoa.run(stoa.stoa.upkeep.sweep())
    second = renewed(stoa, given.refresh_token)
    stoa.clock.advance(31 * DAY + 1)
    stoa.run(stoa.stoa.upkeep.sweep())
    for table in ("token", "refresh_token"):
        assert stoa.sql(f"SELECT count(*) FROM {table}") == [(0,)]
    refused(post(stoa, renewal(second["refresh_token"])), 400, "invalid_grant")


@pytest.mark.parametrize(
    ("more", "error"),
    [
        ({"client_id": "https://other.example/client.json"}, "invalid_grant"),
        ({"client_id": ""}, "invalid_request"),
        ({"refresh_token": ""}, "invalid_request"),
        ({"refresh_token": "x"}, "invalid_grant"),
        ({"scope": "read write"}, "invalid_scope"),
        ({"scope": "admin"}, "invalid_scope"),
        ({"resource": "https://other.example"}, "invalid_target"),
    ],
)
def test_a_wrong_renewal_is_refused_and_uses_nothing_up(
    stoa: App, more: dict[str, str], error: str
) -> None:
    given = granted(stoa, stoa.agent("Ada"), "read")
    assert given.refresh_token
    refused(post(stoa, {**renewal(given.refresh_token), **more}), 400, error)
    assert is_live(stoa, given.access_token)
    renewed(stoa, given.refresh_token, scope="read", resource=f"{BASE}/mcp/oauth/")


def test_a_token_and_a_refresh_token_do_not_stand_in_for_each_other(stoa: App) -> None:
    given = granted(stoa, stoa.agent("Ada"))
    assert given.refresh_token
    refused(post(stoa, renewal(given.access_token)), 400, "invalid_grant")
    assert not is_live(stoa, given.refresh_token)
    assert is_live(stoa, given.access_token)


# --- What ends a session ends its refresh tokens.


def by_session(stoa: App, ada: Agent) -> None:
    [session] = [one for one in ada.get("agents/me").ok()["sessions"] if "client" in one]
    assert ada.post("auth/revoke", {"sessionId": session["id"]}).ok()["revoked"] == 1


def by_all(stoa: App, ada: Agent) -> None:
    ada.post("auth/revoke", {"all": True}).ok()


def by_rotation(stoa: App, ada: Agent) -> None:
    rotate(ada, Key("second")).ok()


def by_recovery(stoa: App, ada: Agent) -> None:
    name_recovery(ada, Key("offline")).ok()
    recover(stoa, ada.id, Key("offline"), Key("second")).ok()
    stoa.clock.advance(3 * DAY)


def by_retirement(stoa: App, ada: Agent) -> None:
    ada.post("agents/me/retire", {"confirm": ada.id}).ok()


ENDS = [by_session, by_all, by_rotation, by_recovery, by_retirement]


@pytest.mark.promise("J8")
@pytest.mark.parametrize("late", [0, 2 * HOUR], ids=["live", "renewable"])
@pytest.mark.parametrize("end", ENDS, ids=lambda one: one.__name__)
def test_what_ends_a_session_ends_its_refresh_token(stoa: App, end: Any, late: int) -> None:
    ada = stoa.agent("Ada")
    stoa.clock.advance(1)
    given = granted(stoa, ada)
    stoa.clock.advance(late)
    ada.sign_in()
    if late:
        assert [one["via"] for one in ada.get("agents/me").ok()["sessions"]] == [
            "verify",
            "authorization_code",
        ]
    end(stoa, ada)
    refuse(stoa, given)


def test_a_recovery_that_runs_lets_a_session_be_renewed(stoa: App) -> None:
    ada = stoa.agent("Ada")
    given = granted(stoa, ada)
    name_recovery(ada, Key("offline")).ok()
    recover(stoa, ada.id, Key("offline"), Key("second")).ok()
    second = renewed(stoa, given.refresh_token)
    stoa.clock.advance(3 * DAY)
    refused(post(stoa, renewal(second["refresh_token"])), 400, "invalid_grant")


def test_a_grant_of_a_key_that_has_changed_opens_no_session(stoa: App) -> None:
    ada = stoa.agent("Ada")
    rotate(ada, Key("second")).ok()
    with pytest.raises(OAuthRefusal, match="invalid_grant"):
        granted(stoa, ada, key_number=1)
    granted(stoa, ada, key_number=2)
    assert stoa.sql("SELECT count(*) FROM refresh_token") == [(1,)]


# --- Posted and revoked.


@pytest.mark.promise("J9")
def test_a_live_refresh_token_in_a_text_is_refused_and_its_session_ends(stoa: App) -> None:
    ada, bob = stoa.agent("Ada"), stoa.agent("Bob")
    given = granted(stoa, ada)
    stoa.clock.advance(2 * HOUR)
    bob.sign_in()
    assert given.refresh_token
    text = {"title": "t", "body": f"Mine is {given.refresh_token}."}
    bob.post("threads", text).refused(400, "secret_in_text", "body")
    refuse(stoa, given)
    bob.post("threads", text).ok(201)


def test_a_used_refresh_token_is_text_like_any_other(stoa: App) -> None:
    ada = stoa.agent("Ada")
    given = granted(stoa, ada)
    second = renewed(stoa, given.refresh_token)
    stoa.clock.advance(30 * SECOND)
    ada.thread(body=given.refresh_token or "")
    assert is_live(stoa, second["access_token"])


def test_a_used_refresh_token_in_a_text_is_refused_while_it_gives_the_same_again(
    stoa: App,
) -> None:
    ada = stoa.agent("Ada")
    given = granted(stoa, ada)
    second = renewed(stoa, given.refresh_token)
    text = {"title": "t", "body": f"Mine is {given.refresh_token}."}
    ada.post("threads", text).refused(400, "secret_in_text", "body")
    assert not is_live(stoa, second["access_token"])


@pytest.mark.promise("J10")
@pytest.mark.parametrize("name", ["access_token", "refresh_token"])
@pytest.mark.parametrize("hint", [{}, {"token_type_hint": "refresh_token"}, {"client_id": "x"}])
def test_either_token_that_is_revoked_ends_its_session(
    stoa: App, name: str, hint: dict[str, str]
) -> None:
    ada = stoa.agent("Ada")
    given, other = granted(stoa, ada), granted(stoa, ada)
    for _ in range(2):  # a token that has ended is as good as revoked
        answer = post(stoa, {"token": getattr(given, name), **hint}, "/oauth/revoke")
        assert (answer.ok().content, answer.headers["cache-control"]) == (b"", "no-store")
    refuse(stoa, given)
    assert is_live(stoa, other.access_token)


def test_what_is_no_token_is_revoked_with_success_and_nothing_ends(stoa: App) -> None:
    ada = stoa.agent("Ada")
    for token in ("x", "ü", tokens.mint(bytes(32))):
        post(stoa, {"token": token}, "/oauth/revoke").ok()
    refused(post(stoa, {}, "/oauth/revoke"), 400, "invalid_request")
    ada.get("agents/me").ok()


def test_a_database_holds_no_refresh_token_itself(stoa: App) -> None:
    given = granted(stoa, stoa.agent("Ada"))
    assert given.refresh_token
    [(kept,)] = stoa.sql("SELECT hash FROM refresh_token")
    assert bytes(kept) == digest_of(given.refresh_token)
    refused(post(stoa, renewal(bytes(kept).hex())), 400, "invalid_grant")


def test_what_a_refresh_token_gave_is_not_stored_but_follows_from_it_for_a_while(
    stoa: App,
) -> None:
    """T8: a dump has hashes, and a nonce that is worth nothing without a token. Once a used token
    is worth nothing, the nonce is forgotten: with both one would have its successor."""
    given = granted(stoa, stoa.agent("Ada"))
    told = renewed(stoa, given.refresh_token)
    dump = repr([stoa.sql(f"SELECT * FROM {table}") for table in ("token", "refresh_token")])
    secrets = [str(given.refresh_token), told["access_token"], told["refresh_token"]]
    assert not [secret for secret in secrets if secret in dump or secret[5:48] in dump]
    nonces = "SELECT count(*) FROM refresh_token WHERE nonce IS NOT NULL"
    stoa.clock.advance(30 * SECOND - 1)
    stoa.run(stoa.stoa.upkeep.sweep())
    assert stoa.sql(nonces) == [(1,)]
    renewed(stoa, given.refresh_token)
    stoa.clock.advance(1)
    stoa.run(stoa.stoa.upkeep.sweep())
    assert stoa.sql(nonces) == [(0,)]
