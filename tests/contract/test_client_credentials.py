"""Signing in by an assertion of the key at the token endpoint, as strictly as by a challenge."""

from collections import Counter
from typing import Any

import pytest

from stoa.domain import tokens
from tests.contract.test_sign_in import WEAK_KEYS
from tests.support.app import App
from tests.support.clock import DAY, HOUR, MINUTE, SECOND
from tests.support.key_changes import name_recovery as named
from tests.support.key_changes import recover, rotate
from tests.support.keys import Key
from tests.support.oauth import (
    BASE,
    FORM,
    ISSUER,
    ask,
    assertion,
    bearer,
    by_key,
    claims,
    post,
    refused,
    signed,
    signed_in,
)
from tests.support.steps import Steps

pytestmark = pytest.mark.checks_input

KEY = Key("Ada")
HEADER = {"alg": "EdDSA"}


def sign_in(app: App, **changed: Any) -> Any:
    """A request by an assertion with these claims changed."""
    return post(app, by_key(assertion(KEY, app.clock(), **changed)))


def count(app: App, table: str) -> int:
    return app.sql(f"SELECT count(*) FROM {table}")[0][0]


# --- What a good assertion gets.


@pytest.mark.promise("J1")
def test_a_new_key_is_registered_and_gets_a_token_by_one_request(stoa: App) -> None:
    answer = sign_in(stoa).ok()
    assert set(answer) == {"access_token", "token_type", "expires_in", "scope"}
    assert tokens.well_formed(answer["access_token"])
    assert (answer["token_type"], answer["expires_in"]) == ("Bearer", 3600)
    assert answer["scope"] == "read write"
    assert answer.headers["cache-control"] == "no-store"
    [agent] = stoa.get("agents").ok()["agents"]
    assert agent["publicKey"] == KEY.public
    assert agent["displayName"] == f"agent-{KEY.public[:8]}"
    headers = bearer(answer["access_token"])
    assert stoa.get("credits/balance", headers=headers).ok()["balance"]["available"] == 100
    stoa.post("threads", {"title": "t", "body": "b"}, headers=headers).ok(201)


def test_a_known_key_signs_in_as_the_agent_it_is_by_either_way(stoa: App) -> None:
    ada = stoa.agent("Ada")
    stoa.clock.advance(HOUR)
    token = signed_in(stoa, ada.key)
    me = stoa.get("agents/me", headers=bearer(token)).ok()
    assert (me["agent"]["id"], me["agent"]["displayName"]) == (ada.id, "Ada")
    assert me["agent"]["lastSeenAt"] > me["agent"]["createdAt"]
    [session] = me["sessions"]
    assert (session["via"], session["scopes"]) == ("client_credentials", ["read", "write"])
    assert "client" not in session
    assert count(stoa, "agent") == 1
    assert stoa.sql("SELECT count(*) FROM ledger_transaction WHERE kind = 'signup_grant'") == [(1,)]


def test_a_token_lives_an_hour_and_cannot_be_renewed(stoa: App) -> None:
    token = signed_in(stoa, KEY)
    stoa.clock.advance(HOUR - 1)
    stoa.get("agents/me", headers=bearer(token)).ok()
    stoa.clock.advance(1)
    answer = stoa.get("agents/me", headers=bearer(token))
    assert answer.refused(401, "invalid_or_expired_token")["reason"] == "token_expired"
    assert count(stoa, "refresh_token") == 0


def test_its_sessions_may_do_what_only_the_key_may(stoa: App) -> None:
    ada = stoa.agent("Ada")
    stoa.clock.advance(1)
    headers = bearer(signed_in(stoa, KEY))
    assert stoa.post("auth/revoke", {"all": True}, headers=headers).ok()["revoked"] == 2
    ada.get("agents/me").refused(401, "invalid_or_expired_token")


@pytest.mark.parametrize(
    "aud", [ISSUER, f"{ISSUER}/token", [ISSUER], "http://localhost:8080/oauth"]
)
def test_the_audience_is_the_issuer_or_the_token_endpoint(stoa: App, aud: Any) -> None:
    sign_in(stoa, aud=aud).ok()


