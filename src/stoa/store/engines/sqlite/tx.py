"""A transaction on one SQLite connection. It never waits, so a coroutine over it is one call."""

from collections.abc import Callable, Coroutine, Iterable
from itertools import chain
from typing import Any

import apsw

from stoa.store import statements
from stoa.store.changes import ChangesSeen
from stoa.store.deferring import by_statement, without
from stoa.store.statements import Bounds
from stoa.store.tx import NotTouched, Row, Statement, StoreUnavailable, T, Value, Work

_BOUND = Bounds()

BENIGN = (
    apsw.ConstraintError,
    apsw.SQLError,
    apsw.BindingsError,
    apsw.TooBigError,
    apsw.MismatchError,
)
"""Errors of one statement; every other error of SQLite means that the storage failed, or that a
read took too long."""


def is_of_storage(error: BaseException) -> bool:
    """Whether an error is one of SQLite, and not of one statement."""
    return isinstance(error, apsw.Error) and not isinstance(error, BENIGN)


class SqliteTx:
    """A `Tx` on the cursor of one connection; its methods never wait. A cursor may serve one
    transaction after another, which costs less than a new one for each.

    Each method runs its statement itself: one function for all would be called 18 times to accept a
    job, a tenth of all calls (`tests/calls/test_walks.py`)."""

    __slots__ = (
        "_connection",
        "_deferred",
        "_execute",
        "_statements",
        "now",
        "ran",
        "seen",
    )

    def __init__(self, cursor: apsw.Cursor, now: int, seen: ChangesSeen | None = None) -> None:
        self._connection = cursor.connection
        self._deferred: list[Statement] = []
        self._execute = cursor.execute
        self._statements = statements.load("sqlite")
        self.seen = seen
        self.now = now
        self.ran: list[Statement] = []

    async def one(self, statement: str, **values: Value) -> Row | None:
        self.ran.append((statement, values))
        sql, values_of = _BOUND[self._statements[statement]]
        given = values_of(values) if values_of else tuple(values.values())
        rows = self._execute(sql, given).fetchall()
        return rows[0] if rows else None

    async def all(self, statement: str, **values: Value) -> list[Row]:
        self.ran.append((statement, values))
        sql, values_of = _BOUND[self._statements[statement]]
        given = values_of(values) if values_of else tuple(values.values())
        return self._execute(sql, given).fetchall()

    async def aside(self, work: Callable[[], T], *, light: bool = False) -> T:  # noqa: ARG002
        return work()

    async def run(self, statement: str, **values: Value) -> int:
        self.ran.append((statement, values))
        sql, values_of = _BOUND[self._statements[statement]]
        given = values_of(values) if values_of else tuple(values.values())
        self._execute(sql, given)
        return self._connection.changes()

    async def run_all(self, *changes: Statement) -> list[int]:
        return [await self.run(statement, **values) for statement, values in changes]

    async def put(self, statement: str, least: int = 1, /, **values: Value) -> None:
        self.ran.append((statement, values))
        sql, values_of = _BOUND[self._statements[statement]]
        given = values_of(values) if values_of else tuple(values.values())
        self._execute(sql, given)
        if least and self._connection.changes() < least:
            raise NotTouched(statement)

    async def number(self, statement: str, **values: Value) -> int:
        # RETURNING would make a table in memory, which costs more than the rest of the statement.
        self.ran.append((statement, values))
        sql, values_of = _BOUND[self._statements[statement]]
        given = values_of(values) if values_of else tuple(values.values())
        self._execute(sql, given)
        return self._connection.last_insert_rowid()

    def defer(self, statement: str, **values: Value) -> None:
        self.ran.append((statement, values))
        self._deferred.append((statement, values))

    def drop_deferred(self, statement: str, **values: Value) -> None:
        self._deferred = without(self._deferred, statement, values)

    def take_deferred(self) -> list[Statement]:
        """The deferred changes, which are returned once."""
        deferred, self._deferred = self._deferred, []
        return deferred

    held = one

    async def lock(self, table: str, *ids: str) -> bool:  # noqa: ARG002
        """Nothing to wait for: there is one writer."""
        return False

    def may_pass(self, error: Exception) -> bool:
        return is_of_storage(error) or isinstance(error, StoreUnavailable)

    async def undone(self, work: Work[T]) -> T:
        ran, deferred = len(self.ran), len(self._deferred)
        self._execute("SAVEPOINT undone")
        try:
            return await work(self)
        finally:
            if self._connection.in_transaction:  # SQLite ends it when the storage fails
                self._execute("ROLLBACK TO undone; RELEASE undone")
            del self.ran[ran:], self._deferred[deferred:]


class TakesLonger(Exception):
    """A read takes longer than it may on the event loop."""


class BriefTx(SqliteTx):
    """A `Tx` on the event loop, for work that is quick."""

    __slots__ = ()

    async def aside(self, work: Callable[[], T], *, light: bool = False) -> T:
        if not light:
            raise TakesLonger
        return work()


def carry_out(cursor: apsw.Cursor, transactions: Iterable[SqliteTx]) -> None:
    """Carry out the deferred changes of these transactions, one kind after the other."""
    deferred = chain.from_iterable(map(SqliteTx.take_deferred, transactions))
    known = statements.load("sqlite")
    for statement, rows in by_statement(deferred).items():
        sql, values_of = _BOUND[known[statement]]
        given = map(values_of, rows) if values_of else [tuple(row.values()) for row in rows]
        cursor.executemany(sql, given)


def drive(work: Coroutine[Any, Any, T]) -> T:
    """Run to its end a coroutine that never waits."""
    try:
        work.send(None)
    except StopIteration as end:
        return end.value
    work.close()
    raise RuntimeError("an operation waited for something other than its transaction")
