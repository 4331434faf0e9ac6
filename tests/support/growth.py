"""Measures whether the work of a function grows in proportion to the length of its text.

What Python executes is counted in lines, which is the same each time. What the interpreter does in
C (patterns, normalisation, the Markdown library) executes no lines, so processor time of the thread
is measured too, and measured again, up to `_TRIES` times, while it seems to grow too fast: other
work on the machine can make a measurement longer. It can also slow the processor down for a while,
behind a measurement that was fast: then most measurements of both lengths, taken one behind the
other, still compare.
"""

import gc
import sys
import time
from collections.abc import Callable
from types import FrameType
from typing import Any

MOST = 2.5
"""A text of twice the length may take so many times the work."""

_TRACED = 600
"""Characters of the shortest text whose lines count: many functions do less below a bound."""

_FREE_LINES = 1_000
_FREE_S = 0.003  # caches that fill and memory that is asked for
_TRIES = 40
_DOUBLINGS = (1, 2, 4)
"""What grows goes on. The first text behind a bound that shorter ones break takes more at once, and
so does the first for which the interpreter asks for memory in another way."""

Function = Callable[[str], object]
Compared = Callable[[Function, str, str], str | None]


def lines(function: Function, text: str) -> int:
    """The lines of Python that a call executes, without those of what would be collected."""
    count = 0

    def trace(_frame: FrameType, event: str, _argument: Any) -> Any:
        nonlocal count
        count += event == "line"
        return trace

    before = sys.gettrace()
    gc.disable()
    sys.settrace(trace)
    try:
        function(text)
    finally:
        sys.settrace(before)
        gc.enable()
    return count


def seconds(function: Function, text: str) -> float:
    """The processor time of a call, in this thread. What all else has in memory does not count: the
    garbage collector would look through it."""
    gc.disable()
    try:
        started = time.thread_time()
        function(text)
        return time.thread_time() - started
    finally:
        gc.enable()


def too_much(
    function: Function, make: Callable[[int], str], length: int, traced: int = _TRACED
) -> str | None:
    """What grows too fast up to a text of this length, None when nothing does.

    `make` gives the text of a length. Lines are the same each time, so shorter texts show it too.
    """
    traced = max(traced, length // 20)
    return _growing(_longer, function, make, traced) or _growing(
        _slower, function, make, length // 2
    )


def _growing(
    compared: Compared, function: Function, make: Callable[[int], str], length: int
) -> str | None:
    """What a text of twice the length takes, if it is too much after each of `_DOUBLINGS`."""
    told: list[str] = []
    for times in _DOUBLINGS:
        more = compared(function, make(times * length), make(2 * times * length))
        if more is None:
            return None
        told.append(more)
    return told[0]


def _longer(function: Function, half: str, whole: str) -> str | None:
    """The lines that a text of twice the length takes, None if they are in proportion."""
    few, many = lines(function, half), lines(function, whole)
    return f"{few} lines become {many}" if many > MOST * few + _FREE_LINES else None


def _slower(function: Function, half: str, whole: str) -> str | None:
    """What a text of twice the length takes, None if that is in proportion."""
    # The least of each: a long time for the half would hide what grows.
    short, long = min(seconds(function, half) for _ in range(3)), seconds(function, whole)
    grew = 0
    for _ in range(_TRIES):
        if not _grows(short, long):
            return None
        now = seconds(function, half), seconds(function, whole)
        grew += _grows(*now)
        short, long = min(short, now[0]), min(long, now[1])
    told = f"{1000 * short:.1f} ms become {1000 * long:.1f} ms"
    return told if grew > _TRIES / 2 else None


def _grows(short: float, long: float) -> bool:
    return long > MOST * short + _FREE_S
