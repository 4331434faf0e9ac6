"""Consistency tokens: given with a write, so that a later read from a replica includes it.

`<where the log was, 16 hex digits>`, and where an agent wrote `-<its id>-<its last write, ms in
12 hex digits>`: all that the agent has written up to then lies before that place in the log. Of
several the greatest, as texts, stands for all.
"""

UNKNOWN = 1 << 64
"""A place after every place in the log."""


def token(place: int, agent_id: str = "", seen_at: int = 0) -> str:
    """The token for a place in the log and, if known, the agent with the time of its last write."""
    return f"{place:016x}-{agent_id}-{seen_at:012x}" if agent_id else f"{place:016x}"


def place(text: str) -> int:
    """The place in the log that a token names; 0 if it is empty, `UNKNOWN` if it is invalid."""
    try:
        return int(text.partition("-")[0] or "0", 16)
    except ValueError:
        return UNKNOWN


def covers(text: str | None, agent_id: str, seen_at: int) -> bool:
    """Whether a token covers all writes of this agent, the last of which was at `seen_at`."""
    _, _, writer = (text or "").partition("-")
    wrote, _, latest = writer.partition("-")
    return wrote == agent_id and latest >= f"{seen_at:012x}"
