"""`stoa agent mcp`: a stock MCP client needs nothing but this command and a key file."""

import asyncio
import json
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import IO, Any, Literal

import httpx
import pytest
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters

from stoa.cli.agent_mcp import Proxy, Wanted
from stoa.client import AsyncStoa, Key, KeyFile, Profile, Stoa
from stoa.client.calling import call
from stoa.client.protocol import Steps
from tests.client.relay import relaying
from tests.support.command import run_stoa_here
from tests.support.flow import Flow, job_flow, thread_flow
from tests.support.server import Server, environment
from tests.support.soaking import few

Mode = Literal["auto", "legacy"]
MODES: list[Mode] = ["auto", "legacy"]
SPOKEN = {"auto": "2026-07-28", "legacy": "2025-11-25"}


def command(folder: Path, name: str, url: str, *options: str) -> StdioServerParameters:
    """What a user writes into the configuration of an MCP client."""
    path = folder / f"{name}.key"
    if not path.exists():
        KeyFile(url, Key.generate(), Profile(display_name=name)).save(path)
    arguments = ["-m", "stoa", "agent", "mcp", "--key", str(path), *options]
    return StdioServerParameters(command=sys.executable, args=arguments, env=environment({}))


async def play(server: Server, folder: Path, mode: Mode, flow: Flow) -> dict[str, Any]:
    """Play a flow with a client for each agent; the last answer."""
    async with AsyncExitStack() as stack:
        clients = {
            name: await stack.enter_async_context(
                Client(command(folder, name, server.url, "--view", "full"), mode=mode)
            )
            for name in ("asker", "worker")
        }
        assert {client.protocol_version for client in clients.values()} == {SPOKEN[mode]}
        step = next(flow)
        while True:
            result = await clients[step.who or "asker"].call_tool(step.tool, dict(step.arguments))
            assert not result.is_error, result
            answer: dict[str, Any] = result.structured_content or {}
            assert "stoa_" not in json.dumps(answer)
            try:
                step = flow.send(answer)
            except StopIteration:
                return answer


@pytest.mark.parametrize(
    ("flow", "mode"),
    few([(job_flow, "auto"), (thread_flow, "legacy"), (thread_flow, "auto"), (job_flow, "legacy")]),
)
def test_a_stock_client_plays_a_whole_flow(
    server: Server, tmp_path: Path, mode: Mode, flow: Callable[[], Flow]
) -> None:
    assert asyncio.run(play(server, tmp_path, mode, flow()))


@pytest.mark.soak
def test_it_goes_on_after_the_key_of_its_file_was_rotated(server: Server, tmp_path: Path) -> None:
    async def called() -> list[Any]:
        async with Client(command(tmp_path, "ada", server.url)) as client:
            before = await client.call_tool("get_credit_balance", {})
            path = str(tmp_path / "ada.key")
            rotate = ("agent", "rotate", "--yes", "--key", path)
            rotated = await asyncio.to_thread(run_stoa_here, *rotate)
            assert rotated.code == 0, rotated.err
            return [before, await client.call_tool("get_credit_balance", {})]

    answers = asyncio.run(called())
    assert [answer.is_error for answer in answers] == [False, False]


@pytest.mark.parametrize("mode", few(MODES))
def test_no_tool_asks_a_model_for_a_token(server: Server, tmp_path: Path, mode: Mode) -> None:
    async def listed() -> tuple[Any, str]:
        async with Client(command(tmp_path, "agent", server.url), mode=mode) as client:
            return (await client.list_tools()).tools, client.instructions or ""

    tools, instructions = asyncio.run(listed())
    assert {"get_inbox", "read_inbox"} < {tool.name for tool in tools}
    assert len(tools) == 26
    for tool in tools:
        assert "authorization" not in tool.input_schema["properties"]
        assert "authorization" not in tool.input_schema.get("required", [])
    assert "signed in" in instructions
    assert "authorization" not in instructions
    assert "`cursor`: the `nextCursor` of the page before" in instructions


@pytest.mark.soak
def test_answers_are_lean_unless_the_command_or_a_call_says_otherwise(
    server: Server, tmp_path: Path
) -> None:
    async def balances() -> list[Any]:
        answers: list[Any] = []
        for options, other in (((), "full"), (("--view", "full"), "lean")):
            parameters = command(tmp_path, "agent", server.url, *options)
            async with Client(parameters) as client:
                answers.append(await client.call_tool("get_credit_balance", {}))
                answers.append(await client.call_tool("get_credit_balance", {"view": other}))
        return [answer.structured_content for answer in answers]

    lean = ["notice" in answer for answer in asyncio.run(balances())]
    assert lean == [True, False, False, True]


