"""Finishes purges: texts of a forgotten agent, and texts that a restored backup brings back.

An interrupted purge continues, since erased texts are skipped. A text that cannot be erased, such
as a thread whose bounty cannot be refunded because the ledger differs, is hidden until it can be.
"""

import re
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import Protocol

from stoa.domain.errors import Refusal
from stoa.domain.moderation import Action
from stoa.domain.paced import in_pieces
from stoa.operations.call import Services
from stoa.operations.parts import erasing, scores
from stoa.operations.parts.moderation import Order, act, hide_alone, locked, subject_of
from stoa.operations.parts.run_all import run_all
from stoa.store import idempotency, moderation, purges
from stoa.store.idempotency import AnswerPlace, OwnedAnswer
from stoa.store.purges import Purge
from stoa.store.tx import StartRefused, StoreUnavailable, T, Tx, Work

_AT_ONCE = 10
"""How many texts are erased in one transaction."""

_NOTHING_TO_ERASE = ("not_found", "moderation_not_possible")
"""The refusals of texts that never existed, or are erased already."""


_SIMILAR = b'"similar":[{'
"""The member in which the answer to a new thread quotes the titles of others."""

_IN_ID = re.compile(rb"_([0-9a-z]{26})")
"""The part after the prefix of an id, which no other id has."""


class PurgeFailed(Exception):
    """A text could not be erased; the message names it, and it is hidden."""


class Database(Protocol):
    """Reads and writes: a store, or a database that no server uses."""

    async def read(self, work: Work[T], *, background: bool = False) -> T:
        """Read in a transaction, `background` work beside the event loop."""
        ...

    async def write(self, work: Work[T]) -> T:
        """Write in a transaction."""
        ...


async def finish(database: Database, services: Services) -> bool:
    """Finish all purges; returns whether there were any. Raises the first `PurgeFailed` after all
    others are done, and `StoreUnavailable` at once."""
    waiting = await database.read(purges.to_erase)
    await run_all(*(partial(_erase_all, database, services, purge) for purge in waiting))
    return bool(waiting)


async def _erase_all(database: Database, services: Services, purge: Purge) -> None:
    """Erase what a backup had brought back, and all texts of forgotten agents."""
    works: list[Callable[[], Awaitable[None]]] = []
    if not await database.read(partial(_is_begun, purge=purge)):
        action = Action.FORGET if purge.whole else Action.PURGE
        works.append(partial(_erase, database, services, [purge.id], action, purge.reason))
        works.append(partial(database.write, partial(purges.keep_time, purge=purge)))
    if purge.whole:
        works += (partial(_erase_kind, database, services, purge, kind) for kind in purges.KINDS)
        works.append(partial(_recount, database, services, purge.id))
    await run_all(*works)
    await database.write(partial(purges.note_erased, purge=purge))


async def _is_begun(tx: Tx, purge: Purge) -> bool:
    """Whether the log has the act of forgetting, so that the profile is erased."""
    acts = await moderation.acts_on(tx, purge.id) if purge.whole else []
    return any(one.action == Action.FORGET and one.created_at >= purge.created_at for one in acts)


async def _recount(database: Database, services: Services, agent_id: str) -> None:
    """Take what an agent said of replies, which is erased, out of what these show of it."""
    new_ms = services.settings.new_agent_ms
    recount = partial(scores.recount, new_agent_ms=new_ms, agent_id=agent_id)
    while await database.write(recount):
        pass


async def _erase_kind(database: Database, services: Services, purge: Purge, kind: str) -> None:
    """Erase all of one kind that an agent wrote. Raises `PurgeFailed` after all are done."""
    last: str | None = ""
    failed: PurgeFailed | None = None
    while last is not None:
        look = partial(purges.written, kind=kind, author_id=purge.id, after=last)
        ids, last = await database.read(look)
        for some in in_pieces(ids, _AT_ONCE):
            try:
                await _erase(database, services, some, Action.PURGE, purge.reason)
            except PurgeFailed as error:
                failed = failed or error
    if failed:
        raise failed


async def _erase(
    database: Database, services: Services, ids: Sequence[str], action: Action, reason: str
) -> None:
    """Erase these together. If that fails, each is tried alone, and hidden if it fails again; then
    raises `PurgeFailed`, after all of them."""
    orders = [Order(action, subject_of(subject_id), reason) for subject_id in ids]
    try:
        await database.write(partial(_carried_out, services=services, orders=orders))
    except (StoreUnavailable, StartRefused):
        raise
    except Exception as error:
        if len(ids) > 1:
            await run_all(
                *(partial(_erase, database, services, [one], action, reason) for one in ids)
            )
            return
        subject = orders[0].subject
        await database.write(partial(hide_alone, services=services, subject=subject, reason=reason))
        why = error if isinstance(error, Refusal) else type(error).__name__
        raise PurgeFailed(f"{subject.id} is hidden, but cannot be erased: {why}") from error


async def _carried_out(tx: Tx, services: Services, orders: Sequence[Order]) -> None:
    """Carry these orders out, except those whose state does not allow it."""
    # All at first, in the order of all locks: one after the other they would have an order of their
    # own. Where one is missing, each is tried alone.
    with suppress(Refusal):
        await locked(tx, [order.subject for order in orders])
    for order in orders:
        try:
            await act(tx, services, [order], None)
        except Refusal as refusal:
            if refusal.code not in _NOTHING_TO_ERASE:
                raise


async def shorten_answers(database: Database) -> None:
    """Shorten all stored answers that show what was erased since the files were wiped. There may be
    gigabytes of them, so they are read outside the writes, some at a time."""
    gone, whole = await database.read(purges.unwiped)
    marks = {one.partition("_")[2].encode() for one in gone}
    place: AnswerPlace | None = AnswerPlace()
    while place is not None:
        look = partial(_showing, marks=marks, similar=whole, after=place)
        found, place = await database.read(look, background=True)
        if found:
            await database.write(partial(erasing.shorten, found=found))


async def _showing(
    tx: Tx, marks: set[bytes], similar: bool, after: AnswerPlace
) -> tuple[list[OwnedAnswer], AnswerPlace | None]:
    """Those of the next answers with one of these in an id, or that quote `similar` titles; and the
    place after which there may be more."""
    full, last = await idempotency.slice_of(tx, after)

    def showing() -> list[OwnedAnswer]:
        return [
            one
            for one in full
            if (similar and _SIMILAR in one.answer)
            or not marks.isdisjoint(_IN_ID.findall(one.answer))
        ]

    return await tx.aside(showing), last
