"""Leaves what is decided before SQL matters to one engine and one version of MCP.

The other engine and the older version run the same lines once more, in `make soak`.
"""

import pytest

_ELSEWHERE = ("postgresql", "mcp-2025-11-25")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave the repetitions of tests marked `checks_input` to `make soak`."""
    for item in items:
        if item.get_closest_marker("checks_input") and _repeats(item):
            item.add_marker("soak")


def _repeats(item: pytest.Item) -> bool:
    called = getattr(item, "callspec", None)
    values = called.params.values() if called else ()
    return any(isinstance(value, str) and value in _ELSEWHERE for value in values)
