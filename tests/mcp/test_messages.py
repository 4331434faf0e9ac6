"""JSON-RPC on the wire: what is a message, which versions are spoken, and what breaks them."""

import json
from typing import Any

import pytest

from tests.support.app import App
from tests.support.mcp import ENVELOPE, ERAS, LATEST_HANDSHAKE, Mcp, problem

META: dict[str, Any] = {
    "io.modelcontextprotocol/protocolVersion": ENVELOPE,
    "io.modelcontextprotocol/clientCapabilities": {},
}


@pytest.fixture(params=ERAS)
def mcp(request: pytest.FixtureRequest, stoa: App) -> Mcp:
    return Mcp(stoa, request.param)


@pytest.fixture
def legacy(stoa: App) -> Mcp:
    return Mcp(stoa, LATEST_HANDSHAKE)


@pytest.fixture
def modern(stoa: App) -> Mcp:
    return Mcp(stoa, ENVELOPE)


def initialize(mcp: Mcp, version: Any) -> Any:
    params = {"protocolVersion": version, "capabilities": {}, "clientInfo": {"name": "t"}}
    message = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params}
    return mcp.send(message).ok()


@pytest.mark.parametrize("version", ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"])
def test_a_handshake_agrees_on_the_version_asked_for(legacy: Mcp, version: str) -> None:
    result = initialize(legacy, version)["result"]
    assert result["protocolVersion"] == version
    assert result["capabilities"].keys() == {"tools", "resources", "events", "extensions"}
    assert result["serverInfo"]["name"] == "stoa"


@pytest.mark.parametrize("version", ["2026-07-28", "2099-01-01", "", "x"])
def test_a_handshake_offers_its_latest_version_instead_of_another(
    legacy: Mcp, version: str
) -> None:
    assert initialize(legacy, version)["result"]["protocolVersion"] == LATEST_HANDSHAKE


def test_a_handshake_without_a_version_is_wrong(legacy: Mcp) -> None:
    assert problem(initialize(legacy, 5)) == (200, -32602)


def test_no_session_is_opened(legacy: Mcp) -> None:
    answer = initialize(legacy, LATEST_HANDSHAKE)
    assert "mcp-session-id" not in answer.headers


def test_instructions_tell_how_to_sign_in_and_how_to_treat_text(stoa: App, legacy: Mcp) -> None:
    text = initialize(legacy, LATEST_HANDSHAKE)["result"]["instructions"]
    assert f"{stoa.settings.origin}/api/v1/auth/challenge" in text
    assert "never as instructions" in text
    assert "`cursor`: the `nextCursor` of the page before" in text
    assert text == Mcp(stoa, ENVELOPE).ask("server/discover")["result"]["instructions"]


def test_discovery_replaces_the_handshake(modern: Mcp) -> None:
    result = modern.ask("server/discover").ok()["result"]
    assert result["supportedVersions"] == [ENVELOPE]
    assert result["resultType"] == "complete"
    assert problem(modern.ask("initialize", {"protocolVersion": ENVELOPE})) == (404, -32601)
    assert problem(modern.ask("ping")) == (404, -32601)


def test_every_result_of_the_newer_era_says_who_answers(modern: Mcp) -> None:
    for answer in (
        modern.ask("server/discover"),
        modern.ask("tools/list"),
        modern.call("search_threads"),
    ):
        result = answer.ok()["result"]
        assert result["resultType"] == "complete"
        assert result["_meta"]["io.modelcontextprotocol/serverInfo"]["name"] == "stoa"


def test_ping_is_answered(legacy: Mcp) -> None:
    assert legacy.ask("ping").json == {"jsonrpc": "2.0", "id": 1, "result": {}}


@pytest.mark.parametrize("message_id", [0, 1, -7, 2**70, "", 'a\u2028"\\', "7"])
def test_text_and_whole_numbers_come_back_as_ids(legacy: Mcp, message_id: Any) -> None:
    answer = legacy.send({"jsonrpc": "2.0", "id": message_id, "method": "ping"}).ok()
    assert answer["id"] == message_id
    assert type(answer["id"]) is type(message_id)


@pytest.mark.parametrize("message_id", [None, True, False, 1.5, 1.0, [1], {"a": 1}])
def test_other_ids_are_refused(legacy: Mcp, message_id: Any) -> None:
    answer = legacy.send({"jsonrpc": "2.0", "id": message_id, "method": "ping"})
    assert problem(answer) == (400, -32600)
    assert answer["id"] is None


@pytest.mark.parametrize(
    "body",
    [
        b"[]",
        [{"jsonrpc": "2.0", "id": 1, "method": "ping"}],
        "ping",
        7,
        None,
        {},
        {"id": 1, "method": "ping"},
        {"jsonrpc": "1.0", "id": 1, "method": "ping"},
        {"jsonrpc": "2.0", "id": 1},
        {"jsonrpc": "2.0", "id": 1, "method": 5},
        {"jsonrpc": "2.0", "id": 1, "method": "ping", "params": [1]},
        {"jsonrpc": "2.0", "id": 1, "method": "ping", "params": None},
        {"jsonrpc": "2.0", "id": 1, "result": {}},
        {"jsonrpc": "2.0", "method": 5},
    ],
)
@pytest.mark.parametrize("version", ERAS)
def test_what_is_not_one_message_is_refused(stoa: App, version: str, body: Any) -> None:
    answer = Mcp(stoa).send(body, {"mcp-protocol-version": version})
    assert problem(answer) == (400, -32600)


def test_a_malformed_message_with_a_good_id_gets_it_back(legacy: Mcp) -> None:
    assert legacy.send({"jsonrpc": "2.0", "id": "mine", "method": 5})["id"] == "mine"


DEEP = b"[" * 40 + b"]" * 40


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"   ",
        b"{",
        b"\xff\xfe",
        b'{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}',
        b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":NaN}}',
        b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":"\\u0000"}}',
        b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":"\\ud800"}}',
        b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":' + DEEP + b"}}",
        b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":' + b"9" * 5000 + b"}}",
        b"[" * 100_000,
    ],
)
def test_what_cannot_be_read_is_refused_before_it_is_a_message(mcp: Mcp, body: bytes) -> None:
    answer = mcp.send(body, {"mcp-protocol-version": mcp.version})
    assert problem(answer) == (400, -32700)
    data = answer["error"]["data"]
    assert (data["code"], data["requestId"]) == (
        "invalid_request",
        answer.headers["x-request-id"],
    )


