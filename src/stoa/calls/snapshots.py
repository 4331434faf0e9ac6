"""Cached answers of expensive reads, remade every few seconds by one task for each operation."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import msgspec

from stoa.calls.encode import encoded
from stoa.domain import limits
from stoa.logs import log
from stoa.schemas.base import Answer, Warning
from stoa.schemas.options import FULL, LEAN, Options
from stoa.store.tx import StoreUnavailable

A = TypeVar("A", bound=Answer)


@dataclass(frozen=True, slots=True)
class Snapshot(Generic[A]):
    """An answer, the JSON of its two forms with their ETags, and the time (ms) it was made."""

    answer: A
    full: tuple[bytes, str]
    lean: tuple[bytes, str]
    made_at: int

    def expires_at(self, now: int) -> int:
        """When what shows it is made anew: as soon as there may be a newer one, and at the end of
        its time."""
        half = self.made_at + limits.SNAPSHOT_MAX_MS // 2
        return half if now < half else self.made_at + limits.SNAPSHOT_MAX_MS

    def encoded(self, warnings: list[Warning], options: Options) -> tuple[bytes, str]:
        """The JSON and its ETag, with the warnings of one request."""
        if not warnings:  # there are no texts and no rows that could be cut
            return self.lean if options.lean else self.full
        return encoded(msgspec.structs.replace(self.answer, warnings=warnings), options)


class Snapshots:
    """One snapshot for each operation. A call waits only if its snapshot is too old."""

    def __init__(self) -> None:
        self._cached: dict[str, Snapshot[Any]] = {}
        self._making: dict[tuple[str, int], asyncio.Task[Snapshot[Any]]] = {}
        self._forgotten = 0

    def forget(self) -> None:
        """Make each snapshot anew when it is asked for next. One that is being made is for those
        alone who wait for it already: it may have been read before."""
        self._cached.clear()
        self._forgotten += 1

    async def get(self, name: str, now: int, make: Callable[[], Awaitable[A]]) -> Snapshot[A]:
        """The snapshot of this name, at most `SNAPSHOT_MAX_MS` old.

        A snapshot older than half of that is remade in the background while calls still get it.
        """
        cached = self._cached.get(name)
        age = now - cached.made_at if cached else limits.SNAPSHOT_MAX_MS + 1
        if age <= limits.SNAPSHOT_MAX_MS // 2 and cached:
            return cached
        wanted = name, self._forgotten
        task = self._making.get(wanted)
        if task is None:
            task = self._making[wanted] = asyncio.create_task(self._make(wanted, now, make))
            task.add_done_callback(_note_failure)
        if cached and age <= limits.SNAPSHOT_MAX_MS:
            return cached
        return await asyncio.shield(task)

    async def _make(
        self, wanted: tuple[str, int], now: int, make: Callable[[], Awaitable[A]]
    ) -> Snapshot[A]:
        name, forgotten = wanted
        try:
            answer = await make()
            snapshot = Snapshot(answer, encoded(answer, FULL), encoded(answer, LEAN), now)
            if forgotten == self._forgotten:
                self._cached[name] = snapshot
            return snapshot
        finally:
            del self._making[wanted]


def _note_failure(task: asyncio.Task[Snapshot[Any]]) -> None:
    """Log a failure, even if no call waits for the task; the next call retries. Waiting calls get
    the exception. An outage of the store is logged by `Outages` instead."""
    if task.cancelled():
        return
    error = task.exception()
    if error and not isinstance(error, StoreUnavailable):
        log.warning("snapshot failed", reason=type(error).__name__)
