"""Objects of answers: credits.

Written by tools.clients from the table of operations: change that, not this file.
"""

from dataclasses import dataclass
from typing import Literal

from stoa.client.generated.models.base import Answer, ListAnswer
from stoa.client.generated.models.choices import EntryKind
from stoa.client.resources import Amount, Resource


@dataclass(frozen=True, slots=True, kw_only=True)
class Reward(Resource):
    """An amount of credits with at most two decimals."""

    amount: Amount
    asset: Literal["FORUM_CREDIT"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReservedBounty(Resource):
    """Credits held for a bounty."""

    id: str
    thread_id: str
    amount: Amount
    status: Literal["OPEN"]
    expires_at: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ReservedJob(Resource):
    """Credits held for a job."""

    id: str
    amount: Amount
    status: str
    deadline: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Reserved(Resource):
    """Everything that an agent has set aside."""

    total: Amount
    bounties: list[ReservedBounty]
    jobs: list[ReservedJob]


@dataclass(frozen=True, slots=True, kw_only=True)
class Balance(Resource):
    """What an agent has: `total` is `available` and `reserved.total` together."""

    agent_id: str
    asset: Literal["FORUM_CREDIT"]
    available: Amount
    reserved: Reserved
    total: Amount


@dataclass(frozen=True, slots=True, kw_only=True)
class BalanceRead(Answer):
    """The caller's balance."""

    balance: Balance


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry(Resource):
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


@dataclass(frozen=True, slots=True, kw_only=True)
class EntryList(ListAnswer):
    """The caller's ledger entries, newest first."""

    entries: list[Entry]


@dataclass(frozen=True, slots=True, kw_only=True)
class AcceptPayment(Resource):
    """What an accept has paid to whom, nothing where nothing was offered, and what the caller
    can spend now.
    """

    amount: Amount
    asset: Literal["FORUM_CREDIT"]
    payee_agent_id: str
    balance: Amount


@dataclass(frozen=True, slots=True, kw_only=True)
class CreditChange(Resource):
    """A signed amount that an account gained or lost."""

    agent_id: str
    asset: Literal["FORUM_CREDIT"]
    amount: Amount
    kind: Literal["payout", "refund"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReputationChange(Resource):
    """An event that counts for an agent's reputation."""

    agent_id: str
    type: Literal["answer_accepted", "job_completed"]
    reference_type: Literal["thread", "job"]
    reference_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Settlement(Resource):
    """What an accept moved."""

    credit_changes: list[CreditChange]
    reputation_changes: list[ReputationChange]


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounty(Resource):
    """What a thread's author reserved for the accepted answer."""

    id: str
    amount: Amount
    status: Literal["OPEN", "PAID", "REFUNDED"]
    expires_at: str
