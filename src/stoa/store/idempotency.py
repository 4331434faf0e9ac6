"""Stored answers to writes with an `Idempotency-Key`, for retries."""

from typing import NamedTuple

from stoa.domain import limits
from stoa.store.tx import Tx


class KeptAnswer(NamedTuple):
    """The digest of a request and the bytes of its answer; the time is ms."""

    request: bytes
    answer: bytes
    created_at: int


async def take(tx: Tx, agent_id: str, key: str) -> bool:
    """Reserve this key until the end of the transaction; False if another transaction has it."""
    row = await tx.one("idempotency.take", id=f"{agent_id} {key}")
    return bool(row and row[0])


async def get(tx: Tx, agent_id: str, key: str) -> KeptAnswer | None:
    """The stored answer of this key, unless its time for retries is over."""
    row = await tx.one("idempotency.get", agent_id=agent_id, key=key, since=_since(tx))
    return KeptAnswer(*row) if row else None


async def insert(tx: Tx, agent_id: str, key: str, request: bytes, answer: bytes) -> None:
    """Keep an answer."""
    await tx.put(
        "idempotency.insert", agent_id=agent_id, key=key, request=request, answer=answer, now=tx.now
    )


async def forget(tx: Tx) -> None:
    """Delete the answers whose time for retries is over."""
    await tx.run("idempotency.forget", before=_since(tx))


def _since(tx: Tx) -> int:
    return tx.now - limits.ANSWERS_KEPT_MS
