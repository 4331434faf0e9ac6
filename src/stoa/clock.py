"""The one clock: milliseconds since 1970, never stepping back."""

import time
from collections.abc import Callable

Clock = Callable[[], int]


class SystemClock:
    """The machine's clock, `ahead_us` put forward to follow another one, held still while it steps
    back."""

    def __init__(self) -> None:
        self.ahead_us = 0
        self._last = 0

    def __call__(self) -> int:
        self._last = max(self._last, (self.machine_us() + self.ahead_us) // 1000)
        return self._last

    def machine_us(self) -> int:
        """What the machine's own clock says, microseconds since 1970."""
        return time.time_ns() // 1000


def elapsed_ms() -> int:
    """Milliseconds on a clock that nobody sets, for measuring how long something lasts."""
    return time.monotonic_ns() // 1_000_000
