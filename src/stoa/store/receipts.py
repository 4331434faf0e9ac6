"""Receipts of actions."""

from stoa.schemas.base import Receipt
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
