"""The one writer of the embedded engine: a thread that commits many transactions with one sync.

Each piece of work runs in a savepoint of its own, so that a refused one does not hurt its
neighbours. Answers are released after the commit of the whole group. When the storage fails, the
outcome of the group is not known: its callers are told so and the writer takes no more work. It
answers all the same until it is stopped: whatever happens, no caller is left waiting.
"""

import asyncio
import queue
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any, TypeVar

import apsw
import structlog

from stoa.store.engines.changes import Changes
from stoa.store.engines.sqlite_tx import SqliteTx, carry_out, drive
from stoa.store.tx import EVERYTHING, StoreUnavailable, Work

log = structlog.get_logger("stoa.store")

T = TypeVar("T")

GROUP_MAX = 64
LOOK_S = 1.0
"""After this long without a write it looks whether another program changed the file."""

_BENIGN = (
    apsw.ConstraintError,
    apsw.SQLError,
    apsw.BindingsError,
    apsw.TooBigError,
    apsw.MismatchError,
)
"""Faults of one statement; every other engine error is a fault of the storage."""


class _Job:
    __slots__ = ("error", "future", "loop", "result", "work")

    def __init__(self, work: Work[Any]) -> None:
        self.loop = asyncio.get_running_loop()
        self.future: asyncio.Future[Any] = self.loop.create_future()
        self.work = work
        self.result: Any = None
        self.error: Exception | None = None

    def release(self) -> None:
        if self.future.done():  # the caller has gone
            return
        if self.error:
            self.future.set_exception(self.error)
        else:
            self.future.set_result(self.result)


def _release(jobs: list[_Job]) -> None:
    for job in jobs:
        job.release()


def _hand_back(jobs: list[_Job]) -> None:
    by_loop: dict[asyncio.AbstractEventLoop, list[_Job]] = {}
    for job in jobs:
        by_loop.setdefault(job.loop, []).append(job)
    for loop, its_jobs in by_loop.items():
        with suppress(RuntimeError):  # a closed loop has nobody who waits
            loop.call_soon_threadsafe(_release, its_jobs)


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
        self._gate = threading.Lock()
        self._stopped = False
        self.trouble: str | None = None
        self._version = self._data_version()
        self._thread = threading.Thread(target=self._serve, name="stoa-writer", daemon=True)
        self._thread.start()

    async def submit(self, work: Work[T]) -> T:
        """Run `work` in the next group; returns after its commit is on disk."""
        job = _Job(work)
        with self._gate:  # nothing may be queued behind the end of the queue
            if self.trouble or self._stopped:
                raise StoreUnavailable(self.trouble or "the database is closed")
            self._queue.put(job)
        return await job.future

    def stop(self) -> None:
        """Finish what is queued and take no more."""
        with self._gate:
            if not self._stopped:
                self._stopped = True
                self._queue.put(None)
        self._thread.join()

    def close(self) -> None:
        """Stop, then close the connection."""
        self.stop()
        try:
            self._connection.close()
        except apsw.Error as error:  # what is in the log stays there until the next start
            log.exception("the database was not closed cleanly", reason=str(error))

    def _serve(self) -> None:
        running = True
        while running:
            try:
                jobs, running = self._gather()
            except queue.Empty:
                self._look()
                continue
            try:
                self._commit(jobs)
            except BaseException as error:  # a writer that dies would leave callers waiting
                log.exception("writer failed")
                self._break(jobs, error)
            _hand_back(jobs)

    def _gather(self) -> tuple[list[_Job], bool]:
        job = self._queue.get(timeout=LOOK_S)
        jobs: list[_Job] = []
        while job is not None:
            jobs.append(job)
            if len(jobs) == GROUP_MAX or self._queue.empty():
                return jobs, True
            job = self._queue.get_nowait()
        return jobs, False

    def _commit(self, jobs: list[_Job]) -> None:
        if self.trouble:
            return _fail(jobs, self.trouble)
        try:
            self._connection.execute("BEGIN IMMEDIATE")
        except apsw.BusyError:
            return _fail(jobs, "another program holds the database")
        except apsw.Error as error:
            return self._break(jobs, error)
        try:
            self._notice()
            done = [tx for job in jobs if (tx := self._run(job))]
            carry_out(self._connection, done)
            self._connection.execute("COMMIT")
        except _BENIGN as error:
            return self._commit_each(jobs, error)
        except apsw.Error as error:
            return self._break(jobs, error)
        return self._changes.mark([key for tx in done for key in tx.touched])

    def _look(self) -> None:
        """Nobody writes here: has another program?"""
        with suppress(apsw.Error):  # a write will find out what it is
            self._notice()

    def _notice(self) -> None:
        """Whatever was kept is out of date when another program changed the file."""
        version = self._data_version()
        if version != self._version:
            self._version = version
            self._changes.mark([EVERYTHING])

    def _data_version(self) -> int:
        """A number that changes with every commit by another connection."""
        return next(self._connection.execute("PRAGMA data_version"))[0]

    def _commit_each(self, jobs: list[_Job], error: apsw.Error) -> None:
        """Somebody's work breaks a rule at the end of the group: nobody else pays for it."""
        self._connection.execute("ROLLBACK")
        if len(jobs) == 1:
            jobs[0].error = error
        else:
            for job in jobs:
                self._commit([job])

    def _run(self, job: _Job) -> SqliteTx | None:
        """Run one piece of work in its savepoint; returns its transaction, None if it is undone."""
        execute = self._connection.execute
        execute("SAVEPOINT job")
        job.error = None
        tx = None
        try:
            tx = self._begin(self._connection)
            job.result = drive(job.work(tx))
        except BaseException as error:  # whatever it is, it is the caller's
            if isinstance(error, apsw.Error) and not isinstance(error, _BENIGN):
                raise
            job.error = _as_exception(error)
            tx = None
            execute("ROLLBACK TO job")
        execute("RELEASE job")
        return tx

    def _break(self, jobs: list[_Job], error: BaseException) -> None:
        """Whether this group is on disk is not known, and no more is tried."""
        said = str(error) if isinstance(error, apsw.Error) else ""
        self.trouble = f"the storage failed: {said or type(error).__name__}"
        _fail(jobs, self.trouble)
        with suppress(apsw.Error):
            # What the next start finds in the log is what counts; nothing is moved out of it now.
            self._connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")


def _fail(jobs: list[_Job], reason: str) -> None:
    for job in jobs:
        job.error = StoreUnavailable(reason)


def _as_exception(error: BaseException) -> Exception:
    """What a future can carry: neither a cancellation, which would look like the caller's own, nor
    StopIteration."""
    if isinstance(error, Exception) and not isinstance(error, StopIteration):
        return error
    wrapped = RuntimeError(f"the work ended with {type(error).__name__}")
    wrapped.__cause__ = error
    return wrapped