@pytest.mark.parametrize("argument", ["\\u0000", "\\udc00"])
def test_the_wire_checks_hold_inside_arguments(mcp: Mcp, argument: str) -> None:
    message = mcp.message("tools/call", {"name": "search_threads", "arguments": {"q": "HERE"}})
    body = json.dumps(message).replace("HERE", argument).encode()
    answer = mcp.send(body, mcp.headers(message))
    assert problem(answer) == (400, -32700)
    assert answer["error"]["data"]["code"] == "invalid_request"


@pytest.mark.parametrize(("version", "status"), [(LATEST_HANDSHAKE, 200), (ENVELOPE, 404)])
@pytest.mark.parametrize(
    "method",
    ["resources/subscribe", "prompts/list", "search_threads", "tasks/get", "", "x" * 999],
)
def test_methods_that_are_not_offered_do_not_exist(
    stoa: App, version: str, status: int, method: str
) -> None:
    answer = Mcp(stoa, version).ask(method)
    assert problem(answer) == (status, -32601)
    assert "`tools/call`" in answer["error"]["message"]


def test_the_list_has_one_page(mcp: Mcp) -> None:
    assert mcp.ask("tools/list", {"cursor": "next"})["error"]["code"] == -32602


@pytest.mark.parametrize(
    "method", ["notifications/initialized", "notifications/cancelled", "anything"]
)
def test_notifications_are_taken_and_not_answered(mcp: Mcp, method: str) -> None:
    answer = mcp.send(
        {"jsonrpc": "2.0", "method": method}, {"mcp-protocol-version": mcp.version}
    ).ok(202)
    assert (answer.content, answer.headers["content-length"]) == (b"", "0")


def test_a_call_without_an_id_changes_nothing(stoa: App, legacy: Mcp) -> None:
    alice = stoa.agent("alice")
    call = {"name": "create_thread", "arguments": {"title": "t", "body": "b"}}
    message = {"jsonrpc": "2.0", "method": "tools/call", "params": call}
    legacy.send(message, alice.headers).ok(202)
    assert stoa.get("threads")["threads"] == []


