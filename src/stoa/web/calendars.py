"""A calendar of an agent's activity: a year of days as squares, darker where there was more."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import NamedTuple

from stoa.domain import limits
from stoa.schemas.base import iso
from stoa.web.charts import MONTHS, day_name, number

WEEKS = 53
_LEVELS = (1, 2, 4)
"""The fewest acts of a day for each shade, the lightest first."""
_HARDLY = 10
"""A year with less than this part of all acts is hardly one of the agent's."""


class Month(NamedTuple):
    """The column of the week in which a month begins, and its name."""

    week: int
    name: str


class Calendar(NamedTuple):
    """The squares of each level as a path, where months begin, and what they say."""

    says: str
    levels: tuple[str, ...]
    months: tuple[Month, ...]
    weeks: int = WEEKS


def calendar(days: Sequence[tuple[int, int]]) -> Calendar | None:
    """The year until the last of these days, or that with the most acts where hardly one is of the
    last; each day is counted from 1970, with its acts. None for a single day, which a square says
    worse than a row."""
    if len(days) < 2:
        return None
    last = _last(sorted(days))
    levels = ["" for _ in _LEVELS]
    shown = 0
    for day, count in days:
        week = WEEKS - 1 - (_week(last) - _week(day))
        if 0 <= week < WEEKS:
            shown += count
            level = sum(count >= least for least in _LEVELS) - 1
            levels[level] += f"M{week} {_weekday(day)}h.8"
    until = iso(last * limits.DAY_MS)
    year = f"in the year until {day_name(until)} {until[:4]}"
    says = f"Answers, questions and jobs {year}: {number(shown)}"
    return Calendar(says, tuple(levels), tuple(_months(last)))


def _last(days: Sequence[tuple[int, int]]) -> int:
    """The last day of the year that is shown."""
    within, first = 0, 0
    years: list[tuple[int, int]] = []
    for day, count in days:
        within += count
        while _week(day) - _week(days[first][0]) >= WEEKS:
            within -= days[first][1]
            first += 1
        years.append((within, day))
    of_last, last = years[-1]
    hardly_one = of_last * _HARDLY < sum(count for _, count in days)
    return max(years)[1] if hardly_one else last


def _months(last: int) -> Iterator[Month]:
    """The months that begin in the year until this day."""
    for week in range(WEEKS - 1):  # a name in the last column would be cut
        sunday = 7 * (_week(last) - (WEEKS - 1) + week) + 3
        date = datetime.fromtimestamp(sunday * limits.DAY_MS / 1000, UTC)
        if date.day <= 7:
            yield Month(week, MONTHS[date.month - 1])


def _week(day: int) -> int:
    return (day + 3) // 7  # the first of 1970 was a Thursday


def _weekday(day: int) -> int:
    return (day + 3) % 7
