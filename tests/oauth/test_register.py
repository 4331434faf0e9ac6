"""Clients register themselves, within bounds, and get nothing that must be kept secret."""

from typing import Any

import pytest

from tests.support.app import App
from tests.support.oauth_pages import REDIRECT, authorize_path, opened, register


@pytest.fixture
def engine() -> str:
    """Nothing is stored: one engine is enough."""
    return "sqlite"


def test_a_client_is_told_what_it_is(stoa: App) -> None:
    asked = {
        "client_name": "Editor",
        "redirect_uris": [REDIRECT],
        "token_endpoint_auth_method": "client_secret_post",
        "grant_types": ["authorization_code", "refresh_token"],
        "logo_uri": "https://client.example/logo.png",
        "scope": "read write offline_access",
    }
    answer = stoa.post("/oauth/register", asked, headers={"Origin": "https://web.example"})
    told = answer.ok(201)
    assert told["token_endpoint_auth_method"] == "none"
    assert "client_secret" not in told
    assert (told["client_name"], told["redirect_uris"]) == ("Editor", [REDIRECT])
    assert (told["scope"], told["response_types"]) == ("read write", ["code"])
    assert answer.headers["cache-control"] == "no-store"
    assert answer.headers["access-control-allow-origin"] == "*"


@pytest.mark.parametrize(
    ("body", "error"),
    [
        ({}, "invalid_redirect_uri"),
        ([], "invalid_client_metadata"),
        ({"redirect_uris": ["http://client.example/"]}, "invalid_redirect_uri"),
        ({"redirect_uris": ["javascript:alert(1)"]}, "invalid_redirect_uri"),
        ({"redirect_uris": [REDIRECT], "client_name": "a\u202eb"}, "invalid_client_metadata"),
        (b"{", "invalid_client_metadata"),
        (b'{"redirect_uris": [], "redirect_uris": []}', "invalid_client_metadata"),
        (b'{"client_name": "\\ud800"}', "invalid_client_metadata"),
    ],
)
def test_a_bad_registration_is_refused_in_the_words_of_the_standard(
    stoa: App, body: Any, error: str
) -> None:
    answer = stoa.post("/oauth/register", body)
    assert (answer.status, answer["error"]) == (400, error)
    assert answer["error_description"].endswith(".")


def test_a_registration_that_is_too_large_or_no_json_is_refused(stoa: App) -> None:
    assert stoa.post("/oauth/register", b"x" * 1_100_000).status == 413
    form = {"content-type": "application/x-www-form-urlencoded"}
    assert stoa.post("/oauth/register", b"a=b", headers=form).status == 415


@pytest.mark.parametrize("absent", [None, []])
def test_what_is_null_or_empty_counts_as_absent(stoa: App, absent: object) -> None:
    names = ("client_name", "grant_types", "response_types", "scope", "contacts", "logo_uri")
    body = {"redirect_uris": ["claude://callback"], **dict.fromkeys(names, absent)}
    told = stoa.post("/oauth/register", body).ok(201)
    assert told["client_name"] == "the program claude"
    path = authorize_path(told["client_id"], "claude://callback")
    assert "the program claude" in opened(stoa, path).words


@pytest.mark.promise("G9")
@pytest.mark.settings(limit_clients=3)
def test_an_address_registers_so_many_clients(stoa: App) -> None:
    for _ in range(3):
        register(stoa)
    refused = stoa.post("/oauth/register", {"redirect_uris": [REDIRECT]})
    assert (refused.status, refused["error"]) == (429, "too_many_requests")
    assert int(refused.headers["retry-after"]) > 0
    other = stoa.post("/oauth/register", {"redirect_uris": [REDIRECT]}, client="192.0.2.7")
    assert other.status == 201


def test_a_client_stays_known_without_being_stored(stoa: App) -> None:
    client_id = register(stoa)
    stoa.clock.advance(10 * 365 * 86_400_000)
    assert opened(stoa, authorize_path(client_id)).code
