"""What an OAuth client asks for: PKCE, pairing codes, and the address of the answer."""

from hashlib import sha256

import pytest

from stoa.domain import authorizations as rules
from stoa.domain import base64url
from stoa.domain.clients import Client
from stoa.domain.limits import STATE_CHARS
from stoa.domain.oauth import OAuthRefusal

CLIENT = Client("stoac_x", "Editor", ("https://client.example/callback",))
BASE = frozenset({"https://stoa.example"})
# RFC 7636, appendix B.
VERIFIER = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
CHALLENGE = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
GOOD = {
    "response_type": "code",
    "code_challenge": CHALLENGE,
    "code_challenge_method": "S256",
}


def asked(**changed: str | None) -> rules.AuthorizationRequest:
    query = {name: value for name, value in {**GOOD, **changed}.items() if value is not None}
    return rules.check_asked(CLIENT, CLIENT.redirects[0], query, BASE)


def test_the_verifier_of_the_standard_is_that_of_its_challenge() -> None:
    assert rules.verifies(CHALLENGE, VERIFIER)


@pytest.mark.parametrize(
    "verifier", ["", CHALLENGE, VERIFIER[:-1], VERIFIER + "a", VERIFIER + "\n", "a" * 42, "a" * 129]
)
def test_no_other_verifier_is(verifier: str) -> None:
    assert not rules.verifies(CHALLENGE, verifier)


@pytest.mark.parametrize(
    "verifier", ["", "a" * 42, "a" * 129, "+" * 43, "é" * 43, VERIFIER + "\n", VERIFIER + "="]
)
def test_a_verifier_of_another_form_is_that_of_no_challenge(verifier: str) -> None:
    challenge = base64url.encode(sha256(verifier.encode()).digest())
    assert not rules.verifies(challenge, verifier)


@pytest.mark.parametrize(
    ("changed", "error"),
    [
        ({"response_type": None}, "unsupported_response_type"),
        ({"response_type": "token"}, "unsupported_response_type"),
        ({"code_challenge": None}, "invalid_request"),
        ({"code_challenge": "short"}, "invalid_request"),
        ({"code_challenge": CHALLENGE + "\n"}, "invalid_request"),
        ({"code_challenge_method": None}, "invalid_request"),
        ({"code_challenge_method": "plain"}, "invalid_request"),
        ({"state": "x" * (STATE_CHARS + 1)}, "invalid_request"),
        ({"state": "a\r\nb"}, "invalid_request"),
        ({"scope": "admin"}, "invalid_scope"),
        ({"resource": "https://other.example/mcp/oauth"}, "invalid_target"),
    ],
)
def test_a_request_that_breaks_a_rule_is_refused(
    changed: dict[str, str | None], error: str
) -> None:
    with pytest.raises(OAuthRefusal) as refused:
        asked(**changed)
    assert refused.value.error == error


@pytest.mark.parametrize(
    "resource", [None, "", "https://stoa.example/mcp/oauth", "https://stoa.example/mcp/oauth/"]
)
def test_the_resource_may_be_missing_or_end_in_a_slash(resource: str | None) -> None:
    assert asked(resource=resource).scopes == "read write"


def test_pairing_codes_have_eight_characters_that_are_not_mistaken() -> None:
    codes = {rules.pairing_code(bytes([number, 7, 200, 31, 99])) for number in range(256)}
    assert len(codes) == 256
    assert {len(code) for code in codes} == {8}
    assert not set("".join(codes)) & set("ILOU")


@pytest.mark.parametrize(
    ("typed", "code"),
    [
        ("7K3QX9AB", "7K3QX9AB"),
        ("7k3q-x9ab", "7K3QX9AB"),
        (" 7K3Q X9AB ", "7K3QX9AB"),
        ("OIL0X9AB", "0110X9AB"),
        ("7K3QX9A", None),
        ("7K3QX9ABC", None),
        ("7K3QX9A\u0663", None),
        ("7K3QX9A'", None),
        ("", None),
        ("7" * 1000, None),
    ],
)
def test_a_pairing_code_is_read_as_people_type_it(typed: str, code: str | None) -> None:
    assert rules.read_pairing_code(typed) == code


@pytest.mark.parametrize(
    ("redirect_uri", "address"),
    [
        ("https://c.example/cb", "https://c.example/cb?code=a%26b&state=x+y"),
        ("https://c.example/cb?t=1", "https://c.example/cb?t=1&code=a%26b&state=x+y"),
        ("com.example.app:/cb", "com.example.app:/cb?code=a%26b&state=x+y"),
        ("cursor://a.b/cb", "cursor://a.b/cb?code=a%26b&state=x+y"),
        ("com.example.app:///cb", "com.example.app:///cb?code=a%26b&state=x+y"),
        ("https://C.example/cb?", "https://C.example/cb?code=a%26b&state=x+y"),
    ],
)
def test_the_answer_stands_behind_what_the_address_has(redirect_uri: str, address: str) -> None:
    told = {"code": "a&b", "state": "x y", "error": None}
    assert rules.answer_address(redirect_uri, told) == address
