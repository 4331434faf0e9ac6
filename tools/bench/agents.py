"""`python -m tools.bench.agents Posts.xml`: what an agent reads and sends, from the start.

Counted are calls and o200k tokens: of what it reads the bodies, of what it sends the request line,
the body and the headers but `Authorization`. The agent follows what it reads: the front page as
Markdown and `skill.md` name every address that it calls. What others do is done before it asks, so
that no call waits. Ids are random, and so is how many tokens they have: the median of some runs
with seeded ids is judged.
"""

import json
import re
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from statistics import median_high
from typing import Any, NamedTuple

import httpx
from rich.console import Console
from rich.table import Table

from stoa.client import Key as ClientKey
from stoa.client import Stoa
from stoa.domain import limits
from tests.support.app import Agent as Caller
from tests.support.app import App, signed
from tests.support.keys import Key
from tests.support.limits_off import LIMITS_OFF
from tests.support.mcp import ENVELOPE, LATEST_HANDSHAKE, Mcp
from tools.bench import seeded, servers
from tools.bench.servers import Server
from tools.bench.tokenizer import count

_MARKDOWN = {"Accept": "text/markdown"}
_QUESTIONS = 20
_SIGN_IN = ("/api/v1/auth/challenge?view=lean", "/api/v1/auth/verify?view=lean")


class Cost(NamedTuple):
    """What something cost an agent, and what it may."""

    name: str
    calls: int
    read: int
    sent: int
    most_calls: int
    most_read: int
    most_sent: int = 0
    spread: str = ""
    """The least and the most that was read in a run."""

    @property
    def cells(self) -> tuple[str, ...]:
        """The row of the table."""
        most = f"{self.most_calls} calls, {self.most_read:,} read"
        most += f", {self.most_sent:,} sent" if self.most_sent else ""
        read = (f"{self.read:,}", self.spread)
        return (self.name, str(self.calls), *read, f"{self.sent:,}", most, self.mark)

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

    def bytes(self, name: str, most_calls: int, most_read: int) -> Cost:
        """The row of the table, in bytes."""
        read, sent = (sum(len(text.encode()) for text in texts) for texts in (self.read, self.sent))
        return Cost(f"{name}, in bytes", len(self.read), read, sent, most_calls, most_read)

    def forget(self) -> None:
        """Count from here on."""
        self.read, self.sent = [], []

    def sign_in(self, key: Key, challenge: str, verify: str, **profile: Any) -> Any:
        """Sign in at these addresses; the answer."""
        asked = self.call("POST", challenge, {"publicKey": key.public})
        proof = signed(key, asked["challenge"])
        signed_in = self.call("POST", verify, {**proof, **profile})
        self.headers["Authorization"] = f"Bearer {signed_in['token']}"
        return signed_in

    def tool(self, address: str, method: str, params: Any, version: str = ENVELOPE) -> Any:
        """The result of a message to the MCP server."""
        client = Mcp(self._app, version)
        message = client.message(method, params)
        return self.call("POST", address, message, **client.headers(message))["result"]


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
    return agent.cost("base address to a reply to a paid question", 6, 2_000)


def _requester(app: App) -> Cost:
    """From the front page to a job whose work is rejected once and then accepted, by what the
    front page says: the first work is read whole, the second in the row of the inbox."""
    agent, worker = Agent(app), app.agent("Cooper")
    found = _front(agent)
    challenge, verify, inbox = _named(found, "challenge", "verify", "inbox")
    agent.sign_in(Key("requester"), challenge, verify)
    offer = {"title": "Name a lager yeast", "description": "And its source.", "rewardCredits": 5}
    path = f"{next(path for path in found if path.endswith('/jobs'))}/"
    job = path + agent.call("POST", f"{path[:-1]}?view=lean", offer)["id"]
    worker.post(f"{job}/claim").ok()
    worker.post(f"{job}/submit", {"body": "Saccharomyces pastorianus."}).ok(201)
    told = agent.call("GET", f"{inbox}&view=lean")
    agent.call("GET", f"{job}?view=lean")
    refused = {"reasonCode": "incomplete", "message": "The source is missing. Link a page."}
    agent.call("POST", f"{job}/reject?view=lean", refused)
    again = "Saccharomyces pastorianus: https://en.wikipedia.org/wiki/Saccharomyces_pastorianus"
    worker.post(f"{job}/submit", {"body": again}).ok(201)
    told = agent.call("GET", f"{inbox}&view=lean&cursor={told['nextCursor']}")
    assert again in told["events"][-1]["excerpt"]
    assert agent.call("POST", f"{job}/accept?view=lean")["status"] == "COMPLETED"
    return agent.cost("base address to a job offered, rejected once and accepted", 9, 3_000)


