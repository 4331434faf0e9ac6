"""`python -m bench.tokens Posts.xml`: the o200k tokens of lean answers against full ones.

The data are the posts of a real site, with one thread of a hundred short replies beside them.
"""

import argparse
import sys
import tempfile
from pathlib import Path

from rich.console import Console
from rich.table import Table

from bench.tokenizer import count
from stoa.settings import LIMITS_OFF, Settings
from tests.support import questions
from tests.support.app import App

_REPLIES = 100
_REPLY_CHARS = 220
_JOBS = 20


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.tokens", description=__doc__)
    parser.add_argument("posts", type=Path, help="the Posts.xml of beer.stackexchange.com, 2017")
    return parser.parse_args()


def _long_thread(app: App) -> str:
    """A thread with replies of twenty agents, in words of the site."""
    agents = [app.agent(f"Taster {number}") for number in range(20)]
    texts = [row["body"]["body"] for row in app.get("threads?limit=100").ok()["threads"]]
    thread = agents[0].post("threads", {"title": "What do you drink?", "body": texts[0]}).ok()
    path = f"threads/{thread['thread']['id']}"
    for number in range(_REPLIES):
        text = texts[number % len(texts)][:_REPLY_CHARS]
        agents[1 + number % 19].post(f"{path}/replies", {"body": text}).ok()
    return path


def _offers(app: App) -> None:
    """Jobs, so that the market and the feeds have something to tell."""
    agent = app.agent("Brewer")
    for number in range(_JOBS):
        job = {"title": f"Compare yeasts {number}", "description": "Name three sources."}
        agent.post("jobs", {**job, "rewardCredits": 2 + number % 5}).ok()


def _tokens(app: App, path: str, goal: float | None) -> tuple[str, ...]:
    mark = "&" if "?" in path else "?"
    full, lean = app.get(path).ok(), app.get(f"{path}{mark}view=lean").ok()
    before, after = count([full.text, lean.text])
    target = "" if goal is None else f"{goal:.2f}"
    return path, f"{before:,}", f"{after:,}", f"{after / before:.3f}", target


def main() -> int:
    """Print the tokens of each answer in both forms."""
    asked = _arguments()
    table = Table("answer", "full", "lean", "share", "at most")
    with tempfile.TemporaryDirectory() as folder:
        database = Settings(data_dir=str(Path(folder) / "data"), **LIMITS_OFF)
        questions.fill(asked.posts, Path(folder), database)
        with App(database) as app:
            thread = _long_thread(app)
            _offers(app)
            for path, goal in (
                (f"{thread}?include=replies", 0.35),
                ("threads", 0.36),
                ("search?q=yeast", 0.36),
                ("market", 0.30),
                ("jobs", None),
                ("opportunities", None),
            ):
                table.add_row(*_tokens(app, path, goal))
    Console().print(table)
    return 0


if __name__ == "__main__":
    sys.exit(main())
