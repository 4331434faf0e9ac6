"""The double-entry ledger: accounts, postings, sealed transactions."""

from functools import partial
from typing import Literal, NamedTuple

from stoa.domain.credits import Credits, Movement, Posting
from stoa.domain.errors import Refusal
from stoa.entropy import Ids
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


async def book(tx: Tx, ids: Ids, movement: Movement) -> str:
    """Write a movement; returns the id of its transaction.

    402 `insufficient_credits` when an account would go below zero. Accounts are locked in the order
    of their names, so that two movements never wait for each other. The id is made only then and
    sorts behind all of these accounts: their entries stand in the order in which their balances
    moved, whichever process has the faster clock.
    """
    postings = sorted(movement.postings, key=lambda posting: posting.account)
    balances = [await _move(tx, posting) for posting in postings]
    transaction_id = ids.new("tx", tx.now, after=await _newest(tx, postings))
    for posting, balance_after in zip(postings, balances, strict=True):
        await tx.run(
            "ledger.insert_posting",
            account_id=posting.account,
            transaction_id=transaction_id,
            amount=posting.amount.hundredths,
            balance_after=balance_after,
        )
    await tx.run(
        "ledger.seal",
        id=transaction_id,
        kind=movement.kind,
        reference_type=movement.reference_type,
        reference_id=movement.reference_id,
        now=tx.now,
    )
    return transaction_id


async def _move(tx: Tx, posting: Posting) -> int:
    move = partial(tx.one, "ledger.move", id=posting.account, amount=posting.amount.hundredths)
    moved = await move()
    if moved is None and posting.amount > Credits():
        await tx.run("ledger.open_account", id=posting.account)
        moved = await move()
    if moved is None:
        available = await balance(tx, posting.account)
        raise Refusal(
            "insufficient_credits",
            details={"available": available.wire, "required": (-posting.amount).wire},
        )
    return int(moved[0])


async def _newest(tx: Tx, postings: list[Posting]) -> str:
    source, target = (posting.account for posting in postings)
    row = await tx.one("ledger.newest", source=source, target=target)
    return (row[0] or "") if row else ""


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
