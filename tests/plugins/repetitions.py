"""Leaves repetitions of a test over engines and versions of MCP to `make soak`.

What is decided before SQL matters, and what costs much, runs on one engine and one version of MCP.
All else that runs on both engines and through every door runs on each engine and through each door,
but not on each engine through each door. Of several values it tries all on SQLite and over REST,
and the first in the other places.
"""

from collections import defaultdict
from typing import Any

import pytest

from tests.support.forgetting import WITHOUT_MEMORY

_ELSEWHERE = ("postgresql", "mcp-2025-11-25", WITHOUT_MEMORY)
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
    tried: set[tuple[object, ...]] = set()
    for item in items:
        if item.get_closest_marker("checks_input") or item.get_closest_marker("costly"):
            repeats = any(value in _ELSEWHERE for value in _values(item).values())
        elif engines[_function(item)] >= {"sqlite", "postgresql"}:
            repeats = _crosses(item) or _tries_again(item, tried)
        else:
            repeats = False
        if repeats:
            item.add_marker("soak")


def _function(item: pytest.Item) -> str:
    return item.nodeid.partition("[")[0]


def _values(item: pytest.Item) -> dict[str, Any]:
    called = getattr(item, "callspec", None)
    params: dict[str, Any] = called.params if called else {}
    return {name: value for name, value in params.items() if isinstance(value, str)}


def _tries_again(item: pytest.Item, tried: set[tuple[object, ...]]) -> bool:
    """Whether another value was tried in this place, which is one of the further ones."""
    values = _values(item)
    engine, door = values.get("engine"), values.get("door", "rest")
    if (engine, door) == ("sqlite", "rest") or _has_own_engines(item):
        return False
    if item.get_closest_marker("soak"):
        return False
    place = (_function(item), engine, door)
    again = place in tried
    tried.add(place)
    return again


def _has_own_engines(item: pytest.Item) -> bool:
    """Whether the values of a test say which engine each is for."""
    names = [mark.args[0] for mark in item.iter_markers("parametrize")]
    return any("engine" in name and name != "engine" for name in names)


def _crosses(item: pytest.Item) -> bool:
    values = _values(item)
    door, engine = values.get("door"), values.get("engine")
    return door in _ACROSS and engine is not None and engine not in _ACROSS[door]