@pytest.mark.soak
@pytest.mark.parametrize("mode", few(MODES))
def test_the_command_offers_the_tools_that_it_is_told_to(
    server: Server, tmp_path: Path, mode: Mode
) -> None:
    options = ("--toolsets", "account", "--readonly")

    async def listed() -> set[str]:
        async with Client(command(tmp_path, "agent", server.url, *options), mode=mode) as client:
            return {tool.name for tool in (await client.list_tools()).tools}

    found = asyncio.run(listed())
    assert "get_me" in found
    assert not found & {"get_thread", "revoke_sessions"}


def test_a_toolset_that_is_none_is_refused_at_once_with_the_names_of_all(tmp_path: Path) -> None:
    nowhere = ("--key", str(tmp_path / "none.key"))
    refused = run_stoa_here("agent", "mcp", "--toolsets", "default,wrok", *nowhere)
    assert (refused.code, refused.err.count("\n")) == (2, 1)
    assert "there is no set 'wrok': choose of default, inbox, account, work," in refused.err


@pytest.mark.parametrize("mode", few(MODES))
@pytest.mark.soak
def test_a_token_that_a_model_makes_up_is_dropped(
    server: Server, tmp_path: Path, mode: Mode
) -> None:
    async def call() -> Any:
        async with Client(command(tmp_path, "agent", server.url), mode=mode) as client:
            return await client.call_tool("get_credit_balance", {"authorization": "Bearer x"})

    assert asyncio.run(call()).structured_content["balance"]["available"] == 100


@pytest.mark.soak
@pytest.mark.parametrize("mode", few(MODES))
def test_a_refusal_is_the_tools_own(server: Server, tmp_path: Path, mode: Mode) -> None:
    async def call() -> Any:
        async with Client(command(tmp_path, "agent", server.url), mode=mode) as client:
            return await client.call_tool("claim_job", {"jobId": "job_0"})

    result = asyncio.run(call())
    assert result.is_error
    assert result.structured_content["code"] == "not_found"


def exchange(
    folder: Path, url: str, *lines: str, options: tuple[str, ...] = ()
) -> tuple[list[Any], str]:
    """What the command answers to these lines, and what it says on stderr."""
    parameters = command(folder, "agent", url, *options)
    done = subprocess.run(
        [parameters.command, *parameters.args],
        input="".join(f"{line}\n" for line in lines),
        capture_output=True,
        text=True,
        timeout=250,
        check=False,
        env=parameters.env,
    )
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    return sorted(answers, key=lambda answer: str(answer["id"])), done.stderr


def call_of(tool: str, message_id: int = 1) -> str:
    params: dict[str, Any] = {"name": tool, "arguments": {}}
    return json.dumps(
        {"jsonrpc": "2.0", "id": message_id, "method": "tools/call", "params": params}
    )


SURROGATE = {"name": "\ud800", "_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28"}}


@pytest.mark.parametrize(
    "line",
    few(
        [
            "[" * 100_000,
            json.dumps({"jsonrpc": "2.0", "id": 4, "method": "tools/call", "params": SURROGATE}),
        ]
    ),
    ids=["nested", "surrogate"],
)
@pytest.mark.soak
def test_a_message_that_cannot_be_passed_on_does_not_end_the_others(
    server: Server, tmp_path: Path, line: str
) -> None:
    ping = '{"jsonrpc": "2.0", "id": 5, "method": "ping"}'
    refused, answered = exchange(tmp_path, server.url, line, ping)[0]
    refused, answered = (refused, answered) if "error" in refused else (answered, refused)
    assert "error" in refused
    assert answered == {"jsonrpc": "2.0", "id": 5, "result": {}}


@pytest.mark.parametrize(
    ("argument", "told"),
    few([("U+0000: \0", "`params.arguments.q`: Must not hold U+0000"), (float("nan"), "NaN")]),
    ids=["text", "number"],
)
@pytest.mark.soak
def test_the_answer_to_what_the_service_cannot_read_names_its_message(
    server: Server, tmp_path: Path, argument: Any, told: str
) -> None:
    params = {"name": "search_threads", "arguments": {"q": argument}}
    call = {"jsonrpc": "2.0", "id": 4, "method": "tools/call", "params": params}
    (answer,) = exchange(tmp_path, server.url, json.dumps(call))[0]
    assert (answer["id"], answer["error"]["code"]) == (4, -32700)
    assert told in answer["error"]["message"]


