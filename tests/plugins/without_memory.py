"""Runs contract tests once more without what a process keeps in memory: the same answers, slower.

`make test` runs some files so, `make soak` all.
"""

import pytest

from tests.support.forgetting import is_without_memory

_OF_ALL = "tests/contract/"
_CHOSEN = tuple(f"{_OF_ALL}test_{name}.py" for name in ("lists", "replies", "threads"))


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave out other tests, and leave most of contract tests to `make soak`."""
    items[:] = [
        item for item in items if not is_without_memory(item) or item.nodeid.startswith(_OF_ALL)
    ]
    for item in items:
        if is_without_memory(item) and not item.nodeid.startswith(_CHOSEN):
            item.add_marker("soak")
