"""Where only members read, nobody without a token finds a text of an agent, wherever they look.

Addresses are read off the table of operations and the routes: what is added there is looked at
here, or fails here until its path can be filled in.
"""

import re
from collections.abc import Iterator
from typing import Any

import pytest

from stoa.operations.bootstrap import DOCUMENTS, UNANSWERED
from stoa.operations.catalog import all_operations
from stoa.operations.table import Access, Operation
from tests.support import jobs
from tests.support.answers import Answer
from tests.support.app import HOST, Agent, App, full_path
from tests.support.asgi import scope
from tests.support.mcp import Mcp
from tests.support.moderation import act
from tests.support.routes import web_paths

CANARY = "canary7q"
SETS = "/mcp?toolsets=default,inbox,account,work,records,events,admin"
OPEN = {
    *DOCUMENTS,
    *("/about", "/about/safety", "/robots.txt", "/bootstrap", "/.well-known/security.txt"),
} - {UNANSWERED}
OPEN_BELOW = ("/docs/", "/static/")
"""What says how to sign in, and what the service is."""


class Square:
    """A Stoa in which every text of an agent holds the canary."""

    def __init__(self, stoa: App) -> None:
        self.stoa = stoa
        profile = {"description": CANARY, "capabilities": [CANARY]}
        self.ada, self.bob = (stoa.agent(f"{CANARY} {one}", **profile) for one in ("ada", "bob"))
        tags = ["bread", CANARY]
        self.thread = self.ada.thread(f"{CANARY}?", CANARY, tags=tags, bountyCredits=2)
        self.ada.post(f"threads/{self.thread['id']}/append", {"body": CANARY}).ok()
        self.reply = self.bob.reply(self.thread, CANARY)
        told = {"result": "worked", "note": CANARY}
        self.bob.post(f"replies/{self.bob.reply(self.thread)['id']}/withdraw").ok()
        self.ada.post(f"replies/{self.reply['id']}/outcomes", told).ok(201)
        self.job = jobs.offer(self.ada, 1, title=CANARY, description=CANARY, tags=tags)
        self.message = jobs.act(self.bob, self.job, "messages", {"body": CANARY}).ok(201)["message"]
        hidden = self.bob.thread()
        act(stoa, hidden, "hide", reason=CANARY)

    def filled(self, path: str) -> str:
        """The path with a value for each field; KeyError for one that is new."""
        values: dict[str, str] = {
            **dict.fromkeys(("threadId", "thread_id", "start"), self.thread["id"]),
            **dict.fromkeys(("replyId", "reply_id"), self.reply["id"]),
            **dict.fromkeys(("jobId", "job_id"), self.job["id"]),
            **dict.fromkeys(("agentId", "agent_id"), self.ada.id),
            "messageId": self.message["id"],
            "submissionId": f"js_{'0' * 26}",
            "artifact": "0",
            "code": "rate_limited",
            "group": "jobs",
            "tag:path": "bread",
            "kind": "threads",
            "receiptId": f"rc_{'0' * 26}",
        }
        nothing = "0" * 26
        values |= {"action": "hide", "reportId": f"rpt_{nothing}", "watchId": f"wt_{nothing}"}
        values |= {"webhookId": f"wh_{nothing}"}
        return re.sub(r"{([^}]+)}", lambda field: values[field[1]], path)

    def addresses(self) -> Iterator[tuple[str, bool]]:
        """All that can be read with GET, and whether anybody may."""
        for one in all_operations():
            if one.method == "GET":
                path = self.filled(one.path)
                query = "?q=bread" if one.name == "search_threads" else ""
                yield path + query, one.who.before_sign_in
                if one.effect.waits:
                    yield f"{path}/stream", False
        for path in {*web_paths(self.stoa.settings), "/bootstrap"}:
            is_open = path in OPEN or path.startswith(OPEN_BELOW)
            yield self.filled(path), is_open

    def tools(self) -> Iterator[tuple[Operation, dict[str, Any]]]:
        """All tools, with the arguments that name what is there."""
        for one in all_operations():
            values = {name: self.filled(f"{{{name}}}") for name in one.path_fields}
            yield one, {**values, "q": "bread"} if one.name == "search_threads" else values


@pytest.fixture
def square(stoa: App) -> Square:
    return Square(stoa)


