"""A transaction on one PostgreSQL connection."""

from collections.abc import Iterable
from functools import cache
from typing import TypeVar, cast

import msgspec

from stoa.clock import Clock
from stoa.domain.querylang import Query
from stoa.store import statements
from stoa.store.deferring import by_statement
from stoa.store.engines.postgres_connection import Connection
from stoa.store.tsquery import to_tsquery, to_words
from stoa.store.tx import Row, Statement, Value, Work

T = TypeVar("T")

_EVENTS = "events.insert"


@cache
def numbered() -> dict[str, tuple[str, tuple[str, ...]]]:
    """Every statement with numbered values, and the names of these in order."""
    named = statements.load("postgresql").items()
    return {name: statements.positional(sql) for name, sql in named}


@cache
def _at_once(sqls: tuple[str, ...]) -> str:
    """One statement that carries out all of these, each with a `:rows` of its own. None sees what
    the others change, which deferred changes need not."""
    if len(sqls) == 1:
        return sqls[0]
    parts = (
        f"part_{number} AS ({sql.replace('$1', f'${number}')})"
        for number, sql in enumerate(sqls, 1)
    )
    return f"WITH {', '.join(parts)} SELECT"


def _kept(values: Iterable[Value]) -> list[Value]:
    """Values as PostgreSQL can keep or compare them: its texts hold no NUL, so that none is equal
    to a text with one. Texts that are to be kept have been refused with it."""
    return [
        value.replace("\0", "\ufffe") if isinstance(value, str) and "\0" in value else value
        for value in values
    ]


class PostgresTx:
    """A `Tx` on a connection that has begun."""

    __slots__ = ("_clock", "_connection", "_deferred", "_statements", "adds_events", "now")
    # No answer is cached where other processes write too.
    ran: tuple[Statement, ...] = ()
    marks = None

    def __init__(self, connection: Connection, clock: Clock) -> None:
        self._connection = connection
        self._clock = clock
        self._deferred: list[Statement] = []
        self._statements = numbered()
        self.adds_events = False
        self.now = clock()

    async def one(self, statement: str, **values: Value) -> Row | None:
        sql, names = self._statements[statement]
        row = await self._connection.fetchrow(sql, *_kept(map(values.__getitem__, names)))
        return cast(Row | None, row)

    async def all(self, statement: str, **values: Value) -> list[Row]:
        sql, names = self._statements[statement]
        rows = await self._connection.fetch(sql, *_kept(map(values.__getitem__, names)))
        return cast(list[Row], rows)

    async def run(self, statement: str, **values: Value) -> int:
        sql, names = self._statements[statement]
        done = await self._connection.execute(sql, *_kept(map(values.__getitem__, names)))
        return int(done.rpartition(" ")[2])

    async def number(self, statement: str, **values: Value) -> int:
        row = await self.one(statement, **values)
        assert row is not None
        return row[0]

    def defer(self, statement: str, **values: Value) -> None:
        self._deferred.append((statement, values))

    async def finish(self) -> None:
        """Carry out what was deferred."""
        deferred, self._deferred = self._deferred, []
        if changes := by_statement(deferred):
            sqls = tuple(self._statements[name][0] for name in changes)
            rows = (msgspec.json.encode(its).decode() for its in changes.values())
            await self._connection.execute(_at_once(sqls), *rows)
        self.adds_events = _EVENTS in changes

    async def lock(self, table: str, *ids: str) -> bool:
        if ids:
            sql, _ = self._statements[f"locks.{table}"]
            await self._connection.fetch(sql, sorted(set(map(str, _kept(ids)))))
            # The previous holder of the lock may have used a later time than this transaction's.
            self.now = self._clock()
        return bool(ids)

    async def undone(self, work: Work[T]) -> T:
        deferred = len(self._deferred)
        await self._connection.execute("SAVEPOINT undone")
        result = await work(self)  # an error undoes the whole transaction
        await self._connection.execute("ROLLBACK TO undone")
        del self._deferred[deferred:]
        return result

    def searchable(self, text: str) -> str:
        return to_words(text)

    def ranked(self, query: Query, newest: int, most: int) -> None:  # noqa: ARG002
        return None

    def match(self, query: Query) -> str:
        return to_tsquery(query)
