"""The embedded engine: one SQLite file, one writer that commits in groups, readers beside it."""

import asyncio
import fcntl
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

import apsw

from stoa.clock import Clock
from stoa.store.engines import sqlite_migrations
from stoa.store.engines.changes import Changes
from stoa.store.engines.sqlite_tx import SqliteTx, drive
from stoa.store.engines.sqlite_writer import Writer
from stoa.store.tx import StartRefused, StoreUnavailable, Work

T = TypeVar("T")

SLOW_READERS = 2
_BUSY_MS = 5000


def connect(path: Path, *, writer: bool) -> apsw.Connection:
    """A connection with the settings that durability and isolation rest on."""
    connection = apsw.Connection(str(path), statementcachesize=300)
    connection.set_busy_timeout(_BUSY_MS)
    # Else a join is planned anew for every value that is bound, which takes longer than running it.
    connection.config(apsw.SQLITE_DBCONFIG_ENABLE_QPSG, 1)
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("PRAGMA temp_store = MEMORY")
    connection.execute("PRAGMA cache_size = -16000")
    if writer:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA fullfsync = ON")
        connection.execute("PRAGMA checkpoint_fullfsync = ON")
        connection.execute("PRAGMA wal_autocheckpoint = 2000")
    else:
        connection.execute("PRAGMA query_only = ON")
        connection.execute("PRAGMA wal_autocheckpoint = 0")
    return connection


def lock(path: Path) -> int:
    """Hold the file against a second server; returns the descriptor of the lock."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(f"{path}.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise StartRefused(f"cannot use the data folder {path.parent}: {error.strerror}") from error
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        os.close(descriptor)
        raise StartRefused(f"another Stoa is already serving {path}; stop it first") from error
    return descriptor


def read_once(path: Path, clock: Clock, work: Work[T]) -> T:
    """Read a file that a server may have open. Raises `StartRefused` when there is none."""
    if not path.exists():
        raise StartRefused(f"there is no database at {path}")
    connection = connect(path, writer=False)
    connection.execute("BEGIN")
    try:
        return drive(work(SqliteTx(connection, clock())))
    finally:
        connection.close()


def write_once(path: Path, clock: Clock, work: Work[T]) -> T:
    """Change a file that no server has open. Raises `StartRefused` when one has."""
    descriptor = lock(path)
    connection = connect(path, writer=True)
    try:
        with connection:
            return drive(work(SqliteTx(connection, clock())))
    finally:
        connection.close()
        os.close(descriptor)


class SqliteStore:
    """A `Store` on one file. Build it with `SqliteStore.open` inside the running event loop."""

    def __init__(self, path: Path, lock_descriptor: int, clock: Clock) -> None:
        self._lock = lock_descriptor
        self._clock = clock
        self._changes = Changes()
        self._reader = connect(path, writer=False)
        self._slow = [connect(path, writer=False) for _ in range(SLOW_READERS)]
        self._pool = ThreadPoolExecutor(SLOW_READERS, thread_name_prefix="stoa-read")
        self._writer = Writer(connect(path, writer=True), self._begin, self._changes)

    @classmethod
    def open(cls, path: Path, clock: Clock) -> "SqliteStore":
        """Lock and migrate the file. Raises `StartRefused` with one line that says why not."""
        descriptor = lock(path)
        try:
            connection = connect(path, writer=True)
            sqlite_migrations.migrate(connection)
            connection.close()
            return cls(path, descriptor, clock)
        except apsw.Error as error:
            os.close(descriptor)
            raise StartRefused(f"cannot open the database {path}: {error}") from error
        except StartRefused:
            os.close(descriptor)
            raise

    def _begin(self, connection: apsw.Connection) -> SqliteTx:
        return SqliteTx(connection, self._clock())

    def _snapshot(self, connection: apsw.Connection, work: Work[T]) -> T:
        connection.execute("BEGIN")
        try:
            return drive(work(self._begin(connection)))
        finally:
            connection.execute("COMMIT")

    def _read_slowly(self, work: Work[T]) -> T:
        connection = self._slow.pop()
        try:
            return self._snapshot(connection, work)
        finally:
            self._slow.append(connection)

    async def read(self, work: Work[T], *, slow: bool = False) -> T:
        try:
            if slow:
                loop = asyncio.get_running_loop()
                return await loop.run_in_executor(self._pool, self._read_slowly, work)
            return self._snapshot(self._reader, work)
        except apsw.Error as error:
            if isinstance(error, apsw.SQLError | apsw.BindingsError):
                raise
            raise StoreUnavailable(f"the database cannot be read: {error}") from error

    async def write(self, work: Work[T]) -> T:
        return await self._writer.submit(work)

    def stamp(self) -> int:
        return self._changes.stamp()

    def fresh(self, key: str, stamp: int) -> bool:
        return self._changes.fresh(key, stamp)

    @property
    def trouble(self) -> str | None:
        return self._writer.trouble

    async def close(self) -> None:
        await asyncio.get_running_loop().run_in_executor(None, self._writer.stop)
        self._pool.shutdown()
        for connection in (self._reader, *self._slow):
            connection.close()
        os.close(self._lock)
