"""Event loops that outlive a test, and whose time a test moves."""

import asyncio
import selectors
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


def run_on(runner: asyncio.Runner, work: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine to its end. `Runner.run` would prepare for Ctrl-C each time, which takes
    longer than most calls."""
    return runner.get_loop().run_until_complete(work)


class LoopTime:
    """The time of an event loop, `ahead_s` of the real one."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._real, self.ahead_s = loop.time, 0.0
        setattr(loop, "time", self)  # noqa: B010

    def __call__(self) -> float:
        return self._real() + self.ahead_s


class _NoWait(selectors.SelectSelector):
    """Counts the seconds that it is asked to wait for."""

    asked_s = 0.0

    def select(self, timeout: float | None = None) -> Any:
        self.asked_s += timeout or 0
        return super().select(0)


class HastyLoop(asyncio.SelectorEventLoop):
    """An event loop whose time is the sum of its pauses, which take none."""

    def __init__(self) -> None:
        self._no_wait = _NoWait()
        super().__init__(self._no_wait)

    def time(self) -> float:
        """See `asyncio.AbstractEventLoop.time`."""
        return self._no_wait.asked_s


async def cancel_others() -> None:
    """End all other tasks of the running loop."""
    others = asyncio.all_tasks() - {asyncio.current_task()}
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)
