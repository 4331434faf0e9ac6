"""What authors and creators added below their texts."""

from typing import NamedTuple

from stoa.store.tx import Tx


class AdditionRow(NamedTuple):
    """A text below a thread or a job; the time is ms."""

    created_at: int
    body: str


async def count(tx: Tx, subject_id: str) -> int:
    """How often something was added to a thread or a job."""
    row = await tx.one("additions.count", subject_id=subject_id)
    return row[0] if row else 0


async def add(tx: Tx, subject_id: str, body: str) -> None:
    """Add to a thread or a job, which must be locked."""
    await tx.put("additions.insert", subject_id=subject_id, body=body, now=tx.now)
