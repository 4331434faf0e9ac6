"""The rows of the table: each module in `rows/` declares some, and is found by being there."""

import importlib
import pkgutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from rich.table import Table

from tools.bench.stage import Stage

_MARKS = {True: "ok", False: "MISSED", None: ""}


@dataclass(frozen=True)
class Result:
    """One line of the table. `passed` is None for figures that are not judged."""

    name: str
    measured: str
    target: str = ""
    passed: bool | None = None
    detail: str = ""


Measure = Callable[[Stage], Iterator[Result]]

_ROWS: list[Measure] = []


def row(measure: Measure) -> Measure:
    """Declare a measurement; its name, with blanks for underscores, is what `--only` looks in."""
    _ROWS.append(measure)
    return measure


def rows(only: Sequence[str]) -> list[Measure]:
    """The measurements whose names hold one of `only`, or all, in the order of their modules."""
    package = importlib.import_module("tools.bench.rows")
    for module in sorted(info.name for info in pkgutil.iter_modules(package.__path__)):
        importlib.import_module(f"tools.bench.rows.{module}")
    chosen = only or [""]
    return [measure for measure in _ROWS if any(part in title(measure) for part in chosen)]


def title(measure: Measure) -> str:
    """The name of a measurement for people."""
    return measure.__name__.replace("_", " ")


def at_least(name: str, value: float, target: float, detail: str) -> Result:
    """A ratio that must not fall below its target."""
    return Result(name, f"{value:.2f}", f">= {target:.2f}", value >= target, detail)


def rate_at_least(name: str, value: float, target: float, detail: str = "") -> Result:
    """Answers a second that must not fall below their target."""
    measured = f"{value:,.0f} a second"
    return Result(name, measured, f">= {target:,.0f} a second", value >= target, detail)


def at_most(name: str, value: float, target: float, unit: str, detail: str = "") -> Result:
    """A figure that must not pass its target."""
    return Result(name, f"{value:,.2f} {unit}", f"<= {target:g} {unit}", value <= target, detail)


def table(results: list[Result]) -> Table:
    """The results for people."""
    shown = Table("row", "target", "measured", "", "detail")
    for result in results:
        mark = _MARKS[result.passed]
        shown.add_row(result.name, result.target, result.measured, mark, result.detail)
    return shown
