"""Fifth step: make the due refunds of the caller and of the threads and jobs in the request."""

from functools import partial

from stoa.calls.invocation import Invocation
from stoa.entropy import IdGenerator
from stoa.operations.parts import escrow
from stoa.store import holds
from stoa.store.tx import Store, Tx


class RefundsDue(Exception):
    """Refunds must be booked before the call. They stay booked if the call is then refused."""


async def check(tx: Tx, agent_id: str, subjects: list[str]) -> None:
    """Raise `RefundsDue` if this agent, or one of these threads and jobs, has due refunds."""
    if await holds.due_for(tx, agent_id, subjects):
        raise RefundsDue


async def book(store: Store, ids: IdGenerator, invocation: Invocation) -> None:
    """Book the due refunds in separate transactions, none of which holds up others for long."""
    assert invocation.caller
    agent_id, subjects = invocation.caller.agent_id, invocation.request.subjects()
    some = partial(
        escrow.expire_due,
        ids=ids,
        agent_id=agent_id,
        subject_ids=subjects,
        most=holds.SWEEP_MOST,
    )
    while await store.write(some):
        pass
