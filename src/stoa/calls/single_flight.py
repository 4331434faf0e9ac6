"""Lets a burst of the same read make its answer once: the others wait until it is cached."""

import asyncio
from collections.abc import Generator
from contextlib import contextmanager


class SingleFlight:
    """The answers that are being made, by their keys in the cache."""

    def __init__(self) -> None:
        self._ends: dict[str, asyncio.Event] = {}

    async def wait(self, key: str) -> bool:
        """Wait until the answer that is being made is cached or has failed. False if none is."""
        end = self._ends.get(key)
        if end is None:
            return False
        await end.wait()
        return True

    @contextmanager
    def making(self, key: str) -> Generator[None]:
        """Let others wait for this answer, unless they wait for the same one already."""
        if key in self._ends:
            yield
            return
        end = self._ends[key] = asyncio.Event()
        try:
            yield
        finally:
            del self._ends[key]
            end.set()
