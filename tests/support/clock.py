"""Clocks for tests: one that a test moves, and one of a machine whose clock a test sets."""

from stoa.clock import SystemClock

START = 1_800_000_000_000
"""2027-01-15T08:00:00.000Z"""

SECOND = 1000
MINUTE = 60 * SECOND
HOUR = 60 * MINUTE
DAY = 24 * HOUR


class VirtualClock:
    """A `stoa.clock.Clock` in milliseconds since 1970."""

    def __init__(self, now: int = START) -> None:
        self.now = now

    def __call__(self) -> int:
        return self.now

    def advance(self, ms: int) -> None:
        """Let `ms` pass at once."""
        self.now += ms


class Machine:
    """A machine on which time passes when a test says so, and whose clock a test may set."""

    def __init__(self) -> None:
        self._elapsed_ms = HOUR
        self._set_by_ms = 0

    def clock(self) -> SystemClock:
        """The clock of a process on this machine."""
        return SystemClock(lambda: 1000 * self.machine_ms, lambda: 1000 * self._elapsed_ms)

    @property
    def machine_ms(self) -> int:
        """What the machine's own clock says."""
        return self.true_ms + self._set_by_ms

    @property
    def true_ms(self) -> int:
        """What the time is."""
        return START + self._elapsed_ms

    @property
    def elapsed_us(self) -> int:
        """Microseconds since the machine was started."""
        return 1000 * self._elapsed_ms

    def pass_time(self, ms: int) -> None:
        """Let time pass."""
        self._elapsed_ms += ms

    def step(self, ms: int) -> None:
        """Set the machine's clock forward, or back."""
        self._set_by_ms += ms
