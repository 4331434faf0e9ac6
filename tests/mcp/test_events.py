"""MCP Events: the log and the inbox for clients that ask for events, or have them streamed."""

import asyncio
import json
import tracemalloc
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from tests.contract.test_watches import tell
from tests.support import asgi
from tests.support.app import HOST, Agent, App
from tests.support.clock import DAY, SECOND
from tests.support.everything import fill
from tests.support.keys import Key
from tests.support.mcp import ERAS, LATEST_HANDSHAKE, Mcp, problem
from tests.support.oauth import bearer, signed_in

EXTENSION = "io.modelcontextprotocol/events"
INITIALIZE = {
    "protocolVersion": LATEST_HANDSHAKE,
    "capabilities": {},
    "clientInfo": {"name": "t", "version": "1"},
}


@pytest.fixture(params=ERAS)
def client(request: pytest.FixtureRequest, stoa: App) -> Mcp:
    """A client of each era."""
    return Mcp(stoa, request.param)


def poll(client: Mcp, name: str = "stoa.event", agent: Agent | None = None, **params: Any) -> Any:
    """The result of one poll."""
    headers = bearer(agent.token) if agent else {}
    return client.ask("events/poll", {"name": name, **params}, headers).ok()["result"]


def kinds(page: Any) -> list[str]:
    """The kinds of the events of a poll."""
    return [one["data"]["kind"] for one in page["events"]]


@pytest.mark.parametrize("path", ["/mcp", "/mcp/oauth"])
def test_the_first_answer_says_that_there_are_events(stoa: App, path: str) -> None:
    headers = bearer(signed_in(stoa, Key("Ada")))
    for version, method in zip(ERAS, ("initialize", "server/discover"), strict=True):
        params = INITIALIZE if method == "initialize" else {}
        answer = Mcp(stoa, version, path).ask(method, params, headers).ok()["result"]
        offered = answer["capabilities"]
        assert offered["events"] == {}
        assert offered["extensions"][EXTENSION] == {}
        assert "tools" in offered


def test_the_list_names_two_types_with_schemas_that_hold(client: Mcp, ada: Agent) -> None:
    listed = client.ask("events/list").ok()["result"]["events"]
    assert [one["name"] for one in listed] == ["stoa.event", "stoa.inbox"]
    arguments = [list(one["inputSchema"]["properties"]) for one in listed]
    assert arguments == [["kinds", "tag", "threadId", "agentId"], ["kinds"]]
    assert problem(client.ask("events/list", {"cursor": "x"}))[1] == -32602
    cursor = poll(client)["cursor"]
    ada.thread()
    for one in listed:
        Draft202012Validator.check_schema(one["inputSchema"])
        payload: Any = Draft202012Validator(one["payloadSchema"])
        payload.validate(poll(client, cursor=cursor)["events"][0]["data"])


@pytest.mark.promise("E30")
def test_a_client_that_polls_gets_each_event_once(client: Mcp, ada: Agent, bob: Agent) -> None:
    first = poll(client, cursor=None)
    assert (first["events"], first["truncated"], first["hasMore"]) == ([], False, False)
    threads = [ada.thread() for _ in range(3)]
    page = poll(client, cursor=first["cursor"], maxEvents=2)
    assert page["hasMore"] is True
    rest = poll(client, cursor=page["cursor"], maxEvents=2)
    assert rest["hasMore"] is False
    told = [*page["events"], *rest["events"]]
    assert [one["data"]["threadId"] for one in told] == [one["id"] for one in threads]
    (logged,) = client.app.get(f"events?cursor={page['cursor']}").ok()["events"]
    assert told[-1] == {
        "eventId": logged["id"],
        "name": "stoa.event",
        "timestamp": logged["at"],
        "data": logged,
    }
    assert poll(client, cursor=rest["cursor"])["events"] == []


@pytest.mark.costly
def test_each_kind_of_event_is_told_as_the_log_and_the_inbox_have_it(stoa: App) -> None:
    client, (ada, *_) = Mcp(stoa), fill(stoa)
    seen = set[str]()
    for name, place in (("stoa.event", "events"), ("stoa.inbox", "inbox")):
        cursor = ada.get(f"{place}?limit=1").ok()["nextCursor"]
        has_more = True
        while has_more:
            page = poll(client, name, ada, cursor=cursor, maxEvents=100)
            logged = ada.get(f"{place}?limit=100&cursor={cursor}").ok()["events"]
            own = {"excerpt", "nextActions"}
            assert [one["data"] for one in page["events"]] == [
                {member: one[member] for member in one.keys() - own} for one in logged
            ]
            seen |= {f"{name} {member}" for one in logged for member in one["data"]}
            cursor, has_more = page["cursor"], page["hasMore"]
    assert {"stoa.event credits", "stoa.inbox credits"} <= seen


