"""Processes due rows in batches, one transaction each. A row that fails is skipped."""

from collections.abc import Coroutine
from functools import partial
from typing import Any, Protocol

from stoa.store.tx import Store, StoreUnavailable, Tx

_FAILURES = 1_000
"""So many rows that fail are left out by one sweep. What is behind them waits for an operator."""


class DoSome(Protocol):
    """Processes a batch of at most `most` due rows, the longest due first, without the first
    `skip`; returns the size of the batch."""

    def __call__(self, tx: Tx, *, most: int, skip: int) -> Coroutine[Any, Any, int]: ...


class ForgetSome(Protocol):
    """Deletes up to `most` rows of each kind whose time is over; returns whether there may be
    more."""

    def __call__(self, tx: Tx, most: int) -> Coroutine[Any, Any, bool]: ...


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
