"""The one writer of the embedded engine, in a thread: for programs that do little else meanwhile.

Answers are released after the commit of the whole group. Until it is stopped it answers whatever
happens: no caller is left waiting.
"""

import asyncio
import queue
import threading
from contextlib import suppress
from typing import Any, TypeVar

from stoa.store.changes import Changes
from stoa.store.engines.sqlite_groups import GROUP_MAX, LOOK_S, Groups, Outcome, release
from stoa.store.tx import StoreUnavailable, Work

T = TypeVar("T")


class _Job:
    __slots__ = ("future", "loop", "work")

    def __init__(self, work: Work[Any]) -> None:
        self.loop = asyncio.get_running_loop()
        self.future: asyncio.Future[Any] = self.loop.create_future()
        self.work = work


def _release_all(released: list[tuple[_Job, Outcome]]) -> None:
    for job, outcome in released:
        release(job.future, outcome)


def _hand_back(jobs: list[_Job], outcomes: list[Outcome]) -> None:
    by_loop: dict[asyncio.AbstractEventLoop, list[tuple[_Job, Outcome]]] = {}
    for job, outcome in zip(jobs, outcomes, strict=True):
        by_loop.setdefault(job.loop, []).append((job, outcome))
    for loop, released in by_loop.items():
        with suppress(RuntimeError):  # a closed loop has nobody who waits
            loop.call_soon_threadsafe(_release_all, released)


class Writer:
    """Commits what callers of any event loop submit."""

    def __init__(self, groups: Groups, changes: Changes) -> None:
        self._groups = groups
        self._changes = changes
        self._queue: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._gate = threading.Lock()
        self._stopped = False
        self._thread = threading.Thread(target=self._serve, name="stoa-writer", daemon=True)
        self._thread.start()

    @property
    def trouble(self) -> str | None:
        """Why no more work is taken, or None."""
        return self._groups.trouble

    async def submit(self, work: Work[T]) -> T:
        """Run `work` in the next group; returns after its commit is on disk."""
        job = _Job(work)
        with self._gate:  # nothing may be queued behind the end of the queue
            if self.trouble or self._stopped:
                raise StoreUnavailable(self.trouble or "the database is closed")
            self._queue.put(job)
        return await job.future

    async def stop(self) -> None:
        """Finish what is queued and take no more."""
        with self._gate:
            if not self._stopped:
                self._stopped = True
                self._queue.put(None)
        await asyncio.to_thread(self._thread.join)

    async def close(self) -> None:
        """Close the connection, once it is stopped."""
        self._groups.close()

    def _serve(self) -> None:
        running = True
        while running:
            try:
                jobs, running = self._gather()
            except queue.Empty:
                self._groups.look()
                self._mark()
                continue
            outcomes = self._groups.commit([job.work for job in jobs])
            self._mark()
            _hand_back(jobs, outcomes)

    def _mark(self) -> None:
        touched = self._groups.take_touched()
        if touched:
            self._changes.mark(touched)

    def _gather(self) -> tuple[list[_Job], bool]:
        job = self._queue.get(timeout=LOOK_S)
        jobs: list[_Job] = []
        while job is not None:
            jobs.append(job)
            if len(jobs) == GROUP_MAX or self._queue.empty():
                return jobs, True
            job = self._queue.get_nowait()
        return jobs, False
