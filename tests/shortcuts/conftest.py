"""What the MCP endpoint adds is the same over every engine: one is enough."""

import pytest


@pytest.fixture
def engine() -> str:
    """The embedded one."""
    return "sqlite"
