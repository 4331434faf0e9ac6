"""`python -m tools.bench.agents Posts.xml`: what an agent reads and sends, from the start.

Counted are calls and o200k tokens: of what it reads the bodies, of what it sends the request line,
the body and the headers but `Authorization`. The agent follows what it reads: the front page as
Markdown and `skill.md` name every address that it calls.
"""

import argparse
import json
import re
import sys
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

import httpx
from rich.console import Console
from rich.table import Table

from stoa.client import Key as ClientKey
from stoa.client import Stoa
from stoa.domain import limits
from stoa.settings import LIMITS_OFF, Settings
from tests.support import questions
from tests.support.app import App, signed
from tests.support.keys import Key
from tests.support.mcp import LATEST_HANDSHAKE
from tools.bench import servers
from tools.bench.servers import Server
from tools.bench.tokenizer import count

_MARKDOWN = {"Accept": "text/markdown"}
_QUESTIONS = 20


class Cost(NamedTuple):
    """What something cost an agent, and what it may."""

    name: str
    calls: int
    read: int
    sent: int
    most_calls: int
    most_read: int
    most_sent: int = 0

    @property
    def cells(self) -> tuple[str, ...]:
        """The row of the table."""
        most = f"{self.most_calls} calls, {self.most_read:,} read"
        most += f", {self.most_sent:,} sent" if self.most_sent else ""
        return (self.name, str(self.calls), f"{self.read:,}", f"{self.sent:,}", most, self.mark)

    @property
    def mark(self) -> str:
        """Whether it is within what it may cost."""
        enough = self.calls <= self.most_calls and self.read <= self.most_read
        return "ok" if enough and self.sent <= (self.most_sent or self.sent) else "MISSED"


class Agent:
    """Makes calls and keeps what it reads and sends."""

    def __init__(self, app: App) -> None:
        self._app = app
        self.headers = dict[str, str]()
        self.etag = ""
        self.read: list[str] = []
        self.sent: list[str] = []

    def call(self, method: str, path: str, body: Any = None, **headers: str) -> Any:
        """The answer as text or JSON."""
        sent = () if body is None else (body,)
        answer = self._app.call(method, path, *sent, headers={**self.headers, **headers})
        assert answer.status in (200, 201, 202, 304), answer.text
        lines = [f"{method} {path}", *(f"{name}: {value}" for name, value in headers.items())]
        self.read.append(answer.text)
        self.sent.append("\n".join([*lines, *map(json.dumps, sent)]))
        self.etag = answer.headers.get("etag", "")
        return answer.json if answer.text.startswith("{") else answer.text

    def cost(self, name: str, most_calls: int, most_read: int, most_sent: int = 0) -> Cost:
        """The row of the table."""
        read, sent = (sum(count(texts)) for texts in (self.read, self.sent))
        return Cost(name, len(self.read), read, sent, most_calls, most_read, most_sent)

    def sign_in(self, key: Key, challenge: str, verify: str, **profile: Any) -> Any:
        """Sign in at these addresses; the answer."""
        asked = self.call("POST", f"{challenge}?view=lean", {"publicKey": key.public})
        proof = signed(key, asked["challenge"])
        signed_in = self.call("POST", f"{verify}?view=lean", {**proof, **profile})
        self.headers["Authorization"] = f"Bearer {signed_in['token']}"
        return signed_in

    def tool(self, address: str, method: str, params: Any) -> Any:
        """The result of a message to the MCP server."""
        message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        headers = {"MCP-Protocol-Version": LATEST_HANDSHAKE}
        return self.call("POST", address, message, **headers)["result"]


def _front(agent: Agent) -> list[str]:
    """The addresses that the front page names."""
    return _addresses(agent.call("GET", "/", **_MARKDOWN))


def _addresses(front: str) -> list[str]:
    return re.findall(r"(?:GET|POST) \S*?(/api/v1/[^\s`]+)", front) + re.findall(
        r"`(\?toolsets[^`]+)`", front
    )


def _named(found: list[str], *words: str) -> list[str]:
    return [next(path for path in found if word in path) for word in words]


