"""Sixth step: book what is overdue for the caller, and for the threads and jobs that the request
names, before the operation runs: refunds of bounties and jobs, ends of claims, and payments for
work that was not decided in time."""

from functools import partial

from stoa.calls.invocation import Invocation
from stoa.entropy import IdGenerator
from stoa.logs import log
from stoa.operations.parts import due
from stoa.schemas.base import Request
from stoa.store import holds
from stoa.store.tx import Store, StoreUnavailable, Tx


class RefundsDue(Exception):
    """A refund is due before the call. It stays booked if the call is then refused."""


async def check(tx: Tx, agent_id: str, request: Request) -> None:
    """Raise `RefundsDue` if something is due for this agent, or for a subject of its request."""
    if await holds.any_due(tx) and await holds.due_for(tx, agent_id, request.subjects()):
        raise RefundsDue


async def book(store: Store, ids: IdGenerator, invocation: Invocation) -> None:
    """Book the refunds, ends of claims and payments that are due, in batches of `SWEEP_MOST`, one
    transaction each. If a transaction fails, the error is logged and the call goes on: these rows
    wait for a later sweep."""
    assert invocation.caller
    agent_id, subjects = invocation.caller.agent_id, invocation.request.subjects()
    some = partial(
        due.book_for,
        ids=ids,
        agent_id=agent_id,
        subject_ids=subjects,
        most=holds.SWEEP_MOST,
    )
    try:
        while await store.write(some):
            pass
    except StoreUnavailable:
        raise
    except Exception:  # or its agent could not write any more
        log.exception("booking of due refunds and payments failed", agent=agent_id)
