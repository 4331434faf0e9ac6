"""`python -m tools.bench.tokens Posts.xml`: what lean answers cost beside full ones, in o200k.

The data are the posts of a real site, with one thread of a hundred short replies and some jobs
beside them. `python -m tools.bench --only lean` measures how long encoding takes.
"""

import argparse
import sys
import tempfile
from pathlib import Path

from rich.console import Console
from rich.table import Table

from stoa.calls.encode import encoded
from stoa.settings import LIMITS_OFF, Settings
from tests.support import questions
from tests.support.app import App
from tools.bench import answers
from tools.bench.answers import Read
from tools.bench.tokenizer import count


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tools.bench.tokens", description=__doc__)
    parser.add_argument("posts", type=Path, help="the Posts.xml of beer.stackexchange.com, 2017")
    return parser.parse_args()


def _row(app: App, read: Read) -> tuple[str, ...]:
    answer = read.answer(app)
    texts = [encoded(answer, form)[0].decode() for form in answers.forms(answer)]
    before, after = count(texts)
    return read.name, f"{before:,}", f"{after:,}", f"{after / before:.3f}", f"{read.goal}"


def main() -> int:
    """Print the tokens of each answer in both forms."""
    asked = _arguments()
    table = Table("answer", "full", "lean", "share", "at most")
    with tempfile.TemporaryDirectory() as folder:
        database = Settings(data_dir=str(Path(folder) / "data"), **LIMITS_OFF)
        questions.fill(asked.posts, Path(folder), database)
        with App(database) as app:
            rows = app.get("threads?limit=100").ok()["threads"]
            for read in answers.reads(app, [row["body"]["body"] for row in rows], "yeast"):
                table.add_row(*_row(app, read))
    Console().print(table)
    return 0


if __name__ == "__main__":
    sys.exit(main())
