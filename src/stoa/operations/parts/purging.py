"""Finishes purges: the texts of an agent that is forgotten, and what a restored backup brings back.

It goes on where it was interrupted, since what is erased already is passed over.
"""

from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from typing import Protocol, TypeVar

from stoa.domain.errors import Refusal
from stoa.domain.moderation import Action
from stoa.operations.call import Services
from stoa.operations.parts.moderation import Order, act, locked, subject_of
from stoa.operations.parts.run_all import run_all
from stoa.store import moderation, purges
from stoa.store.purges import Purge
from stoa.store.tx import Tx, Work

T = TypeVar("T")

_AT_ONCE = 10
"""So many texts are erased in one transaction."""


class Database(Protocol):
    """What reads and writes: a store, or a database that no server uses."""

    async def read(self, work: Work[T]) -> T:
        """Read in a transaction."""
        ...

    async def write(self, work: Work[T]) -> T:
        """Write in a transaction."""
        ...


async def finish(database: Database, services: Services) -> bool:
    """Erase all that is still to be erased; whether there was any. Raises the first failure behind
    all others, which it does not hold up, and `StoreUnavailable` at once."""
    waiting = await database.read(purges.to_erase)
    await run_all(*(partial(_erase_all, database, services, purge) for purge in waiting))
    return bool(waiting)


async def _erase_all(database: Database, services: Services, purge: Purge) -> None:
    await database.write(partial(_erase_again, services=services, purge=purge))
    if purge.whole:
        await _erase_written(database, services, purge)
        await database.write(partial(purges.note_erased, subject_id=purge.id))


async def _erase_again(tx: Tx, services: Services, purge: Purge) -> None:
    """Erase what a backup had brought back. What was never there needs nothing."""
    action = Action.FORGET if purge.whole else Action.PURGE
    if purge.whole and await _is_begun(tx, purge):
        return
    await _tried(tx, services, [purge.id], action, purge.reason)
    if not purge.whole:
        await purges.note_erased(tx, purge.id)


async def _is_begun(tx: Tx, purge: Purge) -> bool:
    """Whether the log has the act, so that the profile is erased."""
    acts = await moderation.acts_on(tx, purge.id)
    return any(one.action == Action.FORGET and one.created_at >= purge.created_at for one in acts)


async def _erase_written(database: Database, services: Services, purge: Purge) -> None:
    for kind in purges.KINDS:
        last: str | None = ""
        while last is not None:
            look = partial(purges.written, kind=kind, author_id=purge.id, after=last)
            ids, last = await database.read(look)
            for first in range(0, len(ids), _AT_ONCE):
                some = ids[first : first + _AT_ONCE]
                reason = purge.reason
                erase = partial(
                    _tried, services=services, ids=some, action=Action.PURGE, reason=reason
                )
                await database.write(erase)


async def _tried(
    tx: Tx, services: Services, ids: Sequence[str], action: Action, reason: str
) -> None:
    """Carry out this action on each of these ids, but for those whose state does not allow it."""
    orders = [Order(action, subject_of(subject_id), reason) for subject_id in ids]
    # All at first, in the order of all locks: one after the other they would have an order of their
    # own. Where one is missing, each is tried alone.
    with suppress(Refusal):
        await locked(tx, [order.subject for order in orders])
    for order in orders:
        with suppress(Refusal):
            await act(tx, services, [order], None)
