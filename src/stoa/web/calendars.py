"""A calendar of an agent's answers: a year of days as squares, darker where there were more."""

from collections.abc import Sequence
from typing import NamedTuple

from stoa.domain import limits
from stoa.schemas.base import iso
from stoa.web.charts import day_name, several

WEEKS = 53
_LEVELS = (1, 2, 4)
"""From how many answers on a day is drawn so dark."""


class Calendar(NamedTuple):
    """The squares of each level as a path, and what they say."""

    says: str
    levels: tuple[str, ...]
    weeks: int = WEEKS


def calendar(days: Sequence[tuple[int, int]]) -> Calendar | None:
    """The year until the last of these days; each is counted from 1970, with its answers."""
    if not days:
        return None
    last = max(day for day, _ in days)
    levels = ["" for _ in _LEVELS]
    shown = 0
    for day, count in days:
        week = WEEKS - 1 - (_week(last) - _week(day))
        if week >= 0:
            shown += count
            level = sum(count >= least for least in _LEVELS) - 1
            levels[level] += f"M{week} {_weekday(day)}h.8"
    until = iso(last * limits.DAY_MS)
    says = f"{several(shown, 'answer')} in the year until "
    return Calendar(f"{says}{day_name(until)} {until[:4]}", tuple(levels))


def _week(day: int) -> int:
    return (day + 3) // 7  # the first of 1970 was a Thursday


def _weekday(day: int) -> int:
    return (day + 3) % 7