@pytest.mark.parametrize("more", [{}, {"client_id": KEY.public}, {"client_id": KEY.public.upper()}])
@pytest.mark.parametrize("resource", [None, f"{BASE}/mcp/oauth", f"{BASE}/mcp/oauth/"])
def test_client_id_and_resource_may_be_given(
    stoa: App, more: dict[str, str], resource: str | None
) -> None:
    if resource:
        more = {**more, "resource": resource}
    signed_in(stoa, KEY, **more)


def test_a_key_in_upper_case_is_the_same_agent(stoa: App) -> None:
    upper = KEY.public.upper()
    sign_in(stoa, iss=upper, sub=upper).ok()
    sign_in(stoa).ok()
    assert count(stoa, "agent") == 1


# --- What is refused.

BENT: dict[str, dict[str, Any]] = {
    "another issuer": {"iss": Key("Eve").public},
    "no issuer": {"iss": None},
    "no subject": {"sub": None},
    "no key": {"iss": "ada", "sub": "ada"},
    "another audience": {"aud": "https://evil.example/oauth"},
    "two audiences": {"aud": [ISSUER, "https://evil.example/oauth"]},
    "no audience": {"aud": None},
    "no end": {"exp": None},
    "an end in text": {"exp": "2000000000"},
    "an end that is true": {"exp": True},
    "an end that is no time": {"exp": 1e300},
    "no id": {"jti": None},
    "an empty id": {"jti": ""},
    "an id in numbers": {"jti": 7},
}


@pytest.mark.promise("J2")
@pytest.mark.parametrize("bent", BENT.values(), ids=BENT)
def test_a_wrong_claim_is_refused_and_changes_nothing(stoa: App, bent: dict[str, Any]) -> None:
    refused(sign_in(stoa, **bent), 401, "invalid_client")
    assert (count(stoa, "agent"), count(stoa, "challenge_used")) == (0, 0)


@pytest.mark.parametrize(
    "header",
    [
        {"alg": "none"},
        {"alg": "HS256"},
        {"alg": "ES256"},
        {},
        {"alg": "EdDSA", "crit": ["b64"], "b64": False},
        [],
        b"\xff",
        b"",
    ],
    ids=repr,
)
def test_another_header_is_refused(stoa: App, header: Any) -> None:
    text = signed(KEY, header, claims(KEY, stoa.clock()))
    refused(post(stoa, by_key(text)), 401, "invalid_client")


DEEP = b'{"deep":%b}' % (b"[" * 1200 + b"]" * 1200)
"""As deep as an assertion has room for."""


@pytest.mark.parametrize(
    "body", [[], "text", None, {"iss": ["x"]}, b'{"iss":"\\ud800"}', b"\xff", DEEP]
)
def test_claims_that_are_no_claims_are_refused(stoa: App, body: Any) -> None:
    refused(post(stoa, by_key(signed(KEY, HEADER, body))), 401, "invalid_client")


def test_a_signature_of_another_key_is_refused(stoa: App) -> None:
    text = signed(Key("Eve"), HEADER, claims(KEY, stoa.clock()))
    refused(post(stoa, by_key(text)), 401, "invalid_client")


def test_a_forged_assertion_never_reaches_the_process_that_writes(stoa: App, steps: Steps) -> None:
    """One process writes for all: forgeries must not take its time."""
    good = assertion(KEY, stoa.clock())

    async def written() -> None:
        raise AssertionError

    steps.before("write", written)
    forged = f"{good[:-8]}AAAAAAAA"
    refused(post(stoa, by_key(forged)), 401, "invalid_client")
    refused(post(stoa, by_key(good)), 500, "server_error")


@pytest.mark.parametrize("key", WEAK_KEYS)
def test_a_weak_key_is_refused(stoa: App, key: str) -> None:
    refused(sign_in(stoa, iss=key, sub=key), 401, "invalid_client")


def test_the_published_test_key_is_refused(stoa: App) -> None:
    challenge = stoa.post("auth/challenge", {"publicKey": KEY.public}).ok()
    key = challenge["signing"]["testVector"]["publicKey"]
    refused(sign_in(stoa, iss=key, sub=key), 401, "invalid_client")


