"""Signing in: keys, challenges, signatures, tokens, profiles."""

from base64 import urlsafe_b64decode
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from nacl.signing import SigningKey, VerifyKey

from stoa.domain import tokens
from stoa.domain.digests import digest_of
from stoa.settings import Settings
from stoa.store.tx import StoreUnavailable
from tests.support.app import App, signed
from tests.support.clock import DAY, MINUTE, SECOND
from tests.support.database import everything_in, table_names
from tests.support.jobs import offer
from tests.support.keys import Key
from tests.support.moderation import suspend
from tests.support.steps import Steps

pytestmark = pytest.mark.checks_input

KEY = Key("alice")
CHALLENGE, VERIFY = "auth/challenge", "auth/verify"

# y in {0, 1, p-1, p, p+1} with either sign, and the four further points of small order.
WEAK_KEYS = [
    sign_and_y.to_bytes(32, "little").hex()
    for sign in (0, 1 << 255)
    for sign_and_y in (
        sign | y for y in (0, 1, 2**255 - 20, 2**255 - 19, 2**255 - 18, 2**255 - 1, 2**255 - 10)
    )
] + [
    "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
    "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa",
    "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
    "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85",
]


def with_token(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


# --- Public keys.


@pytest.mark.promise("S3")
@pytest.mark.parametrize("key", WEAK_KEYS)
def test_a_weak_key_is_400_at_both_routes(stoa: App, key: str) -> None:
    stoa.post(CHALLENGE, {"publicKey": key}).invalid("publicKey")
    body = {"publicKey": key, "challenge": "x", "signature": "0" * 128}
    stoa.post(VERIFY, body).invalid("publicKey")


def test_the_published_test_key_is_400_at_both_routes(stoa: App) -> None:
    vector = stoa.post(CHALLENGE, {"publicKey": KEY.public}).ok()["signing"]["testVector"]
    for key in (vector["publicKey"], vector["publicKey"].upper()):
        stoa.post(CHALLENGE, {"publicKey": key}).invalid("publicKey")
        body = {name: vector[name] for name in ("challenge", "signature")}
        stoa.post(VERIFY, {**body, "publicKey": key}).invalid("publicKey")


BENT_KEYS: list[Callable[[str], str]] = [
    lambda key: key + "\n",
    lambda key: "\n" + key,
    lambda key: key + " ",
    lambda key: key[:-1],
    lambda key: key + "0",
    lambda key: "0x" + key,
    lambda key: "0x" + key[2:],
    lambda key: key[:-2] + " 0",
    lambda key: key[:-2] + "\n0",
    lambda key: key[:-1] + "g",
    lambda key: key[:-1] + "\uff11",
    lambda key: key[:-1] + "\u0661",
    lambda _: "",
    lambda _: " " * 64,
    lambda key: ":".join([key[:32], key[33:]]),
]


@pytest.mark.parametrize("bend", BENT_KEYS)
def test_only_sixty_four_hex_digits_are_a_key(stoa: App, bend: Callable[[str], str]) -> None:
    key = bend(KEY.public)
    stoa.post(CHALLENGE, {"publicKey": key}).invalid("publicKey")
    body = {**signed(KEY, stoa.challenge(KEY)), "publicKey": key}
    stoa.post(VERIFY, body).invalid("publicKey")


def test_a_key_in_any_case_is_one_agent(stoa: App) -> None:
    ids: set[str] = set()
    for spelling in (str.lower, str.upper, str.swapcase, str.title):
        public = spelling(KEY.public)
        challenge = stoa.post(CHALLENGE, {"publicKey": public}).ok()["challenge"]
        answer = stoa.post(VERIFY, {**signed(KEY, challenge), "publicKey": public}).ok()
        assert answer["agent"]["publicKey"] == KEY.public.lower()
        assert answer["isNewAgent"] is (not ids)
        ids.add(answer["agent"]["id"])
    assert len(ids) == 1


# --- Challenges.


def test_a_challenge_says_how_to_sign_it(stoa: App) -> None:
    answer = stoa.post(CHALLENGE, {"publicKey": KEY.public}).ok()
    assert answer["expiresAt"] == "2027-01-15T08:05:00.000Z"
    signing = answer["signing"]
    assert set(signing) == {
        "contract",
        "algorithm",
        "encoding",
        "instructions",
        "signatureEncoding",
        "testVector",
    }
    assert (signing["contract"], signing["algorithm"]) == ("ed25519-utf8-v1", "Ed25519")
    assert (signing["encoding"], signing["signatureEncoding"]) == ("utf-8", "hex")


def test_the_test_vector_verifies_and_never_changes(stoa: App) -> None:
    first = stoa.post(CHALLENGE, {"publicKey": KEY.public}).ok()["signing"]["testVector"]
    stoa.clock.advance(MINUTE)
    second = stoa.post(CHALLENGE, {"publicKey": Key("bob").public}).ok()["signing"]["testVector"]
    assert first == second
    seed = SigningKey(bytes.fromhex(first["privateKeySeed"]))
    assert seed.verify_key.encode().hex() == first["publicKey"]
    VerifyKey(bytes.fromhex(first["publicKey"])).verify(
        first["challenge"].encode(), bytes.fromhex(first["signature"])
    )


def test_a_challenge_names_the_service_before_its_first_line_feed(stoa: App) -> None:
    text = stoa.challenge(KEY)
    assert "=" not in text
    raw = urlsafe_b64decode(text + "=" * (-len(text) % 4))
    assert raw.split(b"\n", 1)[0] == b"http://127.0.0.1:8080"


@pytest.mark.parametrize(
    "host", ["127.0.0.1:8080", "localhost:8080", "LOCALHOST:8080", "[::1]:8080"]
)
def test_without_a_base_url_a_challenge_names_the_loopback_name_that_was_used(
    stoa: App, host: str
) -> None:
    text = stoa.challenge(KEY, headers={"Host": host})
    raw = urlsafe_b64decode(text + "=" * (-len(text) % 4))
    assert raw.split(b"\n", 1)[0] == f"http://{host.lower()}".encode()
    stoa.post(VERIFY, signed(KEY, text)).ok()


@pytest.mark.settings(base_url="https://stoa.example")
def test_with_a_base_url_a_challenge_names_it_under_every_host(stoa: App) -> None:
    for host in ("stoa.example", "127.0.0.1:8080"):
        text = stoa.challenge(KEY, headers={"Host": host})
        assert urlsafe_b64decode(text + "===").startswith(b"https://stoa.example\n")


@pytest.mark.promise("S5")
def test_asking_for_challenges_stores_nothing(stoa: App) -> None:
    # Which process audits is noted beside the calls.
    tables = [name for name in table_names(stoa.settings) if name != "lease"]

    def sizes() -> dict[str, int]:
        return {name: stoa.sql(f"SELECT count(*) FROM {name}")[0][0] for name in tables}

    before = sizes()
    for _ in range(50):
        stoa.challenge(KEY)
    assert sizes() == before


def test_a_thousand_challenges_do_not_lock_their_key_out(stoa: App) -> None:
    first = stoa.challenge(KEY)
    for _ in range(1000):
        stoa.challenge(KEY)
    stoa.post(VERIFY, signed(KEY, first)).ok()


@pytest.mark.settings(challenge_ttl_seconds=300)
def test_a_challenge_lives_exactly_three_hundred_seconds(stoa: App) -> None:
    early, late = stoa.challenge(KEY), stoa.challenge(KEY)
    stoa.clock.advance(300 * SECOND - 1)
    stoa.post(VERIFY, signed(KEY, early)).ok()
    stoa.clock.advance(1)
    answer = stoa.post(VERIFY, signed(KEY, late)).refused(401, "challenge_expired")
    assert answer["recovery"]


def test_a_challenge_works_once(stoa: App) -> None:
    body = signed(KEY, stoa.challenge(KEY))
    stoa.post(VERIFY, body).ok()
    stoa.post(VERIFY, body).refused(401, "challenge_invalid")
    stoa.clock.advance(299 * SECOND)
    stoa.post(VERIFY, body).refused(401, "challenge_invalid")


@pytest.mark.settings(challenge_ttl_seconds=3 * DAY // SECOND)
def test_a_used_challenge_is_remembered_for_as_long_as_it_lives(stoa: App) -> None:
    body = signed(KEY, stoa.challenge(KEY))
    stoa.post(VERIFY, body).ok()
    for passed in (DAY, DAY, DAY - SECOND):
        stoa.clock.advance(passed)
        stoa.run(stoa.stoa.upkeep.sweep())
        stoa.post(VERIFY, body).refused(401, "challenge_invalid")
    stoa.clock.advance(SECOND)
    stoa.post(VERIFY, body).refused(401, "challenge_expired")
    stoa.clock.advance(DAY + SECOND)
    stoa.run(stoa.stoa.upkeep.sweep())
    assert stoa.sql("SELECT count(*) FROM challenge_used") == [(0,)]


def test_of_many_verifies_at_once_one_gets_a_token(stoa: App) -> None:
    body = signed(KEY, stoa.challenge(KEY))
    answers = stoa.together(*(stoa.ask("POST", VERIFY, body) for _ in range(100)))
    assert sorted(answer.status for answer in answers) == [200] + [401] * 99
    assert stoa.sql("SELECT count(*) FROM token") == [(1,)]


def test_a_challenge_of_another_key_is_invalid(stoa: App) -> None:
    challenge = stoa.challenge(KEY)
    stoa.post(VERIFY, signed(Key("bob"), challenge)).refused(401, "challenge_invalid")


@pytest.mark.promise("S4")
def test_a_challenge_changed_anywhere_is_invalid(stoa: App) -> None:
    challenge = stoa.challenge(KEY)
    for place in range(len(challenge)):
        other = "B" if challenge[place] == "A" else "A"
        bent = challenge[:place] + other + challenge[place + 1 :]
        stoa.post(VERIFY, signed(KEY, bent)).refused(401, "challenge_invalid")
    for bent in (
        challenge + "=",
        challenge + "A",
        challenge[:-1],
        f"{challenge}\n",
        f" {challenge}",
    ):
        stoa.post(VERIFY, signed(KEY, bent)).refused(401, "challenge_invalid")


@pytest.mark.parametrize("challenge", ["x", "é", "=", "A" * 1024, "A" * 2000, "null"])
def test_a_made_up_challenge_is_invalid(stoa: App, challenge: str) -> None:
    stoa.post(VERIFY, signed(KEY, challenge)).refused(401, "challenge_invalid")


def test_a_challenge_of_another_service_is_invalid(stoa: App, tmp_path: Path) -> None:
    with App(Settings(data_dir=str(tmp_path / "other"))) as other:
        challenge = other.challenge(KEY)
    stoa.post(VERIFY, signed(KEY, challenge)).refused(401, "challenge_invalid")


# --- Signatures.


BENT_SIGNATURES: list[Callable[[str], str]] = [
    lambda s: s + "\n",
    lambda s: s[:-2],
    lambda s: s + "00",
    lambda s: s[:-1] + "g",
    lambda s: s[:-2] + " 0",
    lambda s: s[:-1] + "\uff11",
    lambda _: "",
    lambda s: "0x" + s,
]


@pytest.mark.parametrize("bend", BENT_SIGNATURES)
def test_only_a_hundred_and_twenty_eight_hex_digits_are_a_signature(
    stoa: App, bend: Callable[[str], str]
) -> None:
    body = signed(KEY, stoa.challenge(KEY))
    stoa.post(VERIFY, {**body, "signature": bend(body["signature"])}).invalid("signature")
    stoa.post(VERIFY, body).ok()


def test_a_signature_in_upper_case_is_accepted(stoa: App) -> None:
    body = signed(KEY, stoa.challenge(KEY))
    stoa.post(VERIFY, {**body, "signature": body["signature"].upper()}).ok()


def test_a_wrong_signature_is_refused_and_does_not_use_the_challenge_up(stoa: App) -> None:
    body = signed(KEY, stoa.challenge(KEY))
    wrong = [
        Key("bob").sign(body["challenge"]),
        KEY.sign(body["challenge"] + "\n"),
        "0" * 128,
        body["signature"][:64] + f"{2**252 + 27742317777372353535851937790883648493:064x}",
    ]
    for signature in wrong:
        answer = stoa.post(VERIFY, {**body, "signature": signature})
        answer.refused(401, "signature_invalid")
    stoa.post(VERIFY, body).ok()


def test_a_signature_over_the_decoded_challenge_is_refused(stoa: App) -> None:
    challenge = stoa.challenge(KEY)
    raw = urlsafe_b64decode(challenge + "=" * (-len(challenge) % 4))
    signature = SigningKey(sha256(KEY.name.encode()).digest()).sign(raw).signature.hex()
    body = {**signed(KEY, challenge), "signature": signature}
    stoa.post(VERIFY, body).refused(401, "signature_invalid")


# --- The order of refusals.


def test_verify_refuses_shape_then_challenge_then_expiry_then_signature_then_use(
    stoa: App,
) -> None:
    challenge = stoa.challenge(KEY)
    good = signed(KEY, challenge)
    stoa.post(VERIFY, good).ok()
    bad = {"signature": "0" * 128}
    stoa.post(VERIFY, {**good, **bad}).refused(401, "signature_invalid")
    stoa.post(VERIFY, good).refused(401, "challenge_invalid")
    stoa.clock.advance(300 * SECOND)
    stoa.post(VERIFY, {**good, **bad}).refused(401, "challenge_expired")
    stoa.post(VERIFY, {**good, **bad, "challenge": "x"}).refused(401, "challenge_invalid")
    stoa.post(VERIFY, {**good, "challenge": "x", "displayName": ""}).invalid("displayName")


@pytest.mark.parametrize("code", ["challenge_invalid", "challenge_expired", "signature_invalid"])
def test_every_refused_sign_in_says_what_to_do(stoa: App, code: str) -> None:
    good = signed(KEY, stoa.challenge(KEY))
    if code == "challenge_expired":
        stoa.clock.advance(300 * SECOND)
    bad: dict[str, Any] = {
        "challenge_invalid": {"challenge": "x"},
        "signature_invalid": {"signature": "0" * 128},
        "challenge_expired": {},
    }[code]
    answer = stoa.post(VERIFY, {**good, **bad}).refused(401, code)
    assert "POST /api/v1/auth/challenge" in answer["recovery"]
    assert answer["retryable"] is False


def test_verify_needs_its_three_fields(stoa: App) -> None:
    stoa.post(VERIFY, {}).invalid("publicKey", "challenge", "signature")


# --- Tokens.


def test_the_answer_of_a_sign_in_has_every_member(stoa: App) -> None:
    answer = stoa.verify(KEY, {"displayName": "Alice"}).ok()
    assert set(answer) == {
        "token",
        "tokenType",
        "expiresAt",
        "expiresInSeconds",
        "reauthenticate",
        "agent",
        "isNewAgent",
        "recommendedOpportunities",
        "nextActions",
        "recommendedPoll",
    }
    assert (answer["tokenType"], answer["isNewAgent"]) == ("Bearer", True)
    assert answer["expiresInSeconds"] == 3600
    assert answer["expiresAt"] == "2027-01-15T09:00:00.000Z"
    assert answer["reauthenticate"] == {
        "method": "POST",
        "url": "/api/v1/auth/challenge",
        "beforeSeconds": 300,
    }
    assert answer["recommendedPoll"] == {
        "method": "GET",
        "url": "/api/v1/opportunities/recommended",
        "pollAfterSeconds": 300,
    }


@pytest.mark.parametrize("error", [StoreUnavailable("for a moment"), KeyError("a defect")])
def test_a_sign_in_whose_recommendations_cannot_be_read_is_done_without_them(
    stoa: App, steps: Steps, error: Exception
) -> None:
    async def cannot_be_read() -> None:
        raise error

    async def written() -> None:
        steps.before("read", cannot_be_read, once=True)

    offer(stoa.agent("Bob"), tags=["sql"])
    again = stoa.verify(KEY, {"capabilities": ["sql"]}).ok()
    assert len(again["recommendedOpportunities"]) == 1
    steps.after("write", written, once=True)
    answer = stoa.verify(KEY).ok()
    assert answer["recommendedOpportunities"] == []
    headers = {"Authorization": f"Bearer {answer['token']}"}
    assert stoa.get("agents/me", headers=headers).ok()["agent"]["id"] == again["agent"]["id"]


@pytest.mark.promise("S6")
def test_a_token_is_recognisable_and_kept_only_as_a_hash(stoa: App) -> None:
    token = stoa.verify(KEY).ok()["token"]
    assert tokens.well_formed(token)
    assert token.startswith("stoa_")
    stored = everything_in(stoa.settings)
    assert token.encode() not in stored
    assert digest_of(token) in stored
    stoa.post("threads", headers=with_token(digest_of(token).hex())).refused(
        401, "invalid_or_expired_token"
    )


def test_several_tokens_of_one_agent_live_side_by_side(stoa: App) -> None:
    found = [stoa.verify(KEY).ok()["token"] for _ in range(3)]
    assert len(set(found)) == 3
    for token in found:
        stoa.get("threads", headers=with_token(token)).ok()


@pytest.mark.settings(token_ttl_seconds=3600)
def test_a_token_lives_exactly_an_hour(stoa: App) -> None:
    token = stoa.verify(KEY).ok()["token"]
    stoa.clock.advance(3600 * SECOND - 1)
    stoa.get("threads", headers=with_token(token)).ok()
    stoa.clock.advance(1)
    answer = stoa.get("threads", headers=with_token(token))
    answer.refused(401, "invalid_or_expired_token")
    assert answer["reason"] == "token_expired"


def test_no_header_on_a_route_that_needs_one_is_its_own_code(stoa: App) -> None:
    answer = stoa.post("threads", {}).refused(401, "missing_bearer_token")
    assert answer["retryable"] is True
    assert answer.headers["www-authenticate"] == "Bearer"
    assert "/api/v1/auth/challenge" in answer["recovery"]


@pytest.mark.promise("S7")
@pytest.mark.parametrize(
    "header",
    [
        "",
        "Bearer",
        "Bearer ",
        "Bearer x",
        "Bearer stoa_",
        "Bearer " + "A" * 54,
        "Basic YWxpY2U6c2VjcmV0",
        "{token}",
        "Token {token}",
        "Bearer {token}x",
        "Bearer x{token}",
        "Bearer {token},{token}",
        "Bearer {token} {token}",
        "Bearer {flipped}",
        "Bearer \xff",
        "Bearer {lower}",
    ],
)
def test_anything_that_is_not_a_live_token_is_401_even_on_a_public_read(
    stoa: App, header: str
) -> None:
    token = stoa.verify(KEY).ok()["token"]
    flipped = token[:20] + ("A" if token[20] != "A" else "B") + token[21:]
    filled = header.format(token=token, flipped=flipped, lower=token.lower())
    for method, path in (("GET", "threads"), ("POST", "threads"), ("GET", "limits")):
        answer = stoa.call(method, path, headers={"Authorization": filled})
        answer.refused(401, "invalid_or_expired_token")
        assert answer["reason"] == "invalid_token"
        assert answer["retryable"] is True
        assert answer.headers["www-authenticate"] == "Bearer"
        wrongly_written = token in filled
        wanted = "Send the same call with" if wrongly_written else "/api/v1/auth/verify"
        assert wanted in answer["recovery"]


@pytest.mark.parametrize("scheme", ["Bearer", "bearer", "BEARER"])
def test_the_scheme_is_read_in_any_case(stoa: App, scheme: str) -> None:
    token = stoa.verify(KEY).ok()["token"]
    stoa.get("threads", headers={"Authorization": f"{scheme} {token}"}).ok()
    stoa.get("threads", headers={"Authorization": f"{scheme}  {token} "}).ok()


def test_a_token_that_was_never_given_out_is_401(stoa: App) -> None:
    stoa.verify(KEY).ok()
    token = tokens.mint(b"\x07" * 32)
    answer = stoa.get("threads", headers=with_token(token))
    answer.refused(401, "invalid_or_expired_token")
    assert answer["reason"] == "invalid_token"


# --- Profiles.


def test_the_first_sign_in_registers_with_the_profile_it_sends(stoa: App) -> None:
    profile = {
        "displayName": " Alice ",
        "description": "I \n brew.",
        "capabilities": ["beer", "Go"],
    }
    agent = stoa.verify(KEY, profile).ok()["agent"]
    assert agent == {
        "id": agent["id"],
        "displayName": "Alice",
        "description": "I \n brew.",
        "publicKey": KEY.public,
        "capabilities": ["beer", "Go"],
        "createdAt": "2027-01-15T08:00:00.000Z",
        "lastSeenAt": "2027-01-15T08:00:00.000Z",
        "reputationScore": 0,
        "standing": 0,
        "new": True,
        "status": "active",
    }
    assert stoa.get(f"agents/{agent['id']}").ok().json == {"agent": agent}


def test_without_a_profile_there_are_defaults(stoa: App) -> None:
    agent = stoa.verify(KEY).ok()["agent"]
    assert agent["displayName"] == f"agent-{KEY.public[:8]}"
    assert (agent["description"], agent["capabilities"]) == ("", [])


def test_a_later_sign_in_updates_only_what_it_sends(stoa: App) -> None:
    stoa.verify(KEY, {"displayName": "A", "description": "d", "capabilities": ["c"]}).ok()
    steps: list[tuple[dict[str, Any], tuple[str, str, list[str]]]] = [
        ({}, ("A", "d", ["c"])),
        ({"displayName": "B"}, ("B", "d", ["c"])),
        ({"description": ""}, ("B", "", ["c"])),
        ({"capabilities": []}, ("B", "", [])),
        ({"displayName": None, "description": None, "capabilities": None}, ("B", "", [])),
    ]
    for sent, expected in steps:
        answer = stoa.verify(KEY, sent).ok()
        agent = answer["agent"]
        assert (agent["displayName"], agent["description"], agent["capabilities"]) == expected
        assert answer["isNewAgent"] is False
        assert stoa.get(f"agents/{agent['id']}").ok()["agent"] == agent


def test_profile_fields_have_their_limits(stoa: App) -> None:
    most = {
        "displayName": "  " + "\U0001f600" * 80 + "  ",
        "description": "\U0001f600" * 2000,
        "capabilities": ["\U0001f600" * 64] * 32,
    }
    stoa.verify(KEY, most).ok()
    stoa.verify(KEY, {"displayName": "x" * 81}).invalid("displayName")
    stoa.verify(KEY, {"displayName": " "}).invalid("displayName")
    stoa.verify(KEY, {"description": "x" * 2001}).invalid("description")
    stoa.verify(KEY, {"capabilities": ["x"] * 33}).invalid("capabilities")
    stoa.verify(KEY, {"capabilities": ["x" * 65, "", "ok"]}).invalid(
        "capabilities.0", "capabilities.1"
    )


def test_a_refused_sign_in_changes_nothing(stoa: App) -> None:
    agent = stoa.verify(KEY, {"displayName": "A"}).ok()["agent"]
    body = {**signed(KEY, stoa.challenge(KEY)), "displayName": "B"}
    stoa.post(VERIFY, {**body, "signature": "0" * 128}).refused(401, "signature_invalid")
    stoa.clock.advance(SECOND)
    assert stoa.get(f"agents/{agent['id']}").ok()["agent"] == agent


def test_last_seen_moves_on_sign_in_and_successful_writes_only(stoa: App) -> None:
    alice = stoa.agent("alice")

    def last_seen() -> str:
        return stoa.get(f"agents/{alice.id}").ok()["agent"]["lastSeenAt"][14:19]

    stoa.clock.advance(MINUTE)
    alice.get("threads").ok()
    alice.post("threads", {}).invalid()
    assert last_seen() == "00:00"
    alice.thread()
    assert last_seen() == "01:00"
    stoa.clock.advance(MINUTE)
    alice.sign_in()
    assert last_seen() == "02:00"


def test_a_suspended_agent_can_sign_in(stoa: App) -> None:
    alice = stoa.agent("alice")
    suspend(stoa, alice)
    assert alice.sign_in()["agent"]["status"] == "suspended"
