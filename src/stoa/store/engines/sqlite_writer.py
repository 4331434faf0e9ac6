"""The one writer of the embedded engine: a thread that commits many transactions with one sync.

Each piece of work runs in a savepoint of its own, so that a refused one does not hurt its
neighbours. Answers are released after the commit of the whole group. When the storage fails, the
outcome of the group is not known: its callers are told so and the writer takes no more work.
"""

import asyncio
import queue
import threading
from collections.abc import Callable
from typing import Any, TypeVar

import apsw

from stoa.store.engines.changes import Changes
from stoa.store.engines.sqlite_tx import SqliteTx, drive
from stoa.store.tx import StoreUnavailable, Work

T = TypeVar("T")

GROUP_MAX = 64

_BENIGN = (apsw.ConstraintError, apsw.SQLError, apsw.BindingsError, apsw.TooBigError)
"""Faults of one statement; every other engine error is a fault of the storage."""


class _Job:
    __slots__ = ("future", "loop", "outcome", "work")

    def __init__(self, work: Work[Any]) -> None:
        self.loop = asyncio.get_running_loop()
        self.future: asyncio.Future[Any] = self.loop.create_future()
        self.work = work
        self.outcome: Any = None

    def release(self) -> None:
        if self.future.done():
            return
        if isinstance(self.outcome, BaseException):
            self.future.set_exception(self.outcome)
        else:
            self.future.set_result(self.outcome)


def _release(jobs: list[_Job]) -> None:
    for job in jobs:
        job.release()


class Writer:
    """Owns the writing connection. `begin` makes a transaction object with its clock value."""

    def __init__(
        self,
        connection: apsw.Connection,
        begin: Callable[[apsw.Connection], SqliteTx],
        changes: Changes,
    ) -> None:
        self._connection = connection
        self._begin = begin
        self._changes = changes
        self._queue: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self.trouble: str | None = None
        self._thread = threading.Thread(target=self._serve, name="stoa-writer", daemon=True)
        self._thread.start()

    async def submit(self, work: Work[T]) -> T:
        """Run `work` in the next group; returns after its commit is on disk."""
        if self.trouble:
            raise StoreUnavailable(self.trouble)
        job = _Job(work)
        self._queue.put(job)
        return await job.future

    def stop(self) -> None:
        """Finish what is queued, then close the connection."""
        self._queue.put(None)
        self._thread.join()

    def _serve(self) -> None:
        running = True
        while running:
            jobs, running = self._gather()
            if jobs:
                self._commit(jobs)
                jobs[0].loop.call_soon_threadsafe(_release, jobs)
        self._connection.close()

    def _gather(self) -> tuple[list[_Job], bool]:
        job = self._queue.get()
        jobs: list[_Job] = []
        while job is not None:
            jobs.append(job)
            if len(jobs) == GROUP_MAX or self._queue.empty():
                return jobs, True
            job = self._queue.get_nowait()
        return jobs, False

    def _commit(self, jobs: list[_Job]) -> None:
        if self.trouble:
            return self._fail(jobs, self.trouble)
        try:
            self._connection.execute("BEGIN IMMEDIATE")
        except apsw.BusyError:
            return self._fail(jobs, "another program holds the database")
        except apsw.Error as error:
            return self._break(jobs, error)
        try:
            touched = [key for job in jobs for key in self._run(job)]
            self._connection.execute("COMMIT")
        except apsw.Error as error:
            return self._break(jobs, error)
        self._changes.mark(touched)

    def _run(self, job: _Job) -> list[str]:
        """Run one piece of work in its savepoint; returns the ids it changed."""
        execute = self._connection.execute
        execute("SAVEPOINT job")
        tx = self._begin(self._connection)
        try:
            job.outcome = drive(job.work(tx))
        except Exception as error:
            if isinstance(error, apsw.Error) and not isinstance(error, _BENIGN):
                raise
            job.outcome = error
            tx.touched.clear()
            execute("ROLLBACK TO job")
        execute("RELEASE job")
        return tx.touched

    def _break(self, jobs: list[_Job], error: apsw.Error) -> None:
        """The storage failed: whether this group is on disk is not known, and no more is tried."""
        self.trouble = f"the storage failed: {error}"
        self._fail(jobs, self.trouble)
        if self._connection.in_transaction:
            try:
                self._connection.execute("ROLLBACK")
            except apsw.Error:
                return

    def _fail(self, jobs: list[_Job], reason: str) -> None:
        for job in jobs:
            job.outcome = StoreUnavailable(reason)
