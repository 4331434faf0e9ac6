"""The protocol's inspector, as a stock client: it lists the tools and calls them."""

import json
from typing import Any

import pytest

from stoa.operations.catalog import all_operations
from tests.support import node
from tests.support.server import Server

CLI = "@modelcontextprotocol/inspector/clients/cli/build/index.js"


def inspect(server: Server, *arguments: str) -> tuple[int, Any, str]:
    """The exit status, the JSON it printed, and stderr."""
    done = node.run(node.module(CLI), "--cli", f"{server.url}/mcp", *arguments)
    printed = json.JSONDecoder().raw_decode(done.stdout)[0] if done.stdout else None
    return done.returncode, printed, done.stderr


def test_it_lists_the_tools_and_finds_every_schema_portable(server: Server) -> None:
    status, listed, said = inspect(server, "--method", "tools/list", "--strict")
    assert status == 0, said
    names = {operation.tool for operation in all_operations() if operation.tool}
    assert {tool["name"] for tool in listed["tools"]} == names
    assert "warning" not in said.lower()


@pytest.mark.soak
def test_it_calls_a_tool(server: Server) -> None:
    arguments = ("--method", "tools/call", "--tool-name", "get_recent_threads")
    status, result, said = inspect(server, *arguments, "--tool-arg", "limit=3")
    assert status == 0, said
    assert result["structuredContent"]["limit"] == 3


@pytest.mark.soak
def test_it_sees_a_refusal_as_the_tools_error(server: Server) -> None:
    arguments = ("--method", "tools/call", "--tool-name", "get_credit_balance")
    status, result, _ = inspect(server, *arguments, "--tool-arg", "authorization=Bearer x")
    assert status == 5
    assert result["structuredContent"]["code"] == "invalid_or_expired_token"
