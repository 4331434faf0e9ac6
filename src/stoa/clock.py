"""The one clock: milliseconds since 1970, never stepping back, not misled by a clock that is set.

Time is the elapsed time, on a clock that nobody sets, and how far the wall clock is ahead of it.
"""

import mmap
import struct
import time
from collections.abc import Callable
from datetime import UTC, datetime

from stoa.domain import limits

Clock = Callable[[], int]
Microseconds = Callable[[], int]

_STEP_US = 1000 * limits.CLOCK_STEP_MS
_SECOND_US = 1_000_000
_OBSERVED_US = 1000
"""How long an observation of the machine's clock is used: no longer than one unit of the clock."""
_NUMBER = struct.Struct("q")
_BOOT = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)
"""The monotonic clock that goes on while the machine is suspended, as the wall clock does."""


def _machine_us() -> int:
    return time.time_ns() // 1000


def wall_time() -> str:
    """The machine's wall clock in UTC to the microsecond, as the log tells it."""
    return datetime.now(UTC).replace(tzinfo=None).isoformat(timespec="microseconds") + "Z"


def _elapsed_us() -> int:
    return time.clock_gettime_ns(_BOOT) // 1000


class ClockReference:
    """How far a clock is ahead of the elapsed time, in microseconds.

    Steps of up to a minute are followed. What is further away is not, until the clock comes back or
    a new reference is made; the middle moves no faster than a clock is slewed, so that many
    small steps do not add up to a large one.
    """

    def __init__(self, ahead_us: int, elapsed_us: int) -> None:
        self.ahead_us = ahead_us
        self.step_us = 0
        self._middle_us = ahead_us
        self._moved_at_us = elapsed_us

    def observe(self, ahead_us: int, elapsed_us: int) -> None:
        """The clock is found so far ahead at this time."""
        away_us = ahead_us - self._middle_us
        if abs(away_us) > _STEP_US:
            self.step_us = ahead_us - self.ahead_us
            return
        self.ahead_us, self.step_us = ahead_us, 0
        since_us = elapsed_us - self._moved_at_us
        if since_us >= _SECOND_US:
            self._moved_at_us = elapsed_us
            most_us = since_us * limits.CLOCK_SLEW_PPM // _SECOND_US
            self._middle_us += max(-most_us, min(most_us, away_us))


class SystemClock:
    """Follows the machine's clock until `follow` names another one to follow instead.

    A fork goes on with the references of the process it was forked from. Forks of one process also
    share the reference to the other clock, whichever of them found it first.
    """

    def __init__(
        self, machine_us: Microseconds = _machine_us, elapsed_us: Microseconds = _elapsed_us
    ) -> None:
        self._machine_us = machine_us
        self.elapsed_us = elapsed_us
        now_us = elapsed_us()
        self._machine = ClockReference(machine_us() - now_us, now_us)
        self._observed_us = now_us
        self._other: ClockReference | None = None
        self._shared = mmap.mmap(-1, _NUMBER.size)
        self._last = 0

    def __call__(self) -> int:
        now_us = self.elapsed_us()
        if self._other is None and now_us - self._observed_us >= _OBSERVED_US:
            self._observe(now_us)
        now = (now_us + (self._other or self._machine).ahead_us) // 1000
        self._last = max(self._last, now)
        return self._last

    def follow(self, other_us: int, elapsed_us: int) -> int:
        """Another clock, which counts from now on, said `other_us` at this time. Returns how far it
        has stepped away, ms; 0 while it is followed."""
        ahead_us = other_us - elapsed_us
        if self._other is None:
            (known_us,) = _NUMBER.unpack(self._shared)
            self._other = ClockReference(known_us or ahead_us, elapsed_us)
        self._other.observe(ahead_us, elapsed_us)
        _NUMBER.pack_into(self._shared, 0, self._other.ahead_us)
        return self._other.step_us // 1000

    def machine_step_ms(self) -> int:
        """How far the machine's clock has stepped away, ms; 0 while it has not."""
        self._observe(self.elapsed_us())
        return self._machine.step_us // 1000

    def step_ms(self) -> int:
        """How far the clock that counts, or else the machine's, has stepped away, ms."""
        other_ms = self._other.step_us // 1000 if self._other else 0
        return other_ms or self.machine_step_ms()

    def _observe(self, now_us: int) -> None:
        self._machine.observe(self._machine_us() - now_us, now_us)
        self._observed_us = now_us


def elapsed_ms() -> int:
    """Milliseconds on a clock that nobody sets, for measuring how long something lasts."""
    return time.monotonic_ns() // 1_000_000


elapsed_ns = time.monotonic_ns
"""Nanoseconds on a clock that nobody sets, for what lasts less than milliseconds."""
