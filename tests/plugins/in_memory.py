"""Keeps the tests' files in memory where there is room: none of them outlives a power cut."""

import os

from tests.support import in_memory


def pytest_configure() -> None:
    """Before the first folder is made."""
    if memory := in_memory.folder():
        os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(memory))
