"""Runs contract tests once more without what a process keeps in memory: the same answers, slower.

`make test` runs some files so, `make soak` all.
"""

from collections.abc import Generator

import pytest

from tests.plugins.left_out import Made
from tests.support.forgetting import is_without_memory

_CHOSEN = tuple(f"tests/contract/test_{name}.py" for name in ("lists", "replies", "threads"))


@pytest.hookimpl(wrapper=True)
def pytest_pycollect_makeitem() -> Generator[None, Made, Made]:
    """Leave most of them to `make soak`."""
    made = yield
    for item in made if isinstance(made, list) else ():
        if is_without_memory(item) and not item.nodeid.startswith(_CHOSEN):
            item.add_marker("soak")
    return made
