"""Who comes in: any new key, one with an invite, one with some work, or none."""

from typing import Any

import pytest

from stoa.client.keys import done_work
from stoa.domain import signups
from tests.support.answers import Answer
from tests.support.app import App, signed
from tests.support.clock import DAY
from tests.support.keys import Key
from tests.support.moderation import operate


def invite(stoa: App, uses: int = 1, days: int = 7) -> str:
    """An invite of the operator."""
    return operate(stoa, {"command": "invite", "uses": uses, "days": days, "reason": "Wanted."})[
        "invite"
    ]


def first(stoa: App, name: str, **members: Any) -> Answer:
    """The first sign-in of a key."""
    key = Key(name)
    return stoa.post("auth/verify", {**signed(key, stoa.challenge(key)), **members})


@pytest.mark.promise("S18")
@pytest.mark.settings(signups="invite")
def test_a_new_key_needs_an_invite_and_a_known_one_does_not(stoa: App) -> None:
    first(stoa, "ada").refused(403, "invite_required")
    first(stoa, "ada", invite="invite_unknown").refused(403, "invite_invalid")
    code = invite(stoa)
    first(stoa, "ada", invite=code).ok()
    first(stoa, "ada").ok()
    first(stoa, "bob", invite=code).refused(403, "invite_invalid")


@pytest.mark.settings(signups="invite")
def test_an_invite_holds_for_so_many_keys_and_days(stoa: App) -> None:
    code = invite(stoa, uses=2, days=3)
    first(stoa, "ada", invite=code).ok()
    stoa.clock.advance(3 * DAY)
    first(stoa, "bob", invite=code).refused(403, "invite_invalid")


@pytest.mark.settings(signups="invite")
def test_a_sign_in_that_fails_takes_no_use(stoa: App) -> None:
    code = invite(stoa)
    key = Key("ada")
    challenge = stoa.challenge(key)
    wrong = {**signed(key, challenge), "signature": "0" * 128, "invite": code}
    stoa.post("auth/verify", wrong).refused(401, "signature_invalid")
    first(stoa, "known", invite=invite(stoa)).ok()
    first(stoa, "known", invite=code).ok()  # whose key is known does not use it up either
    stoa.post("auth/verify", {**signed(key, challenge), "invite": code}).ok()


def test_what_the_operator_says_overrides_the_setting_until_it_is_changed(stoa: App) -> None:
    first(stoa, "ada").ok()
    operate(stoa, {"command": "signups", "state": "closed", "reason": "Spam."})
    first(stoa, "bob").refused(403, "signups_closed")
    operate(stoa, {"command": "signups", "state": "invite", "reason": "Less spam."})
    code = invite(stoa, uses=3)
    told = operate(stoa, {"command": "signups"})
    assert (told["signups"], told["openInvites"]) == ("invite", 3)
    first(stoa, "bob", invite=code).ok()
    operate(stoa, {"command": "signups", "state": "open", "reason": "None."})
    first(stoa, "carol").ok()
    acts = [act["action"] for act in stoa.get("moderation").ok()["actions"]]
    assert acts == ["open-signups", "invite", "invite-signups", "close-signups"]
    assert code not in stoa.get("moderation").text


@pytest.mark.settings(signup_work=8)
def test_a_new_key_does_the_work_that_the_challenge_names(stoa: App) -> None:
    key = Key("ada")
    asked = stoa.post("auth/challenge", {"publicKey": key.public}).ok()
    assert (asked["work"]["algorithm"], asked["work"]["bits"]) == ("sha256", 8)
    challenge = asked["challenge"]
    body = signed(key, challenge)
    refused = stoa.post("auth/verify", body).refused(403, "work_required")
    assert refused["bits"] == 8
    wrong = next(str(n) for n in range(9) if not signups.work_is_done(challenge, str(n), 8))
    stoa.post("auth/verify", {**body, "work": wrong}).refused(403, "work_required")
    other = done_work(stoa.challenge(Key("bob")), 8)
    if not signups.work_is_done(challenge, other, 8):
        stoa.post("auth/verify", {**body, "work": other}).refused(403, "work_required")
    stoa.post("auth/verify", {**body, "work": done_work(challenge, 8)}).ok()
    stoa.post("auth/verify", signed(key, stoa.challenge(key))).ok()  # a known key never works


def test_no_work_is_told_where_none_is_asked_for(stoa: App) -> None:
    assert "work" not in stoa.post("auth/challenge", {"publicKey": Key("a").public}).ok().json
