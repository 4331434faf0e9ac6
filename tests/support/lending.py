"""Files of the embedded engine that tests use one after another, each as if it were new.

A new file, connections to it that read its schema, the first plans on them and a thread that writes
take longer than most tests. So the rows that a test has stored are removed for the next.
"""

import asyncio
import shutil
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from pathlib import Path
from typing import Any

import apsw
import msgspec

from stoa.app import Service, new_counters
from stoa.clock import Clock
from stoa.domain import limits
from stoa.metrics import Commits
from stoa.operations.call import Services
from stoa.settings import Settings
from stoa.store import dependencies
from stoa.store.changes import Changes
from stoa.store.engines.sqlite.file import connect, lock
from stoa.store.engines.sqlite.groups import Groups
from stoa.store.engines.sqlite.pace import WRITER_PACE
from stoa.store.engines.sqlite.store import SLOW_READERS, SqliteStore
from stoa.store.engines.sqlite.writer_thread import Writer
from stoa.store.tx import StoreUnavailable, Tx
from tests.support.clock import VirtualClock
from tests.support.database import KeptFile
from tests.support.loops import cancel_others, run_on
from tests.support.migrated import migrated
from tests.support.steps import Through

_USES = 200
"""After so many tests a file is made anew."""

_GROWN = 4
"""One that is so many times as large as a new one is made anew."""

_TABLES = "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name"
_FILES = {"stoa.db", "stoa.db-wal", "stoa.db-shm", "stoa.db.lock"}


async def nothing(_: Tx) -> None:
    """Work that changes nothing."""


class _Clock:
    """The clock of the test that has the store."""

    def __init__(self) -> None:
        self.lent: Clock = VirtualClock()

    def __call__(self) -> int:
        return self.lent()


class _Groups(Groups):
    """What writes, for one test after another."""

    def count_in(self, commits: Commits) -> None:
        """Count what is committed from now on there."""
        self._commits = commits


class _Changes(Changes):
    """What has changed, for one test after another."""

    def forget(self) -> None:
        """Begin anew: nobody listens, and nothing has changed."""
        self._told.clear()
        self._now, self._floor, self._changed = 0, 0, {}


class LentStore(SqliteStore):
    """A store that stays open for the next test if it `stays`."""

    def __init__(self, path: Path) -> None:
        dependencies.prepare()
        self.stays = False
        self._lent_clock, self._lent_changes = _Clock(), _Changes()
        self._groups: list[_Groups] = []
        descriptor, timeout_s = lock(path), limits.DATABASE_TIMEOUT_S
        writer = Writer(path, self._connected(path), self._lent_changes)
        super().__init__(
            path, descriptor, self._lent_clock, self._lent_changes, writer, timeout_s, WRITER_PACE
        )

    def _connected(self, path: Path) -> Callable[[], Groups]:
        def groups() -> Groups:
            self._groups.append(_Groups(connect(path, writer=True), self._lent_clock))
            return self._groups[-1]

        return groups

    def lend(self, clock: Clock, commits: Commits) -> None:
        """Serve a test that has this clock and counts there."""
        self.stays = False
        self._lent_clock.lent = clock
        self._groups[-1].count_in(commits)

    async def rest(self) -> None:
        """Finish what runs for a test that has ended."""
        self._lent_changes.forget()
        await self._writer.submit(nothing)
        for pool in (self._pool, self._background):
            pool.shutdown()
        self._pool = ThreadPoolExecutor(SLOW_READERS)
        self._background = ThreadPoolExecutor(1)

    async def notice(self) -> None:
        """Notice now that the file was changed, not when the writer looks, and forget that."""
        await self._writer.submit(nothing)
        self._lent_changes.forget()

    @property
    def broken(self) -> bool:
        """Whether it was closed, or has had trouble."""
        return self._closed or self.trouble is not None or len(self._groups) > 1

    async def close(self) -> None:
        """See `SqliteStore`."""
        if not self.stays:
            await super().close()


