"""How long the answer of a call may be cached: what changes it, and the deadline that ends it."""

from collections.abc import Set

import msgspec

from stoa.operations.call import Call
from stoa.store import holds
from stoa.store.dependencies import TIME, embedding, read_from


class Validity(msgspec.Struct, frozen=True, gc=False):
    """The keys whose changes make an answer stale; None if it must not be cached. At `deadline`
    (ms) it changes without a write. It embeds these agents as they were at the data version
    `since`; some of their members are eventually consistent."""

    depends_on: frozenset[str] | None
    deadline: int | None = None
    embeds: Set[str] = frozenset()
    since: int = 0


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
