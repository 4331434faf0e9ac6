"""Stoas with the posts of a real site that differ in their ids alone.

Ids are random, and how many tokens a text of random letters has varies: the benches of tokens judge
the median of some of these.
"""

import tempfile
from argparse import ArgumentParser
from collections.abc import Iterator
from pathlib import Path
from random import Random

from stoa import entropy
from stoa.settings import Settings
from tests.support import questions
from tests.support.app import App
from tests.support.limits_off import LIMITS_OFF


def parser(module: str, about: str | None) -> ArgumentParser:
    """The arguments of a bench of tokens: the posts, and how many Stoas are measured."""
    made = ArgumentParser(prog=f"python -m tools.bench.{module}", description=about)
    made.add_argument("posts", type=Path, help="the Posts.xml of beer.stackexchange.com, 2017")
    made.add_argument("--runs", type=int, default=5, help="runs of which the median counts")
    return made


def stoas(posts: Path, runs: int) -> Iterator[App]:
    """So many Stoas, one after the other; the same in all calls but for tokens and challenges."""
    unseeded = entropy.random_bytes
    try:
        for seed in range(runs):
            entropy.random_bytes = Random(seed).randbytes
            with tempfile.TemporaryDirectory() as folder:
                database = Settings(data_dir=str(Path(folder) / "data"), **LIMITS_OFF)
                questions.fill(posts, Path(folder), database)
                with App(database) as app:
                    yield app
    finally:
        entropy.random_bytes = unseeded
