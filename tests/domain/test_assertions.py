"""Assertions: every part that a forger could bend, and every time at which one is not good."""

import pytest

from stoa.domain import assertions, limits
from stoa.domain.assertions import Claims, JoseHeader, Parts
from stoa.domain.oauth import OAuthRefusal
from tests.support.clock import SECOND, START
from tests.support.keys import Key
from tests.support.oauth import ISSUER, assertion

KEY = Key("Ada")
GOOD = assertion(KEY, START)
AUDIENCES = {ISSUER, f"{ISSUER}/token"}


def claims(**changed: object) -> Claims:
    values: dict[str, object] = {
        "iss": KEY.public,
        "sub": KEY.public,
        "aud": ISSUER,
        "exp": START / 1000 + 300,
        "jti": "1",
    }
    return Claims(**(values | changed))  # pyright: ignore[reportArgumentType]


def refused(one: Claims, now: int = START) -> str:
    """The description of the refusal of these claims."""
    with pytest.raises(OAuthRefusal) as raised:
        assertions.check_claims(one, AUDIENCES, now)
    assert (raised.value.error, raised.value.status) == ("invalid_client", 401)
    return raised.value.description


def check(text: str) -> Parts:
    """The parts of an assertion that the key has signed."""
    read = assertions.parts(text)
    assertions.check_signature(bytes.fromhex(KEY.public), read)
    return read


def test_a_good_assertion_is_taken_apart_and_is_its_keys_own() -> None:
    read = check(GOOD)
    assert read.claims.startswith(b'{"iss"')


def test_an_assertion_with_one_changed_character_is_refused() -> None:
    for place in range(0, len(GOOD), 7):
        other = "A" if GOOD[place] != "A" else "B"
        with pytest.raises(OAuthRefusal):
            check(GOOD[:place] + other + GOOD[place + 1 :])


@pytest.mark.parametrize(
    "text",
    [
        "",
        "a.b",
        "a.b.c",
        f"{GOOD}.x",
        f"{GOOD}=",
        f"{GOOD}\n",
        GOOD.replace(".", "..", 1),
        f"{GOOD.rpartition('.')[0]}.",
        GOOD + "A" * limits.ASSERTION_CHARS,
        "A" * 5 + "." + "A" * 5 + "." + "A" * 5,
        "AB.AA.AA",
    ],
)
def test_what_is_no_jwt_in_its_one_spelling_is_refused(text: str) -> None:
    with pytest.raises(OAuthRefusal, match="client_assertion"):
        assertions.parts(text)


@pytest.mark.parametrize("alg", ["none", "HS256", "RS256", "ES256", "Ed25519", "eddsa", ""])
def test_another_algorithm_is_refused(alg: str) -> None:
    assertions.check_head(JoseHeader("EdDSA"))
    with pytest.raises(OAuthRefusal, match="alg"):
        assertions.check_head(JoseHeader(alg))


def test_an_extension_that_must_be_understood_is_refused() -> None:
    with pytest.raises(OAuthRefusal, match="crit"):
        assertions.check_head(JoseHeader("EdDSA", ["b64"]))


@pytest.mark.parametrize("aud", [ISSUER, f"{ISSUER}/token", [ISSUER]])
def test_one_audience_that_is_this_service_is_taken(aud: object) -> None:
    assertions.check_claims(claims(aud=aud), AUDIENCES, START)


@pytest.mark.parametrize(
    "aud", ["", [], f"{ISSUER}/", "https://other.example/oauth", [ISSUER, "https://other.example"]]
)
def test_another_audience_or_several_are_refused(aud: object) -> None:
    assert "aud" in refused(claims(aud=aud))


def test_an_assertion_is_good_for_five_minutes_and_one_more_on_either_side() -> None:
    one = claims(exp=START / 1000)
    for now in (START - 360 * SECOND, START, START + 60 * SECOND - 1):
        assertions.check_claims(one, AUDIENCES, now)
    assert "at most 300 s" in refused(one, START - 360 * SECOND - 1)
    assert "expired" in refused(one, START + 60 * SECOND)
    assert assertions.good_until(one) == START + 60 * SECOND
    assert assertions.made_at(one) == START - 360 * SECOND


@pytest.mark.parametrize("name", ["nbf", "iat"])
def test_an_assertion_is_not_good_before_its_time(name: str) -> None:
    assertions.check_claims(claims(**{name: START / 1000 + 60}), AUDIENCES, START)
    assert "ahead" in refused(claims(**{name: START / 1000 + 61}))


@pytest.mark.parametrize("exp", [-1, 1e300, float("inf"), 1e11])
def test_a_time_that_is_none_is_refused(exp: float) -> None:
    assert "seconds since 1970" in refused(claims(exp=exp))


@pytest.mark.parametrize("jti", ["", "x" * 256])
def test_an_id_has_1_to_255_characters(jti: str) -> None:
    assertions.check_claims(claims(jti="x" * 255), AUDIENCES, START)
    assert "jti" in refused(claims(jti=jti))


def test_issuer_and_subject_are_one_public_key_in_any_case() -> None:
    key = bytes.fromhex(KEY.public)
    assert assertions.public_key(claims()) == key
    assert assertions.public_key(claims(iss=KEY.public.upper())) == key
    for changed in ({"iss": Key("Eve").public}, {"iss": "x", "sub": "x"}, {"iss": "", "sub": ""}):
        with pytest.raises(OAuthRefusal, match="iss and sub"):
            assertions.public_key(claims(**changed))


def test_ids_of_different_keys_are_remembered_apart() -> None:
    one, other = (bytes.fromhex(Key(name).public) for name in ("Ada", "Eve"))
    assert assertions.digest(one, claims()) == assertions.digest(one, claims(exp=1))
    assert assertions.digest(one, claims()) != assertions.digest(other, claims())
