"""Leaves repetitions of a test over engines and versions of MCP to `make soak`.

What is decided before SQL matters, and what costs much, runs on one engine and one version of MCP.
All else that runs on both engines and through every face runs on each engine and through each face,
but not on each engine through each face. Of several values it tries all on SQLite and over REST,
and the first in the other places.
"""

from collections.abc import Generator
from typing import Any

import pytest

from tests.plugins.left_out import Made
from tests.support.forgetting import WITHOUT_MEMORY

_ELSEWHERE = ("postgresql", "mcp-2025-11-25", WITHOUT_MEMORY)
_ACROSS = {
    "rest": ("sqlite", WITHOUT_MEMORY),
    "mcp-2025-11-25": ("sqlite",),
    "mcp-2026-07-28": ("postgresql",),
}
"""Where each face is tried by a test that runs on both engines."""


@pytest.hookimpl(wrapper=True)
def pytest_pycollect_makeitem() -> Generator[None, Made, Made]:
    """Mark what is left to `make soak`, of the tests that one function makes."""
    made = yield
    if isinstance(made, list):
        _mark(made)
    return made


def _mark(items: list[pytest.Item]) -> None:
    engines = {_values(item).get("engine") for item in items}
    tried: set[tuple[object, ...]] = set()
    for item in items:
        if item.get_closest_marker("checks_input") or item.get_closest_marker("costly"):
            repeats = any(value in _ELSEWHERE for value in _values(item).values())
        elif engines >= {"sqlite", "postgresql"}:
            repeats = _crosses(item) or _tries_again(item, tried)
        else:
            repeats = False
        if repeats:
            item.add_marker("soak")


def _values(item: pytest.Item) -> dict[str, Any]:
    called = getattr(item, "callspec", None)
    params: dict[str, Any] = called.params if called else {}
    return {name: value for name, value in params.items() if isinstance(value, str)}


def _tries_again(item: pytest.Item, tried: set[tuple[object, ...]]) -> bool:
    """Whether another value was tried in this place, which is one of the further ones."""
    values = _values(item)
    engine, face = values.get("engine"), values.get("face", "rest")
    if (engine, face) == ("sqlite", "rest") or _has_own_engines(item):
        return False
    if item.get_closest_marker("soak"):
        return False
    again = (engine, face) in tried
    tried.add((engine, face))
    return again


def _has_own_engines(item: pytest.Item) -> bool:
    """Whether the values of a test say which engine each is for."""
    names = [mark.args[0] for mark in item.iter_markers("parametrize")]
    return any("engine" in name and name != "engine" for name in names)


def _crosses(item: pytest.Item) -> bool:
    values = _values(item)
    face, engine = values.get("face"), values.get("engine")
    return face in _ACROSS and engine is not None and engine not in _ACROSS[face]
