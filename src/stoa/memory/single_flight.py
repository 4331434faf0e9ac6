"""Lets one call compute a value that several need at the same time; the others wait for it."""

import asyncio
from collections.abc import Callable, Coroutine, Generator, Hashable
from contextlib import contextmanager
from functools import partial
from typing import Any, TypeVar

T = TypeVar("T")


class SingleFlight:
    """The values that are being computed, by key."""

    def __init__(self) -> None:
        self._running: dict[Hashable, asyncio.Future[Any]] = {}

    async def wait(self, key: Hashable) -> bool:
        """Wait until the value of a key is computed or has failed. False if none is under way."""
        running = self._running.get(key)
        if running is None:
            return False
        await asyncio.wait([running])
        return True

    @contextmanager
    def making(self, key: Hashable) -> Generator[None]:
        """Let others wait for the end of this block, unless they wait for another one already."""
        if key in self._running:
            yield
            return
        end = self._running[key] = asyncio.get_running_loop().create_future()
        try:
            yield
        finally:
            del self._running[key]
            end.set_result(None)

    def start(
        self, key: Hashable, make: Callable[[], Coroutine[Any, Any, T]]
    ) -> "asyncio.Future[T]":
        """The task that computes the value of a key, started unless it runs. Its exception goes to
        the waiters; if there may be none, `make` has to log it."""
        if key not in self._running:
            task = self._running[key] = asyncio.create_task(make())
            task.add_done_callback(partial(self._ended, key))
        return self._running[key]

    async def shared(self, key: Hashable, make: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """The value of that task; a caller that stops waiting does not cancel it."""
        return await asyncio.shield(self.start(key, make))

    def _ended(self, key: Hashable, task: "asyncio.Task[Any]") -> None:
        del self._running[key]
        if not task.cancelled():
            task.exception()  # else asyncio would log one that nobody waited for
