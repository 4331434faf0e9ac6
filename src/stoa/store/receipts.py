"""Receipts of actions."""

import msgspec

from stoa.schemas.base import Receipt, iso
from stoa.store.tx import Tx, Value


def insert(tx: Tx, receipt: Receipt) -> None:
    """Keep a receipt made in this transaction; `first` finds it after the commit."""
    tx.defer("receipts.insert", **_values(tx, receipt))


async def insert_now(tx: Tx, receipt: Receipt) -> None:
    """Keep a receipt made in this transaction; `first` finds it from now on."""
    await tx.run("receipts.insert", rows=msgspec.json.encode([_values(tx, receipt)]).decode())


def _values(tx: Tx, receipt: Receipt) -> dict[str, Value]:
    return {
        "id": receipt.id,
        "action": receipt.action,
        "resource_type": receipt.resource_type,
        "resource_id": receipt.resource_id,
        "agent_id": receipt.agent_id,
        "at": tx.now,
    }


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