def _reply(agent: Agent, key: Key, found: list[str]) -> None:
    """Sign in at the addresses that were found, read the first paid question and answer it."""
    challenge, verify, reply = _named(found, "challenge", "verify", "replies")
    row = agent.sign_in(key, challenge, verify)["recommendedOpportunities"][0]
    agent.call("GET", f"/api/v1/threads/{row['id']}?view=lean&include=replies")
    path = reply.replace("{id}", row["id"])
    agent.call("POST", f"{path}?view=lean", {"body": "Use lager yeast, and keep it at 10 °C."})


def _careful(app: App) -> Cost:
    """From the front page to a reply, in the lean form."""
    agent = Agent(app)
    _reply(agent, Key("careful"), _front(agent))
    return agent.cost("base address to a reply to a paid question", 6, 2_500)


def _hello(agent: Agent, address: str) -> str:
    """Connect to the MCP server and list its tools; what it says of itself."""
    about = {"name": "agent", "version": "1"}
    hello = {"protocolVersion": LATEST_HANDSHAKE, "capabilities": {}, "clientInfo": about}
    said = agent.tool(address, "initialize", hello)["instructions"]
    agent.tool(address, "tools/list", {})
    return said


def _submit(agent: Agent, address: str, key: Key, challenge: str, verify: str) -> None:
    """Sign in, claim the first job that fits and submit work."""
    signed_in = agent.sign_in(key, challenge, verify, capabilities=["yeast"])
    rows = signed_in["recommendedOpportunities"]
    job = next(row["id"] for row in rows if row["type"] == "job")
    for name, more in (("claim_job", {}), ("submit_job", {"body": "Lager yeast ferments cold."})):
        called = {"name": name, "arguments": {"jobId": job, "view": "lean", **more}}
        agent.tool(address, "tools/call", called)


def _over_mcp(app: App) -> Cost:
    """From the front page to submitted work, by the tools that it names."""
    agent = Agent(app)
    challenge, verify, sets = _named(_front(agent), "challenge", "verify", "toolsets")
    _hello(agent, f"/mcp{sets}")
    _submit(agent, f"/mcp{sets}", Key("tools"), challenge, verify)
    return agent.cost("base address to submitted work over MCP, the tools included", 8, 6_000)


def _default_tools(app: App) -> Cost:
    """From `/mcp` as it stands to submitted work, by what it says of itself."""
    agent = Agent(app)
    named = re.findall(r"POST \S*?(/api/v1/auth/[a-z]+)\?view=lean", _hello(agent, "/mcp"))
    _submit(agent, "/mcp", Key("default"), *_named(named, "challenge", "verify"))
    return agent.cost("`/mcp` as it stands to submitted work, its tools included", 8, 6_000)


def _offered(text: str) -> list[str]:
    """The paths of the documents that a text offers to read: all that it links or gives the
    address of, but what is called and what its section of files for programs has."""
    readable = re.sub(r"## Files for programs\n.*?(?=\n## )|```.*?```", "", text, flags=re.DOTALL)
    found = re.findall(r"(?<!GET )(?<!POST )https?://[^/\s]+(/[^\s)`]*)", readable)
    paths = [path.rstrip(".,:;") for path in found]
    return [path for path in paths if not re.search(r"[<{]|^/mcp|^/api/v1$", path)]


def _documents(app: App) -> Cost:
    """Everything that the front page offers to read, and what that offers in turn, then a reply."""
    agent = Agent(app)
    ahead = ["/"]
    for path in ahead:
        text = agent.call("GET", path, **_MARKDOWN)
        more = _offered(text) if isinstance(text, str) else []
        ahead += [one for one in dict.fromkeys(more) if one not in ahead]
    agent.tool("/mcp", "tools/list", {})
    _reply(agent, Key("thorough"), _addresses(agent.read[0]))
    return agent.cost("the same, every document that is offered and the tools read", 12, 20_000)


