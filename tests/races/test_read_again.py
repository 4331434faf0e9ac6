"""A transaction that reads a row, and then waits for the lock that guards it, reads the row again:
another transaction may have changed it meanwhile. All transactions take their locks in one order.

The test runs every write operation and all background work on PostgreSQL, and records the
statements of each transaction in their order.
"""

from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from typing import Any, NamedTuple

import pytest

from stoa.calls.transaction import OperationRun, Result
from stoa.operations.table import TABLE
from stoa.store import statements
from stoa.store.dependencies import OWNERS
from stoa.store.engines.postgres import store as postgres
from stoa.store.engines.postgres.tx import PostgresTx
from stoa.store.engines.sqlite.access import Verb, accesses
from stoa.store.tx import Row, Statement, Tx, Value
from tests.support.app import Agent, App
from tests.support.steps import Steps
from tests.support.writes import write_all

pytestmark = pytest.mark.parametrize("engine", ["postgresql"])


def owned(lock: str) -> set[str]:
    """The tables whose rows belong to an agent, a thread or a job."""
    return {table for table, owners in OWNERS.items() if f"{lock}_id" in owners}


_AGENT = owned("agent") | {"authorization_request", "refresh_token", "webhook", "watch"}
GUARDED = {
    "address": {"registration"},
    "key": {"agent", "key_change"},
    "moderation": {"moderation_act", "moderator", "report"},
    "agent": _AGENT,
    "claimer": _AGENT,
    "job": owned("job") | {"addition", "application", "held_post"},
    "thread": owned("thread") | {"addition", "held_post", "outcome"},
    "account": {"account"},
}
"""The tables of which a lock guards rows."""
ORDER = ("moderation", "key", "address", "agent", "job", "thread", "account")
HELD = {"agents.held": "agent", "agents.held_by_key": "agent", "jobs.held": "job"}
"""Statements that lock what they read."""


class Stale(NamedTuple):
    """A statement that read before a lock what it guards, and not again."""

    statement: str
    lock: str


_DUE = "what falls due is booked apart, and the state of a row says whether it has"
_CHOOSES = "it only says which to lock; what is done to each is decided by what is read then"
READ_ONCE = {
    Stale("authorizations.by_code", "agent"): "what was asked for stays; a change uses the code up",
    Stale("authorizations.to_approve", "agent"): "what was asked for stays; a change approves it",
    Stale("held.due", "agent"): _CHOOSES,
    Stale("holds.any_due", "job"): _DUE,
    Stale("holds.any_due", "thread"): _DUE,
    Stale("key_changes.due", "agent"): _CHOOSES,
    Stale("moderation.ended", "agent"): _CHOOSES,
    Stale("outcomes.due", "thread"): _CHOOSES,
    Stale("sessions.session", "agent"): "how a session began stays",
    Stale("threads.get", "agent"): "of its author it reads the version alone",
}
"""Why these need not be read again."""


@cache
def tables(name: str, *, changed: bool) -> frozenset[str]:
    """The tables that a statement changes, or those that it reads."""
    sql = statements.load("sqlite").get(name)
    found = accesses(sql) if sql else []
    return frozenset(one.table for one in found if (one.verb is not Verb.READ) is changed)


def changes(name: str) -> bool:
    """Whether a statement changes anything."""
    return bool(tables(name, changed=True))


class Lock(NamedTuple):
    """A lock that is taken at this place among the statements: its rank, table and row."""

    at: int
    rank: int
    table: str
    row: str


