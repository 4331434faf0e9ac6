"""A transaction on one PostgreSQL connection."""

import asyncio
import re
from collections.abc import Callable, Iterable
from functools import cache
from typing import cast

from stoa.clock import Clock
from stoa.store import statements
from stoa.store.deferring import by_statement, without
from stoa.store.engines.postgres.connection import PostgresConnection
from stoa.store.engines.postgres.errors import Meaning, meaning
from stoa.store.tx import NotTouched, Row, Statement, StoreUnavailable, T, Value, Work, as_json

_EVENTS, _MARK = "events.insert", "events.mark"
_COUNT = "(SELECT count(*) FROM part_{})"
_NUMBER = re.compile(r"\$(\d+)")
_CHANGED = re.compile(r"\b(?:INSERT INTO|UPDATE|DELETE FROM) ([a-z_]+)")
_ADDED = re.compile(r"\bINSERT INTO ([a-z_]+)(?!.*\bDO UPDATE\b)", re.DOTALL)

Numbered = tuple[str, tuple[str, ...]]
"""A statement with numbered values, and the names of these in order."""


@cache
def numbered() -> dict[str, Numbered]:
    """Every statement with numbered values, and the names of these in order."""
    named = statements.load("postgresql").items()
    return {name: statements.positional(sql) for name, sql in named}


@cache
def _at_once(changes: tuple[Numbered, ...]) -> str:
    """One statement that carries out all of these, each with its own values, and returns how many
    rows each touched. PostgreSQL carries out each when its count is read, so in this order."""
    parts: list[str] = []
    given = 0
    for sql, names in changes:
        own = _NUMBER.sub(lambda found, given=given: f"${int(found[1]) + given}", sql)
        parts.append(f"part_{len(parts)} AS ({own} RETURNING 1)")
        given += len(names)
    counts = map(_COUNT.format, range(len(parts)))
    return f"WITH {', '.join(parts)} SELECT {', '.join(counts)}"


@cache
def _may_meet(first: str, second: str) -> bool:
    """Whether two statements may change the same row. If one statement changes a row twice,
    PostgreSQL carries out one change alone, without an error."""
    texts = numbered()[first][0], numbered()[second][0]
    changed, added = ([set(found.findall(sql)) for sql in texts] for found in (_CHANGED, _ADDED))
    return first == second or bool(changed[0] & changed[1] - (added[0] & added[1]))


def _kept(values: Iterable[Value]) -> list[Value]:
    """Values in the form that PostgreSQL can store or compare: its texts hold no NUL, so that none
    equals a text with one. Texts to be stored with a NUL have been refused before."""
    return [
        value.replace("\0", "\ufffe") if isinstance(value, str) and "\0" in value else value
        for value in values
    ]


class PostgresTx:
    """A `Tx` on a connection that has begun, or one that reads without a transaction. There the
    server knows of no time-out, so each statement is cancelled after `statement_s` seconds."""

    __slots__ = (
        "_clock",
        "_connection",
        "_deferred",
        "_statement_s",
        "_statements",
        "_waiting",
        "adds_events",
        "now",
    )
    # No answer is cached where other processes write too.
    ran: tuple[Statement, ...] = ()
    seen = None

    def __init__(
        self, connection: PostgresConnection, clock: Clock, statement_s: float | None = None
    ) -> None:
        self._connection = connection
        self._clock = clock
        self._statement_s = statement_s
        self._deferred: list[Statement] = []
        self._statements = numbered()
        self._waiting: dict[str, tuple[int, dict[str, Value]]] = {}
        self.adds_events = False
        self.now = clock()

    async def aside(self, work: Callable[[], T], *, light: bool = False) -> T:
        return work() if light else await asyncio.to_thread(work)

    async def one(self, statement: str, **values: Value) -> Row | None:
        await self._catch_up()
        sql, names = self._statements[statement]
        given = _kept(map(values.__getitem__, names))
        row = await self._connection.fetchrow(sql, *given, timeout=self._statement_s)
        return cast(Row | None, row)

    async def all(self, statement: str, **values: Value) -> list[Row]:
        await self._catch_up()
        sql, names = self._statements[statement]
        given = _kept(map(values.__getitem__, names))
        rows = await self._connection.fetch(sql, *given, timeout=self._statement_s)
        return cast(list[Row], rows)

    async def run(self, statement: str, **values: Value) -> int:
        await self._catch_up()
        sql, names = self._statements[statement]
        done = await self._connection.execute(sql, *_kept(map(values.__getitem__, names)))
        return int(done.rpartition(" ")[2])

    async def run_all(self, *changes: Statement) -> list[int]:
        await self._catch_up()
        known = [self._statements[name] for name, _ in changes]
        given = [
            values[name]
            for (_, names), (_, values) in zip(known, changes, strict=True)
            for name in names
        ]
        return list(await self._connection.fetchrow(_at_once(tuple(known)), *_kept(given)) or ())

    async def put(self, statement: str, least: int = 1, /, **values: Value) -> None:
        # What is sent together has few forms too, each prepared once: none has a statement twice.
        if any(_may_meet(statement, other) for other in self._waiting):
            await self._catch_up()
        self._waiting[statement] = least, values

    async def _catch_up(self) -> None:
        """Carry out the waiting changes."""
        if not self._waiting:
            return
        waiting, self._waiting = self._waiting, {}
        counts = await self.run_all(*((name, values) for name, (_, values) in waiting.items()))
        for (name, (least, _)), count in zip(waiting.items(), counts, strict=True):
            if count < least:
                raise NotTouched(name)

    async def number(self, statement: str, **values: Value) -> int:
        row = await self.one(statement, **values)
        assert row is not None
        self.adds_events = self.adds_events or statement == _MARK
        return row[0]

    def defer(self, statement: str, **values: Value) -> None:
        self._deferred.append((statement, values))

    def drop_deferred(self, statement: str, **values: Value) -> None:
        self._deferred = without(self._deferred, statement, values)

    async def finish(self) -> None:
        """Carry out the deferred changes."""
        deferred, self._deferred = self._deferred, []
        changes = by_statement(deferred)
        for name, rows in changes.items():
            if self._statements[name][1] == ("rows",):
                await self.put(name, 0, rows=as_json(rows))
            else:
                for values in rows:
                    await self.put(name, 0, **values)
        await self._catch_up()
        self.adds_events = self.adds_events or _EVENTS in changes

    async def held(self, statement: str, **values: Value) -> Row | None:
        row = await self.one(statement, **values)
        self.now = self._clock()  # as after `lock`
        return row

    async def lock(self, table: str, *ids: str) -> bool:
        if ids:
            await self._catch_up()
            sql, _ = self._statements[f"locks.{table}"]
            await self._connection.fetch(sql, sorted(set(map(str, _kept(ids)))))
            # The previous holder of the lock may have used a later time than this transaction's.
            self.now = self._clock()
        return bool(ids)

    def may_pass(self, error: Exception) -> bool:
        unavailable = isinstance(error, StoreUnavailable)
        return unavailable or meaning(error, self._connection) is not Meaning.DEFECT

    async def undone(self, work: Work[T]) -> T:
        await self._catch_up()
        deferred = len(self._deferred)
        await self._connection.execute("SAVEPOINT undone")
        result = await work(self)  # an error undoes the whole transaction
        await self._catch_up()
        await self._connection.execute("ROLLBACK TO undone")
        del self._deferred[deferred:]
        return result
