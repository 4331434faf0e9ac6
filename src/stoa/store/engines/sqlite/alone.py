"""A SQLite file that no other program can open, written to in large transactions."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import Any

import apsw

from stoa.store.engines.sqlite.file import connect, existing, locked, refuse_other
from stoa.store.engines.sqlite.tx import SqliteTx, carry_out, drive
from stoa.store.tx import StoreUnavailable, Timed, Work


@asynccontextmanager
async def open_alone(file: Path) -> AsyncGenerator["SqliteAlone"]:
    """Lock a file that has this program's schema. Raises `StartRefused`."""
    with locked(existing(file)) as path:
        refuse_other(path)
        with closing(connect(path, writer=True)) as connection:
            yield SqliteAlone(path, connection)


class SqliteAlone:
    """An `Alone` on a file."""

    def __init__(self, path: Path, connection: apsw.Connection) -> None:
        self.place = str(path)
        self._connection = connection
        self._cursor = connection.cursor()

    async def commit(self, works: Sequence[Timed]) -> list[Any]:
        done: list[SqliteTx] = []
        outcomes: list[Any] = []
        try:
            with self._connection:
                outcomes += [self._run(at, work, done) for at, work in works]
                carry_out(self._cursor, done)
        except apsw.Error as error:
            raise StoreUnavailable(f"{self.place} cannot be written: {error}") from error
        return outcomes

    def _run(self, at: int, work: Work[Any], done: list[SqliteTx]) -> Any:
        """The outcome of one piece of work; its transaction joins `done` unless it is undone."""
        tx, outcome = SqliteTx(self._cursor, at), None
        try:
            with self._connection:  # a savepoint
                outcome = drive(work(tx))
        except apsw.Error:
            raise
        except Exception as error:  # noqa: BLE001 - errors of the work go to its caller
            return error
        done.append(tx)
        return outcome
