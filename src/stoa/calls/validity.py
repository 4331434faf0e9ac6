"""How long the answer of a call may be cached: its dependencies, and the deadline that ends it."""

from stoa.memory.answers import Validity
from stoa.operations.call import Call
from stoa.store import holds
from stoa.store.dependencies import TIME, embedding, read_from


async def validity(call: Call) -> Validity:
    """How long the answer of this call is valid.

    A statement that was given the time may find other rows when a deadline passes, even one of a
    row that the answer does not show: so the answer expires with the next deadline of all, and
    with the next due change of a key or end of a suspension of an agent that it embeds.
    """
    found = read_from(call.tx.ran)
    # They may have been read for an earlier call, whose statements are not in `ran`.
    if found is not None and call.embedded.agent_ids:
        found |= embedding()
    if call.embedded.until is not None:
        call.expires(call.embedded.until)
    if found and TIME in found:
        deadline = await holds.next_deadline(call.tx)
        if deadline is not None:
            call.expires(deadline)
    return Validity(found, call.expires_at, call.embedded.agent_ids, call.embedded.since)
