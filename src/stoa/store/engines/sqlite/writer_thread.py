"""The single writer of the SQLite engine, in a thread: for programs without concurrent load.

Callers get their outcomes after the commit of the whole group. Every caller gets one, also when the
writer fails. If the storage fails, the writer closes its connection, and writes again once a new
connection has committed a test write.
"""

import asyncio
import queue
import threading
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from typing import Any, NamedTuple

import apsw

from stoa.clock import elapsed_ms
from stoa.logs import log
from stoa.store.changes import EVERYTHING, Changes
from stoa.store.engines.sqlite.file import FileReplaced
from stoa.store.engines.sqlite.groups import GROUP_MAX, Groups, release, trouble_of
from stoa.store.engines.sqlite.pace import WRITER_PACE, WriterPace
from stoa.store.tx import StoreUnavailable, T, Work, WritingStopped


class _Job(NamedTuple):
    work: Work[Any]
    future: Future[Any]


class Writer:
    """Commits work submitted from any event loop. `connect` returns `Groups` with a new connection
    to the database at `path`. `trouble` says why no work is accepted now, or is None."""

    lost = False

    def __init__(
        self,
        path: Path,
        connect: Callable[[], Groups],
        changes: Changes,
        pace: WriterPace = WRITER_PACE,
    ) -> None:
        self._pace = pace
        self.trouble: str | None = None
        self._path = path
        self._connect = connect
        self._groups = connect()
        self._changes = changes
        self._failed_at = 0
        self._probe_at = 0
        self._queue: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._stopped = False
        self._thread = threading.Thread(target=self._serve, name="stoa-writer", daemon=True)
        self._thread.start()

    @property
    def waiting(self) -> int:
        """How many pieces of work wait for a group."""
        return self._queue.qsize()

    async def submit(self, work: Work[T]) -> T:
        """Run `work` in the next group; returns after its commit is on disk."""
        job = _Job(work, Future())
        with self._lock:  # no job may be queued after the end marker
            if self._stopped:
                raise StoreUnavailable("the database is closed")
            if self.trouble:
                raise WritingStopped(self.trouble)
            self._queue.put(job)
        return await asyncio.wrap_future(job.future)

    async def stop(self) -> None:
        """Finish the queued work and accept no more."""
        with self._lock:
            if not self._stopped:
                self._stopped = True
                self._queue.put(None)
        await asyncio.to_thread(self._thread.join)

    async def close(self) -> None:
        """Close the connection. Call `stop` first."""
        self._groups.close()

    def _serve(self) -> None:
        running = True
        while running:
            try:
                jobs, running = self._gather()
            except queue.Empty:
                self._check_idle()
                continue
            for job in jobs:
                job.future.set_running_or_notify_cancel()  # its caller can cancel it no more
            outcomes = self._groups.commit([job.work for job in jobs])
            self._tell()
            for job, outcome in zip(jobs, outcomes, strict=True):
                release(job.future, outcome)
            self._groups.shorten_log()

    def _check_idle(self) -> None:
        if not self.trouble:
            self._groups.check_other_writers()
        elif elapsed_ms() >= self._probe_at:
            self._probe_at = elapsed_ms() + self._pace.probe_ms
            self._reconnect()
        self._tell()

    def _stop_writing(self, reason: str) -> None:
        self.trouble, self._failed_at = reason, elapsed_ms()
        self._changes.mark([EVERYTHING])
        log.error("writing stopped", reason=reason)

    def _reconnect(self) -> None:
        self._groups.close()
        try:
            self._groups = self._connect()
            self._groups.prove(self._path)
            self.trouble = self._groups.trouble
        except (apsw.Error, FileReplaced) as error:
            self.trouble = trouble_of(error)
        if not self.trouble:
            self._changes.mark([EVERYTHING])
            log.warning("writing resumed", after_ms=elapsed_ms() - self._failed_at)

    def _tell(self) -> None:
        """Tell which answers are stale, and once that writing stopped."""
        touched = self._groups.take_touched()
        if touched:
            self._changes.mark(touched)
        if self._groups.trouble and not self.trouble:
            self._stop_writing(self._groups.trouble)

    def _gather(self) -> tuple[list[_Job], bool]:
        job = self._queue.get(timeout=self._pace.check_s)
        jobs: list[_Job] = []
        while job is not None:
            jobs.append(job)
            if len(jobs) == GROUP_MAX or self._queue.empty():
                return jobs, True
            job = self._queue.get_nowait()
        return jobs, False
