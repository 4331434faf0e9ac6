"""Which reads a replica may answer, and what it must have for that."""

from stoa.calls.invocation import Invocation
from stoa.store import consistency


def at_least(invocation: Invocation, shown: str, settled_before: int) -> str | None:
    """What a replica must have to answer a read that is to show `shown`; None when none may.

    Every replica has what was written before `settled_before`, ms.
    """
    if not invocation.operation.kept.lagging:
        return None
    caller = invocation.caller
    if caller and not consistency.covers(shown, caller.agent_id, caller.last_seen_at):
        # Another client of the agent may have written what this one does not know of.
        return shown if caller.last_seen_at < settled_before else None
    return shown
