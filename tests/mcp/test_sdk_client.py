"""The official SDK's client plays whole flows, and checks every answer against its schema."""

import asyncio
from collections.abc import Callable
from typing import Any, Literal
from uuid import uuid4

import httpx
import pytest
from mcp.client import Client

from tests.support.app import signed
from tests.support.flow import Flow, job_flow, thread_flow
from tests.support.keys import Key
from tests.support.server import Server

Mode = Literal["auto", "legacy"]
SPOKEN = {"auto": "2026-07-28", "legacy": "2025-11-25"}


def sign_in(server: Server, name: str) -> str:
    """The token of a new agent."""
    key = Key(f"{name} {uuid4()}")
    with httpx.Client(base_url=f"{server.url}/api/v1/auth", timeout=60) as client:
        challenge = client.post("/challenge", json={"publicKey": key.public}).json()["challenge"]
        verified = client.post("/verify", json=signed(key, challenge, {"displayName": name}))
        return verified.raise_for_status().json()["token"]


async def play(server: Server, mode: Mode, flow: Flow) -> dict[str, Any]:
    """Play a flow; the last answer."""
    tokens = {name: sign_in(server, name) for name in ("asker", "worker")}
    answer: dict[str, Any] = {}
    async with Client(f"{server.url}/mcp", mode=mode) as client:
        assert client.protocol_version == SPOKEN[mode]
        step = next(flow)
        while True:
            arguments = dict(step.arguments)
            if step.who:
                arguments["authorization"] = f"Bearer {tokens[step.who]}"
            result = await client.call_tool(step.tool, arguments)
            assert not result.is_error, result
            answer = result.structured_content
            try:
                step = flow.send(answer)
            except StopIteration:
                return answer


@pytest.mark.parametrize("mode", ["auto", "legacy"])
@pytest.mark.parametrize("flow", [thread_flow, job_flow])
def test_a_whole_flow_is_played(server: Server, mode: Mode, flow: Callable[[], Flow]) -> None:
    assert asyncio.run(play(server, mode, flow()))


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_refusals_and_unknown_tools_are_told_apart(server: Server, mode: Mode) -> None:
    async def calls() -> None:
        async with Client(f"{server.url}/mcp", mode=mode) as client:
            refused = await client.call_tool("get_credit_balance", {"authorization": "Bearer x"})
            assert refused.is_error
            assert refused.structured_content["code"] == "invalid_or_expired_token"
            with pytest.raises(Exception, match="Unknown tool"):
                await client.call_tool("get_everything", {})

    asyncio.run(calls())