def test_a_challenge_signed_for_a_sign_in_is_no_assertion(stoa: App) -> None:
    challenge = stoa.challenge(KEY)
    text = f"{challenge}.{challenge}.{KEY.sign(challenge)}"
    refused(post(stoa, by_key(text)), 401, "invalid_client")


@pytest.mark.parametrize(
    ("form", "status", "error"),
    [
        ({"grant_type": "password"}, 400, "unsupported_grant_type"),
        ({"grant_type": ""}, 400, "invalid_request"),
        ({"client_assertion_type": "x"}, 401, "invalid_client"),
        ({"client_assertion_type": ""}, 400, "invalid_request"),
        ({"client_assertion": ""}, 400, "invalid_request"),
        ({"client_assertion": "x"}, 401, "invalid_client"),
        ({"client_id": "x"}, 401, "invalid_client"),
        ({"scope": "admin"}, 400, "invalid_scope"),
        ({"resource": "https://evil.example/mcp/oauth"}, 400, "invalid_target"),
    ],
)
def test_a_wrong_form_is_refused(stoa: App, form: dict[str, str], status: int, error: str) -> None:
    good = by_key(assertion(KEY, stoa.clock()))
    refused(post(stoa, {**good, **form}), status, error)
    post(stoa, good).ok()  # the assertion was not used up


def test_an_assertion_is_good_for_six_minutes_at_most(stoa: App) -> None:
    now = stoa.clock() // 1000
    refused(sign_in(stoa, exp=now + 361), 401, "invalid_client")
    refused(sign_in(stoa, exp=now - 60), 401, "invalid_client")
    for end in (now + 360, now - 59):
        sign_in(stoa, exp=end).ok()


# --- Once.


def test_an_assertion_works_once_and_is_remembered_as_long_as_it_lives(stoa: App) -> None:
    form = by_key(assertion(KEY, stoa.clock()))
    post(stoa, form).ok()
    for ms in (0, 5 * MINUTE, MINUTE - SECOND):
        stoa.clock.advance(ms)
        stoa.run(stoa.stoa.upkeep.sweep())
        refused(post(stoa, form), 401, "invalid_client")
    stoa.clock.advance(DAY)
    assert "expired" in refused(post(stoa, form), 401, "invalid_client")["error_description"]


def test_the_id_counts_whatever_else_an_assertion_says(stoa: App) -> None:
    sign_in(stoa, jti="once").ok()
    stoa.clock.advance(SECOND)
    refused(sign_in(stoa, jti="once"), 401, "invalid_client")
    refused(sign_in(stoa, jti="once", aud=f"{ISSUER}/token"), 401, "invalid_client")
    post(stoa, by_key(assertion(Key("Eve"), stoa.clock(), jti="once"))).ok()


@pytest.mark.promise("J3")
def test_an_assertion_sent_two_hundred_times_at_once_gives_one_token(stoa: App) -> None:
    form = by_key(assertion(KEY, stoa.clock()))
    answers = stoa.together(*(ask(stoa, form) for _ in range(200)))
    assert Counter(answer.status for answer in answers) == {200: 1, 401: 199}
    assert (count(stoa, "token"), count(stoa, "agent")) == (1, 1)


def test_one_key_with_two_hundred_assertions_at_once_is_one_agent(stoa: App) -> None:
    forms = [by_key(assertion(KEY, stoa.clock())) for _ in range(200)]
    answers = stoa.together(*(ask(stoa, form) for form in forms))
    assert Counter(answer.status for answer in answers) == {200: 200}
    assert (count(stoa, "token"), count(stoa, "agent")) == (200, 1)
    assert stoa.sql("SELECT count(*) FROM ledger_transaction WHERE kind = 'signup_grant'") == [(1,)]


# --- Keys that are in force no more, and limits.


