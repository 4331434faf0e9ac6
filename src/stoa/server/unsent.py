"""Collects the answers of one turn of the event loop and sends them together, if there are many.

Each send is a system call, after which the processor's caches hold little of the program: finding a
cached answer takes 16 µs right after such a call, else 10 µs. So when many requests arrive
together, all answers are made before the first is sent. When few arrive, each answer is sent at
once, so that its client can go on while the next one is made.
"""

import asyncio
from collections.abc import Callable
from typing import Protocol

from stoa.clock import elapsed_ns

_UNCOUNTED = 16
"""While few requests arrive together, the answers of a turn are counted only after so many others,
since counting them takes a call at the end of the turn."""
_MOST = 32
_LONGEST_NS = 1_000_000
"""At most so many answers are sent together, and none waits much longer than this."""


class Answering(Protocol):
    """What `Unsent` needs of a connection."""

    def send_unsent(self) -> None:
        """Send what is not sent yet, if anything is."""
        ...


class Unsent:
    """The connections that have something to send. After a turn with `many` answers the answers of
    the next turn are sent together. `now_ns` is the clock of how long one waits."""

    def __init__(self, now_ns: Callable[[], int] = elapsed_ns, many: int = 8) -> None:
        self._now_ns, self._many = now_ns, many
        self._connections: list[Answering] = []
        self._answers = 0
        self._together = False
        self._since = 0

    def add(self, connection: Answering) -> None:
        """Let this connection send now or at the end of this turn: before any task that is made
        from now on."""
        self._answers += 1
        if self._answers == 1:
            asyncio.get_running_loop().call_soon(self._end_turn)
        if not self._together:
            connection.send_unsent()
            return
        now = self._now_ns()
        if not self._connections:
            self._since = now
        self._connections.append(connection)
        if len(self._connections) == _MOST or now - self._since > _LONGEST_NS:
            self._send()

    def _end_turn(self) -> None:
        self._together = self._answers >= self._many
        self._answers = 0 if self._together else -_UNCOUNTED  # at 1 `add` schedules this again
        self._send()

    def _send(self) -> None:
        connections, self._connections = self._connections, []
        for connection in connections:
            connection.send_unsent()
