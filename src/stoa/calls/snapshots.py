"""Cached answers of expensive reads, remade every few seconds by one task for each operation."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Generic, TypeVar

import msgspec

from stoa.calls.encode import encoded
from stoa.domain import limits
from stoa.logs import log
from stoa.memory.single_flight import SingleFlight
from stoa.schemas.base import Answer, Warning
from stoa.schemas.options import FULL, LEAN, Options
from stoa.store.tx import StoreUnavailable

A = TypeVar("A")


@dataclass(frozen=True, slots=True)
class Snapshot(Generic[A]):
    """An answer, the time (ms) it was made, and for each view that was requested the JSON with its
    ETag."""

    answer: A
    made_at: int
    _views: dict[str, tuple[bytes, str]] = field(default_factory=dict[str, tuple[bytes, str]])

    def expires_at(self, now: int) -> int:
        """When pages that show it are made again: as soon as there may be a newer one, and at the
        end of its time."""
        half = self.made_at + limits.SNAPSHOT_MAX_MS // 2
        return half if now < half else self.made_at + limits.SNAPSHOT_MAX_MS

    def encoded(
        self: "Snapshot[Answer]", warnings: list[Warning], options: Options
    ) -> tuple[bytes, str]:
        """The JSON and its ETag, with the warnings of one request."""
        if warnings:
            return encoded(msgspec.structs.replace(self.answer, warnings=warnings), options)
        if options.view not in self._views:  # there are no texts and no rows that could be cut
            self._views[options.view] = encoded(self.answer, LEAN if options.lean else FULL)
        return self._views[options.view]


class Snapshots:
    """One snapshot for each operation, of which there are few, so none is evicted. A call waits
    only if its snapshot is too old."""

    def __init__(self) -> None:
        self._cached: dict[str, Snapshot[Any]] = {}
        self._flight = SingleFlight()
        self._forgotten = 0

    def forget(self) -> None:
        """Drop all snapshots. One that is being made goes only to those who wait for it already:
        its data may be from before this call."""
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
        new = self._flight.start(wanted, partial(self._make, wanted, now, make))
        if age <= limits.SNAPSHOT_MAX_MS and cached:
            return cached
        return await asyncio.shield(new)

    async def _make(
        self, wanted: tuple[str, int], now: int, make: Callable[[], Awaitable[A]]
    ) -> Snapshot[A]:
        """Make a snapshot. A failure is logged, even if no call waits, and the next call retries;
        an outage of the store is logged by `Outages` instead."""
        name, forgotten = wanted
        try:
            answer = await make()
        except StoreUnavailable:
            raise
        except Exception as error:
            log.warning("snapshot failed", reason=type(error).__name__)
            raise
        snapshot = Snapshot(answer, now)
        if forgotten == self._forgotten:
            self._cached[name] = snapshot
        return snapshot
