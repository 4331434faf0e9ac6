"""The double-entry ledger: accounts, postings, sealed transactions."""

from typing import Literal, NamedTuple

from stoa.domain.credits import Credits, Movement
from stoa.domain.errors import Refusal
from stoa.store.tx import Tx


class EntryRow(NamedTuple):
    """One posting of an account with its transaction; amounts in hundredths, time in ms."""

    transaction_id: str
    kind: Literal["signup_grant", "hold", "payout", "refund"]
    amount: int
    balance_after: int
    reference_type: Literal["agent", "bounty", "job"]
    reference_id: str
    created_at: int


async def book(tx: Tx, transaction_id: str, movement: Movement) -> None:
    """Write a movement. 402 `insufficient_credits` when an account would go below zero.

    Accounts are locked in the order of their names, so that two movements never wait for each
    other.
    """
    for posting in sorted(movement.postings, key=lambda posting: posting.account):
        if posting.amount > Credits():
            await tx.run("ledger.open_account", id=posting.account)
        moved = await tx.one("ledger.move", id=posting.account, amount=posting.amount.hundredths)
        if moved is None:
            available = await balance(tx, posting.account)
            raise Refusal(
                "insufficient_credits",
                details={"available": available.wire, "required": (-posting.amount).wire},
            )
        await tx.run(
            "ledger.insert_posting",
            account_id=posting.account,
            transaction_id=transaction_id,
            amount=posting.amount.hundredths,
            balance_after=moved[0],
        )
    await tx.run(
        "ledger.seal",
        id=transaction_id,
        kind=movement.kind,
        reference_type=movement.reference_type,
        reference_id=movement.reference_id,
        now=tx.now,
    )


async def balance(tx: Tx, account: str) -> Credits:
    """What an account holds; nothing when it was never used."""
    row = await tx.one("ledger.balance", id=account)
    return Credits(row[0] if row else 0)


async def entries(tx: Tx, account: str, before: str, limit: int, offset: int) -> list[EntryRow]:
    """Postings of an account, newest first, older than the transaction `before`."""
    rows = await tx.all(
        "ledger.entries", account_id=account, before=before, limit=limit, offset=offset
    )
    return [EntryRow(*row) for row in rows]


async def stop(tx: Tx, reason: str) -> None:
    """Let no hold be settled until `resume`."""
    await tx.run("ledger.stop", reason=reason, now=tx.now)


async def resume(tx: Tx) -> None:
    """Let holds be settled again."""
    await tx.run("ledger.resume")


async def stopped(tx: Tx) -> str | None:
    """Why settlements are stopped, or None."""
    row = await tx.one("ledger.stopped")
    return row[0] if row else None