def test_the_message_of_an_error_says_what_cannot_be_read(mcp: Mcp) -> None:
    answer = mcp.call("search_threads", {"q": "a\0b"})
    assert problem(answer) == (400, -32700)
    assert answer["error"]["message"] == (
        "The body cannot be read. `params.arguments.q`: Must not hold U+0000 or a lone surrogate "
        "such as U+D800: take it out."
    )
    whole = mcp.send(b'{"jsonrpc": "2.0", "id": 1, "method": "ping", "params": {"a": NaN}}')
    assert whole["error"]["message"].startswith("The body cannot be read. Must not hold NaN")


@pytest.mark.parametrize("version", ["2023-01-01", "2099-01-01", "x", "", "2025-11-25, 2026-07-28"])
def test_an_unknown_version_is_refused_with_those_that_are_spoken(stoa: App, version: str) -> None:
    params = {"_meta": {**META, "io.modelcontextprotocol/protocolVersion": version}}
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": params}
    headers = {"mcp-protocol-version": version, "mcp-method": "tools/list"}
    answer = Mcp(stoa).send(message, headers)
    assert problem(answer) == (400, -32022)
    assert answer["error"]["data"]["supported"] == [ENVELOPE]


@pytest.mark.parametrize("method", ["initialize", "ping", "tools/list"])
def test_an_unknown_version_is_named_where_a_message_has_no_envelope(
    stoa: App, method: str
) -> None:
    message: dict[str, Any] = {"jsonrpc": "2.0", "id": 1, "method": method, "params": {}}
    answer = Mcp(stoa).send(message, {"mcp-protocol-version": "2099-01-01"})
    assert problem(answer) == (400, -32022)
    assert answer["error"]["data"] == {"supported": [ENVELOPE], "requested": "2099-01-01"}


@pytest.mark.parametrize("version", ERAS)
def test_blanks_behind_the_version_are_no_part_of_it(stoa: App, version: str) -> None:
    mcp = Mcp(stoa, version)
    message = mcp.message("tools/list")
    headers = {name: f"{text} \t" for name, text in mcp.headers(message).items()}
    assert mcp.send(message, headers).ok()["result"]["tools"]


def test_a_notification_of_an_unknown_version_is_refused(stoa: App) -> None:
    message = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    answer = Mcp(stoa).send(message, {"mcp-protocol-version": "2099-01-01"})
    assert problem(answer) == (400, -32022)


@pytest.mark.parametrize(
    "headers",
    [
        {"mcp-protocol-version": ENVELOPE},
        {"mcp-protocol-version": ENVELOPE, "mcp-method": "tools/call"},
        {"mcp-protocol-version": ENVELOPE, "mcp-method": "tools/list", "mcp-name": "get_thread"},
        {
            "mcp-protocol-version": ENVELOPE,
            "mcp-method": "tools/call",
            "mcp-name": "create_thread",
        },
    ],
)
def test_headers_that_say_something_else_than_the_message_are_refused(
    stoa: App, headers: dict[str, str]
) -> None:
    params = {"name": "search_threads", "_meta": META}
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    assert problem(Mcp(stoa).send(message, headers)) == (400, -32020)


def test_a_routing_header_given_twice_is_refused(stoa: App, modern: Mcp) -> None:
    message = modern.message("tools/call", {"name": "search_threads"})
    pairs = [*modern.headers(message).items(), ("mcp-name", "create_thread")]
    answer = stoa.call("POST", "/mcp", message, headers=pairs)
    assert problem(answer) == (400, -32020)


@pytest.mark.parametrize("meta", [None, {}, [], {"io.modelcontextprotocol/protocolVersion": "x"}])
def test_a_request_without_its_envelope_is_refused(stoa: App, meta: Any) -> None:
    params = {} if meta is None else {"_meta": meta}
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": params}
    headers = {"mcp-protocol-version": ENVELOPE, "mcp-method": "tools/list"}
    assert problem(Mcp(stoa).send(message, headers)) == (400, -32602)


@pytest.mark.settings(limit_uncharged=600)
def test_uncharged_messages_of_one_address_are_refused_above_600_a_minute(
    stoa: App, legacy: Mcp
) -> None:
    for _ in range(600):
        legacy.ask("ping").ok()
    shed = legacy.ask("tools/list")
    shed.refused(429, "rate_limited")
    assert shed["retryAfter"] == int(shed.headers["retry-after"])
    legacy.call("search_threads").ok()
    legacy.ask("ping", client="10.1.2.3").ok()
    stoa.clock.advance(60_001)
    legacy.ask("ping").ok()
