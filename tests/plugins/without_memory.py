"""Runs contract tests once more without what a process keeps in memory: the same answers, slower.

`make test` runs some files so, `make soak` all.
"""

import pytest

from tests.support.forgetting import is_without_memory

_CHOSEN = tuple(f"tests/contract/test_{name}.py" for name in ("lists", "replies", "threads"))


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave most of them to `make soak`."""
    for item in items:
        if is_without_memory(item) and not item.nodeid.startswith(_CHOSEN):
            item.add_marker("soak")
