"""`python -m tools.bench.tokens Posts.xml`: what lean answers cost beside full ones, in o200k.

The data are the posts of a real site, with one thread of a hundred short replies and some jobs
beside them. The median of some runs with seeded ids is judged. `python -m tools.bench --only lean`
measures how long encoding takes.
"""

import sys
from collections import defaultdict
from statistics import median_high

from rich.console import Console
from rich.table import Table

from stoa.calls.encode import encoded
from tests.support.app import App
from tools.bench import answers, seeded
from tools.bench.answers import Read
from tools.bench.tokenizer import count


def _counted(app: App, read: Read) -> tuple[int, int]:
    """The tokens of the full and of the lean form."""
    answer = read.answer(app)
    texts = [encoded(answer, form)[0].decode() for form in answers.forms(answer)]
    full, lean = count(texts)
    return full, lean


def main() -> int:
    """Print the tokens of each answer in both forms."""
    asked = seeded.parser("tokens", __doc__).parse_args()
    goals: dict[str, float] = {}
    runs: defaultdict[str, list[tuple[int, int]]] = defaultdict(list)
    for app in seeded.stoas(asked.posts, asked.runs):
        rows = app.get("threads?limit=100").ok()["threads"]
        for read in answers.reads(app, [row["body"]["body"] for row in rows], "yeast"):
            goals[read.name] = read.goal
            runs[read.name].append(_counted(app, read))
    table = Table("answer", "full", "lean", "share", "of the runs", "at most", "")
    missed = 0
    for name, counts in runs.items():
        full, lean = (median_high(one) for one in zip(*counts, strict=True))
        shares = sorted(short / whole for whole, short in counts)
        share, most = median_high(shares), goals[name]
        missed += share > most
        spread = f"{shares[0]:.3f} to {shares[-1]:.3f}"
        numbers = (f"{full:,}", f"{lean:,}", f"{share:.3f}", spread, f"{most:.2f}")
        table.add_row(name, *numbers, "ok" if share <= most else "MISSED")
    Console().print(table)
    return int(missed > 0)


if __name__ == "__main__":
    sys.exit(main())
