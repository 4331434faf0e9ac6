"""The OAuth face: what clients read first, from where they may, and what wrong requests get."""

import pytest

from tests.support.app import App
from tests.support.oauth import BASE, FORM, post, refused
from tests.support.steps import Steps

RESOURCE = "/.well-known/oauth-protected-resource/mcp/oauth"
SERVER = "/.well-known/oauth-authorization-server/oauth"


@pytest.mark.promise("J14")
def test_the_resource_names_itself_and_its_authorization_server(stoa: App) -> None:
    answer = stoa.get(RESOURCE).ok()
    assert stoa.get(f"{RESOURCE}/").ok().content == answer.content
    assert answer["resource"] == f"{BASE}/mcp/oauth"
    assert answer["authorization_servers"] == [f"{BASE}/oauth"]
    assert answer["scopes_supported"] == ["read", "write"]
    assert answer["bearer_methods_supported"] == ["header"]


def test_the_authorization_server_says_what_it_grants_and_how(stoa: App) -> None:
    answer = stoa.get(SERVER).ok()
    assert answer["issuer"] == f"{BASE}/oauth"
    for name in ("token", "revocation", "authorization", "registration"):
        assert answer[f"{name}_endpoint"].startswith(f"{BASE}/oauth/")
    assert {"client_credentials", "refresh_token"} <= set(answer["grant_types_supported"])
    assert "private_key_jwt" in answer["token_endpoint_auth_methods_supported"]
    assert answer["token_endpoint_auth_signing_alg_values_supported"] == ["EdDSA"]
    assert answer["code_challenge_methods_supported"] == ["S256"]
    post(stoa, {}, answer["token_endpoint"].removeprefix(BASE))


def test_without_a_base_url_both_name_the_loopback_name_that_was_used(stoa: App) -> None:
    headers = {"Host": "localhost:8080"}
    assert stoa.get(RESOURCE, headers=headers).ok()["resource"].startswith("http://localhost:8080/")
    assert stoa.get(SERVER, headers=headers).ok()["issuer"] == "http://localhost:8080/oauth"


@pytest.mark.settings(base_url="https://stoa.example", allowed_hosts=("127.0.0.1:8080",))
def test_with_a_base_url_both_name_it_under_every_host(stoa: App) -> None:
    assert stoa.get(RESOURCE).ok()["resource"] == "https://stoa.example/mcp/oauth"
    assert stoa.get(SERVER).ok()["issuer"] == "https://stoa.example/oauth"


@pytest.mark.promise("J15")
@pytest.mark.parametrize(
    "path",
    [
        "/.well-known/oauth-protected-resource",
        "/.well-known/oauth-protected-resource/mcp",
        "/.well-known/oauth-authorization-server",
        "/.well-known/oauth-authorization-server/mcp",
        "/.well-known/openid-configuration",
        "/mcp/.well-known/oauth-protected-resource",
    ],
)
def test_nothing_leads_a_client_of_mcp_away_from_its_header(stoa: App, path: str) -> None:
    assert stoa.get(path).status == 404


@pytest.mark.parametrize("path", [RESOURCE, SERVER])
def test_a_document_has_an_etag_and_is_asked_for_again_with_it(stoa: App, path: str) -> None:
    answer = stoa.get(path).ok()
    assert answer.headers["cache-control"] == "public, no-cache"
    headers = {"If-None-Match": answer.headers["etag"]}
    again = stoa.get(path, headers=headers)
    assert (again.status, again.content) == (304, b"")
    head = stoa.call("HEAD", path).ok()
    assert (head.content, head.headers["etag"]) == (b"", answer.headers["etag"])


@pytest.mark.parametrize("path", [RESOURCE, SERVER, "/oauth/token", "/oauth/revoke"])
def test_web_pages_of_any_origin_may_ask(stoa: App, path: str) -> None:
    preflight = stoa.call("OPTIONS", path, headers={"Origin": "https://client.example"})
    assert preflight.status == 204
    assert preflight.headers["access-control-allow-origin"] == "*"
    allowed = preflight.headers["access-control-allow-headers"]
    assert {"Content-Type", "MCP-Protocol-Version"} <= {*allowed.split(", ")}
    answer = stoa.post(path, b"", headers=FORM) if "oauth/" in path[:7] else stoa.get(path)
    assert answer.headers["access-control-allow-origin"] == "*"
    assert "access-control-allow-credentials" not in answer.headers


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [
        ("GET", "/oauth/token", "POST"),
        ("PUT", "/oauth/token", "POST"),
        ("GET", "/oauth/revoke", "POST"),
        ("GET", "/oauth/register", "POST"),
        ("DELETE", "/oauth/register", "POST"),
        ("POST", RESOURCE, "GET, HEAD"),
        ("DELETE", SERVER, "GET, HEAD"),
    ],
)
def test_another_method_is_405(stoa: App, method: str, path: str, allowed: str) -> None:
    answer = refused(stoa.call(method, path), 405, "method_not_allowed")
    assert answer.headers["allow"] == allowed


def test_another_host_is_refused(stoa: App) -> None:
    for path in (RESOURCE, "/oauth/token"):
        answer = stoa.post(path, b"", headers={"Host": "evil.example", **FORM})
        refused(answer, 421, "invalid_request")


@pytest.mark.settings(limit_uncharged=2)
def test_documents_are_shed_like_all_that_is_not_charged(stoa: App) -> None:
    for _ in range(2):
        stoa.get(RESOURCE).ok()
    refused(stoa.get(SERVER), 429, "too_many_requests")
    stoa.get(SERVER, client="203.0.113.9").ok()


def test_a_defect_tells_nothing(stoa: App, steps: Steps) -> None:
    async def broken() -> None:
        raise RuntimeError("a detail")

    steps.before("write", broken)
    answer = post(stoa, {"grant_type": "refresh_token", "refresh_token": "x", "client_id": "x"})
    assert "a detail" not in refused(answer, 500, "server_error").text
