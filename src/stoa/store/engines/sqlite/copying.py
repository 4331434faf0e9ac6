"""A SQLite file as the source or the target of a copy."""

from collections.abc import AsyncGenerator
from contextlib import ExitStack, asynccontextmanager, closing
from pathlib import Path

import apsw

from stoa.clock import Clock
from stoa.store import unusable
from stoa.store.engines import copy_statements as sql
from stoa.store.engines import unfinished
from stoa.store.engines.sqlite import migrations as sqlite_migrations
from stoa.store.engines.sqlite.file import (
    connect,
    existing,
    is_new,
    locked,
    prepare,
    refuse_other,
    told,
)
from stoa.store.engines.sqlite.tx import SqliteTx
from stoa.store.transfer.copying import RowRange, Table, TableUpdate
from stoa.store.tx import Row, StartRefused


@asynccontextmanager
async def open_source(file: Path, clock: Clock) -> AsyncGenerator["SqliteSource"]:
    """A snapshot of a file; none can open it while no server has it open. Raises `StartRefused`."""
    path = existing(file)
    with ExitStack() as held:
        try:
            held.enter_context(locked(path))
            served = False
        except StartRefused:
            served = True
        try:
            connection = held.enter_context(closing(connect(path, writer=False)))
            sqlite_migrations.check_current(connection, path)
            sqlite_migrations.refuse_unfinished(connection, path)
            connection.execute("BEGIN")
            # A snapshot begins with the first read.
            connection.execute("SELECT count(*) FROM secret").fetchall()
        except apsw.Error as error:
            reason = unusable.beside(path) or error
            raise StartRefused(f"cannot open the database {path}: {reason}") from error
        yield SqliteSource(path, connection, clock, served=served)


@asynccontextmanager
async def open_target(file: Path, clock: Clock) -> AsyncGenerator["SqliteTarget"]:
    """A file that no other program can open. Raises `StartRefused`."""
    with locked(file) as path:
        if is_new(path) or _is_unused(path):
            prepare(path)
        else:
            refuse_other(path, unfinished=True)
        with closing(connect(path, writer=True)) as connection:
            yield SqliteTarget(path, connection, clock)


def _is_unused(path: Path) -> bool:
    """Whether a file has nothing but some of the schema, which a killed program may have left."""
    with told(path), closing(apsw.Connection(str(existing(path)))) as present:
        sqlite_migrations.check(present, path)
        if not sqlite_migrations.version(present):
            return True
        is_marked = sqlite_migrations.mark(present) is not None
        return not is_marked and not next(present.execute(sql.IN_USE))[0]


class _SqliteSide:
    def __init__(self, path: Path, connection: apsw.Connection, clock: Clock) -> None:
        self.place = str(path)
        self.tx = SqliteTx(connection.cursor(), clock())
        self._connection = connection

    async def columns(self, table: Table) -> tuple[str, ...]:
        found = self._connection.execute(f"PRAGMA table_info({table.name})")
        return tuple(row[1] for row in found)

    async def count(self, table: Table) -> int:
        return next(self._connection.execute(sql.count(table)))[0]

    async def rows(self, which: RowRange) -> list[Row]:
        statement, values = sql.select(which)
        return self._connection.execute(statement, values).fetchall()  # pyright: ignore[reportArgumentType]


class SqliteSource(_SqliteSide):
    """A snapshot of a file."""

    def __init__(
        self, path: Path, connection: apsw.Connection, clock: Clock, *, served: bool
    ) -> None:
        super().__init__(path, connection, clock)
        self._served = served

    async def is_served(self) -> bool:
        return self._served


class SqliteTarget(_SqliteSide):
    """A file that no other program can open."""

    async def begin(self, identity: str, source: str) -> None:
        mark = sqlite_migrations.mark(self._connection)
        in_use = bool(next(self._connection.execute(sql.IN_USE))[0])
        if reason := sql.refusal(mark, identity, in_use=in_use):
            raise StartRefused(f"{self.place} {reason}")
        if not mark:
            with self._connection:
                self._connection.execute(unfinished.MAKE)
                self._connection.execute(unfinished.ADD, (identity, source))

    async def apply(self, changes: list[TableUpdate]) -> None:
        execute = self._connection.executemany
        with self._connection:
            for table, columns, new, changed, gone in reversed(changes):
                execute(sql.delete(table), gone)
                execute(sql.update(table, columns), [sql.keyed(table, columns, r) for r in changed])  # pyright: ignore[reportArgumentType]
                execute(sql.insert(table, columns), new)

    async def finish(self) -> None:
        with self._connection:
            self._connection.execute(sql.WIPE_ANEW)
            self._connection.execute(unfinished.DROP)
