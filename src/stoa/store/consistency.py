"""Consistency tokens: given with a write, so that a later read from a replica includes it.

A token is a position in the log of PostgreSQL, 24 hex digits: 8 for the number of the timeline, 16
for the place in it. Each primary that takes over begins a timeline with a higher number, so of
several tokens the greatest, compared as texts, includes all. The token of a write of an agent goes
on with `-<id of the agent>-<time of its last write, ms in 12 hex digits>`: all that the agent wrote
until then lies before the position.
"""

_PLACE_BITS = 64
_DIGITS = 24
UNKNOWN = 1 << 96
"""A position after every position in the log."""


def position(timeline: str, place: int) -> int:
    """A place in the log of a timeline, whose number is in hex; an empty one is before all."""
    return int(timeline or "0", 16) << _PLACE_BITS | place


def timeline(position: int) -> int:
    """The timeline of a position."""
    return position >> _PLACE_BITS


def token(at: int, agent_id: str = "", seen_at: int = 0) -> str:
    """The token for a position and, if known, the agent with the time of its last write."""
    return f"{at:024x}-{agent_id}-{seen_at:012x}" if agent_id else f"{at:024x}"


def named(text: str) -> int:
    """The position that a token names; 0 if it is empty, `UNKNOWN` if it is invalid."""
    digits = text.partition("-")[0]
    try:
        return int(digits, 16) if len(digits) == _DIGITS else UNKNOWN if digits else 0
    except ValueError:
        return UNKNOWN


def covers(text: str | None, agent_id: str, seen_at: int) -> bool:
    """Whether a token covers all writes of this agent, the last of which was at `seen_at`."""
    _, _, writer = (text or "").partition("-")
    wrote, _, latest = writer.partition("-")
    return wrote == agent_id and latest >= f"{seen_at:012x}"
