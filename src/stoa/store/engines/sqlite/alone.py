"""A SQLite file that no other program can open, written to in large transactions."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import Any

import apsw

from stoa.clock import Clock
from stoa.store.engines.sqlite.file import connect, existing, locked, refuse_other
from stoa.store.engines.sqlite.tx import SqliteTx, carry_out, drive
from stoa.store.tx import StoreUnavailable, Timed, Work

_CACHE_MB, _DISPOSABLE_CACHE_MB = 256, 1024
"""Rows with random keys, such as tokens, change pages everywhere in the file. With little memory
the same pages are written and read again within one transaction."""


@asynccontextmanager
async def open_alone(
    file: Path,
    clock: Clock | None = None,  # noqa: ARG001 - a file has no time of its own
    *,
    disposable: bool = False,
) -> AsyncGenerator["SqliteAlone"]:
    """Lock a file that has this program's schema, as `Engine.open_alone`. Raises
    `StartRefused`."""
    cache_mb = _DISPOSABLE_CACHE_MB if disposable else _CACHE_MB
    with locked(existing(file)) as path:
        refuse_other(path)
        with closing(connect(path, writer=True, cache_mb=cache_mb)) as connection:
            if disposable:
                connection.execute("PRAGMA synchronous = OFF")
            yield SqliteAlone(path, connection)


class SqliteAlone:
    """An `Alone` on a file."""

    def __init__(self, path: Path, connection: apsw.Connection) -> None:
        self.place = str(path)
        self._connection = connection
        self._cursor = connection.cursor()
        self._run = self._run_plainly
        """Until the first work is refused, none has a savepoint, which takes a tenth of the
        time."""

    async def commit(self, works: Sequence[Timed]) -> list[Any]:
        try:
            try:
                return self._committed(works)
            except apsw.Error:
                raise
            except Exception:  # noqa: BLE001 - it is raised again
                self._run = self._run_apart
                return self._committed(works)
        except apsw.Error as error:
            raise StoreUnavailable(f"{self.place} cannot be written: {error}") from error

    def _committed(self, works: Sequence[Timed]) -> list[Any]:
        done: list[SqliteTx] = []
        outcomes: list[Any] = []
        with self._connection:
            outcomes += [self._run(at, work, done) for at, work in works]
            carry_out(self._cursor, done)
        return outcomes

    def _run_plainly(self, at: int, work: Work[Any], done: list[SqliteTx]) -> Any:
        """The result of one piece of work; its transaction joins `done`."""
        tx = SqliteTx(self._cursor, at)
        outcome = drive(work(tx))
        tx.ran.clear()  # which nobody asks for, and has all texts
        done.append(tx)
        return outcome

    def _run_apart(self, at: int, work: Work[Any], done: list[SqliteTx]) -> Any:
        """The result of one piece of work; its transaction joins `done` unless it is undone."""
        try:
            with self._connection:  # a savepoint
                return self._run_plainly(at, work, done)
        except apsw.Error:
            raise
        except Exception as error:  # noqa: BLE001 - errors of the work go to its caller
            return error