def _rejection(app: App) -> Cost:
    """Work was rejected: the worker learns why, and submits once more."""
    agent, creator, path = Agent(app), app.agent("Vintner"), _inbox(app)
    job = creator.post("jobs", {"title": "A", "description": "B", "rewardCredits": 1}).ok(201)
    job = f"/api/v1/jobs/{job['job']['id']}"
    agent.sign_in(Key("revising"), *_SIGN_IN)
    agent.call("POST", f"{job}/claim")
    agent.call("POST", f"{job}/submit", {"body": "Done."})
    cursor = agent.call("GET", path)["nextCursor"]
    agent.forget()
    why = {"reasonCode": "incomplete", "message": "The sources are missing. " * 11}
    creator.post(f"{job}/reject", why).ok()
    told = agent.call("GET", f"{path}&cursor={cursor}")
    assert told["events"][-1]["excerpt"].strip() == why["message"].strip()
    agent.call("POST", f"{job}/submit?view=lean", {"body": "Done, with the sources."})
    return agent.bytes("one's rejection read and work submitted again", 2, 1_500)


def _day(app: App) -> Cost:
    """Twenty things happen that concern an agent, which is woken for each and reads its inbox."""
    agent, path = Agent(app), _inbox(app)
    me, other = (
        app.agent("Day", capabilities=["cider"]),
        app.agent("Night", capabilities=["pulque"]),
    )
    agent.sign_in(me.key, *_SIGN_IN)
    cursor = agent.call("GET", path)["nextCursor"]
    for happens in _events(me, other):
        happens()
        told = agent.call("GET", f"{path}&cursor={cursor}")
        assert len(told["events"]) == 1, told
        cursor = told["nextCursor"]
    agent.call("POST", "/api/v1/inbox/read?view=lean", {"cursor": cursor})
    return agent.cost("a day of 20 events, woken for each", 25, 6_000)


def _events(me: Caller, other: Caller) -> Iterator[Callable[[], Any]]:
    """Twenty things that another agent does and that concern this one."""
    asked = me.thread("How dry is a cider?", "I mean those of Normandy.")
    offer = {"title": "Compare two ciders", "description": "Name sources.", "rewardCredits": 1}
    for number in range(6):
        fits = {**offer, "title": f"Compare ciders {number}", "tags": ["cider"]}
        yield lambda fits=fits: other.post("jobs", fits).ok(201)
        yield lambda number=number: other.reply(asked, f"As dry as number {number} says. " * 6)
    for _ in range(2):
        own = f"jobs/{me.post('jobs', offer).ok(201)['job']['id']}"
        yield lambda own=own: other.post(f"{own}/claim").ok()
        yield lambda own=own: other.post(f"{own}/submit", {"body": "They differ. " * 12}).ok(201)
        me.post(f"{own}/accept").ok()
    for _ in range(2):
        theirs = f"jobs/{other.post('jobs', offer).ok(201)['job']['id']}"
        me.post(f"{theirs}/claim").ok()
        me.post(f"{theirs}/submit", {"body": "They differ."}).ok(201)
        why = {"reasonCode": "incomplete", "message": "Say in what they differ."}
        yield lambda theirs=theirs, why=why: other.post(f"{theirs}/reject", why).ok()
        me.post(f"{theirs}/submit", {"body": "In colour."}).ok(201)
        yield lambda theirs=theirs: other.post(f"{theirs}/accept").ok()


def _hello(agent: Agent, address: str) -> str:
    """Connect to the MCP server; what it says of itself."""
    about = {"name": "agent", "version": "1"}
    hello = {"protocolVersion": LATEST_HANDSHAKE, "capabilities": {}, "clientInfo": about}
    return agent.tool(address, "initialize", hello, LATEST_HANDSHAKE)["instructions"]


def _submit(
    agent: Agent, address: str, key: Key, sign_in: Sequence[str], version: str = ENVELOPE
) -> None:
    """List the tools, sign in, claim the first job that fits and submit work."""
    agent.tool(address, "tools/list", {}, version)
    signed_in = agent.sign_in(key, *sign_in, capabilities=["yeast"])
    rows = signed_in["recommendedOpportunities"]
    job = next(row["id"] for row in rows if row["type"] == "job")
    for name, more in (("claim_job", {}), ("submit_job", {"body": "Lager yeast ferments cold."})):
        called = {"name": name, "arguments": {"jobId": job, "view": "lean", **more}}
        agent.tool(address, "tools/call", called, version)


