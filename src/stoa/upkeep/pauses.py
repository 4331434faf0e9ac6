"""Pauses in background work, so that it takes a bounded share of one core."""

import asyncio
from threading import Event

from stoa.clock import elapsed_ns


class _GivenUp(Exception):
    """The work of a thread is no longer wanted."""


class Pauses:
    """The pause after a piece of work, so that all pieces together take so many percent of a
    core."""

    def __init__(self, percent: int) -> None:
        self._others = (100 - percent) / percent
        self._began, self._given_up = elapsed_ns(), Event()

    def give_up(self) -> None:
        """Let the work in a thread end soon."""
        self._given_up.set()

    def _due(self) -> float:
        return self._others * (elapsed_ns() - self._began) / 1e9

    async def wait(self) -> None:
        """Pause while others run."""
        await asyncio.sleep(self._due())
        self._began = elapsed_ns()

    def block(self) -> None:
        """Pause in a thread. Raises `_GivenUp`."""
        if self._given_up.wait(self._due()):
            raise _GivenUp
        self._began = elapsed_ns()
