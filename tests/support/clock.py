"""A clock that stands still until a test moves it."""

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
