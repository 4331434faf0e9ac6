"""Deadlines of jobs: how a request gives one, the earliest and the latest allowed. Times are ms."""

from decimal import Decimal
from typing import Any

from stoa.domain import limits
from stoa.schemas.base import read_time

_SHORTEST = Decimal(1) / limits.HOUR_MS  # hours: a float that is this short may read as 0


def form_problems(hours: Any, moment: Any) -> list[tuple[str, str]]:
    """Errors in raw values of `deadlineHours` and `deadline` that do not depend on the time."""
    problems: list[tuple[str, str]] = []
    if hours is not None and moment is not None:
        problems.append(
            ("deadline", "Must be left out when `deadlineHours` is given: give one of them.")
        )
    if isinstance(hours, Decimal) and not _in_bounds(hours):
        problems.append(
            (
                "deadlineHours",
                f"Must be more than 0 and at most {limits.DEADLINE_HOURS_MAX}, such as 48.",
            )
        )
    if isinstance(moment, str) and _read(moment) is None:
        message = "Must be a time in ISO 8601 with its zone, such as 2026-11-22T10:00:00Z."
        problems.append(("deadline", message))
    return problems


def time_problems(hours: Any, moment: Any, now: int, latest: int) -> list[tuple[str, str]]:
    """What is wrong with them now. None that `form_problems` tells of."""
    given = {"deadlineHours": _after(hours, now), "deadline": _read(moment)}
    most = (latest - now) / limits.HOUR_MS
    return [
        (field, f"Must be in the future, at most {most:.10g} hours from now.")
        for field, end in given.items()
        if end is not None and not now < end <= latest
    ]


def end_of(hours: float | None, moment: str | None, now: int, latest: int) -> int:
    """When a job ends whose deadline has no problems."""
    return _after(hours, now) or _read(moment) or latest


def _in_bounds(hours: float | Decimal) -> bool:
    return _SHORTEST <= hours <= limits.DEADLINE_HOURS_MAX


def _after(hours: Any, now: int) -> int | None:
    number = isinstance(hours, int | float | Decimal) and not isinstance(hours, bool)
    return now + round(hours * limits.HOUR_MS) if number and _in_bounds(hours) else None


def _read(moment: Any) -> int | None:
    return read_time(moment) if isinstance(moment, str) else None
