"""A transaction that reads a row, and then waits for the lock that guards it, reads the row again:
another transaction may have changed it meanwhile. All transactions take their locks in one order.

The test runs every write operation and all background work on PostgreSQL, and records the
statements of each transaction in their order.
"""

from collections.abc import Iterable, Iterator
from functools import cache, partial
from itertools import pairwise
from typing import NamedTuple

import pytest

from stoa.operations.table import TABLE
from stoa.store import statements
from stoa.store.dependencies import OWNERS
from stoa.store.engines.sqlite.access import Verb, accesses
from stoa.store.tx import Tx
from tests.support.app import Agent, App
from tests.support.profiler import Profiler
from tests.support.steps import Ran, Steps
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


class Transaction:
    """What a transaction `ran`, in its order, a lock before what reads the locked row with it."""

    def __init__(self, ran: Iterable[Ran]) -> None:
        self._ran: list[Ran] = []
        for one in ran:
            if one.found and one.name in HELD:
                self._ran.append(Ran(f"locks.{HELD[one.name]}", {"id": one.found[0]}))
            self._ran.append(one)

    def locks(self) -> list[Lock]:
        """The first lock of each row, in the order in which they are taken."""
        found: dict[str, Lock] = {}
        for at, (name, values, _) in enumerate(self._ran):
            if name.startswith("locks."):
                table, row = name.removeprefix("locks."), str(values["id"])
                lock = Lock(at, ORDER.index("agent" if table == "claimer" else table), table, row)
                found.setdefault(row, lock)
        return [*found.values()]

    def is_disordered(self) -> bool:
        """Whether a lock is taken before one that comes first in the order of all."""
        return any(later[1:] < earlier[1:] for earlier, later in pairwise(self.locks()))

    def stale(self) -> Iterator[Stale]:
        """What is read before a lock that guards it, and not again."""
        for lock in self.locks():
            for read in self._ran[: lock.at]:
                is_other = read.values.get(f"{lock.table}_id", lock.row) != lock.row
                guards = tables(read.name, changed=False) & GUARDED[lock.table]
                if guards and not (is_other or changes(read.name) or self._again(read, lock.at)):
                    yield Stale(read.name, lock.table)

    def _again(self, read: Ran, at: int) -> bool:
        """Whether the same is read from there on, before the next change of what it names."""
        named = {one for one in read.values.values() if isinstance(one, str)}
        for name, values, _ in self._ran[at:]:
            if (name, {**values, "now": 0}) == (read.name, {**read.values, "now": 0}):
                return True
            if changes(name) and not (named and named.isdisjoint(values.values())):
                return False
        return False


def disordered(steps: Steps) -> list[list[str]]:
    """The tables of which transactions lock rows, where these are not in the order of all."""
    found = map(Transaction, steps.transactions)
    return [[lock.table for lock in one.locks()] for one in found if one.is_disordered()]


def stale(steps: Steps) -> set[Stale]:
    """What transactions read before a lock that guards it, and not again."""
    return {one for ran in steps.transactions for one in Transaction(ran).stale()}


def test_what_a_lock_guards_is_read_behind_it(stoa: App, steps: Steps) -> None:
    calls = Profiler().count(partial(write_all, stoa))
    assert {one.run.__qualname__ for one in TABLE.values() if one.writes} <= calls.keys()
    assert sorted(stale(steps)) == sorted(READ_ONCE)
    assert disordered(steps) == []


def test_what_is_read_with_a_lock_stands_in_the_locked_row(engine: str) -> None:
    """All else is read as it was before the statement waited for the lock."""
    beside = {name for name, table in HELD.items() if tables(name, changed=False) - {table}}
    assert beside == {"agents.held_by_key"}  # which is read again if anything is beside it


def test_an_accept_that_does_not_look_again_is_found(
    stoa: App, ada: Agent, bob: Agent, steps: Steps
) -> None:
    steps.told["locks.thread"] = False
    thread = ada.thread()
    ada.accept(thread, bob.reply(thread)).ok()
    assert {Stale("threads.get", "thread"), Stale("replies.get", "thread")} <= stale(steps)


def test_locks_in_another_order_are_found(stoa: App, steps: Steps) -> None:
    async def lock(tx: Tx) -> None:
        await tx.lock("thread", "th_1")
        await tx.lock("job", "job_1")

    stoa.run(stoa.stoa.store.write(lock))
    assert disordered(steps) == [["thread", "job"]]
