"""Ids of JSON-RPC messages, which answers repeat: MCP and A2A take the same."""

from typing import Any

from stoa.domain import limits
from stoa.schemas.base import encode

NO_ID = f"`id` must be text of at most {limits.RPC_ID_CHARS} characters, or a whole number."
"""What is said of anything else."""


def encoded_id(value: Any) -> bytes | None:
    """The JSON of an id; None for what can be none. A stream repeats it with each event, so that it
    is short."""
    if isinstance(value, str):
        return encode(value) if len(value) <= limits.RPC_ID_CHARS else None
    is_number = isinstance(value, int) and not isinstance(value, bool)
    return b"%d" % value if is_number and value.bit_length() <= limits.RPC_ID_CHARS else None
