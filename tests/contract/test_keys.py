"""Rotation: one agent, one key after another, and a chain that anyone can check."""

from typing import Any

import pytest

from stoa.domain.keys import TEST_VECTOR
from tests.support.app import Agent, App, signed
from tests.support.clock import MINUTE
from tests.support.key_changes import chain, recover, rotate, rotation, signed_text
from tests.support.keys import Key
from tests.support.moderation import suspend

NEW = Key("the new key")


def can_sign_in(stoa: App, key: Key) -> bool:
    return stoa.verify(key).status == 200


def rotated(stoa: App) -> Agent:
    """An agent that has rotated to `NEW` and signed in with it."""
    ada = stoa.agent("Ada")
    stoa.clock.advance(MINUTE)
    rotate(ada, NEW).ok()
    ada.key = NEW
    ada.sign_in()
    return ada


# --- What changes and what stays.


@pytest.mark.promise("K1")
def test_a_rotation_keeps_the_agent_and_changes_its_key(stoa: App) -> None:
    ada = stoa.agent("Ada", description="d", capabilities=["c"])
    thread = ada.thread(bounty={"credits": 40})
    before, balance = stoa.get(f"agents/{ada.id}")["agent"], ada.get("credits/balance")["balance"]
    answer = rotate(ada, NEW).ok()
    assert answer["agent"] == {**before, "publicKey": NEW.public}
    assert (answer["receipt"]["action"], answer["receipt"]["resourceId"]) == ("rotate_key", ada.id)
    assert stoa.get(f"agents/{ada.id}")["agent"]["publicKey"] == NEW.public
    signed_in = stoa.verify(NEW).ok()
    assert (signed_in["agent"]["id"], signed_in["isNewAgent"]) == (ada.id, False)
    ada.token = signed_in["token"]
    assert ada.get("credits/balance")["balance"] == balance
    assert stoa.get(f"threads/{thread['id']}")["thread"]["author"]["publicKey"] == NEW.public


@pytest.mark.promise("K2")
def test_the_old_key_never_signs_in_or_registers_again(stoa: App) -> None:
    ada = rotated(stoa)
    refusal = stoa.verify(Key("Ada")).refused(401, "key_retired")
    assert refusal["agentId"] == ada.id
    stoa.clock.advance(MINUTE)
    stoa.verify(Key("Ada")).refused(401, "key_retired")
    [(agents,)] = stoa.sql("SELECT count(*) FROM agent")
    assert agents == 1


@pytest.mark.promise("K3")
def test_all_sessions_end_with_a_rotation(stoa: App) -> None:
    ada = stoa.agent("Ada")
    older = ada.token
    ada.sign_in()
    assert rotate(ada, NEW).ok()["sessionsEnded"] == 2
    for token in (older, ada.token):
        for _ in stoa.processes:
            headers = {"Authorization": f"Bearer {token}"}
            stoa.get("agents/me", headers=headers).refused(401, "invalid_or_expired_token")


def test_the_agents_own_page_shows_the_key_in_force_and_since_when(stoa: App) -> None:
    ada = rotated(stoa)
    me = ada.get("agents/me").ok()
    assert me["key"]["publicKey"] == me["agent"]["publicKey"] == NEW.public
    assert me["key"]["since"] > me["agent"]["createdAt"]
    assert len(me["sessions"]) == 1


def test_keys_follow_one_another(stoa: App) -> None:
    ada = rotated(stoa)
    third = Key("the third key")
    rotate(ada, third).ok()
    assert [can_sign_in(stoa, key) for key in (Key("Ada"), NEW, third)] == [False, False, True]
    shown = chain(stoa, ada.id)
    assert [key["status"] for key in shown["keys"]] == ["retired", "retired", "current"]
    assert [key["until"] for key in shown["keys"]] == [
        *(key["since"] for key in shown["keys"][1:]),
        None,
    ]


def test_a_session_that_a_retired_key_signed_for_is_dead_from_its_begin(stoa: App) -> None:
    """A sign-in and a rotation at the same time: whichever commits last, the token is dead."""
    ada = rotated(stoa)
    stoa.sql("UPDATE token SET key_number = 1 WHERE revoked_at IS NULL")
    ada.get("agents/me").refused(401, "invalid_or_expired_token")


# --- What is checked.


