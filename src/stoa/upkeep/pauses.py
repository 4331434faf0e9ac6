"""Pauses in background work, so that it takes a bounded share of one core."""

import asyncio
from threading import Event

from stoa.clock import elapsed_ns
from stoa.domain import limits


class _GivenUp(Exception):
    """Nobody waits for the work of a thread any more."""


class Pauses:
    """Tells how long to pause after a piece of work, so that all pieces take their share."""

    def __init__(self) -> None:
        self._began, self._given_up = elapsed_ns(), Event()

    def give_up(self) -> None:
        """Let the work in a thread end soon."""
        self._given_up.set()

    def _due(self) -> float:
        worked = (elapsed_ns() - self._began) / 1e9
        return worked * (100 - limits.STANDING_CORE_PERCENT) / limits.STANDING_CORE_PERCENT

    async def wait(self) -> None:
        """Pause while others run."""
        await asyncio.sleep(self._due())
        self._began = elapsed_ns()

    def block(self) -> None:
        """Pause in a thread. Raises `_GivenUp`."""
        if self._given_up.wait(self._due()):
            raise _GivenUp
        self._began = elapsed_ns()
