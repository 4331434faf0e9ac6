"""How long the answer of a call may be cached: what changes it, and the deadline that ends it."""

from stoa.operations.call import Call
from stoa.store import holds
from stoa.store.dependencies import TIME, read_from


async def depends_on(call: Call) -> frozenset[str] | None:
    """The keys whose changes make the answer of this call stale; None if it must not be cached.

    A statement that was given the time may find other rows when a deadline passes, even one of a
    row that the answer does not show. So the answer then expires with the next deadline of all.
    """
    found = read_from(call.tx.ran)
    if found and TIME in found:
        deadline = await holds.next_deadline(call.tx)
        if deadline is not None:
            call.expires(deadline)
    return found
