"""Many transactions, one commit: what the writer of the embedded engine does with what is queued.

A piece of work that is refused does not hurt its neighbours. Nearly all that are have not changed
anything yet; for the sake of the others the group is run again, each piece in a savepoint of its
own. When the storage fails, the outcome of the group is not known: its callers are told so, and
this connection is not used again. The next one finds in the log what counts, and proves that the
storage takes a commit before it is used.
"""

import asyncio
import errno
import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import apsw
import structlog

from stoa.clock import Clock
from stoa.domain import limits
from stoa.store.changes import EVERYTHING
from stoa.store.dependencies import changed_by
from stoa.store.engines.sqlite_tx import SqliteTx, carry_out, drive
from stoa.store.tx import StoreUnavailable, Work

log = structlog.get_logger("stoa.store")

GROUP_MAX = 64
LOOK_S = 1.0
"""After this long without a write the writer looks whether another program changed the file."""

Outcome = tuple[Any, Exception | None]
"""What a piece of work returned, or what it raised."""

_BENIGN = (
    apsw.ConstraintError,
    apsw.SQLError,
    apsw.BindingsError,
    apsw.TooBigError,
    apsw.MismatchError,
)
"""Faults of one statement; every other engine error is a fault of the storage."""


_NO_ROOM = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}


class _HalfDone(Exception):
    """A piece of work was refused after it had changed something."""

    def __init__(self, outcome: Outcome) -> None:
        super().__init__()
        self.outcome = outcome


class Groups:
    """Owns one writing connection. `trouble` says why no more work is taken, or None; then `full`
    says whether the disk is full."""

    def __init__(self, connection: apsw.Connection, clock: Clock) -> None:
        self._connection = connection
        self._clock = clock
        self._touched: list[str] = []
        self._version = self._data_version()
        self.trouble: str | None = None
        self.full = False

    def prove(self, path: Path) -> None:
        """Commit a little; sets `trouble` when the storage does not take it. The storage must also
        take what is in the log, and have more room than the little that a full disk may have."""
        try:
            _find_room(path)
            self._connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_PASSIVE)
            version = self._connection.pragma("user_version")
            self._connection.execute("BEGIN IMMEDIATE")
            self._connection.pragma("user_version", version)  # unchanged, but written
            self._connection.execute("COMMIT")
        except apsw.BusyError:
            return  # another program writes; this one's next commit has to wait for it
        except (apsw.Error, OSError) as error:
            self._break([], error)

    def commit(self, works: Sequence[Work[Any]]) -> list[Outcome]:
        """Run these in their order; returns once what they did is on disk. Never raises."""
        try:
            return self._commit(works)
        except BaseException as error:  # a writer that dies would leave callers waiting
            log.exception("writer failed")
            return self._break(works, error)

    def look(self) -> None:
        """Nobody writes here: has another program?"""
        with suppress(apsw.Error):  # a write will find out what it is
            self._notice()

    def take_touched(self) -> list[str]:
        """The keys that commits have touched, once."""
        touched, self._touched = self._touched, []
        return touched

    def close(self) -> None:
        """Close the connection."""
        try:
            self._connection.close()
        except apsw.Error as error:  # what is in the log stays there until the next start
            log.exception("the database was not closed cleanly", reason=str(error))

    def _commit(self, works: Sequence[Work[Any]], *, apart: bool = False) -> list[Outcome]:
        if self.trouble:
            return _all_failed(works, self.trouble)
        try:
            self._connection.execute("BEGIN IMMEDIATE")
        except apsw.BusyError:
            return _all_failed(works, "another program holds the database")
        except apsw.Error as error:
            return self._break(works, error)
        done: list[SqliteTx] = []
        try:
            self._notice()
            outcomes = [self._run(work, done, apart) for work in works]
            carry_out(self._connection, done)
            self._connection.execute("COMMIT")
        except _HalfDone as half:
            self._connection.execute("ROLLBACK")
            return [half.outcome] if len(works) == 1 else self._commit(works, apart=True)
        except _BENIGN as error:
            return self._commit_each(works, error)
        except apsw.Error as error:
            return self._break(works, error)
        self._touched += [key for tx in done for key in changed_by(tx.ran)]
        return outcomes

    def _run(self, work: Work[Any], done: list[SqliteTx], apart: bool) -> Outcome:
        """Run one piece of work; its transaction joins `done` unless it is undone. Only one that is
        `apart` can be undone once it has changed something: else that raises `_HalfDone`."""
        execute, before = self._connection.execute, self._connection.total_changes()
        if apart:
            execute("SAVEPOINT job")
        try:
            tx = SqliteTx(self._connection, self._clock())
            outcome = drive(work(tx)), None
        except BaseException as error:  # whatever it is, it is the caller's
            if isinstance(error, apsw.Error) and not isinstance(error, _BENIGN):
                raise
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

    def _commit_each(self, works: Sequence[Work[Any]], error: apsw.Error) -> list[Outcome]:
        """Somebody's work breaks a rule at the end of the group: nobody else pays for it."""
        self._connection.execute("ROLLBACK")
        if len(works) == 1:
            return [(None, error)]
        return [outcome for work in works for outcome in self._commit([work])]

    def _break(self, works: Sequence[Work[Any]], error: BaseException) -> list[Outcome]:
        """Whether this group is on disk is not known, and no more is tried."""
        self.full = no_room(error, self._connection.system_errno)
        self.trouble = trouble_of(error, self._connection.system_errno)
        with suppress(apsw.Error):
            # What the next start finds in the log is what counts; nothing is moved out of it now.
            self._connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")
        return _all_failed(works, self.trouble)

    def _notice(self) -> None:
        """Whatever was kept is out of date when another program changed the file."""
        version = self._data_version()
        if version != self._version:
            self._version = version
            self._touched.append(EVERYTHING)

    def _data_version(self) -> int:
        """A number that changes with every commit by another connection."""
        return next(self._connection.execute("PRAGMA data_version"))[0]


def no_room(error: BaseException, system_errno: int = 0) -> bool:
    """Whether it was for want of room. Where SQLite does not say so, it has the system's number."""
    if isinstance(error, OSError):
        return error.errno in _NO_ROOM
    if isinstance(error, apsw.IOError):
        code = getattr(error, "extendedresult", 0)
        return system_errno in _NO_ROOM or code == apsw.SQLITE_IOERR_SHMSIZE
    return isinstance(error, apsw.FullError)


def trouble_of(error: BaseException, system_errno: int = 0) -> str:
    """Why no work is taken, for the operator."""
    said = str(error) if isinstance(error, apsw.Error | OSError) else ""
    what = "the disk is full" if no_room(error, system_errno) else "the storage failed"
    return f"{what}: {said or type(error).__name__}"


def _find_room(path: Path) -> None:
    """Raise `OSError` when there is no room beside the database."""
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


def release(future: "asyncio.Future[Any]", outcome: Outcome) -> None:
    """Give a caller what became of its work."""
    if future.done():  # the caller has gone
        return
    result, error = outcome
    if error:
        future.set_exception(error)
    else:
        future.set_result(result)


def _all_failed(works: Sequence[Work[Any]], reason: str) -> list[Outcome]:
    return [(None, StoreUnavailable(reason)) for _ in works]


def _as_exception(error: BaseException) -> Exception:
    """What a future can carry: neither a cancellation, which would look like the caller's own, nor
    StopIteration."""
    if isinstance(error, Exception) and not isinstance(error, StopIteration):
        return error
    wrapped = RuntimeError(f"the work ended with {type(error).__name__}")
    wrapped.__cause__ = error
    return wrapped
