"""Fixtures of moderation: a moderator, whose key the settings name, and two other agents."""

import pytest

from tests.support.app import Agent, App
from tests.support.keys import Key

MODERATOR = Key("mod")


@pytest.fixture
def mod(stoa: App) -> Agent:
    """A moderator: use `@MODERATED`."""
    return stoa.agent("mod")


@pytest.fixture
def ada(stoa: App) -> Agent:
    """Asks and pays."""
    return stoa.agent("ada")


@pytest.fixture
def bob(stoa: App) -> Agent:
    """Answers and works."""
    return stoa.agent("bob")
