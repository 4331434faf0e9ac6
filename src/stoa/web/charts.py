"""Charts as inline SVG with axes and labels, drawn on the server: bars by day, bars by name."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from math import ceil, floor, log10

WIDTH, HEIGHT = 360, 190
"""A phone's width, so that labels keep their size there; wide screens show several in a row."""

_LEFT, _RIGHT, _TOP, _BOTTOM = 40, 4, 16, 26
_TICKS = 4
_LABELS = 5
_MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

_ROW = 26
_NAMES = 148
_VALUES = 44


@dataclass(frozen=True, slots=True)
class Bar:
    """One bar: where it stands, in the units of the drawing, and what it says."""

    x: float
    y: float
    width: float
    height: float
    label: str
    value: str


@dataclass(frozen=True, slots=True)
class Tick:
    """A line of the grid or a label of an axis."""

    at: float
    label: str


@dataclass(frozen=True, slots=True)
class Chart:
    """Numbers by day, ready to be drawn; `rows` are the same numbers for the table beneath."""

    title: str
    unit: str
    summary: str
    description: str
    bars: tuple[Bar, ...]
    grid: tuple[Tick, ...]
    days: tuple[Tick, ...]
    highest: Bar | None
    rows: tuple[tuple[str, str], ...]
    width: int = WIDTH
    height: int = HEIGHT
    left: int = _LEFT
    base: int = HEIGHT - _BOTTOM
    right: int = WIDTH - _RIGHT


@dataclass(frozen=True, slots=True)
class Ranking:
    """Numbers by name, as lying bars."""

    title: str
    unit: str
    description: str
    bars: tuple[Bar, ...]
    rows: tuple[tuple[str, str], ...]
    height: int
    width: int = WIDTH
    left: int = _NAMES


def number(value: float | Decimal) -> str:
    """At most two decimals, thousands apart: `1,234.5`."""
    text = f"{value:,.2f}"
    return text.rstrip("0").rstrip(".")


def day_name(iso: str) -> str:
    """`2026-11-20` as `20 Nov`."""
    return f"{int(iso[8:10])} {_MONTHS[int(iso[5:7]) - 1]}"


def _step(largest: float) -> float:
    """A round step that takes about four ticks to the largest value, 1 at least."""
    rough = max(largest / _TICKS, 1)
    scale = 10 ** floor(log10(rough))
    return next(factor * scale for factor in (1, 2, 5, 10) if factor * scale >= rough)


def bar_chart(title: str, unit: str, days: Sequence[tuple[str, float]]) -> Chart:
    """A standing bar for each `(ISO date, value)`."""
    largest = max((value for _, value in days), default=0)
    step = _step(largest)
    ticks = max(1, ceil(largest / step))
    per_unit = (HEIGHT - _TOP - _BOTTOM) / (ticks * step)
    bars = _standing(days, per_unit)
    base = HEIGHT - _BOTTOM
    return Chart(
        title=title,
        unit=unit,
        summary=f"{number(sum(value for _, value in days))} in {len(days)} days",
        description=_describe(title, unit, days),
        bars=bars,
        grid=tuple(
            Tick(round(base - tick * step * per_unit, 1), number(tick * step))
            for tick in range(ticks + 1)
        ),
        days=_day_labels(bars),
        highest=max(bars, key=lambda bar: bar.height) if largest else None,
        rows=tuple((bar.label, bar.value) for bar in bars),
    )


def _standing(days: Sequence[tuple[str, float]], per_unit: float) -> tuple[Bar, ...]:
    slot = (WIDTH - _LEFT - _RIGHT) / max(1, len(days))
    base = HEIGHT - _BOTTOM
    return tuple(
        Bar(
            x=round(_LEFT + place * slot + slot * 0.12, 1),
            y=round(base - value * per_unit, 1),
            width=round(slot * 0.76, 1),
            height=round(value * per_unit, 1),
            label=date,
            value=number(value),
        )
        for place, (date, value) in enumerate(days)
    )


def _day_labels(bars: tuple[Bar, ...]) -> tuple[Tick, ...]:
    """A few days by name, the last one among them."""
    every = max(1, len(bars) // _LABELS)
    shown = bars[::-1][::every][:_LABELS][::-1]
    return tuple(Tick(round(bar.x + bar.width / 2, 1), day_name(bar.label)) for bar in shown)


def ranking(title: str, unit: str, values: Sequence[tuple[str, float | None]]) -> Ranking:
    """A lying bar for each `(name, value)`, in the given order."""
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
    return Ranking(title, unit, f"{title}, {unit}: {said}.", bars, rows, _ROW * len(bars))


def _describe(title: str, unit: str, days: Sequence[tuple[str, float]]) -> str:
    """The chart in a sentence, for those who do not see it."""
    if not any(value for _, value in days):
        return f"{title}: nothing in the last {len(days)} days."
    best = max(days, key=lambda day: day[1])
    total = number(sum(value for _, value in days))
    return (
        f"{title}: {total} {unit} in the last {len(days)} days, "
        f"most on {best[0]} with {number(best[1])}."
    )