def test_arguments_choose_events(client: Mcp, ada: Agent, bob: Agent) -> None:
    cursor = poll(client)["cursor"]
    here, other = ada.thread("Here", tags=["sqlite"]), ada.thread("There")
    bob.reply(here)
    bob.reply(other)

    def chosen(**arguments: Any) -> list[str]:
        return kinds(poll(client, cursor=cursor, arguments=arguments))

    assert chosen(threadId=here["id"]) == ["thread.created", "reply.created"]
    assert chosen(agentId=bob.id) == ["reply.created"] * 2
    assert chosen(tag="sqlite", kinds=["thread.created"]) == ["thread.created"]
    assert chosen(threadId=here["id"], agentId=bob.id, kinds=["reply.created"]) == ["reply.created"]
    assert chosen(kinds=["-reply.created"]) == ["thread.created"] * 2


@pytest.mark.promise("E31")
def test_the_inbox_is_for_its_agent_and_has_no_text(client: Mcp, ada: Agent, bob: Agent) -> None:
    refused = client.ask("events/poll", {"name": "stoa.inbox"})
    assert refused["error"]["code"] == -32012
    cursor = poll(client, "stoa.inbox", ada)["cursor"]
    reply = bob.reply(ada.thread("A question"), body="canary-4711")
    page = poll(client, "stoa.inbox", ada, cursor=cursor)
    (told,) = page["events"]
    assert (told["name"], told["data"]["subject"]["id"]) == ("stoa.inbox", reply["id"])
    assert told["data"].keys().isdisjoint({"excerpt", "nextActions"})
    assert "canary-4711" not in json.dumps(page)
    assert poll(client, "stoa.inbox", bob, cursor=cursor)["events"] == []


def test_an_occurrence_of_the_inbox_names_the_watch_that_was_met(
    client: Mcp, ada: Agent, bob: Agent
) -> None:
    watch = ada.post("watches", {"tag": "sqlite"}).ok(201)["watch"]
    cursor = poll(client, "stoa.inbox", ada)["cursor"]
    client.app.clock.advance(SECOND)
    bob.thread(tags=["sqlite"])
    tell(client.app)
    (told,) = poll(client, "stoa.inbox", ada, cursor=cursor)["events"]
    assert told["data"]["watch"] == {"tag": "sqlite", "id": watch["id"]}
    schema = client.ask("events/list").ok()["result"]["events"][1]["payloadSchema"]
    assert "watch" in schema["properties"]
    payload: Any = Draft202012Validator(schema)
    payload.validate(told["data"])


def test_a_cursor_that_is_not_kept_any_more_is_no_error(client: Mcp, ada: Agent) -> None:
    stoa = client.app
    cursor = poll(client)["cursor"]
    ada.thread()
    stoa.clock.advance(31 * DAY)
    ada.sign_in()
    ada.thread()
    stoa.run(stoa.processes[0].upkeep.sweep())
    page = poll(client, cursor=cursor)
    assert (page["truncated"], page["events"]) == (True, [])
    ada.thread()
    assert kinds(poll(client, cursor=page["cursor"])) == ["thread.created"]


@pytest.mark.settings(limit_reads_anonymous=9)
def test_a_poll_with_a_cursor_that_is_not_kept_is_one_read(client: Mcp, ada: Agent) -> None:
    stoa = client.app
    cursor = poll(client)["cursor"]
    for _ in range(2):
        ada.thread()
        stoa.clock.advance(31 * DAY)
        ada.sign_in()
    stoa.run(stoa.stoa.upkeep.sweep())
    answer = client.ask("events/poll", {"name": "stoa.event", "cursor": cursor})
    assert answer.ok()["result"]["truncated"] is True
    assert answer.rate == ("reads", 9, 6)  # behind a challenge and a verify


def test_events_that_are_too_old_are_left_out(client: Mcp, ada: Agent) -> None:
    cursor = poll(client)["cursor"]
    ada.thread("Old")
    client.app.clock.advance(20 * SECOND)
    ada.thread("New")
    page = poll(client, cursor=cursor, maxAgeMs=10 * SECOND)
    assert [one["data"]["data"]["title"] for one in page["events"]] == ["New"]
    assert page["truncated"] is True
    assert poll(client, cursor=cursor, maxAgeMs=DAY)["truncated"] is False


@pytest.mark.parametrize(
    ("params", "code", "told"),
    [
        ({"name": "stoa.events"}, -32011, ""),
        ({}, -32011, ""),
        ({"name": "stoa.event", "arguments": {"kind": "reply.created"}}, -32602, "are kinds, "),
        ({"name": "stoa.event", "arguments": {"kinds": ["reply"]}}, -32602, "`arguments.kinds.0`"),
        ({"name": "stoa.event", "arguments": []}, -32602, "`arguments`"),
        ({"name": "stoa.event", "cursor": "nowhere"}, -32602, "`cursor`"),
        ({"name": "stoa.event", "cursor": 7}, -32602, "`cursor`"),
        ({"name": "stoa.event", "maxEvents": 0}, -32602, "`maxEvents`"),
        ({"name": "stoa.event", "maxAgeMs": -1}, -32602, "`maxAgeMs`"),
    ],
)
@pytest.mark.parametrize("method", ["events/poll", "events/stream"])
def test_what_is_wrong_is_an_error_that_says_what_is_right(
    stoa: App, method: str, params: Any, code: int, told: str
) -> None:
    answer = Mcp(stoa).ask(method, params)
    assert problem(answer) == (200, code)
    assert answer["error"]["message"].endswith(".")
    assert told in answer["error"]["message"]


