"""Does what is due, some rows in each transaction, and goes on behind rows that fail."""

from collections.abc import Awaitable, Callable, Coroutine
from functools import partial
from typing import Any, Protocol

from stoa.store.tx import Store, StoreUnavailable, Tx

_FAILURES = 1_000
"""So many rows that fail are left out by one sweep. What is behind them waits for an operator."""


class DoSome(Protocol):
    """Does up to `most` of what is due, the longest ago first, but for the first `skip`; returns
    how much there was."""

    def __call__(self, tx: Tx, *, most: int, skip: int) -> Coroutine[Any, Any, int]:
        """Do it in this transaction."""
        ...


class ForgetSome(Protocol):
    """Deletes up to `most` rows of each kind whose time is over; returns whether there may be
    more."""

    def __call__(self, tx: Tx, most: int) -> Coroutine[Any, Any, bool]:
        """Do it in this transaction."""
        ...


async def do_due(store: Store, work: DoSome, most: int) -> None:
    """Do all that is due. Where a transaction fails, each of its rows gets one of its own, so that
    none keeps others from being done. Raises the first failure behind all of them, and
    `StoreUnavailable` at once."""
    skip, alone, first = 0, 0, None
    while skip < _FAILURES:
        try:
            some = partial(work, most=1 if alone else most, skip=skip)
            if not await store.write(some):
                break
            alone = max(0, alone - 1)
        except StoreUnavailable:
            raise
        except Exception as error:  # noqa: BLE001 - it is raised behind the others
            first = first or error
            skip, alone = (skip + 1, alone - 1) if alone else (skip, most)
    if first:
        raise first


async def forget(store: Store, work: ForgetSome, most: int) -> None:
    """Delete all that is over, without holding up other writes for long."""
    while await store.write(partial(work, most=most)):
        continue


async def each(*works: Callable[[], Awaitable[Any]]) -> None:
    """Do one after the other, also behind one that fails. Raises the first failure behind all of
    them, and `StoreUnavailable` at once."""
    first = None
    for work in works:
        try:
            await work()
        except StoreUnavailable:
            raise
        except Exception as error:  # noqa: BLE001 - it is raised behind the others
            first = first or error
    if first:
        raise first
