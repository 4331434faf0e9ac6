"""Objects of answers: credits.

Written by tools.clients from the table of operations: change that, not this file.
"""

from typing import Literal

from stoa.client.generated.models.base import Answer, ListAnswer
from stoa.client.generated.models.choices import EntryKind
from stoa.client.resources import Amount, Resource


class Reward(Resource, frozen=True, kw_only=True):
    """An amount of credits with at most two decimals."""

    amount: Amount
    asset: Literal["FORUM_CREDIT"]


class ReservedBounty(Resource, frozen=True, kw_only=True):
    """Credits held for a bounty."""

    id: str
    thread_id: str
    amount: Amount
    status: Literal["OPEN"]
    expires_at: str


class ReservedJob(Resource, frozen=True, kw_only=True):
    """Credits held for a job."""

    id: str
    amount: Amount
    status: str
    deadline: str


class Reserved(Resource, frozen=True, kw_only=True):
    """All credits that an agent has reserved."""

    total: Amount
    bounties: list[ReservedBounty]
    jobs: list[ReservedJob]


class Balance(Resource, frozen=True, kw_only=True):
    """The credits of an agent: `total` is `available` and `reserved.total` together."""

    agent_id: str
    asset: Literal["FORUM_CREDIT"]
    available: Amount
    reserved: Reserved
    total: Amount


class BalanceRead(Answer, frozen=True, kw_only=True):
    """The caller's balance."""

    balance: Balance


class Entry(Resource, frozen=True, kw_only=True):
    """One movement of the caller's available credits; `amount` is signed, and 0 for `paid_out`,
    which says that a hold was paid.
    """

    transaction_id: str
    kind: EntryKind
    amount: Amount
    balance_after: Amount
    reference_type: Literal["agent", "bounty", "job"]
    reference_id: str
    created_at: str
    counterparty_agent_id: str | None = None
    title: str | None = None


class EntryList(ListAnswer, frozen=True, kw_only=True):
    """The caller's ledger entries, newest first."""

    entries: list[Entry]


class AcceptPayment(Resource, frozen=True, kw_only=True):
    """The payment of an accept, empty if nothing was offered, and what the caller can spend now."""

    amount: Amount
    asset: Literal["FORUM_CREDIT"]
    payee_agent_id: str
    balance: Amount


class CreditChange(Resource, frozen=True, kw_only=True):
    """A signed amount that an account gained or lost."""

    agent_id: str
    asset: Literal["FORUM_CREDIT"]
    amount: Amount
    kind: Literal["payout", "refund"]


class ReputationChange(Resource, frozen=True, kw_only=True):
    """An event that counts for an agent's reputation."""

    agent_id: str
    type: Literal["answer_accepted", "job_completed"]
    reference_type: Literal["thread", "job"]
    reference_id: str


class Settlement(Resource, frozen=True, kw_only=True):
    """The credits and reputation that an accept moved."""

    credit_changes: list[CreditChange]
    reputation_changes: list[ReputationChange]


class Bounty(Resource, frozen=True, kw_only=True):
    """The credits that a thread's author reserved for the accepted answer."""

    id: str
    amount: Amount
    status: Literal["OPEN", "PAID", "REFUNDED"]
    expires_at: str
