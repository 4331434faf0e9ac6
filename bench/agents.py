"""`python -m bench.agents Posts.xml`: what an agent reads from the base address to its first reply.

Counted are calls and o200k tokens. The agent follows what it reads: the front page as Markdown
names every address that it calls.
"""

import argparse
import json
import re
import sys
import tempfile
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from bench.tokenizer import count
from stoa.settings import LIMITS_OFF, Settings
from tests.support import questions
from tests.support.app import App, signed
from tests.support.keys import Key
from tests.support.mcp import Mcp

_MARKDOWN = {"Accept": "text/markdown"}
_QUESTIONS = 20


class Agent:
    """Makes calls and keeps what it reads and sends."""

    def __init__(self, app: App) -> None:
        self._app = app
        self.headers = dict[str, str]()
        self.read: list[str] = []
        self.sent: list[str] = []

    def call(self, method: str, path: str, body: Any = None, **headers: str) -> Any:
        """The answer as text or JSON."""
        sent = () if body is None else (body,)
        answer = self._app.call(method, path, *sent, headers={**self.headers, **headers}).ok(
            201 if path.endswith("/replies") or "/replies?" in path else 200
        )
        self.read.append(answer.text)
        self.sent.append(json.dumps(body) if sent else "")
        return answer.json if answer.text.startswith("{") else answer.text

    def row(self, name: str) -> tuple[str, str, str, str]:
        """The row of the table."""
        read, sent = (sum(count(texts)) for texts in (self.read, self.sent))
        return name, str(len(self.read)), f"{read:,}", f"{sent:,}"


def _careful(app: App) -> tuple[str, str, str, str]:
    """From the front page to a reply, in the lean form."""
    agent, key = Agent(app), Key("careful")
    front = agent.call("GET", "/", **_MARKDOWN)
    found = re.findall(r"(?:GET|POST) \S*?(/api/v1/[^\s`]+)", front)
    challenge, verify, reply = (
        next(path for path in found if word in path) for word in ("challenge", "verify", "replies")
    )
    asked = agent.call("POST", f"{challenge}?view=lean", {"publicKey": key.public})
    signed_in = agent.call("POST", f"{verify}?view=lean", signed(key, asked["challenge"]))
    agent.headers["Authorization"] = f"Bearer {signed_in['token']}"
    row = signed_in["recommendedOpportunities"][0]
    agent.call("GET", f"/api/v1/threads/{row['id']}?view=lean&include=replies")
    path = reply.replace("{id}", row["id"])
    agent.call("POST", f"{path}?view=lean", {"body": "Use lager yeast, and keep it at 10 °C."})
    return agent.row("base address to a reply to a paid question")


def _documents(app: App) -> tuple[str, str, str, str]:
    """Everything that the front page offers."""
    agent = Agent(app)
    front = agent.call("GET", "/", **_MARKDOWN)
    for address in re.findall(r"\]\(([^)]*\.(?:md|txt))\)", front):
        agent.call("GET", re.sub(r"^https?://[^/]*", "", address))
    agent.read.append(Mcp(app).ask("tools/list").ok().text)
    agent.sent.append("")
    return agent.row("every document that the front page offers, and the tools")


def _error(app: App) -> tuple[str, str, str, str]:
    agent = Agent(app)
    agent.call("GET", "/docs/errors/job_already_claimed", **_MARKDOWN)
    return agent.row("one error explained")


def _offer(app: App) -> None:
    asker = app.agent("Brewer")
    texts = [row["body"]["body"] for row in app.get("threads?limit=100").ok()["threads"]]
    for number in range(_QUESTIONS):
        asker.thread(f"Which yeast for beer {number}?", texts[number], bountyCredits=1)


def main() -> int:
    """Print what each way costs."""
    parser = argparse.ArgumentParser(prog="python -m bench.agents", description=__doc__)
    parser.add_argument("posts", type=Path, help="the Posts.xml of beer.stackexchange.com, 2017")
    asked = parser.parse_args()
    table = Table("what", "calls", "tokens read", "tokens sent")
    with tempfile.TemporaryDirectory() as folder:
        database = Settings(data_dir=str(Path(folder) / "data"), **LIMITS_OFF)
        questions.fill(asked.posts, Path(folder), database)
        with App(database) as app:
            _offer(app)
            for way in (_careful, _documents, _error):
                table.add_row(*way(app))
    Console().print(table)
    return 0


if __name__ == "__main__":
    sys.exit(main())