@pytest.mark.parametrize("cursor", ["nowhere", 7, ""])
def test_a_wrong_cursor_is_told_in_the_words_of_mcp_events(stoa: App, cursor: Any) -> None:
    given = {"name": "stoa.event", "cursor": cursor}
    for method in ("events/poll", "events/stream"):
        error = Mcp(stoa).ask(method, given)["error"]
        assert error["message"] == "`cursor` must be that of an earlier answer, or null."


def test_without_a_token_the_header_is_named_and_the_argument_only_of_tools(stoa: App) -> None:
    for method in ("events/poll", "events/stream", "events/subscribe"):
        delivery = {"url": "https://hooks.example.com/", "secret": f"whsec_{'A' * 32}"}
        given = {"name": "stoa.inbox", "delivery": delivery}
        told = Mcp(stoa).ask(method, given)["error"]["data"]["recovery"]
        assert "send the same call with `Authorization: Bearer <token>`, or a tool call" in told


@pytest.mark.settings(limit_reads_anonymous=2)
def test_a_poll_is_a_read(client: Mcp) -> None:
    for left in (1, 0):
        answer = client.ask("events/poll", {"name": "stoa.event"})
        assert answer.rate == ("reads", 2, left)
    answer = client.ask("events/poll", {"name": "stoa.event"})
    assert problem(answer) == (200, -32013)
    assert answer["error"]["data"]["code"] == "rate_limited"
    assert "retry-after" in answer.headers


def test_at_the_address_of_oauth_a_token_is_asked_for(stoa: App) -> None:
    oauth = Mcp(stoa, path="/mcp/oauth")
    for method in ("events/list", "events/poll", "events/stream"):
        oauth.ask(method, {"name": "stoa.event"}).refused(401, "missing_bearer_token")
    token = signed_in(stoa, Key("Ada"), scope="read")
    asked: dict[str, Any] = {"name": "stoa.inbox", "arguments": {}, "cursor": None}
    assert oauth.ask("events/poll", asked, bearer(token)).ok()["result"]["events"] == []


async def _kept_by_a_stream(stoa: App, **more: Any) -> int:
    """The bytes that are in use for a stream of events whose message is long, once it is active."""
    message = {"jsonrpc": "2.0", "id": "s", "method": "events/stream"}
    body = json.dumps({**message, "params": {"name": "stoa.event", **more}}).encode()
    waiting, gone, active = [body], asyncio.Event(), asyncio.Event()

    async def receive() -> asgi.Message:
        if waiting:
            return {"type": "http.request", "body": waiting.pop(), "more_body": False}
        await gone.wait()
        return {"type": "http.disconnect"}

    async def send(sent: asgi.Message) -> None:
        if b"events/active" in sent.get("body", b""):
            active.set()

    headers = [("host", HOST), ("content-type", "application/json")]
    tracemalloc.start()
    call = stoa.stoa.asgi(asgi.scope("POST", "/mcp", headers), receive, send)
    stream = asyncio.create_task(call)
    await active.wait()
    kept, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    gone.set()
    await stream
    return kept


@pytest.mark.parametrize("engine", ["sqlite"])
def test_a_stream_does_not_keep_the_message_that_asked_for_it(stoa: App) -> None:
    stoa.run(_kept_by_a_stream(stoa))  # what the first one makes stays
    assert stoa.run(_kept_by_a_stream(stoa, other=["x"] * 9_000, more="x" * 900_000)) < 300_000


@pytest.mark.parametrize("engine", ["sqlite"])
def test_an_id_that_a_stream_would_repeat_is_short(stoa: App) -> None:
    client = Mcp(stoa)
    for message_id, code in (("x" * 255, None), ("x" * 256, -32600), (10**80, -32600)):
        message = {**client.message("events/poll", {"name": "stoa.event"}), "id": message_id}
        answer = client.send(message, client.headers(message))
        assert answer.json.get("error", {}).get("code") == code
        asked: dict[str, Any] = {**message, "method": "ListTasks", "params": {}}
        refused = stoa.post("/a2a", asked, headers={"A2A-Version": "1.0"})["error"]
        assert (refused["code"] == -32600) is (code is not None)


@pytest.mark.parametrize("engine", ["sqlite"])
def test_a_call_that_may_wait_is_short(stoa: App, ada: Agent) -> None:
    client, path = Mcp(stoa, path="/mcp?toolsets=inbox"), "x" * 17_000
    long = client.call("get_inbox", {"other": path, "wait": 1}, bearer(ada.token))
    assert problem(long) == (200, -32602)
    assert "at most 16 KiB" in long["error"]["message"]
    assert "events" in client.result("get_inbox", {"other": "x" * 9_000}, ada)
