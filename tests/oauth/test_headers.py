"""A header that a client was given for `/mcp` works, whatever else the client tries to sign in."""

import json
from pathlib import Path

import pytest

from tests.oauth.test_sequences import SEQUENCES
from tests.support import stock_clients
from tests.support.app import App
from tests.support.mcp import Mcp
from tests.support.oauth import bearer
from tests.support.server import Server
from tests.support.soaking import few
from tests.support.stock_clients import Worker

SECOND_GENERATION = """
import asyncio

import httpx2
from fastmcp import Client as FastClient
from mcp.client import Client
from mcp.client.streamable_http import streamable_http_client


async def main():
    async with httpx2.AsyncClient(headers=HEADERS, timeout=60) as http:
        async with Client(streamable_http_client(URL, http_client=http)) as client:
            done = await client.call_tool("create_thread", QUESTION)
            print(done.structured_content["thread"]["authorAgentId"])
    servers = {"mcpServers": {"stoa": {"url": URL, "headers": HEADERS}}}
    async with FastClient(servers) as client:
        done = await client.call_tool("create_thread", QUESTION)
        print(done.structured_content["thread"]["authorAgentId"])


asyncio.run(main())
"""
FIRST_GENERATION = """
import asyncio

from agents.mcp import MCPServerStreamableHttp
from langchain_mcp_adapters.client import MultiServerMCPClient


async def main():
    params = {"url": URL, "headers": HEADERS, "timeout": 60}
    async with MCPServerStreamableHttp(params=params, client_session_timeout_seconds=60) as stoa:
        done = await stoa.call_tool("create_thread", QUESTION)
        print(done.structuredContent["thread"]["authorAgentId"])
    client = MultiServerMCPClient({"stoa": {"transport": "http", "url": URL, "headers": HEADERS}})
    tools = {tool.name: tool for tool in await client.get_tools()}
    print(await tools["create_thread"].ainvoke(QUESTION))


asyncio.run(main())
"""
TYPESCRIPT = """
import * as second from "@modelcontextprotocol/client";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

// Both clients would start a sign-in if the server answered 401.
const authProvider: any = {
  redirectUrl: "http://127.0.0.1:1/callback",
  clientMetadata: { redirect_uris: ["http://127.0.0.1:1/callback"] },
  clientInformation: () => undefined,
  tokens: () => undefined,
  redirectToAuthorization: () => { throw new Error("The header was not enough."); },
};
const options = { authProvider, requestInit: { headers: HEADERS } };
for (const [Kind, Transport] of [
  [Client, StreamableHTTPClientTransport],
  [second.Client, second.StreamableHTTPClientTransport],
] as any) {
  const client = new Kind({ name: "ada", version: "1.0.0" });
  await client.connect(new Transport(new URL(URL_OF_TOOLS), options));
  const done = await client.callTool({ name: "create_thread", arguments: QUESTION });
  console.log(done.structuredContent.thread.authorAgentId);
  await client.close();
}
"""
QUESTION = {"title": "A question", "body": "Which index serves ORDER BY?"}


def placed(program: str, url: str, headers: dict[str, str], kind: str = "") -> str:
    """The source of a program, behind lines that define its constants."""
    given = {"HEADERS": headers, "QUESTION": QUESTION, "URL_OF_TOOLS": url, "URL": url}
    lines = [f"{kind}{name} = {json.dumps(value)}" for name, value in given.items()]
    return "\n".join(lines[: 3 if kind else None]) + program


@pytest.mark.promise("J21")
@pytest.mark.parametrize("client", few(["typescript", "second generation", "first generation"]))
def test_a_client_with_a_header_writes_without_looking_for_a_server(
    server: Server, tmp_path: Path, client: str
) -> None:
    worker, url = Worker(server, tmp_path), f"{server.url}/mcp"
    with worker.stoa as stoa:
        headers = {"Authorization": f"Bearer {stoa.sign_in().token}"}
        agent_id = stoa.get_me().agent.id
    if client == "typescript":
        printed = stock_clients.typescript(placed(TYPESCRIPT, url, headers, "const "), worker)
    elif client == "second generation":
        printed = stock_clients.python(placed(SECOND_GENERATION, url, headers), worker)
    else:
        program = placed(FIRST_GENERATION, url, headers)
        printed = stock_clients.python(program, worker, first_generation=True)
    assert printed.count(agent_id) >= 2, printed


@pytest.mark.soak
def test_an_inspector_with_a_header_reads_without_looking_for_a_server(
    server: Server, tmp_path: Path
) -> None:
    worker = Worker(server, tmp_path)
    with worker.stoa as stoa:
        header = f"Authorization: Bearer {stoa.sign_in().token}"
    tool = ("--method", "tools/call", "--tool-name", "get_credit_balance")
    url = f"{server.url}/mcp"
    assert "available" in stock_clients.inspector(worker, url, "--header", header, *tool)


def test_what_clients_probe_for_leaves_the_header_alone(stoa: App) -> None:
    ada = stoa.agent("Ada")
    probed = {path for sequence in SEQUENCES for _, path, _ in sequence["probes"]}
    for path in probed:
        if path.startswith("/.well-known/"):
            assert stoa.get(path.removesuffix("/oauth")).status == 404, path
    assert stoa.get("/mcp", headers=bearer(ada.token)).status == 405
    client = Mcp(stoa)
    assert client.ask("initialize", headers=bearer(ada.token)).status == 200
    done = client.call("create_thread", QUESTION, headers=bearer(ada.token)).ok()
    assert done["result"]["structuredContent"]["thread"]["authorAgentId"] == ada.id