@pytest.mark.soak
def test_notifications_are_not_answered(server: Server, tmp_path: Path) -> None:
    note = '{"jsonrpc": "2.0", "method": "notifications/initialized"}'
    ping = '{"jsonrpc": "2.0", "id": 5, "method": "ping"}'
    answers, _ = exchange(tmp_path, server.url, "", note, ping)
    assert answers == [{"jsonrpc": "2.0", "id": 5, "result": {}}]


@pytest.mark.soak
def test_a_challenge_for_another_address_is_refused_and_told(
    server: Server, tmp_path: Path
) -> None:
    with relaying(server.url) as relay:
        answers, _ = exchange(tmp_path, relay.url, call_of("get_credit_balance"))
        assert relay.paths == ["/api/v1/auth/challenge"]
    assert answers[0]["result"]["isError"]
    assert answers[0]["result"]["structuredContent"]["code"] == "foreign_challenge"


def test_a_service_that_is_not_there_is_told_as_a_refusal(tmp_path: Path) -> None:
    nowhere = "http://127.0.0.1:65533"
    listing = '{"jsonrpc": "2.0", "id": 2, "method": "tools/list"}'
    call, listed = exchange(tmp_path, nowhere, call_of("get_thread"), listing)[0]
    assert call["result"]["structuredContent"]["code"] == "unreachable"
    assert listed["error"]["data"]["code"] == "unreachable"


class Forgotten(AsyncStoa):
    """A client whose first token is one that the service does not know."""

    @call
    def authorization(self, stale: str | None = None) -> Steps[str]:
        if stale is None:
            return "Bearer stoa_forgotten"
        return (yield from self._session.authorization(stale))


def asked(
    server: Server,
    *messages: str,
    kind: type[AsyncStoa] = AsyncStoa,
    transport: httpx.AsyncBaseTransport | None = None,
) -> list[Any]:
    """What is told and answered to messages that come one after another."""
    told = list[Any]()

    async def ask() -> None:
        async with (
            kind(server.url, Key.generate()) as stoa,
            httpx.AsyncClient(base_url=server.url, timeout=60, transport=transport) as http,
        ):
            proxy = Proxy(stoa, http, Wanted(), told.append)
            for message in messages:
                told.append(await proxy.answer(message.encode()))

    asyncio.run(ask())
    return told


def message(method: str, version: str | None = None, **params: Any) -> str:
    """A message with the id 1; of the newer era with its `version`."""
    if version:
        key = "io.modelcontextprotocol"
        params["_meta"] = {f"{key}/protocolVersion": version, f"{key}/clientCapabilities": {}}
    return json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})


def hello(version: str) -> str:
    """The first message of a client of this version."""
    client = {"name": "test", "version": "1"}
    return message("initialize", protocolVersion=version, capabilities={}, clientInfo=client)


def test_what_is_no_message_is_answered_as_the_protocol_says(server: Server) -> None:
    batches = ("[]", '[["id", 5], ["jsonrpc", "2.0"], ["method", "ping"]]', '"ping"', "7")
    *answers, none = asked(server, "nonsense", *batches, '{"jsonrpc": "2.0"}')
    told = [(answer["id"], answer["error"]["code"]) for answer in answers]
    assert (told, none) == ([(None, -32700), *[(None, -32600)] * len(batches)], None)


def test_a_member_that_is_named_twice_is_refused_like_over_http(server: Server) -> None:
    call = message("tools/call", name="create_job", arguments={"rewardCredits": 1})
    twice = call.replace('"rewardCredits": 1', '"rewardCredits": 1, "rewardCredits": 90')
    (answer,) = asked(server, twice)
    assert answer["error"]["code"] == -32700
    assert "each member once" in answer["error"]["message"]


def test_a_refused_token_is_renewed_behind_the_models_back(server: Server) -> None:
    polled = message("events/poll", name="stoa.inbox")
    first, second = (
        asked(server, one, kind=Forgotten)[0]["result"]
        for one in (call_of("get_credit_balance"), polled)
    )
    assert first["structuredContent"]["balance"]["available"] == 100
    assert second["events"] == []


@pytest.mark.parametrize("version", ["2024-11-05", "2025-03-26", "2025-11-25"])
def test_refusals_and_renewals_are_the_same_in_versions_of_text_alone(
    server: Server, version: str
) -> None:
    call = call_of("get_credit_balance")
    _, renewed = asked(server, hello(version), call, kind=Forgotten)
    assert "isError" not in renewed["result"]
    nothing = message("tools/call", name="get_thread", arguments={"threadId": "th_0"})
    _, refused = asked(server, hello(version), nothing)
    (content,) = refused["result"]["content"]
    assert json.loads(content["text"])["code"] == "not_found"
    assert refused["result"]["isError"]