class LentFile:
    """One file in a folder of its own, its event loop and what is open on it."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._path = folder, folder / "stoa.db"
        migrated(self._path)
        self._uses = 0
        self.runner = asyncio.Runner()
        self._store = self.runner.run(self._open())
        self._asking = KeptFile(self._path)
        self._connection = apsw.Connection(str(self._path))
        # What guards the rows does not keep them from being removed, and nothing is left of them.
        self._connection.config(apsw.SQLITE_DBCONFIG_ENABLE_TRIGGER, 0)
        self._connection.execute("PRAGMA secure_delete = ON")
        names = [name for (name,) in self._connection.execute(_TABLES)]
        self._seeds = {name: rows for name in names if (rows := self._rows(name))}
        self._filled = " UNION ALL ".join(
            f"SELECT '{name}' WHERE EXISTS (SELECT 1 FROM {name})" for name in names
        )
        self._shape, self._size = self._look(), self._path.stat().st_size

    async def _open(self) -> LentStore:
        return LentStore(self._path)

    def settings(self, others: Settings) -> Settings:
        """These settings with this file."""
        return msgspec.structs.replace(others, data_dir=str(self._folder))

    async def open(self, services: Services, clock: Clock, through: Through) -> Service:
        """The application on this file, which goes `through` another store to it."""
        counters = new_counters().each[0]
        self._store.lend(clock, counters.commits)
        return await Service.over(through(self._store), services, clock, counters)

    def stay(self) -> None:
        """From now on, what closes the store leaves it open."""
        self._store.stays = True

    def settle(self) -> None:
        """End what a test has left running on the loop, and what asks a file that was closed."""
        run_on(self.runner, cancel_others())
        if self._store.broken:
            self._asking.close()

    def renew(self) -> bool:
        """Make it as it was when it was new; whether that is possible."""
        self._uses += 1
        if self._uses == _USES or self._store.broken or self._asking.is_writing:
            return False
        try:
            run_on(self.runner, self._store.rest())
            fits = self._look() == self._shape and self._path.stat().st_size < _GROWN * self._size
            if fits:
                self._empty()
                run_on(self.runner, self._store.notice())
        except (apsw.Error, StoreUnavailable):  # as when another program holds the file
            return False
        return fits and not self._store.broken

    def _look(self) -> list[object]:
        """What shows that the schema was changed or another file put in its place."""
        names = ("schema_version", "user_version", "application_id", "journal_mode")
        return [self._path.stat().st_ino, *map(self._connection.pragma, names)]

    def _rows(self, name: str) -> list[tuple[Any, ...]]:
        return self._connection.execute(f"SELECT * FROM {name}").fetchall()

    def _empty(self) -> None:
        with self._connection:
            filled = {name for (name,) in self._connection.execute(self._filled)}
            for name in filled | self._seeds.keys():
                self._reset(name, self._seeds.get(name, []))
        self._connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
        for entry in self._folder.iterdir():
            if entry.name not in _FILES:
                shutil.rmtree(entry) if entry.is_dir() else entry.unlink()

    def _reset(self, name: str, seeds: list[tuple[Any, ...]]) -> None:
        if seeds and self._rows(name) == seeds:
            return
        self._connection.execute(f"DELETE FROM {name}")
        for row in seeds:
            places = ", ".join("?" * len(row))
            self._connection.execute(f"INSERT INTO {name} VALUES ({places})", row)

    def drop(self) -> None:
        """Close and remove it."""
        self._store.stays = False
        self._asking.close()
        self._connection.close()
        self.runner.run(self._store.close())
        self.runner.close()
        shutil.rmtree(self._folder)


class LentFiles:
    """Those that are lent now, and those that wait for the next test."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._numbers = folder, count()
        self._idle: list[LentFile] = []
        self._lent: list[LentFile] = []

    def take(self) -> LentFile:
        """A file that is as good as new."""
        file = self._idle.pop() if self._idle else LentFile(self._folder / str(next(self._numbers)))
        self._lent.append(file)
        return file

    def give_back(self, file: LentFile) -> None:
        """The next test may have it."""
        self._lent.remove(file)
        if file.renew():
            self._idle.append(file)
        else:
            file.drop()

    def end(self) -> None:
        """Remove them all."""
        for file in (*self._idle, *self._lent):
            file.drop()
