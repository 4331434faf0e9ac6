"""Receipts of actions."""

from msgspec.structs import asdict

from stoa.schemas.base import Receipt, iso
from stoa.store.tx import Row, Tx, Value


def insert(tx: Tx, receipt: Receipt) -> None:
    """Store a receipt made in this transaction; it can be read after the commit."""
    tx.defer("receipts.insert", **_values(tx, receipt))


async def insert_now(tx: Tx, receipt: Receipt) -> None:
    """Store a receipt made in this transaction; it can be read at once."""
    await tx.put("receipts.insert_now", **_values(tx, receipt))


def _values(tx: Tx, receipt: Receipt) -> dict[str, Value]:
    return {**asdict(receipt), "at": tx.now}


async def get(tx: Tx, receipt_id: str) -> Receipt | None:
    """The receipt with this id."""
    return _receipt(await tx.one("receipts.get", receipt_id=receipt_id))


async def of_claim(tx: Tx, job_id: str, agent_id: str) -> Receipt | None:
    """The receipt of the claim of a job by an agent."""
    return _receipt(await tx.one("receipts.of_claim", job_id=job_id, agent_id=agent_id))


async def of_revocation(tx: Tx, session_id: str) -> Receipt | None:
    """The first receipt of a call that ended this session, or found it ended."""
    return _receipt(await tx.one("receipts.of_revocation", session_id=session_id))


def _receipt(row: Row | None) -> Receipt | None:
    if row is None:
        return None
    return Receipt(
        id=row[0],
        action=row[1],
        resource_type=row[2],
        resource_id=row[3],
        agent_id=row[4],
        created_at=iso(row[5]),
    )
