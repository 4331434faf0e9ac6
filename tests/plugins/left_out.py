"""Leaves out what a run does not ask for once its function is read, not once all is collected.

pytest sorts and marks all tests before it leaves out those that `-m` excludes, nearly half of them.
"""

from collections.abc import Generator

import pytest

Made = list[pytest.Item] | pytest.Item | pytest.Collector | None
"""What a name in a file of tests becomes: of a function all its tests."""

_BY_DEFAULT = "not soak and not bench"
_LONG = frozenset({"soak", "bench"})


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_pycollect_makeitem(collector: pytest.Collector) -> Generator[None, Made, Made]:
    """Leave out the long tests, once all is marked; one that is asked for by name pytest tells."""
    made = yield
    config = collector.config
    named = any("::" in argument for argument in config.args)
    if not isinstance(made, list) or config.option.markexpr != _BY_DEFAULT or named:
        return made
    return [item for item in made if not any(mark.name in _LONG for mark in item.iter_markers())]
