"""Idempotency: a retried write with the same `Idempotency-Key` gets the first response again.

A client that loses its connection cannot know whether its write was committed. With a key it can
retry safely until it gets a response, over REST or MCP. A refusal is not stored, because it has
changed nothing: a retry may succeed.

What an agent stores in this way is bounded in bytes. The answer to a call that changed nothing is
stored as its receipt alone, and made again for a replay. Beyond `ANSWERS_KEPT_BYTES` a call that
changed something is stored with its minimal answer, and one that changed nothing is not stored.
"""

import hashlib
import re
from collections.abc import Generator
from contextlib import contextmanager

import msgspec

from stoa.domain import limits
from stoa.domain.errors import Refusal, invalid_field
from stoa.operations.table import Operation
from stoa.schemas.base import Answer, Receipt, Request, encode
from stoa.schemas.minimal import minimal
from stoa.store import idempotency
from stoa.store.idempotency import KeptAnswer, StoredForm
from stoa.store.tx import Tx

HEADER = "Idempotency-Key"
ARGUMENT = "idempotencyKey"
"""The argument with the key, of a tool over MCP."""
PATTERN = f"^[!-~]{{1,{limits.IDEMPOTENCY_KEY_CHARS}}}$"

_NO_KEY = f"Must be 1 to {limits.IDEMPOTENCY_KEY_CHARS} visible ASCII characters, such as a UUID."
_IN_PROGRESS_RETRY_S = 1


class Keyed(msgspec.Struct, frozen=True, gc=False):
    """An idempotency key and a digest of the operation and its input."""

    key: str
    request: bytes


class InProgress:
    """The calls with a key that this process is running now."""

    def __init__(self) -> None:
        self._running: set[tuple[str, str]] = set()

    @contextmanager
    def alone(self, agent_id: str, call: Keyed) -> Generator[None]:
        """Run the calls with this key of this agent one at a time. Raises 409 for a second one."""
        entry = agent_id, call.key
        if entry in self._running:
            raise in_progress()
        self._running.add(entry)
        try:
            yield
        finally:
            self._running.remove(entry)


def check_key(key: str, name: str = HEADER) -> None:
    """Raises 400 for an invalid key, under its `name`."""
    if not re.fullmatch(PATTERN, key):
        raise invalid_field(name, _NO_KEY)


def keyed(key: str, operation: Operation, request: Request, *, may_return: bool) -> Keyed:
    """A valid key with the digest of this call. One that `may_return` with another input applies to
    this input alone."""
    content = b"%b %b" % (operation.name.encode(), encode(request))
    digest = hashlib.sha256(content).digest()
    return Keyed(f"{key} {digest.hex()}" if may_return else key, digest)


async def first_answer(tx: Tx, agent_id: str, call: Keyed) -> KeptAnswer | None:
    """The stored response to this call, if any. Until the end of this transaction no other one can
    run a call with the same key. Raises 409 while another one runs, and 422 if the key belongs to
    another call.
    """
    if not await idempotency.take(tx, agent_id, call.key):
        raise in_progress()
    stored = await idempotency.get(tx, agent_id, call.key)
    if stored and stored.request != call.request:
        raise Refusal("idempotency_key_reused")
    return stored


async def keep(
    tx: Tx, agent_id: str, call: Keyed, answer: Answer, body: bytes, *, changed: bool
) -> None:
    """Store an answer with its full `body` for retries of this call, which `changed` something."""
    receipt: Receipt | None = getattr(answer, "receipt", None)
    form = StoredForm.FULL
    if receipt and not changed:
        form, body = StoredForm.RECEIPT, encode({"receipt": receipt})
    left = limits.ANSWERS_KEPT_BYTES - await idempotency.size(tx, agent_id)
    if idempotency.row_size(call.key, body) > left:
        if not changed:
            return
        if receipt:
            form, body = StoredForm.MINIMAL, minimal(body, to_keep=True)
    await idempotency.insert(tx, agent_id, call.key, call.request, body, form)


def in_progress() -> Refusal:
    """409 that says to send the same call again."""
    return Refusal("idempotency_in_progress", retry_after=_IN_PROGRESS_RETRY_S)
