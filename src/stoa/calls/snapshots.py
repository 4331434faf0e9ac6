"""Answers that cost much and change slowly: remade every few seconds, by one call at a time."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import structlog

from stoa.domain import limits
from stoa.schemas.base import Answer, encode
from stoa.store.tx import StoreUnavailable

log = structlog.get_logger("stoa.snapshots")

A = TypeVar("A", bound=Answer)


@dataclass(frozen=True, slots=True)
class Snapshot(Generic[A]):
    """An answer, its JSON and when it was made, ms."""

    answer: A
    body: bytes
    made_at: int


class Snapshots:
    """One snapshot per operation. A call waits only when there is none that is young enough."""

    def __init__(self) -> None:
        self._kept: dict[str, Snapshot[Any]] = {}
        self._making: dict[str, asyncio.Task[Snapshot[Any]]] = {}

    async def get(self, name: str, now: int, make: Callable[[], Awaitable[A]]) -> Snapshot[A]:
        """The snapshot of this name, at most `SNAPSHOT_MAX_MS` old.

        One that is past half of its life is remade beside the calls that it still serves.
        """
        kept = self._kept.get(name)
        age = now - kept.made_at if kept else limits.SNAPSHOT_MAX_MS + 1
        if age <= limits.SNAPSHOT_MAX_MS // 2 and kept:
            return kept
        task = self._making.get(name)
        if task is None:
            task = self._making[name] = asyncio.create_task(self._make(name, now, make))
            task.add_done_callback(_note_failure)
        if kept and age <= limits.SNAPSHOT_MAX_MS:
            return kept
        return await asyncio.shield(task)

    async def _make(self, name: str, now: int, make: Callable[[], Awaitable[A]]) -> Snapshot[A]:
        try:
            answer = await make()
            snapshot = self._kept[name] = Snapshot(answer, encode(answer), now)
            return snapshot
        finally:
            del self._making[name]


def _note_failure(task: asyncio.Task[Snapshot[Any]]) -> None:
    """Whoever waits is told; nobody may, and then the next call tries again. An outage of the store
    is told of by those who wait."""
    if task.cancelled():
        return
    error = task.exception()
    if error and not isinstance(error, StoreUnavailable):
        log.warning("snapshot failed", reason=type(error).__name__)
