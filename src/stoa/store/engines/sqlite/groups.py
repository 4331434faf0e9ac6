"""Group commit: the writer of the SQLite engine commits many queued transactions at once.

A refused piece of work does not affect the others of its group. Most refusals come before any
change; after a change the whole group is rolled back and run again, each piece in a savepoint. If
the storage fails, the outcome of the group is unknown: its callers get `WritingStopped`, and this
connection is not used again. The next connection recovers from the write-ahead log, and must commit
a test write before it is used.
"""

import asyncio
import errno
import os
from collections.abc import Sequence
from concurrent.futures import Future
from contextlib import suppress
from itertools import chain
from operator import attrgetter
from pathlib import Path
from typing import Any

import apsw

from stoa.clock import Clock, elapsed_ns
from stoa.domain import limits
from stoa.logs import log
from stoa.metrics import Commits
from stoa.store.changes import EVERYTHING
from stoa.store.dependencies import changed_by
from stoa.store.engines.sqlite.file import LOG_PAGES, FileReplaced, ServedFile, connect
from stoa.store.engines.sqlite.pace import WriterPace
from stoa.store.engines.sqlite.tx import BENIGN, SqliteTx, carry_out, drive, is_of_storage
from stoa.store.tx import Work, WritingStopped

GROUP_MAX = 64

_ran = attrgetter("ran")

WriteOutcome = tuple[Any, Exception | None]
"""The result of a piece of work, or its exception."""

_DISK_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}


class _HalfDone(Exception):
    """A piece of work was refused after it had changed the database."""

    def __init__(self, outcome: WriteOutcome) -> None:
        super().__init__()
        self.outcome = outcome


class Groups:
    """Owns one writing connection. `trouble` says why no more work is accepted, or is None;
    `may_pass` is true if the reason may pass by itself. Groups are counted in `commits`. A log of
    `log_pages` is moved into the database. No work is accepted once the file is not the one
    `served`."""

    def __init__(
        self,
        connection: apsw.Connection,
        clock: Clock,
        commits: Commits | None = None,
        log_pages: int = LOG_PAGES,
        served: ServedFile | None = None,
    ) -> None:
        self._commits, self._most_log_pages = commits, log_pages
        self._connection, self._served = connection, served
        self._cursor = connection.cursor()
        self._clock = clock
        self._touched: set[str] = set()
        self._log_pages = 0
        # This replaces the automatic checkpoint of SQLite, which would run in a commit and delay
        # its callers; `shorten_log` runs after they have their outcomes.
        connection.set_wal_hook(self._note_log)
        self._version: int | None = None
        self._check_version()
        self.trouble: str | None = None
        self.may_pass = False

    def prove(self, path: Path) -> None:
        """Commit a test write; sets `trouble` if it fails. The write-ahead log must also fit into
        the database, and the disk must have more free space than a test write needs."""
        try:
            _check_free_space(path)
            with suppress(apsw.BusyError):  # another connection moves the log just now
                self._connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_PASSIVE)
            version = self._connection.pragma("user_version")
            self._cursor.execute("BEGIN IMMEDIATE")
            self._connection.pragma("user_version", version)  # the same value, but a real write
            self._cursor.execute("COMMIT")
        except (apsw.Error, OSError) as error:
            self._break([], error)

    def commit(self, works: Sequence[Work[Any]]) -> list[WriteOutcome]:
        """Run and commit these in order; returns once the commit is on disk. Never raises."""
        began_ns = elapsed_ns()
        try:
            outcomes = self._commit(works)
        except BaseException as error:  # without an outcome the callers would wait for ever
            log.exception("writer failed")
            return self._break(works, error)
        if self._commits and not self.trouble:
            self._commits.times.observe((elapsed_ns() - began_ns) // 1000)
            self._commits.sizes.observe(len(works))
        return outcomes

    def check_other_writers(self) -> None:
        """Mark all answers as stale if another program changed the file. Called while idle."""
        try:
            if self._served:
                self._served.check()
        except FileReplaced as error:
            self._break([], error)
        with suppress(apsw.Error):  # the next write reports the error
            self._check_version()

    def shorten_log(self) -> None:
        """Move a long log into the database. This takes up to some tenths of a second, so the
        callers of the group that made it long get their outcomes first."""
        if self._log_pages >= self._most_log_pages and not self.trouble:
            with suppress(apsw.Error):  # nothing is lost, and the next group tries it again
                self._connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_PASSIVE)

    def take_touched(self) -> set[str]:
        """The keys changed by commits since the last call."""
        touched, self._touched = self._touched, set()
        return touched

    def close(self) -> None:
        """Close the connection."""
        try:
            self._connection.close()
        except apsw.Error as error:  # the next start recovers from the write-ahead log
            log.exception("the database was not closed cleanly", reason=str(error))

    def _commit(self, works: Sequence[Work[Any]], *, apart: bool = False) -> list[WriteOutcome]:
        if self.trouble:
            return _all_failed(works, self.trouble)
        try:
            if self._served:
                self._served.check()
            self._cursor.execute("BEGIN IMMEDIATE")
        except (apsw.Error, FileReplaced) as error:
            return self._break(works, error)
        done: list[SqliteTx] = []
        try:
            # Inside the transaction, where no other program can change the file behind the check.
            self._check_version()
            outcomes = [self._run(work, done, apart) for work in works]
            carry_out(self._cursor, done)
            self._cursor.execute("COMMIT")
        except _HalfDone as half:
            # Savepoints cost each work two statements, so they are used only in this rare case.
            self._cursor.execute("ROLLBACK")
            return [half.outcome] if len(works) == 1 else self._commit(works, apart=True)
        except BENIGN as error:
            return self._commit_each(works, error)
        except apsw.Error as error:
            return self._break(works, error)
        # After the commit: an answer that is read now has the change already.
        self._touched |= changed_by(chain.from_iterable(map(_ran, done)))
        return outcomes

    def _run(self, work: Work[Any], done: list[SqliteTx], apart: bool) -> WriteOutcome:
        """Run one piece of work and add its transaction to `done`, unless it is refused. With
        `apart` it runs in a savepoint; without, a refusal after a change raises `_HalfDone`."""
        execute, before = self._cursor.execute, self._connection.total_changes()
        if apart:
            execute("SAVEPOINT job")
        try:
            tx = SqliteTx(self._cursor, self._clock())
            outcome = drive(work(tx)), None
        except BaseException as error:  # errors of the work go to its caller
            if is_of_storage(error):
                raise  # the storage failed: `_commit` ends the whole group
            outcome = None, _as_exception(error)
            if apart:
                execute("ROLLBACK TO job")
            elif self._connection.total_changes() != before:
                raise _HalfDone(outcome) from error
        else:
            done.append(tx)
        if apart:
            execute("RELEASE job")
        return outcome

    def _commit_each(self, works: Sequence[Work[Any]], error: apsw.Error) -> list[WriteOutcome]:
        """Commit each piece alone, after one of them broke a constraint at the commit."""
        self._cursor.execute("ROLLBACK")
        if len(works) == 1:
            return [(None, error)]
        # The error of a constraint that is checked at the commit does not name its row.
        return [outcome for work in works for outcome in self._commit([work])]

    def _break(self, works: Sequence[Work[Any]], error: BaseException) -> list[WriteOutcome]:
        """Accept no more work: the storage failed, and the outcome of this group is unknown."""
        self.may_pass = may_pass(error, self._connection.system_errno)
        self.trouble = trouble_of(error, self._connection.system_errno)
        with suppress(apsw.Error):
            # Keep the write-ahead log as it is: the next start recovers from it.
            self._connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
            if self._connection.in_transaction:
                self._cursor.execute("ROLLBACK")
        return _all_failed(works, self.trouble)

    def _check_version(self) -> None:
        """Mark all answers as stale if another program changed the file since the last call."""
        version = self._cursor.execute("PRAGMA data_version").get
        if self._version not in (None, version):
            self._touched.add(EVERYTHING)
        self._version = version

    def _note_log(self, _connection: apsw.Connection, _name: str, pages: int) -> int:
        self._log_pages = pages
        return apsw.SQLITE_OK


