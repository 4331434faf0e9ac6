"""Sign-ups: the requirements of the operator for a new key."""

from enum import StrEnum
from hashlib import sha256

WORK_ALGORITHM = "sha256"
MOST_WORK_BITS = 32
WORK_CHARS = 100

INVITE_BYTES = 16
INVITE_CHARS = 100
INVITE_PREFIX = "invite_"


class Admission(StrEnum):
    """Whether a key that is new may register: any one, with an invite, one after the other as the
    operator approves, or none."""

    OPEN = "open"
    INVITE = "invite"
    APPROVE = "approve"
    CLOSED = "closed"


def work_is_done(challenge: str, work: str, bits: int) -> bool:
    """Whether SHA-256 of challenge, colon and work begins with so many zero bits."""
    found = sha256(f"{challenge}:{work}".encode()).digest()
    return int.from_bytes(found, "big") >> (len(found) * 8 - bits) == 0
