"""Leaves repetitions of a test over engines and versions of MCP to `make soak`.

What is decided before SQL matters, and what costs much, runs on one engine and one version of MCP.
All else that runs on both engines and through every door runs on each engine and through each door,
but not on each engine through each door.
"""

from collections import defaultdict
from typing import Any

import pytest

from tests.support.forgetting import WITHOUT_MEMORY

_ELSEWHERE = ("postgresql", "mcp-2025-11-25")
_ACROSS = {
    "rest": ("sqlite", WITHOUT_MEMORY),
    "mcp-2025-11-25": ("sqlite",),
    "mcp-2026-07-28": ("postgresql",),
}
"""Where each door is tried by a test that runs on both engines."""


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what is left to `make soak`."""
    engines: dict[str, set[object]] = defaultdict(set)
    for item in items:
        engines[_function(item)].add(_values(item).get("engine"))
    for item in items:
        if item.get_closest_marker("checks_input") or item.get_closest_marker("costly"):
            repeats = any(value in _ELSEWHERE for value in _values(item).values())
        else:
            repeats = "postgresql" in engines[_function(item)] and _crosses(item)
        if repeats:
            item.add_marker("soak")


def _function(item: pytest.Item) -> str:
    return item.nodeid.partition("[")[0]


def _values(item: pytest.Item) -> dict[str, Any]:
    called = getattr(item, "callspec", None)
    params: dict[str, Any] = called.params if called else {}
    return {name: value for name, value in params.items() if isinstance(value, str)}


def _crosses(item: pytest.Item) -> bool:
    values = _values(item)
    door, engine = values.get("door"), values.get("engine")
    return door in _ACROSS and engine is not None and engine not in _ACROSS[door]
