"""Fixtures of moderation: a moderator, whose key the settings name."""

import pytest

from tests.support.app import Agent, App
from tests.support.keys import Key

MODERATOR = Key("mod")


@pytest.fixture
def mod(stoa: App) -> Agent:
    """A moderator: use `@MODERATED`."""
    return stoa.agent("mod")
