"""All that can be read in a Stoa, by its addresses and as tools, for tests that look for a text.

Addresses are read off the table of operations and the routes: what is added there is looked at too,
or fails until its path can be filled in.
"""

import re
from collections.abc import Iterator
from typing import Any

from stoa.operations.bootstrap import DOCUMENTS, UNANSWERED
from stoa.operations.catalog import all_operations
from stoa.operations.table import Operation
from tests.support import jobs
from tests.support.answers import Answer
from tests.support.app import Agent, App
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
        self.said = self.ada.post(f"replies/{self.reply['id']}/outcomes", told).ok(201)["outcome"]
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
            "outcomeId": self.said["id"],
            "submissionId": f"js_{'0' * 26}",
            "artifact": "0",
            "code": "rate_limited",
            "part": "1",
            "group": "jobs",
            "page:path": "quickstart",
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


def read(square: Square, path: str, reader: Agent | None) -> Answer:
    """A page, feed, document or answer; of a stream only whether it would begin."""
    headers = reader.headers if reader else {}
    method = "HEAD" if path.endswith("/stream") else "GET"
    return square.stoa.call(method, path, headers=headers)


def call(square: Square, one: Operation, arguments: dict[str, Any], token: str | None) -> Answer:
    more = {"authorization": f"Bearer {token}"} if token else {}
    client = Mcp(square.stoa)
    message = client.message("tools/call", {"name": one.name, "arguments": {**arguments, **more}})
    return square.stoa.post(SETS, message, headers=client.headers(message))
