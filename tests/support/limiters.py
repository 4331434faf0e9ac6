"""Both limiters for one set of tests: steps are made one by one, or many at once."""

import asyncio
from collections.abc import Callable, Coroutine, Generator
from contextlib import contextmanager
from itertools import count
from typing import Any, TypeVar

from stoa.limits.limiter import Limiter, MemoryLimiter
from stoa.limits.valkey import ValkeyLimiter
from stoa.operations.parts.buckets import Charge, RateBucket

T = TypeVar("T")

_numbers = count()  # for the logs of all limiters: a Valkey outlives those who made them

Run = Callable[[Coroutine[Any, Any, Any]], Any]


def at_once(step: Coroutine[Any, Any, T]) -> T:
    """Run a step that must not wait for anything."""
    try:
        step.send(None)
    except StopIteration as end:
        return end.value
    raise AssertionError("the memory limiter waited")


class Steps:
    """A limiter whose steps are plain calls."""

    def __init__(self, limiter: Limiter, step: Run, storm: Run) -> None:
        self._limiter = limiter
        self._step = step
        self._storm = storm

    def take(self, now: int, bucket: RateBucket, guard: RateBucket | None = None) -> Charge:
        """See `Limiter.take`."""
        return self._step(self._limiter.take(now, bucket, guard))

    def look(self, now: int, bucket: RateBucket) -> Charge:
        """See `Limiter.look`."""
        return self._step(self._limiter.look(now, bucket))

    def give_back(self, charge: Charge) -> None:
        """See `Limiter.give_back`."""
        self._step(self._limiter.give_back(charge))

    def swap(self, now: int, charge: Charge, bucket: RateBucket) -> Charge:
        """See `Limiter.swap`."""
        return self._step(self._limiter.swap(now, charge, bucket))

    def together(self, work: Callable[[Limiter], Coroutine[Any, Any, T]], times: int) -> list[T]:
        """What so many tasks give that run at the same time."""

        async def gather() -> list[T]:
            return await asyncio.gather(*(work(self._limiter) for _ in range(times)))

        return self._storm(gather())


Limiters = Callable[[], Steps]
"""Makes a new limiter that has counted nothing."""


def in_memory() -> Steps:
    """The limiter of one process, which never waits."""
    return Steps(MemoryLimiter(), at_once, asyncio.run)


@contextmanager
def in_valkey(url: str) -> Generator[Limiters]:
    """Limiters in this Valkey, each with logs of its own; only the last one made may be used."""
    made: list[ValkeyLimiter] = []

    def new() -> Steps:
        while made:
            runner.run(made.pop().close())
        made.append(ValkeyLimiter(url, own_clock=True, prefix=f"test{next(_numbers)}"))
        return Steps(made[-1], runner.run, runner.run)

    with asyncio.Runner() as runner:
        yield new
        while made:
            runner.run(made.pop().close())
