"""The application with parts that are made otherwise, such as small caches."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from stoa.app import new_services
from stoa.operations.call import Services
from stoa.settings import Settings

Composed = Callable[[Settings], Services]
"""Makes what all calls of a process share."""


def with_parts(**parts: Callable[[Settings], Any]) -> Composed:
    """What is shared, but for these parts of it, each made of the settings."""

    def composed(settings: Settings) -> Services:
        return replace(
            new_services(settings), **{name: make(settings) for name, make in parts.items()}
        )

    return composed


def having(**parts: Callable[[Settings], Any]) -> pytest.MarkDecorator:
    """Lets `stoa` have these parts in a test."""
    return pytest.mark.parametrize("composed", [with_parts(**parts)], ids=["small"])