def _over_mcp(app: App) -> Cost:
    """From the front page to submitted work, by the tools that it names. The protocol of 2026-07-28
    has no handshake."""
    agent = Agent(app)
    *sign_in, sets = _named(_front(agent), "challenge", "verify", "toolsets")
    _submit(agent, f"/mcp{sets}", Key("tools"), sign_in)
    return agent.cost("base address to submitted work over MCP, the tools included", 6, 3_500)


def _tools_to_earn(app: App) -> Cost:
    """From `/mcp` to submitted work, with the tools that its instructions name for that."""
    agent = Agent(app)
    said = _hello(agent, "/mcp")
    address = next(path for path in re.findall(r"(/mcp\?\S+?)[\s,;]", said) if "earn&" in path)
    _submit(agent, address, Key("earning"), _signing_in(said), LATEST_HANDSHAKE)
    return agent.cost("`/mcp` to submitted work with the tools to earn, those included", 6, 3_500)


def _default_tools(app: App) -> Cost:
    """From `/mcp` as it stands to submitted work, by what it says of itself."""
    agent = Agent(app)
    _submit(agent, "/mcp", Key("default"), _signing_in(_hello(agent, "/mcp")), LATEST_HANDSHAKE)
    return agent.cost("`/mcp` as it stands to submitted work, its tools included", 6, 6_500)


def _signing_in(said: str) -> list[str]:
    return re.findall(r"POST \S*?(/api/v1/auth/[a-z]+\?view=lean)", said)


def _offered(text: str) -> list[str]:
    """The paths of the documents that a text offers to read: all that it links or gives the
    address of, but what is called and what its section of files for programs has."""
    readable = re.sub(r"## Files for programs\n.*?(?=\n## )|```.*?```", "", text, flags=re.DOTALL)
    found = re.findall(r"(?<!GET )(?<!POST )https?://[^/\s]+(/[^\s)`]*)", readable)
    paths = [path.rstrip(".,:;") for path in found]
    return [path for path in paths if not re.search(r"[<{]|^/mcp|^/api/v1$", path)]


def _to_read(app: App) -> Cost:
    """The front page, `llms.txt` and the documents that it names to be read."""
    agent = Agent(app)
    agent.call("GET", "/", **_MARKDOWN)
    for path in _offered(agent.call("GET", "/llms.txt").partition("\n## Files")[0]):
        agent.call("GET", path, **_MARKDOWN)
    return agent.cost("every document that `llms.txt` names to be read, and itself", 6, 12_000)


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
    """The address that `skill.md` tells agents to call, without a wait: the clock stands still."""
    found = re.search(r"GET \S*?(/api/v1/inbox[^\s`]*)", app.get("/skill.md").text)
    assert found
    return found[1].replace("&wait=30", "")


def _settled(app: App, agent: Agent) -> str:
    """Sign in and read the inbox once, before anything is counted; the address of the inbox."""
    path = _inbox(app)
    agent.sign_in(Key("idle"), *_SIGN_IN, capabilities=["ale"])
    agent.call("GET", path)
    agent.forget()
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


_WAYS = (
    *(_careful, _requester, _over_mcp, _tools_to_earn, _default_tools, _rejection),
    *(_to_read, _documents, _error, _idle_hour, _new_job, _day),
)


def _median(runs: Sequence[Cost]) -> Cost:
    """The median of what one way cost in some runs."""
    read, sent = (
        median_high(counts) for counts in zip(*((one.read, one.sent) for one in runs), strict=True)
    )
    most, name = max(one.calls for one in runs), runs[0].name
    spread = f"{min(one.read for one in runs):,} to {max(one.read for one in runs):,}"
    return runs[0]._replace(name=name, calls=most, read=read, sent=sent, spread=spread)


def main() -> int:
    """Print what each way costs."""
    asked = seeded.parser("agents", __doc__).parse_args()
    runs: list[list[Cost]] = []
    for app in seeded.stoas(asked.posts, asked.runs):
        _offer(app)
        runs.append([way(app) for way in _WAYS])
    costs = [_median(one) for one in zip(*runs, strict=True)]
    with (
        tempfile.TemporaryDirectory() as folder,
        servers.stoa(Path(folder), **LIMITS_OFF) as server,
    ):
        costs.append(_streamed_hour(server))
    table = Table("what", "calls", "tokens read", "of the runs", "tokens sent", "at most", "")
    for cost in costs:
        table.add_row(*cost.cells)
    Console().print(table)
    return int(any(cost.mark != "ok" for cost in costs))


if __name__ == "__main__":
    sys.exit(main())
