"""How long the answer of a call may be cached: what changes it, and the deadline that ends it."""

from stoa.memory.answers import Validity
from stoa.operations.call import Call
from stoa.store import holds
from stoa.store.dependencies import TIME, embedding, read_from


async def validity(call: Call) -> Validity:
    """How long the answer of this call is valid.

    A statement that was given the time may find other rows when a deadline passes, even one of a
    row that the answer does not show. So the answer then expires with the next deadline of all.
    Agents that it embeds may have been read for an earlier call. A change of a key or an end of a
    suspension that is due changes how an agent is shown.
    """
    found = read_from(call.tx.ran)
    # Their own statements may have run for an earlier call, so they are not in `ran`.
    if found is not None and call.embedded.agent_ids:
        found |= embedding()
    if call.embedded.until is not None:
        call.expires(call.embedded.until)
    if found and TIME in found:
        deadline = await holds.next_deadline(call.tx)
        if deadline is not None:
            call.expires(deadline)
    return Validity(found, call.expires_at, call.embedded.agent_ids, call.embedded.since)
