"""Calls that come again are answered from the cache, in the same bytes."""

from pathlib import Path
from typing import Any

import msgspec
import pytest

from stoa.http.wire import InParts, Scope
from stoa.settings import Settings
from tests.support.app import HOST, App
from tests.support.mcp import ERAS, Mcp

JSON = {"content-type": "application/json", "host": HOST}


class Repeated:
    """A call that reads a thread, sent with other ids or otherwise changed."""

    def __init__(self, stoa: App, era: str) -> None:
        self.stoa = stoa
        self.mcp = Mcp(stoa, era)
        self.ada = stoa.agent("Ada")
        self.thread = self.ada.thread()
        arguments = {"threadId": self.thread["id"], "include": "replies"}
        params = {"name": "get_thread", "arguments": arguments}
        self.message = self.mcp.message("tools/call", params)

    def made(self, headers: dict[str, str] | None = None, **changed: Any) -> bytes:
        """What the application answers."""
        message = self.message | changed
        given = JSON | self.mcp.headers(message) | (headers or {})
        return self.mcp.send(msgspec.json.encode(message), given).ok().content

    def ready(self, headers: dict[str, str] | None = None, **changed: Any) -> InParts | None:
        """What is answered without it."""
        message = self.message | changed
        given = JSON | self.mcp.headers(message) | (headers or {})
        scope: Scope = {
            "method": "POST",
            "path": "/mcp",
            "query_string": b"",
            "headers": [(name.encode(), value.encode()) for name, value in given.items()],
            "client": ("127.0.0.1", 1234),
        }
        return self.stoa.stoa.ready.find_posted(scope, msgspec.json.encode(message))


@pytest.fixture(params=ERAS)
def call(request: pytest.FixtureRequest, stoa: App) -> Repeated:
    return Repeated(stoa, request.param)


@pytest.mark.parametrize("id_", [2, 0, "a-1", "2"])
def test_a_call_that_comes_again_has_the_same_answer_without_the_application(
    call: Repeated, id_: Any
) -> None:
    assert call.ready() is None
    call.made()
    found = call.ready(id=id_)
    assert found is not None
    status, lines, *body = found
    assert status == 200
    assert b"".join(body) == call.made(id=id_)
    assert b"cache-control: no-store\r\n" in lines


def test_a_write_makes_the_answer_out_of_date(call: Repeated) -> None:
    call.made()
    assert call.ready() is not None
    call.ada.reply(call.thread, "A new answer.")
    assert call.ready() is None
    assert b"A new answer." in call.made()
    found = call.ready()
    assert found is not None
    assert b"A new answer." in b"".join(found[2:])


@pytest.mark.parametrize(
    "headers",
    [
        {"authorization": "Bearer nonsense"},
        {"origin": "https://elsewhere.example"},
        {"content-type": "text/plain"},
        {"content-encoding": "gzip"},
        {"x-mcp-readonly": "1"},
        {"x-mcp-toolsets": "work"},
        {"host": "elsewhere.example"},
        {"mcp-protocol-version": "2024-11-05"},
    ],
    ids=lambda headers: next(iter(headers)),
)
def test_other_headers_make_it_another_call(call: Repeated, headers: dict[str, str]) -> None:
    call.made()
    assert call.ready() is not None
    assert call.ready(headers) is None


@pytest.mark.parametrize(
    "changed",
    [
        {"id": None},
        {"id": 1.5},
        {"id": "a\\u0000"},
        {"method": "tools/list"},
        {"jsonrpc": "1.0"},
        {"params": {"name": "get_thread", "arguments": {}}},
    ],
    ids=str,
)
def test_a_call_with_another_content_is_read(call: Repeated, changed: dict[str, Any]) -> None:
    call.made()
    assert call.ready(**changed) is None


def test_what_only_looks_like_the_id_of_the_message_is_not_taken_for_it(call: Repeated) -> None:
    params = call.message["params"] | {"more": {"id": 7}}
    message = {"params": params, "jsonrpc": "2.0", "id": 1, "method": "tools/call"}
    call.message = message
    call.made()
    assert call.ready() is None
    assert call.ready(params=params | {"more": {"id": 8}}) is None


def at(stoa: App, era: str, query: str, tool: str) -> InParts | None:
    """What is answered without the application at `/mcp`, after the same call with a query."""
    call = Repeated(stoa, era)
    arguments = {"threadId": call.thread["id"]} if tool == "get_thread" else {}
    call.message = call.mcp.message("tools/call", {"name": tool, "arguments": arguments})
    call.mcp.path = f"/mcp?{query}"
    assert b'"isError"' not in call.made()
    return call.ready()


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize(
    ("query", "tool"),
    [
        ("view=lean", "get_thread"),
        ("toolsets=records", "list_agents"),
        ("readonly=1", "get_thread"),
    ],
    ids=["view", "toolsets", "readonly"],
)
def test_what_a_connection_asks_for_counts_for_no_other(
    stoa: App, era: str, query: str, tool: str
) -> None:
    assert at(stoa, era, query, tool) is None


def test_calls_with_a_token_are_not_remembered(call: Repeated) -> None:
    arguments = call.message["params"]["arguments"]
    token = {"authorization": f"Bearer {call.ada.token}"}
    params = call.message["params"] | {"arguments": arguments | token}
    call.made(params=params)
    assert call.ready(params=params) is None


def test_a_full_bucket_is_left_to_the_application(tmp_path: Path) -> None:
    with App(Settings(data_dir=str(tmp_path), limit_reads_anonymous=10)) as stoa:
        call = Repeated(stoa, ERAS[0])
        call.made()
        answered = [found[1] for _ in range(10) if (found := call.ready())]
        assert 1 < len(answered) < 10
        assert b"x-ratelimit-remaining: 0\r\n" in answered[-1]
        assert b"rate_limited" in call.made()
