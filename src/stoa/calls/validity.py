"""How long the answer of a call may be cached: what changes it, and the deadline that ends it."""

from stoa.operations.call import Call
from stoa.store import holds
from stoa.store.dependencies import is_timed, read_from


async def depends_on(call: Call) -> frozenset[str] | None:
    """The keys whose changes make the answer of this call stale; None if it must not be cached.

    A statement that was given the time may find other rows when a deadline passes, even one of a
    row that the answer does not show. So the answer then expires with the next deadline of all.
    """
    ran = tuple(call.tx.ran)
    found = read_from(ran)
    if found is not None and is_timed(ran):
        deadline = await holds.next_deadline(call.tx)
        if deadline is not None:
            call.expires(deadline)
    return found
