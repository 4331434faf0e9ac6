"""Follows the log of events while the database is harmed, and judges what a reader was told.

At the end of a round the log is read a second time, from the same beginning. Both readings must be
the same events in the same order, and every write that was acknowledged must be among them.
"""

import asyncio
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import NamedTuple

from stoa.client import AsyncStoa
from stoa.client.generated.models import Event
from tests.support.stories import Story

_WAIT_S = 5
_CAUGHT_UP_S = 120.0  # after a fail-over the client may pause for a minute


class Told(NamedTuple):
    """An event as a reader was told of it: its id, its kind and its job."""

    id: str
    kind: str
    job_id: str

    @classmethod
    def of(cls, event: Event) -> "Told":
        """What is compared of an event."""
        return cls(event.id, event.kind, event.job_id or "")


class LogReader:
    """Reads the log from one cursor on, as any client does, while rounds come and go."""

    def __init__(self, url: str) -> None:
        self._stoa = AsyncStoa(url)
        self._begin = ""
        self._more = asyncio.Event()
        self._following: asyncio.Task[None] | None = None
        self.told: list[Told] = []

    async def start(self) -> None:
        """Follow the log from its present end on."""
        self._begin = (await self._stoa.list_events(cursor="now")).next_cursor
        self._following = asyncio.create_task(self._follow())

    async def stop(self) -> None:
        """Follow it no longer."""
        if self._following:
            self._following.cancel()
            await asyncio.gather(self._following, return_exceptions=True)
        await self._stoa.aclose()

    async def _follow(self) -> None:
        async for event in self._stoa.events(cursor=self._begin, wait=_WAIT_S):
            self.told.append(Told.of(event))
            self._more.set()

    async def found(self, stories: Iterable[Story]) -> list[str]:
        """What was skipped, told twice or told in another order, while nobody writes."""
        again = self._stoa.events(cursor=self._begin, wait=0)
        whole = [Told.of(event) async for event in again]
        with suppress(TimeoutError):  # what is missing is found below
            async with asyncio.timeout(_CAUGHT_UP_S):
                while len(self.told) < len(whole):
                    self._more.clear()
                    await self._more.wait()
        return problems(self.told, whole, stories)


def problems(told: Sequence[Told], whole: Sequence[Told], stories: Iterable[Story]) -> list[str]:
    """Where a reading of the log differs from another one, and both from what was acknowledged."""
    times = Counter(event.id for event in told)
    there = {event.id for event in whole}
    found = [f"event {one} was told {count} times" for one, count in times.items() if count > 1]
    found += [f"event {event.id} was skipped" for event in whole if event.id not in times]
    found += [f"event {one} is in the log no more" for one in times if one not in there]
    if not found and list(told) != list(whole):
        found.append("events were told in another order")
    kept = Counter((event.job_id, event.kind) for event in whole)
    acknowledged = Counter(
        (story.id, f"job.{event}") for story in stories for event, _ in story.told
    )
    found += [f"no event {kind} of {job_id}" for job_id, kind in acknowledged - kept]
    return found
