"""Whose turn it is where calls take long: requests are worked on in the order in which they arrive.

The system names connections that were ready the last time before those that became ready since. A
request that arrives while a long turn of the event loop runs would come behind all others of the
next turn too, and wait twice as long as these. So a turn ends after some time, and whatever arrives
behind its end waits in one queue.
"""

import asyncio
from collections import deque
from typing import Protocol

_LONGEST_NS = 2_000_000
"""Calls that take so much time together are begun in one turn of the event loop."""


class Arrival(Protocol):
    """What `Turns` needs of a connection."""

    def take_turn(self) -> None:
        """Work on what has arrived, if anything is left to do."""
        ...


class Turns:
    """The connections that wait for their turn, oldest first."""

    def __init__(self) -> None:
        self._waiting: deque[Arrival] = deque()
        self._spent_ns = 0
        self._is_over = False

    def queues(self, connection: Arrival) -> bool:
        """Whether this turn is over. Then the connection is called in a later one."""
        if self._is_over:
            self._waiting.append(connection)
        return self._is_over

    def spend(self, spent_ns: int) -> None:
        """Note how long a call took that was begun in this turn."""
        self._spent_ns += spent_ns
        if self._spent_ns > _LONGEST_NS:
            self._be_over()

    def end(self) -> None:
        """The event loop ends its turn. One that is over before that ends by itself."""
        if not self._is_over:
            self._spent_ns = 0

    def _be_over(self) -> None:
        if not self._is_over:
            self._is_over = True
            asyncio.get_running_loop().call_soon(self._begin_next)

    def _begin_next(self) -> None:
        self._spent_ns, self._is_over = 0, False
        try:
            while self._waiting and not self._is_over:
                self._waiting.popleft().take_turn()
        finally:
            if self._waiting:
                self._be_over()
