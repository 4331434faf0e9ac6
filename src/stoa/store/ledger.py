"""The double-entry ledger: accounts, postings, sealed transactions."""

from typing import Literal, NamedTuple

from stoa.domain.credits import Credits, Movement, Posting, agent_account
from stoa.domain.errors import Refusal
from stoa.entropy import IdGenerator
from stoa.store.tx import Statement, Tx, first_number


class EntryRow(NamedTuple):
    """One posting of an account with its transaction, or a payment from a hold of its agent, with
    the title of its subject unless that is hidden. Amounts in hundredths, time in ms."""

    transaction_id: str
    kind: Literal["signup_grant", "hold", "payout", "paid_out", "refund", "retirement"]
    amount: int
    balance_after: int
    reference_type: Literal["agent", "bounty", "job"]
    reference_id: str
    created_at: int
    payee_id: str | None
    job_title: str | None
    thread_title: str | None


async def book(tx: Tx, ids: IdGenerator, movement: Movement) -> str:
    """Write a movement; returns the id of its transaction.

    402 `insufficient_credits` when an account would go below zero. Accounts are locked in the order
    of their names, so that two movements never wait for each other. The id is made only then and
    sorts behind all of these accounts: their entries stand in the order in which their balances
    moved, whichever process has the faster clock.
    """
    first, second = movement.postings
    if second.account < first.account:
        first, second = second, first
    await _move(tx, first, second)
    accounts = {"first": first.account, "second": second.account}
    newest = await tx.one("ledger.newest", **accounts)
    transaction_id = ids.new("tx", tx.now, after=(newest[0] or "") if newest else "")
    account, amount = first.account, first.amount
    await tx.put("ledger.post_first", account=account, id=transaction_id, amount=amount)
    account, amount = second.account, second.amount
    await tx.put("ledger.post_second", account=account, id=transaction_id, amount=amount)
    await tx.put(
        "ledger.seal",
        id=transaction_id,
        kind=movement.kind,
        reference_type=movement.reference_type,
        reference_id=movement.reference_id,
        now=tx.now,
    )
    return transaction_id


async def _move(tx: Tx, *postings: Posting) -> None:
    """Add to the balances of accounts, or subtract. An account without a row gets one when credits
    are first added to it."""
    changes: list[Statement] = [
        (
            "ledger.give" if posting.amount > 0 else "ledger.take",
            {"id": posting.account, "amount": abs(posting.amount)},
        )
        for posting in postings
    ]
    for posting, done in zip(postings, await tx.run_all(*changes), strict=True):
        if not done:
            available, required = await balance(tx, posting.account), Credits(-posting.amount)
            raise Refusal(
                "insufficient_credits",
                details={"available": available.wire, "required": required.wire},
            )


async def balance(tx: Tx, account: str) -> Credits:
    """The balance of an account; 0 when it was never used."""
    return Credits(await first_number(tx, "ledger.balance", id=account))


async def entries(tx: Tx, agent_id: str, before: str, limit: int, offset: int) -> list[EntryRow]:
    """The entries of an agent, newest first, older than the transaction `before`."""
    rows = await tx.all(
        "ledger.entries",
        account_id=agent_account(agent_id),
        agent_id=agent_id,
        before=before,
        limit=limit,
        offset=offset,
    )
    return [EntryRow(*row) for row in rows]


async def stop(tx: Tx, reason: str) -> None:
    """Stop settlements of holds until `resume`."""
    await tx.run("ledger.stop", reason=reason, now=tx.now)


async def resume(tx: Tx) -> None:
    """Allow settlements of holds again."""
    await tx.run("ledger.resume")


async def stopped(tx: Tx) -> str | None:
    """Why settlements are stopped, or None."""
    row = await tx.one("ledger.stopped")
    return row[0] if row else None