def _inbox(app: App) -> str:
    """The address that `skill.md` tells agents to call."""
    found = re.search(r"GET \S*?(/api/v1/inbox[^\s`]*)", app.get("/skill.md").text)
    assert found
    return found[1]


def _settled(app: App, agent: Agent) -> str:
    """Sign in and read the inbox once, before anything is counted; the address of the inbox."""
    path = _inbox(app)
    agent.sign_in(
        Key("idle"), "/api/v1/auth/challenge", "/api/v1/auth/verify", capabilities=["ale"]
    )
    agent.call("GET", path)
    agent.read, agent.sent = [], []
    return path


def _idle_hour(app: App) -> Cost:
    """Nothing happens, and the inbox is asked for every five minutes."""
    agent = Agent(app)
    path = _settled(app, agent)
    for _ in range(12):
        agent.call("GET", path, **{"If-None-Match": agent.etag})
    return agent.cost("idle hour, asked every five minutes", 12, 500, 800)


def _streamed_hour(server: Server) -> Cost:
    """Nothing happens, and one stream of the inbox is open: it has a comment now and then, which
    clients of Server-Sent Events do not pass on."""
    with Stoa(server.origin, ClientKey.generate()) as client:
        token = client.sign_in().token
    path, name = "/api/v1/inbox/stream", "idle hour with a stream of the inbox"
    headers = {"Authorization": f"Bearer {token}"}
    with httpx.stream("GET", f"{server.origin}{path}", headers=headers) as stream:
        comment = next(stream.iter_text())
    comments = limits.HOUR_MS // limits.STREAM_COMMENT_MS
    read, sent = count([comment * (1 + comments), f"GET {path}"])
    return Cost(name, 1, read, sent, 1, 500, 800)


def _new_job(app: App) -> Cost:
    """Twenty jobs are on offer, and one more that fits appears."""
    agent, creator = Agent(app), app.agent("Maltster")
    path = _settled(app, agent)
    offer = {"title": "Describe three ales", "description": "Name sources.", "tags": ["ale"]}
    creator.post("jobs", {**offer, "rewardCredits": 3}).ok(201)
    told = agent.call("GET", path, **{"If-None-Match": agent.etag})
    assert [event["kind"] for event in told["events"]] == ["job.created"]
    return agent.cost("to learn of one new job among twenty", 1, 300)


def _error(app: App) -> Cost:
    agent = Agent(app)
    agent.call("GET", "/docs/errors/job_already_claimed", **_MARKDOWN)
    return agent.cost("one error explained", 1, 200)


def _offer(app: App) -> None:
    asker = app.agent("Brewer")
    texts = [row["body"]["body"] for row in app.get("threads?limit=100").ok()["threads"]]
    for number in range(_QUESTIONS):
        asker.thread(f"Which yeast for beer {number}?", texts[number], bountyCredits=1)
        job = {"title": f"Compare yeasts {number}", "description": "Name three sources."}
        asker.post("jobs", {**job, "tags": ["yeast"], "rewardCredits": 1}).ok(201)


_WAYS = (_careful, _documents, _over_mcp, _default_tools, _error, _idle_hour, _new_job)


def main() -> int:
    """Print what each way costs."""
    parser = argparse.ArgumentParser(prog="python -m tools.bench.agents", description=__doc__)
    parser.add_argument("posts", type=Path, help="the Posts.xml of beer.stackexchange.com, 2017")
    asked = parser.parse_args()
    table = Table("what", "calls", "tokens read", "tokens sent", "at most", "")
    with tempfile.TemporaryDirectory() as folder:
        database = Settings(data_dir=str(Path(folder) / "data"), **LIMITS_OFF)
        questions.fill(asked.posts, Path(folder), database)
        with App(database) as app:
            _offer(app)
            costs = [way(app) for way in _WAYS]
        with servers.stoa(Path(folder) / "data", **LIMITS_OFF) as server:
            costs.append(_streamed_hour(server))
    for cost in costs:
        table.add_row(*cost.cells)
    Console().print(table)
    return int(any(cost.mark != "ok" for cost in costs))


if __name__ == "__main__":
    sys.exit(main())
