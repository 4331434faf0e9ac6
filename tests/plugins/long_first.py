"""Begins with the tests that take longest, so that no worker ends with one while others idle."""

import pytest


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the tests marked `long` first; each kind keeps its order."""
    items.sort(key=lambda item: item.get_closest_marker("long") is None)
