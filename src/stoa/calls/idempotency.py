"""Idempotency: a retried write with the same `Idempotency-Key` gets the first response again.

A client that loses its connection cannot know whether its write was committed. With a key it can
retry safely until it gets a response. A refusal is not stored, because it has changed nothing: a
retry may succeed.
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
    """An idempotency key and a digest of the operation and its input."""

    key: str
    request: bytes


def keyed(key: str, operation: Operation, request: Request) -> Keyed:
    """The key with the digest of this call. Raises 400 for an invalid key."""
    if not re.fullmatch(PATTERN, key):
        raise invalid_field(HEADER, _NO_KEY)
    content = b"%b %b" % (operation.name.encode(), encode(request))
    return Keyed(key, hashlib.sha256(content).digest())


async def first_answer(tx: Tx, agent_id: str, call: Keyed) -> KeptAnswer | None:
    """The stored response to this call, if any. Raises 400 if the key belongs to another call."""
    stored = await idempotency.get(tx, agent_id, call.key)
    if stored and stored.request != call.request:
        raise invalid_field(HEADER, _TAKEN)
    return stored


async def keep(tx: Tx, agent_id: str, call: Keyed, answer: bytes) -> None:
    """Store the response to this call for retries."""
    await idempotency.insert(tx, agent_id, call.key, call.request, answer)
