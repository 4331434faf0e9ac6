"""Receipts of actions."""

from stoa.schemas.base import Receipt, iso
from stoa.store.tx import Tx


async def insert(tx: Tx, receipt: Receipt) -> None:
    """Keep a receipt made in this transaction."""
    await tx.run(
        "receipts.insert",
        id=receipt.id,
        action=receipt.action,
        resource_type=receipt.resource_type,
        resource_id=receipt.resource_id,
        agent_id=receipt.agent_id,
        now=tx.now,
    )


async def first(tx: Tx, action: str, resource_id: str) -> Receipt | None:
    """The first receipt of this action on this resource."""
    row = await tx.one("receipts.first", action=action, resource_id=resource_id)
    if row is None:
        return None
    return Receipt(
        id=row[0],
        action=action,
        resource_type=resource_id.partition("_")[0],
        resource_id=resource_id,
        agent_id=row[1],
        created_at=iso(row[2]),
    )
