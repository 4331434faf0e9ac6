"""Charts as inline SVG with axes and labels, drawn on the server: by day, by name."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from math import ceil, floor, log10

WIDTH, HEIGHT = 360, 190
"""A phone's width, so that labels keep their size there; wide screens show several in a row."""

_LEFT, _RIGHT, _TOP, _BOTTOM = 40, 4, 16, 26
_TICKS = 4
_NONE = "–"  # a day of which there is no value
_LABELS = 5
_BARS = 2  # so few are compared at least
MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

_ROW = 26
_NAMES = 148
_VALUES = 44
_NO_DAY = "2000-01-01"  # where there is none, what is said of it is not shown


@dataclass(frozen=True, slots=True)
class Bar:
    """One bar, in the units of the drawing, and what it says."""

    x: float
    y: float
    width: float
    height: float
    label: str = ""
    value: str = ""
    kind: str = ""


@dataclass(frozen=True, slots=True)
class Column:
    """What stands on one day: a bar, or several on top of each other. `y` is the top of it all."""

    x: float
    y: float
    width: float
    says: str
    bars: tuple[Bar, ...]


@dataclass(frozen=True, slots=True)
class Tick:
    """A line of the grid or a label of an axis."""

    at: float
    label: str


@dataclass(frozen=True, slots=True)
class ChartDay:
    """A day of a chart: its date, kind and height of each bar, a sentence, its row of the table."""

    date: str
    heights: Sequence[tuple[str, float]]
    says: str
    row: tuple[str, ...]

    @property
    def total(self) -> float:
        """How high it stands."""
        return sum(height for _, height in self.heights)


@dataclass(frozen=True, slots=True)
class ChartWords:
    """What is written around a chart; `heads` are those of its table.

    `keys` name the kinds of bars, `note` says what they count where the title does not.
    """

    title: str
    caption: str
    description: str
    heads: tuple[str, ...]
    keys: tuple[tuple[str, str], ...] = ()
    note: str = ""


@dataclass(frozen=True, slots=True)
class Chart:
    """Numbers by day, ready to be drawn; `rows` are the same numbers for the table beneath.

    Where no day has anything there is no `highest` one, and nothing to draw.
    """

    words: ChartWords
    columns: tuple[Column, ...]
    grid: tuple[Tick, ...]
    days: tuple[Tick, ...]
    highest: Column | None
    peak: str
    rows: tuple[tuple[str, ...], ...]
    width: int = WIDTH
    height: int = HEIGHT
    left: int = _LEFT
    base: int = HEIGHT - _BOTTOM
    right: int = WIDTH - _RIGHT

    @property
    def few(self) -> str | None:
        """A sentence that says as much, where a single day has something."""
        if self.highest is None or sum(bool(column.bars) for column in self.columns) >= _BARS:
            return None
        return f"{self.peak} on {day_name(self.highest.says)}."


@dataclass(frozen=True, slots=True)
class Ranking:
    """Numbers by name, as horizontal bars."""

    title: str
    unit: str
    description: str
    bars: tuple[Bar, ...]
    heads: tuple[str, str]
    rows: tuple[tuple[str, str], ...]
    height: int
    width: int = WIDTH
    left: int = _NAMES

    @property
    def drawn(self) -> bool:
        """Whether there is anything to draw."""
        return any(bar.width for bar in self.bars)

    @property
    def few(self) -> str | None:
        """All of it in words where there are too few bars to compare."""
        if sum(bar.width > 0 for bar in self.bars) >= _BARS:
            return None
        return f"{', '.join(f'{bar.label}: {bar.value}' for bar in self.bars)}."


def number(value: float | Decimal) -> str:
    """At most two decimals, thousands apart: `1,234.5`."""
    text = f"{value:,.2f}"
    return text.rstrip("0").rstrip(".")


def noun(value: float | Decimal, one: str, many: str) -> str:
    """The noun behind a number: `reply` after 1, else `replies`."""
    return one if value == 1 else many


def several(count: float | Decimal, what: str) -> str:
    """A number of things that take an s: `1 answer`, `2 answers`."""
    return f"{number(count)} {noun(count, what, f'{what}s')}"


def within(hours: float) -> str:
    """How long a decision takes: `within an hour`, `in 3.5 hours`."""
    return "within an hour" if hours < 1 else f"in {several(hours, 'hour')}"


def day_name(iso: str) -> str:
    """`2026-11-20` as `20 Nov`."""
    return f"{int(iso[8:10])} {MONTHS[int(iso[5:7]) - 1]}"


def _step(largest: float, least: float) -> float:
    """A round step that takes about four ticks to the largest value."""
    rough = max(largest / _TICKS, least)
    scale = 10 ** floor(log10(rough))
    return next(factor * scale for factor in (1, 2, 5, 10) if factor * scale >= rough)


def bar_chart(title: str, unit: str, days: Sequence[tuple[str, float]]) -> Chart:
    """A bar for each `(ISO date, value)`."""
    total = sum(value for _, value in days)
    best = max(days, key=lambda day: day[1], default=(_NO_DAY, 0))
    said = (
        f"{title}: {number(total)} in the last {len(days)} days, "
        f"most on {day_name(best[0])} with {number(best[1])}."
    )
    words = ChartWords(
        title=title,
        caption=f"{unit} a day, {number(total)} in {len(days)} days",
        description=said,
        heads=("Day", unit),
    )
    bars = [
        ChartDay(date, [("", value)], number(value), (date, number(value))) for date, value in days
    ]
    return _drawn(words, bars, empty=not total)


