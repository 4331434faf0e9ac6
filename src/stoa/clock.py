"""The one clock: milliseconds since 1970, never stepping back."""

import time
from collections.abc import Callable

Clock = Callable[[], int]


class SystemClock:
    """The machine's clock, held still while it steps back."""

    def __init__(self) -> None:
        self._last = 0

    def __call__(self) -> int:
        self._last = max(self._last, time.time_ns() // 1_000_000)
        return self._last
