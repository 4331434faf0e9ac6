"""Processes due rows in batches, one transaction each. A row that fails is skipped."""

from collections.abc import Coroutine
from functools import partial
from typing import Any, Protocol

from stoa.store.tx import Store, StoreUnavailable, Tx

_FAILURES = 1_000
"""How many failing rows one sweep skips. The rows after them wait for an operator."""


class DoSome(Protocol):
    """Processes a batch of at most `most` due rows, the earliest first, without the first `skip`;
    returns the size of the batch."""

    def __call__(self, tx: Tx, *, most: int, skip: int) -> Coroutine[Any, Any, int]: ...


class ForgetSome(Protocol):
    """Deletes up to `most` expired rows of each kind; returns whether there may be more."""

    def __call__(self, tx: Tx, most: int) -> Coroutine[Any, Any, bool]: ...


async def do_due(store: Store, work: DoSome, most: int) -> None:
    """Process all due rows. If a transaction fails, each of its rows gets its own, so that none
    blocks the others. Raises the first failure after all of them, and `StoreUnavailable` at
    once."""
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
    """Delete all expired rows, without holding up other writes for long."""
    while await store.write(partial(work, most=most)):
        continue
