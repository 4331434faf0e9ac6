"""A fair queue under load: requests are served in the order in which they arrive.

The kernel lists connections that were ready before ahead of those that became ready since. A
request that arrives during a long turn of the event loop would come behind all others of the next
turn too, and wait twice as long. So the work that is started in one turn is bounded, and requests
beyond that bound wait in a queue.

Where more arrives than can be done, the queue would grow until all wait for many seconds. So once
it has been long for half a second, those that waited too long are to be refused until none has for
as long. Who is served then has waited for a short time. As in CoDel (RFC 8289), a queue that was
short in between is no sign of that: pauses of some milliseconds make some wait on any server.
"""

import asyncio
from collections import deque
from collections.abc import Callable
from typing import Protocol

from stoa.clock import elapsed_ns

LONG_NS = 50_000_000
"""The queue is long while each waits for longer than that."""
LATE_NS = 20_000_000
"""Who waited longer for a turn is late."""
BEHIND_NS = 500_000_000
"""The server is behind once the queue was long for so long, and until none was late for so long."""


class Arrival(Protocol):
    """What `Turns` needs of a connection."""

    def take_turn(self) -> None:
        """Work on what has arrived, if anything is left to do."""
        ...


class Turns:
    """The connections that wait for their turn, oldest first. A turn of the event loop is over for
    them once `most` was spent in it, in any unit. `refuses` is true during the turn of one that is
    late while the server is behind."""

    def __init__(self, most: int, now_ns: Callable[[], int] = elapsed_ns) -> None:
        self.refuses = False
        self._most, self._now_ns = most, now_ns
        self._spent = 0
        self._waiting: deque[tuple[int, Arrival]] = deque()
        self._long_since: int | None = None
        self._behind_until = -1

    def queues(self, connection: Arrival) -> bool:
        """True if this turn has reached its bound; the connection is then called in a later one."""
        is_over = self._spent >= self._most
        if is_over:
            self._waiting.append((self._now_ns(), connection))
        return is_over

    def spend(self, spent: int) -> None:
        """Count the cost of work that was started in this turn."""
        # The first work of a turn schedules the next one; an idle server schedules nothing.
        if not self._spent:
            asyncio.get_running_loop().call_soon(self._begin_next)
        self._spent += spent

    def _begin_next(self) -> None:
        self._spent = 0
        try:
            while self._waiting and self._spent < self._most:
                since, connection = self._waiting.popleft()
                self.refuses = self._is_too_late(since)
                connection.take_turn()
        finally:
            self.refuses = False
            if not self._waiting:
                self._long_since = None
            elif not self._spent:
                # After an exception, or if the calls cost nothing: else the queue would stop. The
                # turn counts as used up, so that requests that arrive now queue behind it.
                self.spend(self._most)

    def _is_too_late(self, since: int) -> bool:
        now = self._now_ns()
        waited = now - since
        if now > self._behind_until and not self._was_long(now, waited):
            return False
        if waited <= LATE_NS:
            return False
        self._long_since, self._behind_until = None, now + BEHIND_NS
        return True

    def _was_long(self, now: int, waited: int) -> bool:
        """Whether the queue has been long for half a second, where one waited for so long."""
        if waited <= LONG_NS:
            self._long_since = None
            return False
        if self._long_since is None:
            self._long_since = now
        return now - self._long_since >= BEHIND_NS
