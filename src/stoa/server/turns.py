"""A fair queue under load: requests are served in the order in which they arrive.

The kernel lists connections that were ready before ahead of those that became ready since. A
request that arrives during a long turn of the event loop would come behind all others of the next
turn too, and wait twice as long. So the work that is started in one turn is bounded, and requests
beyond that bound wait in a queue.
"""

import asyncio
from collections import deque
from typing import Protocol


class Arrival(Protocol):
    """What `Turns` needs of a connection."""

    def take_turn(self) -> None:
        """Work on what has arrived, if anything is left to do."""
        ...


class Turns:
    """The connections that wait for their turn, oldest first. A turn of the event loop is over for
    them once `most` was spent in it, in any unit."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._spent = 0
        self._waiting: deque[Arrival] = deque()

    def queues(self, connection: Arrival) -> bool:
        """True if this turn has reached its bound; the connection is then called in a later one."""
        is_over = self._spent >= self._most
        if is_over:
            self._waiting.append(connection)
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
                self._waiting.popleft().take_turn()
        finally:
            # Also after an exception, and if the calls cost nothing: else the queue would stop. The
            # turn counts as used up, so that requests that arrive now queue behind it.
            if self._waiting and not self._spent:
                self.spend(self._most)
