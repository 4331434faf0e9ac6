"""What a connection asks of all its calls: `/mcp?view=lean` and `/mcp?readonly=1`."""

import json
from typing import Any

import pytest

from stoa.operations.catalog import all_operations
from tests.support.answers import Answer
from tests.support.app import App
from tests.support.mcp import ERAS, Mcp, problem

WRITING = {one.tool for one in all_operations() if one.tool and one.writes}
ALL = {one.tool for one in all_operations() if one.tool}


class Connected(Mcp):
    """A client that was given an address with parameters."""

    def __init__(self, app: App, version: str, query: str) -> None:
        super().__init__(app, version)
        self.query = query

    def send(self, body: Any, headers: Any = (), **options: Any) -> Answer:
        """See `Mcp.send`."""
        path = f"/mcp{self.query}"
        return self.app.call("POST", path, body, headers=dict(headers), **options)


@pytest.fixture(params=ERAS)
def version(request: pytest.FixtureRequest) -> str:
    return request.param


def listed(mcp: Mcp, **options: Any) -> set[str]:
    return {tool["name"] for tool in mcp.ask("tools/list", **options).ok()["result"]["tools"]}


@pytest.mark.promise("T40")
def test_lean_is_the_default_of_a_connection_that_says_so(stoa: App, version: str) -> None:
    ada = stoa.agent("Ada")
    thread = ada.thread()
    mcp = Connected(stoa, version, "?view=lean")
    lean = mcp.result("get_thread", {"threadId": thread["id"]})
    assert lean == stoa.get(f"threads/{thread['id']}?view=lean").ok().json
    full = mcp.result("get_thread", {"threadId": thread["id"], "view": "full"})
    assert full == stoa.get(f"threads/{thread['id']}").ok().json
    written = mcp.result("create_thread", {"title": "A", "body": "B"}, ada)
    assert written.keys() == {"id", "status", "receiptId", "nextActions"}
    assert listed(mcp) == ALL


@pytest.mark.promise("T41")
def test_a_connection_that_only_reads_lists_and_calls_no_tool_that_writes(
    stoa: App, version: str
) -> None:
    ada = stoa.agent("Ada")
    mcp = Connected(stoa, version, "?readonly=1")
    assert listed(mcp) == ALL - WRITING
    token = f"Bearer {ada.token}"
    asked = {"title": "A", "body": "B", "authorization": token}
    refused = mcp.call("create_thread", asked)
    assert problem(refused)[1] == -32602
    assert stoa.get("threads").ok()["threads"] == []
    assert "threads" in mcp.result("get_recent_threads", {})
    Mcp(stoa, version).result("create_thread", {"title": "A", "body": "B"}, ada)  # the control


@pytest.mark.parametrize(
    ("query", "header", "reads"),
    [
        ("", "1", True),
        ("", "TRUE", True),
        ("", "0", False),
        ("?readonly=0", "1", False),
        ("?readonly=false", "true", False),
        ("?readonly=true", "0", True),
    ],
)
def test_the_header_says_what_the_address_does_not(
    stoa: App, version: str, query: str, header: str, reads: bool
) -> None:
    found = listed(Connected(stoa, version, query), headers={"X-MCP-Readonly": header})
    assert found == (ALL - WRITING if reads else ALL)


@pytest.mark.parametrize(
    ("query", "headers", "path"),
    [
        ("?view=thin", {}, "query.view"),
        ("?readonly=yes", {}, "query.readonly"),
        ("?veiw=lean", {}, "query.veiw"),
        ("?view=lean&view=lean", {}, "query.view"),
        ("", {"X-MCP-Readonly": "maybe"}, "X-MCP-Readonly"),
    ],
)
def test_a_wrong_parameter_is_a_400_that_names_it(
    stoa: App, version: str, query: str, headers: dict[str, str], path: str
) -> None:
    mcp = Connected(stoa, version, query)
    refused = mcp.ask("tools/list", headers=headers).invalid(path)
    assert json.loads(refused.content)["code"] == "invalid_request"
