"""Shortcuts are tested on the embedded engine, where one process counts limits and writes."""

import pytest


@pytest.fixture
def engine() -> str:
    """The embedded one. Where processes share a limiter no call can be charged at once, and where
    other processes write too no answer is cached."""
    return "sqlite"
