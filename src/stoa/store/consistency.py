"""What an answer to a write gives, so that a replica which answers later shows it.

`<where the log was, 16 hex digits>`, and where an agent wrote `-<its id>-<its last write, ms in
12 hex digits>`: all that the agent has written up to then lies before that place in the log. Of
several the greatest, as texts, stands for all.
"""

UNKNOWN = 1 << 64
"""Behind all that a log can hold."""


def token(place: int, agent_id: str = "", seen_at: int = 0) -> str:
    """The text for a place in the log and, unless it was nobody, who wrote last at what time."""
    return f"{place:016x}-{agent_id}-{seen_at:012x}" if agent_id else f"{place:016x}"


def place(text: str) -> int:
    """The place in the log that a token names, 0 for an empty one; `UNKNOWN` for what is none."""
    try:
        return int(text.partition("-")[0] or "0", 16)
    except ValueError:
        return UNKNOWN


def covers(text: str | None, agent_id: str, seen_at: int) -> bool:
    """Whether a token stands for everything this agent has written, the last at `seen_at`."""
    _, _, writer = (text or "").partition("-")
    wrote, _, latest = writer.partition("-")
    return wrote == agent_id and latest >= f"{seen_at:012x}"
