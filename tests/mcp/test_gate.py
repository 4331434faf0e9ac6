"""`/mcp/oauth`: the same tools for clients that get their token by themselves."""

import json
from typing import Any

import pytest

from stoa.operations.catalog import all_operations
from tests.support.app import App
from tests.support.clock import HOUR
from tests.support.keys import Key
from tests.support.mcp import ERAS, Mcp
from tests.support.oauth import BASE, bearer, granted, signed_in

KEY = Key("Ada")
METADATA = f'resource_metadata="{BASE}/.well-known/oauth-protected-resource/mcp/oauth"'
ASKED = f'Bearer {METADATA}, scope="read write"'
RECOVERY = (
    f"Get a token from the authorization server that {BASE}/.well-known/oauth-protected-resource"
    "/mcp/oauth names, with the scopes `read write`. Then send the same message with "
    "`Authorization: Bearer <token>`."
)
BALANCE: dict[str, Any] = {"name": "get_credit_balance", "arguments": {}}


@pytest.fixture(params=ERAS)
def client(request: pytest.FixtureRequest, stoa: App) -> Mcp:
    """A client of each era."""
    return Mcp(stoa, request.param, "/mcp/oauth")


def called(client: Mcp, token: str, tool: str, **arguments: Any) -> Any:
    """The HTTP answer to a call of a tool."""
    return client.call(tool, arguments, headers=bearer(token))


@pytest.mark.promise("J16")
def test_every_request_without_a_live_token_is_401_and_says_where_to_get_one(
    client: Mcp,
) -> None:
    stoa = client.app
    asked = [client.ask(one) for one in ("initialize", "ping", "tools/list", "server/discover")]
    asked += [client.call("search_threads", {"q": "x"}), client.send(b"not json")]
    asked += [stoa.call(method, "/mcp/oauth") for method in ("GET", "DELETE", "PUT", "OPTIONS")]
    for answer in asked:
        assert answer.refused(401, "missing_bearer_token")["recovery"] == RECOVERY
        assert [value for name, value in answer.header_list if name == "www-authenticate"] == [
            ASKED
        ]
        assert "access-control-allow-origin" not in answer.headers


def test_a_token_that_is_none_or_has_ended_is_401(client: Mcp) -> None:
    stoa = client.app
    token = signed_in(stoa, KEY)
    called(client, token, "get_credit_balance").ok()
    stoa.clock.advance(HOUR)
    for given in (bearer(token), bearer("x"), {"Authorization": token}, {"Authorization": ""}):
        answer = client.ask("tools/list", headers=given)
        assert answer.refused(401, "invalid_or_expired_token")["recovery"] == RECOVERY
        assert answer.headers["www-authenticate"] == f'{ASKED}, error="invalid_token"'


def test_the_tools_are_the_same_without_the_argument_for_a_token(client: Mcp) -> None:
    stoa = client.app
    headers = bearer(signed_in(stoa, KEY))
    here = client.ask("tools/list", headers=headers).ok()["result"]["tools"]
    there = Mcp(stoa, client.version).ask("tools/list").ok()["result"]["tools"]
    assert len(here) == len([one for one in all_operations() if one.tool])
    for mine, usual in zip(here, there, strict=True):
        assert "authorization" not in json.dumps(mine["inputSchema"])
        usual["inputSchema"]["properties"].pop("authorization")
        required = [n for n in usual["inputSchema"].get("required", []) if n != "authorization"]
        assert mine["inputSchema"].get("required", []) == required
        assert mine["inputSchema"]["properties"] == usual["inputSchema"]["properties"]
        del mine["inputSchema"], usual["inputSchema"]
        assert mine == usual


def test_the_instructions_do_not_ask_for_a_token(stoa: App) -> None:
    headers = bearer(signed_in(stoa, KEY))
    params: dict[str, Any] = {"protocolVersion": "2025-11-25", "capabilities": {}}
    params["clientInfo"] = {"name": "t", "version": "1"}
    told = (
        Mcp(stoa, path="/mcp/oauth")
        .ask("initialize", params, headers)
        .ok()["result"]["instructions"]
    )
    assert "authorization" not in told
    assert "idempotencyKey" in told


