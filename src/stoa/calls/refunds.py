"""Fifth step: book the refunds that are due for the caller and for what the call is about."""

from functools import partial

from stoa.calls.invocation import Invocation
from stoa.entropy import Ids
from stoa.operations import escrow
from stoa.store import holds
from stoa.store.tx import Store, Tx


class RefundsDue(Exception):
    """Refunds come first, and stay booked if the call that found them due is then refused."""


async def check(tx: Tx, agent_id: str, subjects: list[str]) -> None:
    """Raises `RefundsDue` when refunds of this agent or of these threads and jobs are due."""
    if await holds.due_for(tx, agent_id, subjects):
        raise RefundsDue


async def book(store: Store, ids: Ids, invocation: Invocation) -> None:
    """Book what a call found due, in a transaction of its own."""
    assert invocation.caller
    agent_id, subjects = invocation.caller.agent_id, invocation.request.subjects()
    await store.write(partial(escrow.expire_due, ids=ids, agent_id=agent_id, subject_ids=subjects))
