"""The embedded engine: one SQLite file, one writer that commits in groups, readers beside it."""

import asyncio
import os
from collections.abc import Callable, Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager, suppress
from functools import partial
from pathlib import Path

import apsw

from stoa.clock import Clock
from stoa.domain import limits
from stoa.metrics import Commits
from stoa.store import dependencies, unusable
from stoa.store.changes import Changes
from stoa.store.engines.frames import WorkCodec
from stoa.store.engines.sqlite import migrations as sqlite_migrations
from stoa.store.engines.sqlite.file import (
    FileReplaced,
    ServedFile,
    connect,
    existing,
    lock,
    locked,
    prepare,
    refuse_other,
)
from stoa.store.engines.sqlite.groups import groups_on
from stoa.store.engines.sqlite.moving import LogMover
from stoa.store.engines.sqlite.pace import WRITER_PACE, WriterPace
from stoa.store.engines.sqlite.reader import Reader
from stoa.store.engines.sqlite.tx import SqliteTx, TakesLonger, carry_out, drive
from stoa.store.engines.sqlite.wiping import wipe
from stoa.store.engines.sqlite.writer_process import ProcessWriter
from stoa.store.engines.sqlite.writer_thread import Writer
from stoa.store.tx import StartRefused, Store, StoreUnavailable, T, Work

_CLOSED = "the database is closed"

SLOW_READERS = 2


def migrate(path: Path) -> list[str]:
    """Bring a file to this program's schema; returns the names of the steps applied.

    Raises `StartRefused` with one line that says why not.
    """
    with locked(path) as held:
        return prepare(held)


def read_once(path: Path, clock: Clock, work: Work[T]) -> T:
    """Read a file that a server may have open. Raises `StartRefused` when there is none."""
    path = existing(path)
    try:
        connection = connect(path, writer=False)
        sqlite_migrations.check_current(connection, path)
    except apsw.Error as error:
        reason = unusable.beside(path) or error
        raise StartRefused(f"cannot open the database {path}: {reason}") from error
    with closing(connection):
        connection.execute("BEGIN")
        return drive(work(SqliteTx(connection.cursor(), clock())))


def write_once(path: Path, clock: Clock, work: Work[T]) -> T:
    """Change a file that no server has open. Raises `StartRefused` when one has."""
    with locked(path) as held:
        refuse_other(held)
        with closing(connect(held, writer=True)) as connection:
            connection.execute("BEGIN IMMEDIATE")
            cursor = connection.cursor()
            tx = SqliteTx(cursor, clock())
            result = drive(work(tx))
            carry_out(cursor, [tx])
            connection.execute("COMMIT")
        return result


def wipe_once(path: Path) -> bool:
    """Wipe a file that no server has open. Raises `StartRefused` when one has."""
    with locked(path) as held:
        refuse_other(held)
        return wipe(held)


