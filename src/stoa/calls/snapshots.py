"""Answers that cost much and change slowly: remade every few seconds, by one call at a time."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import msgspec
import structlog

from stoa.calls.encode import etag
from stoa.domain import limits
from stoa.schemas.base import Answer, Warning, encode
from stoa.store.tx import StoreUnavailable

log = structlog.get_logger("stoa.snapshots")

A = TypeVar("A", bound=Answer)


@dataclass(frozen=True, slots=True)
class Snapshot(Generic[A]):
    """An answer, its JSON with its ETag, and when it was made, ms."""

    answer: A
    body: bytes
    etag: str
    made_at: int

    def encoded(self, warnings: list[Warning]) -> tuple[bytes, str]:
        """The JSON and its ETag, with what one request had that was ignored."""
        if not warnings:
            return self.body, self.etag
        answer = msgspec.structs.replace(self.answer, warnings=warnings)
        body = encode(answer)
        return body, etag(answer, body)


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
            body = encode(answer)
            snapshot = self._kept[name] = Snapshot(answer, body, etag(answer, body), now)
            return snapshot
        finally:
            del self._making[name]


def _note_failure(task: asyncio.Task[Snapshot[Any]]) -> None:
    """Log a failure that no caller waits for; the next call tries again. Callers that wait get the
    exception, and report an outage of the store."""
    if task.cancelled():
        return
    error = task.exception()
    if error and not isinstance(error, StoreUnavailable):
        log.warning("snapshot failed", reason=type(error).__name__)