def groups_on(
    path: Path, served: ServedFile, clock: Clock, commits: Commits | None, pace: WriterPace
) -> Groups:
    """Groups on a new connection. Raises `apsw.Error` or `FileReplaced`."""
    served.check()
    connection = connect(path, writer=True, busy_ms=pace.busy_ms)
    return Groups(connection, clock, commits, pace.log_pages, served)


def may_pass(error: BaseException, system_errno: int = 0) -> bool:
    """Whether writing may resume without a restart: the disk is full, another program holds the
    database, or its file is missing. A restart would serve the file that replaced it."""
    passing = isinstance(error, apsw.BusyError | FileReplaced)
    return passing or _is_disk_full(error, system_errno)


def _is_disk_full(error: BaseException, system_errno: int) -> bool:
    """Whether the disk is full. Some errors of SQLite show it only in the system's error number."""
    if isinstance(error, OSError):
        return error.errno in _DISK_FULL
    if isinstance(error, apsw.IOError):
        code = getattr(error, "extendedresult", 0)
        return system_errno in _DISK_FULL or code == apsw.SQLITE_IOERR_SHMSIZE
    return isinstance(error, apsw.FullError)


def trouble_of(error: BaseException, system_errno: int = 0) -> str:
    """Why no work is accepted, for the operator."""
    if isinstance(error, apsw.BusyError):
        return "another program holds the database"
    said = str(error) if isinstance(error, apsw.Error | OSError) else ""
    what = "the disk is full" if _is_disk_full(error, system_errno) else "the storage failed"
    return f"{what}: {said or type(error).__name__}"


def _check_free_space(path: Path) -> None:
    """Raise `OSError` if the disk of the database has too little free space."""
    scratch = path.with_name(f"{path.name}-probe")
    descriptor = os.open(scratch, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
    try:
        written = os.write(descriptor, bytes(limits.WRITE_PROBE_BYTES))
        if written < limits.WRITE_PROBE_BYTES:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
        scratch.unlink()


def release(future: "asyncio.Future[Any] | Future[Any]", outcome: WriteOutcome) -> None:
    """Give a caller the outcome of its work."""
    if future.done():  # the caller was cancelled
        return
    result, error = outcome
    if error:
        future.set_exception(error)
    else:
        future.set_result(result)


def _all_failed(works: Sequence[Work[Any]], reason: str) -> list[WriteOutcome]:
    return [(None, WritingStopped(reason)) for _ in works]


def _as_exception(error: BaseException) -> Exception:
    """An exception for a future. A cancellation is wrapped, because it would look like one of the
    caller's task; so is StopIteration, which futures reject."""
    if isinstance(error, Exception) and not isinstance(error, StopIteration):
        return error
    wrapped = RuntimeError(f"the work ended with {type(error).__name__}")
    wrapped.__cause__ = error
    return wrapped