class SqliteStore(Store):
    """A `Store` on one file. Build it with `SqliteStore.open` inside the running event loop."""

    changes: Changes

    def __init__(
        self,
        path: Path,
        lock_descriptor: int,
        clock: Clock,
        changes: Changes,
        writer: Writer | ProcessWriter,
        timeout_s: float,
        pace: WriterPace,
    ) -> None:
        # The writer's connection was opened first and is closed last, so that no other moves what
        # is in the log into the file: SQLite does that when the last connection closes.
        self._writer = writer
        self._lock = lock_descriptor
        self._path = path
        self._clock = clock
        # It is never set to None.
        self.changes = changes  # pyright: ignore[reportIncompatibleVariableOverride]
        self._closed = False
        reader = partial(Reader, path, clock, changes)
        most_ms = int(1000 * timeout_s)
        self._reader = reader(min(most_ms, limits.LOOP_READ_MS))
        self._served = ServedFile(path)
        self._new_slow_reader = partial(reader, most_ms)
        self._slow: list[Reader] = []
        self._pool = ThreadPoolExecutor(SLOW_READERS, thread_name_prefix="stoa-read")
        self._mover = LogMover(path, pace.log_pages, self._served)
        self._background = ThreadPoolExecutor(1, thread_name_prefix="stoa-upkeep")

    @classmethod
    async def open(
        cls,
        path: Path,
        clock: Clock,
        codec: WorkCodec | None = None,
        commits: Commits | None = None,
        timeout_s: float = limits.DATABASE_TIMEOUT_S,
        pace: WriterPace = WRITER_PACE,
    ) -> "SqliteStore":
        """Lock the file, which has this program's schema; no read takes longer than `timeout_s`. A
        thread writes or, with a `codec` that takes the works there, a process of its own. Raises
        `StartRefused` with one line that says why not."""
        changes = Changes()
        with _held(path) as (file, descriptor):
            connect = partial(groups_on, file, ServedFile(file), clock, commits, pace)
            if codec:
                writer = await ProcessWriter.start(file, connect, changes, codec, descriptor, pace)
            else:
                writer = Writer(file, connect, changes, pace)
            return cls(file, descriptor, clock, changes, writer, timeout_s, pace)

    def _read_slowly(self, work: Work[T]) -> T:
        try:
            reader = self._slow.pop()
        except IndexError:  # all are in use, or none was needed before
            self._served.check()
            reader = self._new_slow_reader()
        try:
            return reader.snapshot(work)
        finally:
            self._slow.append(reader)

    async def read(
        self,
        work: Work[T],
        *,
        slow: bool = False,
        brief: bool = False,
        single: bool = False,  # noqa: ARG002 - a snapshot costs nothing here
        background: bool = False,
        at_least: str | None = None,  # noqa: ARG002 - there is no replica
    ) -> T:
        if self._closed:
            raise StoreUnavailable(_CLOSED)
        try:
            if brief:
                with suppress(TakesLonger, apsw.InterruptError):
                    return self._reader.snapshot(work, brief=True)
            if slow or background:
                # A connection reads the whole schema first, so none is opened before it is needed.
                pool = self._background if background else self._pool
                loop = asyncio.get_running_loop()
                return await loop.run_in_executor(pool, self._read_slowly, work)
            return self._reader.snapshot(work)
        except apsw.InterruptError:
            raise StoreUnavailable("a read took too long") from None
        except (apsw.Error, FileReplaced) as error:
            if isinstance(error, apsw.SQLError | apsw.BindingsError):
                raise
            raise StoreUnavailable(f"the database cannot be read: {error}") from error

    async def write(self, work: Work[T]) -> T:
        return await self._writer.submit(work)

    async def wipe(self) -> bool:
        try:
            self._served.check()
            return await asyncio.to_thread(wipe, self._path)
        except (apsw.Error, FileReplaced) as error:
            raise StoreUnavailable(f"the database cannot be wiped: {error}") from error

    async def move_log(self) -> None:
        if not self._closed:
            await asyncio.to_thread(self._mover.move)

    def listen(self, told: Callable[[], None]) -> None:
        loop = asyncio.get_running_loop()

        def tell() -> None:
            with suppress(RuntimeError):  # on a closed loop no caller waits
                loop.call_soon_threadsafe(told)

        self.changes.listen(tell)

    def figures(self) -> dict[str, str | int]:
        return {"writer": self._writer.process} if isinstance(self._writer, ProcessWriter) else {}

    @property
    def waiting(self) -> int:
        return self._writer.waiting

    @property
    def trouble(self) -> str | None:
        return self._writer.trouble

    @property
    def lost(self) -> bool:
        return self._writer.lost

    async def close(self) -> None:
        if self._closed:
            return
        self._closed = True
        try:
            await self._writer.stop()
            for pool in (self._pool, self._background):
                await asyncio.to_thread(pool.shutdown)
            for reader in (self._reader, *self._slow, self._mover):
                reader.close()
            await self._writer.close()
        finally:
            os.close(self._lock)


@contextmanager
def _held(path: Path) -> Generator[tuple[Path, int]]:
    """The full path of a locked file of this program with its lock, which stays unless this
    fails."""
    dependencies.prepare()  # before a process is forked from this one
    path = existing(path)
    descriptor = lock(path)
    try:
        refuse_other(path)
        yield path, descriptor
    except BaseException:
        os.close(descriptor)
        raise
