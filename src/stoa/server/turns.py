"""Whose turn it is where calls take long: requests are worked on in the order in which they arrive.

The system names connections that were ready the last time before those that became ready since. A
request that arrives while a long turn of the event loop runs would come behind all others of the
next turn too, and wait twice as long as these. So no more than some work is begun in one turn, and
whatever arrives behind that waits in a queue.
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
        """Whether this turn is over. Then the connection is called in a later one."""
        is_over = self._spent >= self._most
        if is_over:
            self._waiting.append(connection)
        return is_over

    def spend(self, spent: int) -> None:
        """Note what something costs that was begun in this turn."""
        if not self._spent:
            asyncio.get_running_loop().call_soon(self._begin_next)
        self._spent += spent

    def _begin_next(self) -> None:
        self._spent = 0
        try:
            while self._waiting and self._spent < self._most:
                self._waiting.popleft().take_turn()
        finally:
            if self._waiting and not self._spent:
                self.spend(self._most)