class Noted(PostgresTx):
    """Notes the statements of a transaction in their order, a lock before what reads the locked row
    with it."""

    stale: set[Stale]
    disordered: list[list[Lock]]

    def __init__(self, *parts: Any) -> None:
        super().__init__(*parts)
        self.steps: list[Statement] = []

    async def one(self, statement: str, **values: Value) -> Row | None:
        row = await super().one(statement, **values)
        if row and statement in HELD:
            self.steps.append((f"locks.{HELD[statement]}", {"id": row[0]}))
        self.steps.append((statement, values))
        return row

    async def all(self, statement: str, **values: Value) -> list[Row]:
        rows = await super().all(statement, **values)
        self.steps.append((statement, values))
        return rows

    async def run(self, statement: str, **values: Value) -> int:
        self.steps.append((statement, values))
        return await super().run(statement, **values)

    async def run_all(self, *changes: Statement) -> list[int]:
        self.steps += changes
        return await super().run_all(*changes)

    async def lock(self, table: str, *ids: str) -> bool:
        locked = await super().lock(table, *ids)
        for one in sorted(set(ids)):
            self.steps.append((f"locks.{table}", {"id": one}))
        return locked

    async def finish(self) -> None:
        await super().finish()
        locks = self._locks()
        self.stale.update(one for lock in locks for one in self._stale(lock))
        if any(later[1:] < earlier[1:] for earlier, later in pairwise(locks)):
            self.disordered.append(locks)

    def _locks(self) -> list[Lock]:
        found: dict[str, Lock] = {}
        for at, (name, values) in enumerate(self.steps):
            if name.startswith("locks."):
                table, row = name.removeprefix("locks."), str(values["id"])
                lock = Lock(at, ORDER.index("agent" if table == "claimer" else table), table, row)
                found.setdefault(row, lock)
        return [*found.values()]

    def _stale(self, lock: Lock) -> Iterator[Stale]:
        for read in self.steps[: lock.at]:
            is_other = read[1].get(f"{lock.table}_id", lock.row) != lock.row
            guards = tables(read[0], changed=False) & GUARDED[lock.table]
            if guards and not (is_other or changes(read[0]) or self._again(read, lock.at)):
                yield Stale(read[0], lock.table)

    def _again(self, read: Statement, at: int) -> bool:
        """Whether the same is read from there on, before the next change of what it names."""
        named = {one for one in read[1].values() if isinstance(one, str)}
        for name, values in self.steps[at:]:
            if (name, {**values, "now": 0}) == (read[0], {**read[1], "now": 0}):
                return True
            if changes(name) and not (named and named.isdisjoint(values.values())):
                return False
        return False


@pytest.fixture
def stale(monkeypatch: pytest.MonkeyPatch) -> set[Stale]:
    found = Noted.stale = set[Stale]()
    Noted.disordered = []
    monkeypatch.setattr(postgres, "PostgresTx", Noted)
    return found


@pytest.fixture
def ran(monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """The operations that were run."""
    found, real = set[str](), OperationRun.__call__

    async def call(run: OperationRun, tx: Tx) -> Result:
        found.add(run.invocation.operation.name)
        return await real(run, tx)

    monkeypatch.setattr(OperationRun, "__call__", call)
    return found


def test_what_a_lock_guards_is_read_behind_it(stoa: App, stale: set[Stale], ran: set[str]) -> None:
    write_all(stoa)
    assert {one.name for one in TABLE.values() if one.writes} <= ran
    assert sorted(stale) == sorted(READ_ONCE)
    assert Noted.disordered == []


def test_what_is_read_with_a_lock_stands_in_the_locked_row(engine: str) -> None:
    """All else is read as it was before the statement waited for the lock."""
    beside = {name for name, table in HELD.items() if tables(name, changed=False) - {table}}
    assert beside == {"agents.held_by_key"}  # which is read again if anything is beside it


def test_an_accept_that_does_not_look_again_is_found(
    stoa: App, ada: Agent, bob: Agent, stale: set[Stale], steps: Steps
) -> None:
    steps.told["locks.thread"] = False
    thread = ada.thread()
    ada.accept(thread, bob.reply(thread)).ok()
    assert {Stale("threads.get", "thread"), Stale("replies.get", "thread")} <= stale


def test_locks_in_another_order_are_found(stoa: App, stale: set[Stale]) -> None:
    async def lock(tx: Tx) -> None:
        await tx.lock("thread", "th_1")
        await tx.lock("job", "job_1")

    stoa.run(stoa.stoa.store.write(lock))
    assert [[one.table for one in locks] for locks in Noted.disordered] == [["thread", "job"]]
