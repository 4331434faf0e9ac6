"""Leaves repetitions of a test to `make soak`."""

from collections.abc import Iterable
from typing import Any

import pytest


def few(values: Iterable[Any], kept: int = 1) -> list[Any]:
    """Parameters of which `make test` runs the first `kept`, and `make soak` all the others."""
    given = list(values)
    return given[:kept] + [pytest.param(one, marks=pytest.mark.soak) for one in given[kept:]]
