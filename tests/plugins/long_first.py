"""Lets every worker begin with tests that take long, so that none ends with one while others idle.

pytest-xdist deals the tests out in as many parts as there are workers, each in one piece.
"""

import os
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path
from typing import TypeVar

import pytest

T = TypeVar("T")
_TESTS = Path(__file__).parents[1]


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the tests marked `long` first in each worker's part; each kind keeps its order."""
    workers = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
    long, short = list[pytest.Item](), list[pytest.Item]()
    for item in items:
        (long if item.get_closest_marker("long") else short).append(item)
    files = [list(group) for _, group in groupby(long, key=_file)]
    items[:] = dealt(files, short, workers)


def _file(item: pytest.Item) -> Path:
    """Its file; those beside the folders count as one: they read all of the code."""
    return _TESTS if item.path.parent == _TESTS else item.path


def dealt(files: Sequence[Sequence[T]], short: Sequence[T], workers: int) -> list[T]:
    """All of them, so that each of so many equal parts begins with as many of the long ones, which
    come by files: what a file has started serves all of its tests."""
    total = sum(map(len, files)) + len(short)
    order: list[T] = []
    taken = 0
    for worker in range(workers):
        part = (total - len(order)) // (workers - worker)
        mine = [test for file in files[worker::workers] for test in file]
        fill = max(0, part - len(mine))
        order += [*mine, *short[taken : taken + fill]]
        taken += fill
    return [*order, *short[taken:]]
