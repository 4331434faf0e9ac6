"""Leaves repetitions of a test to `make soak`."""

from collections.abc import Iterable
from typing import Any, cast

import pytest

_MARKED = type(pytest.param())


def few(values: Iterable[Any], kept: int = 1) -> list[Any]:
    """Parameters of which `make test` runs the first `kept`, and `make soak` all the others.

    A tuple has the values of several names.
    """
    given = list(values)
    return given[:kept] + [_later(one) for one in given[kept:]]


def fourth(values: Iterable[Any], part: int) -> list[Any]:
    """Parameters of a rule that holds for all of them alike, of which `make test` runs each fourth.

    Tests of such rules take different parts, so that each value is tried in some place.
    """
    given = list(values)
    return [one if at % 4 == part else _later(one) for at, one in enumerate(given)]


def _later(given: Any) -> Any:
    assert type(given) is not _MARKED, "Give the values themselves, and their names as `ids`."
    values = cast("tuple[Any, ...]", given if type(given) is tuple else (given,))
    return pytest.param(*values, marks=pytest.mark.soak)
