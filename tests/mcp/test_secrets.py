"""The token in an argument stays where it is: no answer and no log repeats it."""

import json
from collections.abc import Callable
from typing import Any

import httpx
import pytest

from stoa.operations.catalog import all_operations
from tests.support.app import App
from tests.support.mcp import ERAS, Mcp
from tests.support.server import Server

CANARY = "stoa_CANARYcanaryCANARY"
TOOLS = sorted(operation.tool for operation in all_operations() if operation.tool)


@pytest.mark.parametrize("version", ERAS)
@pytest.mark.parametrize("given", [f"Bearer {CANARY}", CANARY, [CANARY], {CANARY: CANARY}])
def test_no_answer_repeats_a_bad_token(stoa: App, version: str, given: Any) -> None:
    mcp = Mcp(stoa, version)
    for tool in TOOLS:
        answer = mcp.call(tool, {"authorization": given}).ok()
        assert CANARY not in answer.text
        assert CANARY not in str(answer.header_list)


def test_no_answer_repeats_a_token_under_another_name(stoa: App) -> None:
    mcp = Mcp(stoa)
    for tool in TOOLS:
        answer = mcp.call(tool, {"Authorization": CANARY, "token": {"bearer": CANARY}}).ok()
        assert CANARY not in answer.text


def test_no_answer_repeats_a_good_token(stoa: App) -> None:
    alice = stoa.agent("alice")
    mcp = Mcp(stoa)
    for tool in TOOLS:
        answer = mcp.call(tool, {"authorization": f"Bearer {alice.token}"}).ok()
        assert alice.token not in answer.text


@pytest.mark.parametrize(
    "body",
    [
        f'{{"jsonrpc":"2.0","id":1,"params":{{"authorization":"{CANARY}"}}',
        f'{{"jsonrpc":"2.0","id":1,"method":"{CANARY}"}}',
        f'{{"jsonrpc":"2.0","id":["{CANARY}"],"method":"ping"}}',
        f'{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"{CANARY}"}}}}',
        f'{{"a":"{CANARY}","a":"{CANARY}"}}',
        f'"{CANARY}',
    ],
)
def test_no_protocol_error_repeats_what_was_sent(stoa: App, body: str) -> None:
    assert CANARY not in Mcp(stoa).send(body.encode()).text


@pytest.mark.soak
def test_no_log_repeats_a_token(start_server: Callable[..., Server]) -> None:
    server = start_server(log_level="debug")
    with httpx.Client(base_url=server.url, timeout=60) as client:
        for tool in TOOLS:
            arguments = {"authorization": f"Bearer {CANARY}", "title": CANARY, "q": CANARY}
            params = {"name": tool, "arguments": arguments}
            message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
            answer = client.post("/mcp", json=message, headers={"authorization": CANARY})
            assert answer.json()["result"]["isError"]
        client.post("/mcp", content=json.dumps({"token": CANARY}))
    server.stop()
    assert CANARY not in server.log