def test_what_is_missing_of_a_change_of_keys_says_which_lines_are_signed(stoa: App) -> None:
    issues = stoa.agent("Ada").post("auth/rotate", {}).invalid().issues
    for line in ("five lines", "`stoa-keys-v1`", "`rotate`", "the agent's id", "the challenge"):
        assert line in issues["signature"]
    assert issues["newSignature"].endswith("by the new key, of the same text.")


@pytest.mark.promise("K4")
def test_a_signature_for_a_sign_in_changes_no_key(stoa: App) -> None:
    ada = stoa.agent("Ada")
    challenge = stoa.challenge(NEW)
    body = rotation(stoa, ada.id, ada.key, NEW, challenge=challenge)
    relayed = {"signature": ada.key.sign(challenge), "newSignature": NEW.sign(challenge)}
    ada.post("auth/rotate", {**body, **relayed}).refused(401, "signature_invalid")
    stoa.post("auth/verify", {**signed(NEW, challenge), "signature": body["newSignature"]}).refused(
        401, "signature_invalid"
    )
    assert can_sign_in(stoa, ada.key)


@pytest.mark.promise("K5")
@pytest.mark.parametrize("line", range(5))
def test_each_line_of_the_signed_text_counts(stoa: App, line: int) -> None:
    ada, bob = stoa.agent("Ada"), stoa.agent("Bob")
    challenge = stoa.challenge(NEW)
    lines = signed_text("rotate", ada.id, NEW.public, challenge).split("\n")
    other = ["stoa-keys-v2", "recovery", bob.id, Key("x").public, stoa.challenge(NEW)]
    lines[line] = other[line]
    text = "\n".join(lines)
    body = {
        "newPublicKey": NEW.public,
        "challenge": challenge,
        "signature": ada.key.sign(text),
        "newSignature": NEW.sign(text),
    }
    ada.post("auth/rotate", body).refused(401, "signature_invalid")


@pytest.mark.parametrize("member", ["signature", "newSignature"])
def test_both_keys_have_to_sign(stoa: App, member: str) -> None:
    ada = stoa.agent("Ada")
    body = rotation(stoa, ada.id, ada.key, NEW)
    text = signed_text("rotate", ada.id, NEW.public, body["challenge"])
    body[member] = Key("a thief").sign(text)
    ada.post("auth/rotate", body).refused(401, "signature_invalid")
    assert can_sign_in(stoa, ada.key)


def test_a_token_alone_changes_no_key(stoa: App) -> None:
    ada, thief = stoa.agent("Ada"), Key("a thief")
    body = rotation(stoa, ada.id, thief, thief)
    ada.post("auth/rotate", body).refused(401, "signature_invalid")


def test_the_challenge_is_one_that_the_new_key_asked_for_and_works_once(stoa: App) -> None:
    ada = stoa.agent("Ada")
    foreign = rotation(stoa, ada.id, ada.key, NEW, challenge=stoa.challenge(ada.key))
    ada.post("auth/rotate", foreign).refused(401, "challenge_invalid")
    body = rotation(stoa, ada.id, ada.key, NEW)
    used = {**signed(NEW, body["challenge"])}
    stoa.post("auth/verify", used).ok()
    ada.post("auth/rotate", body).refused(400, "invalid_request")
    late = rotation(stoa, ada.id, ada.key, Key("another"))
    stoa.clock.advance(6 * MINUTE)
    ada.post("auth/rotate", late).refused(401, "challenge_expired")


def test_a_challenge_that_was_used_for_a_change_is_used_up(stoa: App) -> None:
    ada, bob = stoa.agent("Ada"), stoa.agent("Bob")
    body = rotation(stoa, ada.id, ada.key, NEW)
    stoa.sql("DELETE FROM challenge_used")
    ada.post("auth/rotate", body).ok()
    assert stoa.sql("SELECT count(*) FROM challenge_used") == [(1,)]
    # The key is taken by now, which is told first.
    again = rotation(stoa, bob.id, bob.key, NEW, challenge=body["challenge"])
    bob.post("auth/rotate", again).invalid("newPublicKey")


@pytest.mark.promise("K6")
@pytest.mark.parametrize("whose", ["its own", "another agent's", "its own old", "another's old"])
def test_a_key_that_an_agent_has_or_had_is_no_new_key(stoa: App, whose: str) -> None:
    bob = rotated(stoa)
    ada = stoa.agent("Carol")
    rotate(ada, Key("Carol's second")).ok()
    ada.key = Key("Carol's second")
    ada.sign_in()
    key = {
        "its own": ada.key,
        "another agent's": bob.key,
        "its own old": Key("Carol"),
        "another's old": Key("Ada"),
    }[whose]
    rotate(ada, key).invalid("newPublicKey")