def test_a_call_is_that_of_the_agent_whose_token_it_is(client: Mcp) -> None:
    stoa = client.app
    token = signed_in(stoa, KEY)
    answer = called(client, token, "create_thread", title="t", body="b").ok()["result"]
    assert answer["structuredContent"]["thread"]["author"]["publicKey"] == KEY.public
    balance = called(client, token, "get_credit_balance").ok()["result"]["structuredContent"]
    assert balance["balance"]["available"] == 100


def test_the_argument_for_a_token_is_unknown_here(client: Mcp) -> None:
    token = signed_in(client.app, KEY)
    result = called(client, token, "search_threads", q="x", authorization="Bearer x").ok()["result"]
    assert [one["path"] for one in result["structuredContent"]["warnings"]] == ["authorization"]


@pytest.mark.promise("J17")
def test_a_missing_scope_is_403_here_and_a_result_at_the_other_address(client: Mcp) -> None:
    stoa = client.app
    token = signed_in(stoa, KEY, scope="read")
    called(client, token, "get_credit_balance").ok()
    answer = called(client, token, "create_thread", title="t", body="b")
    assert answer.refused(403, "insufficient_scope")["recovery"] == RECOVERY
    told = f'Bearer error="insufficient_scope", scope="read write", {METADATA}'
    assert answer.headers["www-authenticate"] == told
    usual = Mcp(stoa, client.version)
    usual = usual.call("create_thread", {"title": "t", "body": "b"}, bearer(token))
    result = usual.ok()["result"]
    assert (result["isError"], result["structuredContent"]["code"]) == (True, "insufficient_scope")
    assert stoa.get("threads").ok()["threads"] == []


def test_other_refusals_are_results(client: Mcp) -> None:
    token = signed_in(client.app, KEY)
    result = called(client, token, "create_thread", title="").ok()["result"]
    assert result["structuredContent"]["code"] == "invalid_request"


def test_with_a_token_the_rest_is_as_at_the_other_address(client: Mcp) -> None:
    headers = bearer(signed_in(client.app, KEY))
    answer = client.app.call("GET", "/mcp/oauth", headers=headers)
    assert answer.refused(405, "method_not_allowed").headers["allow"] == "POST"
    foreign = {**headers, "Origin": "https://evil.example"}
    client.ask("tools/list", headers=foreign).refused(403, "origin_forbidden")
    client.ask("tools/list", headers={**headers, "Host": "evil.example"}).refused(421, "wrong_host")
    assert client.app.call("POST", "/mcp/oauth//", headers=headers).status == 404


def test_a_slash_behind_the_address_changes_nothing(client: Mcp) -> None:
    slash = Mcp(client.app, client.version, "/mcp/oauth/")
    for headers in ({}, bearer(signed_in(client.app, KEY))):
        plain, other = (one.ask("tools/list", headers=headers) for one in (client, slash))
        assert (other.status, other.json.get("result")) == (plain.status, plain.json.get("result"))
        assert other.headers.get("www-authenticate") == plain.headers.get("www-authenticate")


def test_a_client_that_was_granted_a_session_uses_its_tools(client: Mcp) -> None:
    ada = client.app.agent("Ada")
    token = granted(client.app, ada).access_token
    called(client, token, "create_thread", title="t", body="b").ok()


@pytest.mark.settings(limit_uncharged=3)
def test_calls_without_a_token_count_against_the_address(client: Mcp) -> None:
    for _ in range(3):
        client.ask("tools/list").refused(401, "missing_bearer_token")
    answer = client.ask("tools/list").refused(429, "rate_limited")
    assert "www-authenticate" not in answer.headers


def test_a_header_given_to_the_other_address_keeps_working(client: Mcp) -> None:
    headers = bearer(signed_in(client.app, KEY))
    usual = Mcp(client.app, client.version)
    usual.ask("tools/list", headers=headers).ok()
    usual.ask("tools/call", BALANCE, headers=headers).ok()
    answer = usual.ask("tools/call", BALANCE, headers=bearer("x")).ok()
    assert answer["result"]["structuredContent"]["code"] == "invalid_or_expired_token"
    assert "www-authenticate" not in answer.headers
