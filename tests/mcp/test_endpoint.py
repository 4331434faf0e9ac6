"""What `/mcp` refuses as an HTTP endpoint, before there is a message."""

import json
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from tests.support.app import HOST, App
from tests.support.clock import MINUTE
from tests.support.mcp import ERAS, Mcp, problem
from tests.support.profiler import Profiler

PING = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
DEFAULT_HOSTS = ["127.0.0.1:8080", "localhost:8080", "[::1]:8080"]


@pytest.mark.parametrize("method", ["GET", "DELETE", "PUT", "PATCH", "OPTIONS"])
def test_other_methods_than_post_are_refused(stoa: App, method: str) -> None:
    answer = stoa.call(method, "/mcp", headers={"accept": "text/event-stream"})
    answer.refused(405, "method_not_allowed")
    assert answer.headers["allow"] == "POST"


def test_head_is_refused_without_a_body(stoa: App) -> None:
    answer = stoa.call("HEAD", "/mcp")
    assert (answer.status, answer.content) == (405, b"")


@pytest.mark.parametrize("path", ["/mcp//", "/MCP", "/MCP/", "/mcp/x"])
def test_other_paths_are_not_the_endpoint(stoa: App, path: str) -> None:
    assert stoa.call("POST", path, PING).status == 404


def test_a_slash_behind_the_path_changes_nothing(stoa: App) -> None:
    plain, slash = (Mcp(stoa, path=path) for path in ("/mcp", "/mcp/"))
    for _ in range(2):  # the second time from what is cached
        assert slash.ask("tools/list").ok()["result"] == plain.ask("tools/list").ok()["result"]
    made = slash.result("create_thread", {"title": "t", "body": "b"}, stoa.agent("alice"))
    assert plain.result("get_thread", {"threadId": made["thread"]["id"]})["thread"]["id"]
    refused = stoa.call("GET", "/mcp/").refused(405, "method_not_allowed")
    assert refused.headers["allow"] == "POST"
    Mcp(stoa, path="/mcp/").send(PING, {"host": "evil.example"}).refused(421, "wrong_host")


@pytest.mark.parametrize("path", ["/mcp//", "/mcp/x", "/mcp/server/x"])
@pytest.mark.parametrize("method", ["GET", "POST", "DELETE"])
def test_below_the_endpoint_refusals_are_json(stoa: App, method: str, path: str) -> None:
    answer = stoa.call(method, path).refused(404, "not_found")
    assert answer.headers["content-type"] == "application/json"
    assert "access-control-allow-origin" not in answer.headers


@pytest.mark.parametrize("method", ["GET", "POST"])
def test_the_path_under_api_leads_here(stoa: App, method: str) -> None:
    answer = stoa.call(method, "/api/mcp?x=https://evil.example")
    assert (answer.status, answer.headers["location"]) == (308, "/mcp")


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1:9", "stoa.example", ""])
def test_a_host_that_is_not_ours_is_refused(stoa: App, host: str) -> None:
    answer = Mcp(stoa).send(PING, {"host": host})
    answer.refused(421, "wrong_host")
    assert "access-control-allow-origin" not in answer.headers


@pytest.mark.promise("T2")
@pytest.mark.parametrize(
    "origin",
    [
        "https://evil.example",
        "http://evil.example:8080",
        "null",
        "",
        "http://127.0.0.1:9",
        "file://",
        "http://127.0.0.1:8080.evil.example",
        "http://evil.example/127.0.0.1:8080",
        "ftp://127.0.0.1:8080",
        "http://127.0.0.1:8080, http://evil.example",
    ],
)
def test_a_foreign_origin_is_refused_before_anything_is_read(stoa: App, origin: str) -> None:
    answer = stoa.call(
        "POST", "/mcp", b"not json", headers={"origin": origin, "content-type": "text/plain"}
    )
    answer.refused(403, "origin_forbidden")
    assert "access-control-allow-origin" not in answer.headers


@pytest.mark.parametrize("host", DEFAULT_HOSTS)
def test_our_own_origin_is_let_in(stoa: App, host: str) -> None:
    Mcp(stoa).send(PING, {"origin": f"http://{host}"}).ok()


