"""The caller's own credits: balance and ledger."""

from msgspec import UNSET

from stoa.domain.credits import Credits, agent_account
from stoa.operations.call import Call
from stoa.operations.parts import paging
from stoa.operations.table import Access, Effect, Toolset, Who, operation
from stoa.operations.views.held import held_end
from stoa.schemas.base import NoInput, iso
from stoa.schemas.credits import (
    Balance,
    BalanceRead,
    Entry,
    EntryList,
    ListEntries,
    Reserved,
    ReservedBounty,
    ReservedJob,
)
from stoa.store import held, holds, ledger
from stoa.store.holds import OpenHold
from stoa.store.places import AFTER_EVERYTHING


@operation(
    "GET /api/v1/credits/balance",
    toolsets=(
        Toolset.DEFAULT,
        Toolset.EARN,
        Toolset.ACCOUNT,
        Toolset.WORK,
        Toolset.ASK,
        Toolset.HIRE,
    ),
    who=Who(Access.AGENT),
    effect=Effect(settles=True),
)
async def get_credit_balance(call: Call, request: NoInput) -> BalanceRead:
    """Read your credits: what you can spend, and what is reserved for your bounties and jobs."""
    agent_id = call.own_id()
    available = await ledger.balance(call.tx, agent_account(agent_id))
    rows = await holds.open_of_agent(call.tx, agent_id)
    total = Credits(sum(row.amount for row in rows))
    reserved = Reserved(
        total=total,
        bounties=[await _bounty(call, row) for row in rows if row.type == "bounty"],
        jobs=[await _job(call, row) for row in rows if row.type == "job"],
    )
    balance = Balance(
        agent_id=agent_id, available=available, reserved=reserved, total=available + total
    )
    return BalanceRead(balance=balance)


async def _deadline(call: Call, row: OpenHold) -> int:
    """When a bounty or job ends, ms; for a held post the time that it shows."""
    waits = await held.get(call.tx, row.subject_id) if row.deadline == holds.NEVER else None
    return held_end(call, waits) if waits else row.deadline


async def _bounty(call: Call, row: OpenHold) -> ReservedBounty:
    return ReservedBounty(
        id=row.id,
        thread_id=row.subject_id,
        amount=Credits(row.amount),
        status="OPEN",
        expires_at=iso(await _deadline(call, row)),
    )


async def _job(call: Call, row: OpenHold) -> ReservedJob:
    return ReservedJob(
        id=row.id,
        amount=Credits(row.amount),
        status=row.subject_status,
        deadline=iso(await _deadline(call, row)),
    )


@operation(
    "GET /api/v1/credits/ledger",
    toolsets=(Toolset.ACCOUNT, Toolset.RECORDS),
    who=Who(Access.AGENT),
    effect=Effect(settles=True),
)
async def list_entries(call: Call, request: ListEntries) -> EntryList:
    """Read every movement of your available credits, newest first.

    A hold takes credits from what is available. When it is paid, the entry `paid_out` of amount 0
    says to whom and for what; a `refund` gives it back.
    """
    (before,), size = paging.place(request, (AFTER_EVERYTHING,)), request.size + 1
    rows = await ledger.entries(call.tx, call.own_id(), before, size, request.skip)
    entries = [
        Entry(
            transaction_id=row.transaction_id,
            kind=row.kind,
            amount=Credits(row.amount),
            balance_after=Credits(row.balance_after),
            reference_type=row.reference_type,
            reference_id=row.reference_id,
            created_at=iso(row.created_at),
            counterparty_agent_id=row.payee_id or UNSET,
            title=row.job_title or row.thread_title or UNSET,
        )
        for row in rows
    ]
    page = paging.cut(call.options, request, rows, entries, lambda row: (row.transaction_id,))
    return EntryList(entries=page.rows, **page.members)