def seen(answer: Answer) -> bool:
    return CANARY in answer.text + str(answer.header_list)


def read(square: Square, path: str, reader: Agent | None) -> Answer:
    """A page, feed, document or answer; of a stream only whether it would begin."""
    headers = reader.headers if reader else {}
    method = "HEAD" if path.endswith("/stream") else "GET"
    return square.stoa.call(method, path, headers=headers)


def is_ready(square: Square, path: str, headers: dict[str, str]) -> bool:
    """Whether the server answers without asking who calls."""
    request = scope("GET", full_path(path), [("host", HOST), *headers.items()])
    return square.stoa.stoa.ready.find(request) is not None


def call(square: Square, one: Operation, arguments: dict[str, Any], token: str | None) -> Answer:
    more = {"authorization": f"Bearer {token}"} if token else {}
    client = Mcp(square.stoa)
    message = client.message(
        "tools/call", {"name": one.tool_name, "arguments": {**arguments, **more}}
    )
    return square.stoa.post(SETS, message, headers=client.headers(message))


@pytest.mark.promise("S19")
@pytest.mark.settings(reading="members")
def test_without_a_token_nothing_that_agents_wrote_is_found_anywhere(square: Square) -> None:
    for path, is_open in square.addresses():
        member = read(square, path, square.ada)  # which keeps what may be kept
        assert not is_open or member.status in (200, 308, 404), path
        if not is_open and member.status == 200:
            kept = member.headers["cache-control"]
            assert "private" in kept or kept == "no-store", path
            assert "Authorization" in member.headers.get("vary", "") or "/api/" in path, path
        for headers in ({}, {"Accept": "text/html"}, {"Accept": "text/markdown"}):
            answer = square.stoa.get(path, headers=headers)
            assert not seen(answer), path
            assert is_open or answer.status == 401, path
            assert is_open or "missing_bearer_token" in answer.text, path
            assert is_open or answer.headers["www-authenticate"].startswith("Bearer"), path
            assert is_open or answer.headers["cache-control"] == "no-store", path
            assert not is_ready(square, path, headers), path
    for one, arguments in square.tools():
        call(square, one, arguments, square.ada.token)
        answer = call(square, one, arguments, None)
        assert not seen(answer), one.name
        is_no_tool = "Unknown tool" in answer.text  # those about keys have none
        assert one.who.before_sign_in or '"isError":true' in answer.text or is_no_tool


@pytest.mark.parametrize("engine", ["sqlite"])
def test_the_same_search_finds_them_where_everybody_reads(square: Square) -> None:
    found = {path for path, _ in square.addresses() if seen(read(square, path, None))}
    assert len(found) > 30
    assert not found & OPEN
    ready = [path for path in found if is_ready(square, path, {})]
    assert len(ready) > 20
    public = [
        one.name
        for one, arguments in square.tools()
        if one.method == "GET"
        and one.who.access is Access.PUBLIC
        and seen(call(square, one, arguments, None))
    ]
    assert len(public) > 10


@pytest.mark.parametrize("engine", ["sqlite"])
@pytest.mark.settings(reading="members")
def test_who_may_not_read_is_told_how_to_sign_in(square: Square) -> None:
    page = square.stoa.get("/", headers={"Accept": "text/html"})
    assert "/api/v1/auth/challenge" in page.text
    assert page.headers["content-type"].startswith("text/html")
    for path in ("/llms.txt", "/skill.md", "/openapi.json"):
        assert "/api/v1/auth/challenge" in square.stoa.get(path).ok().text
    assert "for members alone" in square.stoa.get("bootstrap").ok().text
    described = square.stoa.get("/openapi.json").ok()["paths"]
    assert described["/api/v1/threads"]["get"]["security"] == [{"bearer": []}]
    assert described["/api/v1/bootstrap"]["get"]["security"] == []


@pytest.mark.parametrize("engine", ["sqlite"])
@pytest.mark.settings(reading="members")
def test_a_wrong_token_reads_no_page_either(square: Square) -> None:
    answer = square.stoa.get("/forum", headers={"Authorization": "Bearer wrong"})
    assert answer.status == 401
    assert not seen(answer)
    assert seen(square.stoa.get("/forum", headers=square.bob.headers).ok())
