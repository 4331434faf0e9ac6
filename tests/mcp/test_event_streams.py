"""MCP Events as a stream, from a real server, and by the official client."""

import asyncio
import json
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from http.client import HTTPConnection, HTTPResponse
from typing import Any, Literal

import pytest
from mcp.client import Client
from mcp.client.extension import ClientExtension, NotificationBinding
from mcp_types import Request
from pydantic import BaseModel, ConfigDict

from stoa.client import Key, Stoa
from tests.support.server import Server

_PATIENCE_S = 60
_META = "io.modelcontextprotocol/subscriptionId"
ACTIVE, EVENT, BEAT, TERMINATED = (
    f"notifications/events/{kind}" for kind in ("active", "event", "heartbeat", "terminated")
)


@contextmanager
def stream(server: Server, name: str, token: str = "", **params: Any) -> Generator[HTTPResponse]:
    """An open stream of events of a type."""
    connection = HTTPConnection(server.url.removeprefix("http://"), timeout=_PATIENCE_S)
    headers = {"Content-Type": "application/json", "Accept": "text/event-stream"}
    headers |= {"Authorization": f"Bearer {token}"} if token else {}
    message = {"jsonrpc": "2.0", "id": "s-1", "method": "events/stream"}
    body = json.dumps({**message, "params": {"name": name, **params}})
    connection.request("POST", "/mcp", body, headers)
    response = connection.getresponse()
    assert response.headers["content-type"].startswith("text/event-stream")
    yield response
    connection.close()


def read(response: HTTPResponse) -> Any:
    """The next message of a stream, each of which has the id of the stream; its end is None."""
    line = response.readline().decode().rstrip("\n")
    if not line:
        return None
    assert response.readline() == b"\n"
    message = json.loads(line.removeprefix("data: "))
    if "method" in message:
        assert message["params"].pop("_meta") == {_META: "s-1"}
    return message


@pytest.fixture
def pair(server: Server) -> Iterator[tuple[Stoa, Stoa]]:
    with Stoa(server.url, Key.generate()) as asks, Stoa(server.url, Key.generate()) as answers:
        yield asks, answers


@pytest.mark.promise("E32")
def test_a_stream_is_active_first_and_goes_on_where_it_was_left(
    server: Server, pair: tuple[Stoa, Stoa]
) -> None:
    asks, answers = pair
    token = asks.sign_in().token
    with stream(server, "stoa.inbox", token) as response:
        first = read(response)
        assert (first["method"], first["params"]["truncated"]) == (ACTIVE, False)
        thread = asks.create_thread("A question", "Who knows?").thread
        reply = answers.reply_to_thread(thread.id, "A canary.").reply
        told = read(response)
        assert told["method"] == EVENT
        assert told["params"]["data"]["subject"]["id"] == reply.id
        assert "canary" not in str(told)
    answers.reply_to_thread(thread.id, "Another.")
    with stream(server, "stoa.inbox", token, cursor=told["params"]["cursor"]) as response:
        assert read(response)["params"]["cursor"] == told["params"]["cursor"]
        assert read(response)["params"]["data"]["kind"] == "reply.created"


def test_a_stream_tells_amounts_as_the_log_does(server: Server, pair: tuple[Stoa, Stoa]) -> None:
    asks, _ = pair
    with stream(server, "stoa.event", arguments={"agentId": asks.sign_in().agent.id}) as response:
        assert read(response)["method"] == ACTIVE
        asks.create_thread("A question", "Who knows?", bounty_credits=2.55)
        told = read(response)["params"]["data"]
    assert (told["kind"], told["data"]["credits"]) == ("thread.created", 2.55)


@pytest.mark.promise("E33")
def test_a_stream_ends_with_its_session_and_says_so(
    server: Server, pair: tuple[Stoa, Stoa]
) -> None:
    asks, _ = pair
    with stream(server, "stoa.inbox", asks.sign_in().token) as response:
        assert read(response)["method"] == ACTIVE
        asks.revoke_sessions(all_=True)
        last = read(response)
        assert (last["method"], last["params"]["error"]["code"]) == (TERMINATED, -32012)
        assert read(response)["id"] == "s-1"
        assert read(response) is None


@pytest.mark.soak
def test_a_quiet_stream_tells_where_it_is(start_server: Callable[..., Server]) -> None:
    server = start_server(program="short_comments")
    with stream(server, "stoa.event") as response:
        begun = read(response)["params"]["cursor"]
        beat = read(response)
        assert (beat["method"], beat["params"]) == (BEAT, {"cursor": begun})


@pytest.mark.soak
def test_a_server_that_ends_answers_its_streams(start_server: Callable[..., Server]) -> None:
    server = start_server()
    with stream(server, "stoa.event") as response:
        assert read(response)["method"] == ACTIVE
        assert server.stop() == 0
        assert read(response) == {"jsonrpc": "2.0", "id": "s-1", "result": {"_meta": {}}}
        assert read(response) is None


# --- The official client, which knows nothing of events.


class _Told(BaseModel):
    model_config = ConfigDict(extra="allow")


class _Watching(ClientExtension):
    """Notes the notifications of streams."""

    identifier = "io.modelcontextprotocol/events"

    def __init__(self) -> None:
        self.told: asyncio.Queue[tuple[str, Any]] = asyncio.Queue()

    def notifications(self) -> list[NotificationBinding[Any]]:
        return [self._binding(method) for method in (ACTIVE, EVENT)]

    def _binding(self, method: str) -> NotificationBinding[Any]:
        async def note(params: _Told) -> None:
            await self.told.put((method, params.model_dump()))

        return NotificationBinding(method=method, params_type=_Told, handler=note)


class _Answer(BaseModel):
    model_config = ConfigDict(extra="allow")


def asked(method: str, **params: Any) -> Request[Any, Any]:
    """A request that the client has no type for."""
    return Request[Any, Any](method=method, params=params)


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_the_official_client_polls_and_streams(
    server: Server, pair: tuple[Stoa, Stoa], mode: Literal["auto", "legacy"]
) -> None:
    me, watching = pair[0].sign_in().agent.id, _Watching()

    async def calls() -> None:
        async with Client(f"{server.url}/mcp", mode=mode, extensions=[watching]) as client:
            session = client.session
            chosen: dict[str, Any] = {"name": "stoa.event", "arguments": {"agentId": me}}
            offered = session.server_capabilities
            assert offered
            assert watching.identifier in (offered.extensions or {})
            listed = await session.send_request(asked("events/list"), _Answer)
            assert [one["name"] for one in listed.model_dump()["events"]] == [
                *("stoa.event", "stoa.inbox")
            ]
            first = await session.send_request(asked("events/poll", **chosen), _Answer)
            streaming = asyncio.create_task(
                session.send_request(asked("events/stream", **chosen), _Answer)
            )
            assert (await watching.told.get())[0] == ACTIVE
            thread = await asyncio.to_thread(pair[0].create_thread, "A question", "Who knows?")
            method, params = await watching.told.get()
            assert (method, params["data"]["threadId"]) == (EVENT, thread.thread.id)
            then = asked("events/poll", **chosen, cursor=first.model_dump()["cursor"])
            page = (await session.send_request(then, _Answer)).model_dump()
            assert [one["eventId"] for one in page["events"]] == [params["eventId"]]
            streaming.cancel()

    asyncio.run(calls())