def test_a_public_key_that_is_none_is_refused(stoa: App) -> None:
    ada = stoa.agent("Ada")
    for key in ("00" * 32, TEST_VECTOR.public_key, "xyz"):
        body = {**rotation(stoa, ada.id, ada.key, NEW), "newPublicKey": key}
        ada.post("auth/rotate", body).invalid("newPublicKey")


@pytest.mark.promise("K7")
def test_a_session_that_the_key_did_not_sign_for_changes_no_key_and_ends_no_other(
    stoa: App,
) -> None:
    ada = stoa.agent("Ada")
    stoa.sql("UPDATE token SET via = 'authorization_code'")
    body = rotation(stoa, ada.id, ada.key, NEW)
    ada.post("auth/rotate", body).refused(403, "key_session_required")
    ada.post("auth/revoke", {"all": True}).refused(403, "key_session_required")
    ada.post("auth/revoke").ok()
    ada.sign_in()
    ada.post("auth/rotate", rotation(stoa, ada.id, ada.key, NEW)).ok()


def test_a_suspended_agent_cannot_rotate(stoa: App) -> None:
    ada = stoa.agent("Ada")
    suspend(stoa, ada)
    ada.sign_in()
    rotate(ada, NEW).refused(403, "agent_suspended")


# --- At the same time.


def test_of_many_rotations_at_once_one_happens(stoa: App) -> None:
    ada = stoa.agent("Ada")
    news = [Key(f"new {number}") for number in range(8)]
    bodies = [rotation(stoa, ada.id, ada.key, new) for new in news]
    answers = stoa.together(*(ada.ask("POST", "auth/rotate", body) for body in bodies))
    assert sorted(answer.status for answer in answers) == [200] + [401] * 7
    [winner] = [new for new, answer in zip(news, answers, strict=True) if answer.status == 200]
    assert [new for new in news if stoa.verify(new)["agent"]["id"] == ada.id] == [winner]


def test_a_key_that_two_agents_want_at_once_goes_to_one(stoa: App) -> None:
    ada, bob = stoa.agent("Ada"), stoa.agent("Bob")
    challenge = stoa.challenge(NEW)
    answers = stoa.together(
        *(
            agent.ask("POST", "auth/rotate", rotation(stoa, agent.id, agent.key, NEW))
            for agent in (ada, bob)
        ),
        stoa.ask("POST", "auth/verify", signed(NEW, challenge)),
    )
    assert min(answer.status for answer in answers) == 200
    owners = stoa.sql("SELECT count(*) FROM agent WHERE public_key = ?", bytes.fromhex(NEW.public))
    assert owners == [(1,)]
    assert [answer.status for answer in answers[:2]].count(200) <= 1


# --- The chain.


@pytest.mark.promise("K8")
def test_the_chain_has_what_was_signed_and_by_which_key(stoa: App) -> None:
    ada = rotated(stoa)
    shown = chain(stoa, ada.id)
    assert shown["agentId"] == ada.id
    assert shown["recoveryKey"] is None
    assert [key["publicKey"] for key in shown["keys"]] == [Key("Ada").public, NEW.public]
    [change] = shown["changes"]
    assert (change["change"], change["publicKey"]) == ("rotate", NEW.public)
    assert change["signedBy"] == Key("Ada").public
    assert change["signature"] == Key("Ada").sign(change["signedText"])
    assert change["newSignature"] == NEW.sign(change["signedText"])
    assert change["createdAt"] == change["inForceAt"] == shown["keys"][1]["since"]


def test_an_agent_that_never_changed_its_key_has_a_chain_of_one(stoa: App) -> None:
    ada = stoa.agent("Ada")
    shown = chain(stoa, ada.id)
    since = stoa.get(f"agents/{ada.id}")["agent"]["createdAt"]
    key: dict[str, Any] = {"publicKey": ada.key.public, "status": "current", "since": since}
    assert (shown["keys"], shown["changes"]) == ([{**key, "until": None}], [])


def test_an_unknown_agent_has_no_keys(stoa: App) -> None:
    stoa.get("agents/ag_01arz3ndektsv4rrffq69g5fav/keys").refused(404, "not_found")
    recover(stoa, "ag_01arz3ndektsv4rrffq69g5fav", NEW, Key("x")).refused(404, "not_found")