@pytest.mark.parametrize("version", [None, "2026-07-28"])
def test_the_skill_is_read_in_both_eras(server: Server, version: str | None) -> None:
    (listed,) = asked(server, message("resources/list", version))
    uri = listed["result"]["resources"][0]["uri"]
    (read,) = asked(server, message("resources/read", version, uri=uri))
    assert read["result"]["contents"][0]["uri"] == uri


class Broken(httpx.AsyncBaseTransport):
    """Streams one notification in two pieces, and then no result."""

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        async def pieces() -> AsyncIterator[bytes]:
            yield b'data: {"method": "notifications/events/ev'
            yield 'ent", "params": {"text": "a\u2028b"}}\n\n:\n\n'.encode()

        headers = {"content-type": "text/event-stream; charset=utf-8"}
        return httpx.Response(200, headers=headers, content=pieces())


def test_a_stream_that_breaks_off_is_told_as_a_refusal(server: Server) -> None:
    event, end = asked(server, message("events/stream", name="stoa.event"), transport=Broken())
    assert event["params"] == {"text": "a\u2028b"}
    assert end["error"]["data"]["code"] == "unreachable"


def test_a_stream_comes_as_notifications_until_it_is_cancelled(
    server: Server, tmp_path: Path
) -> None:
    with serving(server, tmp_path) as process, Stoa(server.url, Key.generate()) as other:
        assert process.stdin
        assert process.stdout
        chosen = {"kinds": ["thread.created"]}
        asked = message("events/stream", name="stoa.event", arguments=chosen).encode() + b"\n"
        process.stdin.write(asked)
        active = json.loads(process.stdout.readline())
        assert active["method"] == "notifications/events/active"

        def told_of_a_thread(lines: IO[bytes] = process.stdout) -> None:
            thread = other.create_thread(title="A question", body="How?").thread
            event = json.loads(lines.readline())
            assert event["params"]["data"]["threadId"] == thread.id

        told_of_a_thread()
        note = {"method": "notifications/cancelled", "params": {"requestId": 1}}
        process.stdin.write(json.dumps({"jsonrpc": "2.0", **note}).encode() + b"\n" + PING)
        assert json.loads(process.stdout.readline())["id"] == 5, "the stream has no result"
        process.stdin.write(asked)  # one that goes on when no message comes any more
        assert json.loads(process.stdout.readline())["method"] == active["method"]
        told_of_a_thread()
        told_of_a_thread()
        process.stdin.close()
        assert process.wait(60) == 0
        assert process.stdout.read() == b""


class Odd(httpx.AsyncBaseTransport):
    """Answers a call as no Stoa does."""

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        return httpx.Response(200, json={"jsonrpc": "2.0", "id": 1, "result": {"isError": True}})


def test_an_answer_of_another_program_does_not_end_the_proxy(server: Server) -> None:
    (answer,) = asked(server, call_of("get_credit_balance"), transport=Odd())
    assert answer["result"]["structuredContent"]["code"] == "not_passed_on"


def test_without_a_key_file_it_says_how_to_make_one(tmp_path: Path) -> None:
    parameters = [sys.executable, "-m", "stoa", "agent", "mcp", "--key", tmp_path / "none.key"]
    done = subprocess.run(
        parameters, capture_output=True, text=True, timeout=60, check=False, env=environment({})
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert "stoa agent keygen" in done.stderr


PING = b'{"jsonrpc": "2.0", "id": 5, "method": "ping"}\n'


def serving(server: Server, folder: Path) -> "subprocess.Popen[bytes]":
    """The command with open pipes, once it has answered."""
    parameters = command(folder, "agent", server.url)
    process = subprocess.Popen(
        [parameters.command, *parameters.args],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        bufsize=0,
        env=parameters.env,
    )
    assert process.stdin
    assert process.stdout
    process.stdin.write(PING)
    assert b'"id":5' in process.stdout.readline()
    return process


def test_ctrl_c_ends_it_while_the_client_says_nothing(server: Server, tmp_path: Path) -> None:
    with serving(server, tmp_path) as process:
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == -signal.SIGINT
        assert process.stderr
        assert process.stderr.read() == b"stoa: interrupted\n"


@pytest.mark.soak
def test_it_ends_when_nobody_reads_the_answers_any_more(server: Server, tmp_path: Path) -> None:
    with serving(server, tmp_path) as process:
        assert process.stdin
        assert process.stdout
        assert process.stderr
        process.stdout.close()
        process.stdin.write(PING)
        assert process.wait(60) == 1
        assert process.stderr.read() == b""
