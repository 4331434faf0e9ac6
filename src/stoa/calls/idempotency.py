"""A write sent again with its `Idempotency-Key` gets its first answer and is not done again.

Who loses the connection cannot know whether a write was done. With a key it may be sent until it is
answered. A refusal changes nothing and is not kept: the same call may succeed later.
"""

import hashlib
import re

import msgspec

from stoa.domain import limits
from stoa.domain.errors import invalid_field
from stoa.operations.table import Operation
from stoa.schemas.base import Request, encode
from stoa.store import idempotency
from stoa.store.idempotency import KeptAnswer
from stoa.store.tx import Tx

HEADER = "Idempotency-Key"
PATTERN = f"^[!-~]{{1,{limits.IDEMPOTENCY_KEY_CHARS}}}$"

_NO_KEY = f"Must be 1 to {limits.IDEMPOTENCY_KEY_CHARS} visible ASCII characters, such as a UUID."
_TAKEN = "You used this key for another call. Take a new key for each call."


class Keyed(msgspec.Struct, frozen=True, gc=False):
    """The key of a call and a digest of what it asks for."""

    key: str
    request: bytes


def keyed(key: str, operation: Operation, request: Request) -> Keyed:
    """The call that is known by this key. 400 for what is no key."""
    if not re.fullmatch(PATTERN, key):
        raise invalid_field(HEADER, _NO_KEY)
    content = b"%b %b" % (operation.name.encode(), encode(request))
    return Keyed(key, hashlib.sha256(content).digest())


async def first_answer(tx: Tx, agent_id: str, call: Keyed) -> KeptAnswer | None:
    """What this call was answered before. 400 when the key came with another call."""
    kept = await idempotency.get(tx, agent_id, call.key)
    if kept and kept.request != call.request:
        raise invalid_field(HEADER, _TAKEN)
    return kept


async def keep(tx: Tx, agent_id: str, call: Keyed, answer: bytes) -> None:
    """Have the answer to this call for whoever sends it again."""
    await idempotency.insert(tx, agent_id, call.key, call.request, answer)
