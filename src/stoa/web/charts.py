"""Charts of daily numbers: inline SVG with axes and labels, drawn on the server."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, floor, log10

WIDTH, HEIGHT = 640, 220
_LEFT, _RIGHT, _TOP, _BOTTOM = 52, 8, 14, 34
_TICKS = 4
_LABELS = 5


@dataclass(frozen=True, slots=True)
class Bar:
    """One day: where its bar stands, in the units of the drawing, and what it says."""

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
    """A chart ready to be drawn; `rows` are its numbers for the table beneath."""

    title: str
    unit: str
    description: str
    bars: tuple[Bar, ...]
    grid: tuple[Tick, ...]
    days: tuple[Tick, ...]
    rows: tuple[tuple[str, str], ...]
    empty: bool
    width: int = WIDTH
    height: int = HEIGHT
    left: int = _LEFT
    base: int = HEIGHT - _BOTTOM
    right: int = WIDTH - _RIGHT


def _step(largest: float) -> float:
    """A round step that takes about four ticks to the largest value, 1 at least."""
    rough = max(largest / _TICKS, 1)
    scale = 10 ** floor(log10(rough))
    return next(factor * scale for factor in (1, 2, 5, 10) if factor * scale >= rough)


def _number(value: float) -> str:
    return f"{value:,.2f}".rstrip("0").rstrip(".")


def bar_chart(title: str, unit: str, days: Sequence[tuple[str, float]]) -> Chart:
    """A bar for each `(ISO date, value)`."""
    largest = max((value for _, value in days), default=0)
    step = _step(largest)
    ticks = max(1, ceil(largest / step))
    room = HEIGHT - _TOP - _BOTTOM
    slot = (WIDTH - _LEFT - _RIGHT) / max(1, len(days))
    base = HEIGHT - _BOTTOM

    def height(value: float) -> float:
        return room * value / (ticks * step)

    bars = tuple(
        Bar(
            x=round(_LEFT + place * slot + slot * 0.12, 1),
            y=round(base - height(value), 1),
            width=round(slot * 0.76, 1),
            height=round(height(value), 1),
            label=date,
            value=_number(value),
        )
        for place, (date, value) in enumerate(days)
    )
    grid = tuple(
        Tick(round(base - height(tick * step), 1), _number(tick * step))
        for tick in range(ticks + 1)
    )
    return Chart(
        title=title,
        unit=unit,
        description=_describe(title, unit, days),
        bars=bars,
        grid=grid,
        days=_day_labels(bars),
        rows=tuple((bar.label, bar.value) for bar in bars),
        empty=largest == 0,
    )


def _day_labels(bars: tuple[Bar, ...]) -> tuple[Tick, ...]:
    every = max(1, len(bars) // _LABELS)
    return tuple(
        Tick(round(bar.x + bar.width / 2, 1), bar.label[5:]) for bar in bars[::-1][::every][::-1]
    )


def _describe(title: str, unit: str, days: Sequence[tuple[str, float]]) -> str:
    """The chart in a sentence, for those who do not see it."""
    if not any(value for _, value in days):
        return f"{title}: nothing in the last {len(days)} days."
    best = max(days, key=lambda day: day[1])
    total = _number(sum(value for _, value in days))
    return (
        f"{title}: {total} {unit} in the last {len(days)} days, "
        f"most on {best[0]} with {_number(best[1])}."
    )