@pytest.mark.settings(base_url="https://stoa.example", allowed_hosts=["*"])
def test_a_host_wildcard_lets_no_foreign_origin_in(stoa: App) -> None:
    mcp = Mcp(stoa)
    mcp.send(PING, {"host": "evil.example"}).ok()
    mcp.send(PING, {"origin": "https://stoa.example"}).ok()
    mcp.send(PING, {"host": "evil.example", "origin": "http://evil.example"}).refused(
        403, "origin_forbidden"
    )


@pytest.mark.parametrize(
    "headers",
    [
        {"content-type": "text/plain"},
        {"content-type": "application/json; charset=latin-1"},
        {"content-type": "multipart/form-data"},
        {"content-type": "application/json", "content-encoding": "gzip"},
    ],
)
def test_what_is_not_plain_json_is_refused(stoa: App, headers: dict[str, str]) -> None:
    Mcp(stoa).send(PING, headers).refused(415, "unsupported_media_type")


def call_of(size: int, name: str = "search_threads") -> dict[str, Any]:
    params = {"name": name, "arguments": {"q": "x" * size}}
    return {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}


def test_a_body_over_1_mib_is_refused(stoa: App) -> None:
    answer = Mcp(stoa).send(call_of(1024 * 1024))
    answer.refused(413, "payload_too_large")


def test_a_chunked_body_over_1_mib_is_refused_too(stoa: App) -> None:
    Mcp(stoa).send([b"x" * 65_536] * 17).refused(413, "payload_too_large")


def test_arguments_of_nearly_1_mib_are_wrong_arguments(stoa: App) -> None:
    result = Mcp(stoa).send(call_of(1024 * 1024 - 200)).ok()["result"]
    assert result["structuredContent"]["issues"][0]["path"] == "q"


def test_an_unknown_tool_with_1_mib_of_arguments_is_a_protocol_error(stoa: App) -> None:
    answer = Mcp(stoa).send(call_of(1024 * 1024 - 200, "x"))
    assert problem(answer) == (200, -32602)
    assert len(answer.content) < 1000


@pytest.mark.parametrize("version", ERAS)
def test_answers_carry_no_cors_and_one_content_type(stoa: App, version: str) -> None:
    answer = Mcp(stoa, version).ask("tools/list", headers={"origin": f"http://{HOST}"})
    assert answer.headers["content-type"] == "application/json"
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert not [name for name in answer.headers if name.startswith("access-control")]


def bodies_read(walk: Callable[[], object]) -> int:
    """How many bodies are read as JSON."""
    return Profiler().count(walk)["parse_json"]


@pytest.mark.promise("L35")
@pytest.mark.settings(limit_uncharged=3)
@pytest.mark.parametrize("message", [[PING] * 5000, PING, "no message"])
def test_over_its_limit_an_address_has_only_calls_read(stoa: App, message: Any) -> None:
    mcp = Mcp(stoa)

    def is_refused() -> None:
        assert mcp.send(message).refused(429, "rate_limited").rate == ("uncharged", 3, 0)

    for _ in range(3):
        assert bodies_read(partial(mcp.send, message)) == 1
    assert bodies_read(is_refused) == 0
    assert bodies_read(partial(mcp.result, "search_threads", {})) == 1
    stoa.clock.advance(MINUTE)
    assert mcp.send(message).status in (200, 400)


@pytest.mark.settings(limit_uncharged=1, limit_reads_anonymous=120)
@pytest.mark.parametrize("method", ["tools/call", "tools\\/call", "\\u0074ools/call"])
def test_a_call_is_charged_once_however_it_is_written(stoa: App, method: str) -> None:
    mcp, plain = Mcp(stoa), json.dumps(call_of(3))
    for number in range(1, 4):
        answer = mcp.send(plain.replace("tools/call", method).encode())
        assert answer.ok()["result"]["structuredContent"]
        assert answer.rate == ("reads", 120, 120 - number)
    mcp.send(PING).ok()
    mcp.send(PING).refused(429, "rate_limited")
    mcp.send({**call_of(3, "no_tool")}).refused(429, "rate_limited")