def median_chart(
    title: str, unit: str, note: str, days: Sequence[tuple[str, float | None]]
) -> Chart:
    """A bar for each day's median; None where there is nothing to take it of."""
    known = [(date, value) for date, value in days if value is not None]
    longest = max(known, key=lambda day: day[1], default=(_NO_DAY, 0))
    of_days = f"{len(known)} of {len(days)} days"
    most = f"longest on {day_name(longest[0])} with {number(longest[1])}"
    said = f"{title}: the median of {of_days}, {most}."
    words = ChartWords(
        title=title,
        caption=f"median {unit}, on {of_days}",
        description=said,
        heads=("Day", f"median {unit}"),
        note=note,
    )
    return _drawn(words, [_median(*day) for day in days], empty=not known, least=0.01)


def _median(date: str, value: float | None) -> ChartDay:
    said = _NONE if value is None else number(value)
    return ChartDay(date, [("", value or 0)], said, (date, said))


@dataclass(frozen=True, slots=True)
class ColourGroup:
    """Things that one colour stands for; `members` has the name of each."""

    kind: str
    name: str
    members: Mapping[str, str]

    def count(self, counts: Mapping[str, int]) -> int:
        """How many of them there are."""
        return sum(counts[member] for member in self.members)


def stacked_chart(
    title: str,
    unit: str,
    note: str,
    groups: Sequence[ColourGroup],
    days: Sequence[tuple[str, Mapping[str, int]]],
) -> Chart:
    """For each day a bar of each group, on top of each other; the table has every member."""
    sums = [(group, sum(group.count(counts) for _, counts in days)) for group in groups]
    total = sum(count for _, count in sums)
    listed = ", ".join(f"{number(count)} {group.name}" for group, count in sums)
    said = f"{title}: {number(total)} in the last {len(days)} days, {listed}."
    words = ChartWords(
        title=title,
        caption=f"{unit} a day, {number(total)} in {len(days)} days",
        description=said,
        heads=("Day", *(name for group in groups for name in group.members.values())),
        keys=tuple((group.kind, f"{group.name} {number(count)}") for group, count in sums),
        note=note,
    )
    return _drawn(words, [_stack(date, counts, groups) for date, counts in days], empty=not total)


def _stack(date: str, counts: Mapping[str, int], groups: Sequence[ColourGroup]) -> ChartDay:
    heights = [(group, group.count(counts)) for group in groups]
    members = (member for group in groups for member in group.members)
    return ChartDay(
        date,
        [(group.kind, height) for group, height in heights],
        ", ".join(f"{number(height)} {group.name}" for group, height in heights if height),
        (date, *(number(counts[member]) for member in members)),
    )


def _drawn(words: ChartWords, days: Sequence[ChartDay], *, empty: bool, least: float = 1) -> Chart:
    """The chart of these days. Steps of its scale are `least` or more."""
    largest = max((day.total for day in days), default=0)
    step = _step(largest, least if largest else 1)
    ticks = max(1, ceil(largest / step))
    per_unit = (HEIGHT - _TOP - _BOTTOM) / (ticks * step)
    columns = _columns(days, per_unit)
    base = HEIGHT - _BOTTOM
    return Chart(
        words=words,
        columns=columns,
        grid=tuple(
            Tick(round(base - tick * step * per_unit, 1), number(tick * step))
            for tick in range(ticks + 1)
        ),
        days=_day_labels(days, columns),
        highest=None if empty else _highest(days, columns),
        peak=number(largest),
        rows=tuple(day.row for day in days),
    )


def _highest(days: Sequence[ChartDay], columns: Sequence[Column]) -> Column:
    """The column with the largest value, which may be 0; a day without a value has none."""
    known = (column for day, column in zip(days, columns, strict=True) if day.says != _NONE)
    return min(known, key=lambda column: column.y)


def _columns(days: Sequence[ChartDay], per_unit: float) -> tuple[Column, ...]:
    slot = (WIDTH - _LEFT - _RIGHT) / max(1, len(days))
    return tuple(
        _column(day, round(_LEFT + place * slot + slot * 0.12, 1), round(slot * 0.76, 1), per_unit)
        for place, day in enumerate(days)
    )


def _column(day: ChartDay, x: float, width: float, per_unit: float) -> Column:
    y = float(HEIGHT - _BOTTOM)
    bars: list[Bar] = []
    for kind, height in day.heights:
        y = round(y - height * per_unit, 1)
        if height:
            bars.append(Bar(x, y, width, round(height * per_unit, 1), kind=kind))
    return Column(x, y, width, f"{day.date}: {day.says}", tuple(bars))


def _day_labels(days: Sequence[ChartDay], columns: tuple[Column, ...]) -> tuple[Tick, ...]:
    """A few days by name, the last one among them."""
    every = max(1, len(columns) // _LABELS)
    shown = list(zip(days, columns, strict=True))[::-1][::every][:_LABELS][::-1]
    return tuple(
        Tick(round(column.x + column.width / 2, 1), day_name(day.date)) for day, column in shown
    )


def ranking(
    title: str, unit: str, heads: tuple[str, str], values: Sequence[tuple[str, float | None]]
) -> Ranking:
    """A bar for each `(name, value)`, in the given order; `heads` are those of its table."""
    largest = max((value or 0 for _, value in values), default=0) or 1
    room = WIDTH - _NAMES - _VALUES
    bars = tuple(
        Bar(
            x=_NAMES,
            y=place * _ROW + 4,
            width=round(room * (value or 0) / largest, 1),
            height=_ROW - 8,
            label=name,
            value="none yet" if value is None else number(value),
        )
        for place, (name, value) in enumerate(values)
    )
    said = ", ".join(f"{bar.label} {bar.value}" for bar in bars)
    rows = tuple((bar.label, bar.value) for bar in bars)
    return Ranking(title, unit, f"{title}, {unit}: {said}.", bars, heads, rows, _ROW * len(bars))
