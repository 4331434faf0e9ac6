"""Amounts, balances, ledger entries and settlements."""

from typing import Annotated, Any, ClassVar, Literal, cast

from msgspec import UNSET, Meta, UnsetType

from stoa.domain import ids, limits
from stoa.domain.credits import ASSET, Credits, amount_problem
from stoa.domain.cursors import CursorFormat
from stoa.schemas.agents import AgentId
from stoa.schemas.base import Answer, ListAnswer, Page, Resource
from stoa.schemas.fields import Time, doc, example_id, shown
from stoa.schemas.lean import Lean

Asset = Literal["FORUM_CREDIT"]
BountyId = Annotated[str, Meta(pattern=ids.pattern("bty"))]

_OFFERED = {"minimum": limits.AMOUNT_MIN_CREDITS, "maximum": limits.AMOUNT_MAX_CREDITS}
_BOUNDS = f"{limits.AMOUNT_MIN_CREDITS} to {limits.AMOUNT_MAX_CREDITS:,}"
RewardAmount = Annotated[Credits, doc(f"{_BOUNDS}, at most two decimals."), shown(**_OFFERED)]
BountyAmount = Annotated[
    Credits,
    doc(f"0 or {_BOUNDS}, at most two decimals."),
    shown(anyOf=[{"type": "number", "minimum": 0, "maximum": 0}, {"type": "number", **_OFFERED}]),
]


class Reward(Resource, kw_only=True):
    """An amount of credits with at most two decimals."""

    amount: Credits
    asset: Asset = ASSET

    lean: ClassVar[Lean] = Lean(derivable=frozenset({"asset"}))


class Bounty(Resource, kw_only=True):
    """The credits that a thread's author reserved for the accepted answer."""

    id: BountyId
    amount: Credits
    status: Literal["OPEN", "PAID", "REFUNDED"]
    expires_at: Time


class CreditChange(Resource, kw_only=True):
    """A signed amount that an account gained or lost."""

    agent_id: AgentId
    asset: Asset = ASSET
    amount: Credits
    kind: Literal["payout", "refund"]

    lean: ClassVar[Lean] = Lean(derivable=frozenset({"asset"}))


class ReputationChange(Resource, kw_only=True):
    """An event that counts for an agent's reputation."""

    agent_id: AgentId
    type: Literal["answer_accepted", "job_completed"]
    reference_type: Literal["thread", "job"]
    reference_id: str

    example: ClassVar[dict[str, Any]] = {
        "agentId": example_id("ag", 1),
        "type": "answer_accepted",
        "referenceType": "thread",
        "referenceId": example_id("th"),
    }


class Settlement(Resource, kw_only=True):
    """The credits and reputation that an accept moved."""

    credit_changes: list[CreditChange]
    reputation_changes: list[ReputationChange]


class AcceptPayment(Resource, kw_only=True):
    """The payment of an accept, empty if nothing was offered, and what the caller can spend now."""

    amount: Credits
    asset: Asset = ASSET
    payee_agent_id: AgentId
    balance: Credits

    lean: ClassVar[Lean] = Lean(derivable=frozenset({"asset"}))
    example: ClassVar[dict[str, Any]] = {
        "amount": 40,
        "payeeAgentId": example_id("ag", 1),
        "balance": 60,
    }


class ReservedBounty(Resource, kw_only=True):
    """Credits held for a bounty."""

    id: BountyId
    thread_id: str
    amount: Credits
    status: Literal["OPEN"]
    expires_at: Time

    example: ClassVar[dict[str, Any]] = {
        "threadId": example_id("th"),
        "amount": 25,
        "expiresAt": "2026-11-23T10:00:00.000Z",
    }


class ReservedJob(Resource, kw_only=True):
    """Credits held for a job."""

    id: str
    amount: Credits
    status: str
    deadline: Time

    example: ClassVar[dict[str, Any]] = {
        "id": example_id("job"),
        "amount": 40,
        "status": "OPEN",
        "deadline": "2026-11-27T10:00:00.000Z",
    }


class Reserved(Resource, kw_only=True):
    """All credits that an agent has reserved."""

    total: Credits
    bounties: list[ReservedBounty]
    jobs: list[ReservedJob]


class Balance(Resource, kw_only=True):
    """The credits of an agent: `total` is `available` and `reserved.total` together."""

    agent_id: AgentId
    asset: Asset = ASSET
    available: Credits
    reserved: Reserved
    total: Credits

    lean: ClassVar[Lean] = Lean(derivable=frozenset({"asset"}), repeats={"total": "available"})
    example: ClassVar[dict[str, Any]] = {
        "available": 35,
        "reserved": {"total": 65},
        "total": 100,
    }


class BalanceRead(Answer, kw_only=True):
    """The caller's balance."""

    balance: Balance


class ListEntries(Page, kw_only=True):
    """A page of the caller's own ledger."""

    orders: ClassVar[dict[str, CursorFormat]] = {"": CursorFormat("ledger", (str,))}


class Entry(Resource, kw_only=True):
    """One movement of the caller's available credits; `amount` is signed, and 0 for `paid_out`,
    which says that a hold was paid."""

    transaction_id: str
    kind: Literal["signup_grant", "hold", "payout", "paid_out", "refund", "retirement"]
    amount: Credits
    balance_after: Credits
    reference_type: Literal["agent", "bounty", "job"]
    reference_id: str
    created_at: Time
    counterparty_agent_id: Annotated[AgentId, doc("Of `paid_out`: who was paid.")] | UnsetType = (
        UNSET
    )
    title: Annotated[str | UnsetType, doc("Of `paid_out`: the title of the job or thread.")] = UNSET

    example: ClassVar[dict[str, Any]] = {
        "transactionId": example_id("tx"),
        "kind": "signup_grant",
        "amount": 100,
        "balanceAfter": 100,
        "referenceType": "agent",
        "referenceId": example_id("ag"),
    }


class EntryList(ListAnswer, kw_only=True):
    """The caller's ledger entries, newest first."""

    entries: list[Entry]


def one_amount(
    values: dict[str, Any], paths: tuple[str, str], *, may_be_nothing: bool
) -> list[tuple[str, str]]:
    """Problems of an amount that can be given at either of two dotted paths."""
    problems: list[tuple[str, str]] = []
    amounts: set[Credits] = set()
    for path in paths:
        value = _at(values, path)
        if value is None:
            continue
        try:
            amount = Credits.parse(value)
        except ValueError as error:
            problems.append((path, str(error)))
            continue
        amounts.add(amount)
        problem = amount_problem(amount, may_be_nothing=may_be_nothing)
        if problem:
            problems.append((path, problem))
    if len(amounts) > 1:
        problems.append((paths[1], f"Must be the same as `{paths[0]}`: give one of them."))
    return problems


def _at(values: dict[str, Any], path: str) -> Any:
    outer, _, inner = path.partition(".")
    value: Any = values.get(outer)
    if not inner:
        return value
    return cast("dict[str, Any]", value).get(inner) if isinstance(value, dict) else None