def test_a_retired_or_pending_key_does_not_sign_in(stoa: App) -> None:
    ada, new, offline = stoa.agent("Ada"), Key("new"), Key("offline")
    rotate(ada, new).ok()
    told = refused(sign_in(stoa), 401, "invalid_client")["error_description"]
    assert "retired" in told
    ada.key = new
    ada.sign_in()
    named(ada, offline).ok()
    recover(stoa, ada.id, offline, Key("third")).ok()
    form = by_key(assertion(Key("third"), stoa.clock()))
    refused(post(stoa, form), 401, "invalid_client")
    stoa.clock.advance(3 * DAY)
    signed_in(stoa, Key("third"))
    assert count(stoa, "agent") == 1


@pytest.mark.promise("J4")
@pytest.mark.settings(limit_registrations=2)
def test_new_keys_count_as_those_of_a_challenge_and_known_ones_always_sign_in(stoa: App) -> None:
    stoa.agent("Ada")
    signed_in(stoa, Key("Bob"))
    form = by_key(assertion(Key("Cy"), stoa.clock()))
    answer = refused(post(stoa, form), 429, "too_many_requests")
    assert answer.headers["x-ratelimit-resource"] == "registrations"
    assert int(answer.headers["retry-after"]) == DAY // SECOND
    for key in (Key("Ada"), Key("Bob")):
        signed_in(stoa, key)
    post(stoa, form, client="203.0.113.9").ok()  # the assertion was not used up


@pytest.mark.settings(limit_reads_anonymous=3)
def test_requests_are_charged_to_reads_of_the_address_as_a_verify_is(stoa: App) -> None:
    answer = sign_in(stoa).ok()
    assert answer.rate == ("reads", 3, 2)
    assert sign_in(stoa, jti="").rate == ("reads", 3, 1)
    stoa.get("threads").ok()
    answer = refused(sign_in(stoa), 429, "too_many_requests")
    assert answer.rate == ("reads", 3, 0)
    assert answer.headers["retry-after"]
    post(stoa, by_key(assertion(KEY, stoa.clock())), client="203.0.113.9").ok()


def test_nothing_of_an_assertion_or_a_token_is_stored_or_told(stoa: App) -> None:
    text = assertion(KEY, stoa.clock(), jti="canary-of-an-id")
    token = post(stoa, by_key(text)).ok()["access_token"]
    answers = [post(stoa, by_key(text)), post(stoa, by_key(text), client="203.0.113.9")]
    kept = str([stoa.sql("SELECT * FROM token"), stoa.sql("SELECT * FROM challenge_used")])
    for secret in (text, token, "canary-of-an-id"):
        assert secret not in kept
        assert all(secret not in answer.text for answer in answers)


def test_a_form_is_read_strictly(stoa: App) -> None:
    def sent(content: bytes, **headers: str) -> Any:
        return stoa.post("/oauth/token", content, headers={**FORM, **headers})

    refused(sent(b"grant_type=x&grant_type=x"), 400, "invalid_request")
    refused(sent(b"grant_type=%ff"), 400, "invalid_request")
    refused(sent(b"grant_type=%00"), 400, "invalid_request")
    refused(sent(b"a=1" * 600_000), 413, "invalid_request")
    told = refused(sent(b"{}", **{"content-type": "application/json"}), 415, "invalid_request")
    assert FORM["content-type"] in told["error_description"]
    refused(sent(b"a=1", **{"content-encoding": "gzip"}), 415, "invalid_request")
    refused(sent(b""), 400, "invalid_request")
    refused(sent(b'"\\%C3%BC%22=1&"\\%C3%BC%22=2'), 400, "invalid_request")


@pytest.mark.parametrize(
    "asked",
    [
        pytest.param({}, marks=pytest.mark.settings(signups="invite"), id="an invite"),
        pytest.param({}, marks=pytest.mark.settings(signup_work=4), id="work"),
    ],
)
def test_a_new_key_is_sent_to_verify_where_it_has_to_bring_something(
    stoa: App, asked: dict[str, Any]
) -> None:
    answer = sign_in(stoa, **asked)
    assert (answer.status, answer["error"]) == (400, "access_denied")
    assert "/api/v1/auth/verify" in answer["error_description"]
    assert stoa.get("agents").ok()["agents"] == []
