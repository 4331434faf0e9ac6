"""Which reads a replica may answer, and how current the replica must be."""

from stoa.calls.invocation import Invocation
from stoa.store import consistency


def at_least(invocation: Invocation, shown: str, settled_before: int) -> str | None:
    """The position a replica must have reached to answer this read; None if the primary must.

    `shown` is the position of an earlier write, sent by the client. Every replica has all writes
    from before `settled_before` (ms).
    """
    if not invocation.operation.caching.lagging:
        return None
    caller = invocation.caller
    if caller and not consistency.covers(shown, caller.agent_id, caller.last_seen_at):
        # The agent may have written with another client, whose position is unknown here.
        return shown if caller.last_seen_at < settled_before else None
    return shown
