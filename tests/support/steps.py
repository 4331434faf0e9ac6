"""Stores that do what a test says before and after steps of their transactions."""

from collections.abc import Awaitable, Callable, Coroutine
from functools import partial
from typing import Any, NamedTuple, TypeVar, cast

from stoa.store.engines.postgres.tx import PostgresTx
from stoa.store.tx import Statement, Store, Tx, Work

T = TypeVar("T")

Act = Callable[[], Awaitable[object]]
Through = Callable[[Store], Store]
"""What a service is given in the place of a store."""


def as_it_is(store: Store) -> Store:
    """The store itself."""
    return store


class Ran(NamedTuple):
    """A statement or a lock that was run, with its values, and what it found."""

    name: str
    values: dict[str, Any]
    found: Any = None


class Steps:
    """The steps of the transactions of a service, and what a test does at them.

    A step is a statement or a lock, both by the name of the statement (`jobs.claim`,
    `locks.thread`), the whole transaction (`read`, `write`), or what a write on PostgreSQL carries
    out last (`finish`), behind which it commits. `jobs` or `locks` stands for all of that file, and
    `statement` for all statements and locks.
    """

    def __init__(self) -> None:
        self.taken: list[str] = []
        self.told: dict[str, Any] = {}
        """What a step tells in the place of what it found."""
        self.given: dict[str, dict[str, int]] = {}
        """What a statement is given in the place of values of the same names."""
        self.asked: dict[str, dict[str, Any]] = {}
        """The values with which a statement was asked for last."""
        self.transactions: list[list[Ran]] = []
        """What each transaction ran, in its order."""
        self._before: dict[str, tuple[Act, bool]] = {}
        self._after: dict[str, tuple[Act, bool]] = {}

    def before(self, step: str, act: Act, *, once: bool = False) -> None:
        """Do this before such a step, or only before the next one."""
        self._before[step] = act, once

    def after(self, step: str, act: Act, *, once: bool = False) -> None:
        """Do this after such a step, or only after the next one."""
        self._after[step] = act, once

    async def take(self, go: Callable[[], Awaitable[T]], *steps: str) -> T:
        """Take a step, or several that are one statement."""
        self.taken += steps
        for step in steps:
            await _do(self._before, step)
        found = await go()
        for step in steps:
            await _do(self._after, step)
        return self.told.get(steps[-1], found)

    def store(self, store: Store) -> Store:
        """The same store, of whose steps this knows."""
        return cast(Store, _Store(store, self))

    def tx(self, tx: Tx) -> Tx:
        """The same transaction, of whose steps this knows."""
        return cast(Tx, _Tx(tx, self))


async def _do(acts: dict[str, tuple[Act, bool]], step: str) -> None:
    file, is_statement, _ = step.partition(".")
    for name in {step, file, is_statement and "statement"} & acts.keys():
        act, once = acts[name]
        if once:
            del acts[name]
        await act()


def look_at(steps: Steps, rows: int) -> None:
    """Let a page look at so many rows where a filter has no index."""
    orders = {"threads": ("recent", "active", "replies"), "jobs": ("recent", "reward", "deadline")}
    for list_name, names in orders.items():
        for order in names:
            steps.given[f"{list_name}.far_tag_{order}"] = {"most": rows - 1}


class _Store:
    def __init__(self, store: Store, steps: Steps) -> None:
        self._store, self._steps = store, steps

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    async def read(self, work: Work[Any], **how: Any) -> Any:
        async def stepwise(tx: Tx) -> Any:
            return await work(self._steps.tx(tx))

        return await self._steps.take(partial(self._store.read, stepwise, **how), "read")

    async def write(self, work: Work[T]) -> T:
        async def stepwise(tx: Tx) -> T:
            found = await work(self._steps.tx(tx))
            if isinstance(tx, PostgresTx):
                await self._steps.take(tx.finish, "finish")
            return found

        return await self._steps.take(partial(self._store.write, stepwise), "write")


def _step(method: str) -> Callable[..., Coroutine[Any, Any, Any]]:
    async def taken(self: "_Tx", statement: str, *more: int, **values: Any) -> Any:
        self.steps.asked[statement] = values
        given = values | self.steps.given.get(statement, {})
        go = partial(getattr(self.tx, method), statement, *more, **given)
        found = await self.steps.take(go, statement)
        self.noted.append(Ran(statement, values, found))
        return found

    return taken


class _Tx:
    def __init__(self, tx: Tx, steps: Steps) -> None:
        self.tx, self.steps = tx, steps
        self.noted: list[Ran] = []
        steps.transactions.append(self.noted)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.tx, name)

    one, all, run, put, number, held = map(_step, ("one", "all", "run", "put", "number", "held"))

    async def run_all(self, *changes: Statement) -> list[int]:
        names = (name for name, _ in changes)
        self.noted += (Ran(name, values) for name, values in changes)
        return await self.steps.take(partial(self.tx.run_all, *changes), *names)

    async def lock(self, table: str, *ids: str) -> bool:
        go = partial(self.tx.lock, table, *ids)
        locked = await (self.steps.take(go, f"locks.{table}") if ids else go())
        self.noted += (Ran(f"locks.{table}", {"id": one}) for one in sorted(set(ids)))
        return locked

    async def undone(self, work: Work[T]) -> T:
        async def stepwise(_: Tx) -> T:
            return await work(cast(Tx, self))

        return await self.tx.undone(stepwise)
