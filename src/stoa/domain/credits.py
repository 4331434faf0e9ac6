"""FORUM_CREDIT: amounts, postings and the accounts they move between."""

from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from functools import total_ordering
from typing import NamedTuple

from stoa.domain import limits

ASSET = "FORUM_CREDIT"
ISSUER = "issuer"

_HUNDRED = 100
_MOST = limits.AMOUNT_READ_CREDITS


class InvariantBroken(Exception):
    """A rule that must always hold is broken; the transaction must be rolled back."""


@total_ordering
class Credits:
    """An exact amount, kept as a whole number of hundredths. It never changes. `wire` is the amount
    as a JSON number in its shortest form."""

    __slots__ = ("hundredths", "wire")

    def __init__(self, hundredths: int = 0) -> None:
        self.hundredths = hundredths
        whole, rest = divmod(hundredths, _HUNDRED)
        self.wire = _with_decimals(hundredths) if rest else whole

    @classmethod
    def parse(cls, value: object) -> "Credits":
        """The amount of a JSON number (int or Decimal). ValueError for anything that is not one
        with at most two decimals by value, or that is beyond `AMOUNT_READ_CREDITS`."""
        if isinstance(value, bool) or not isinstance(value, int | Decimal):
            raise ValueError("Must be a number, such as 40 or 2.5.")  # noqa: TRY004 - one kind of refusal
        if not value:
            return cls(0)
        is_a_number = isinstance(value, int) or not value.is_nan()
        if not is_a_number or not -_MOST <= value <= _MOST:
            raise ValueError(f"Must be at most {limits.AMOUNT_MAX_CREDITS:,}.")
        return cls(value * _HUNDRED if isinstance(value, int) else _hundredths(value))

    def __add__(self, other: "Credits") -> "Credits":
        return Credits(self.hundredths + other.hundredths)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Credits) and self.hundredths == other.hundredths

    def __hash__(self) -> int:
        return hash(self.hundredths)

    def __repr__(self) -> str:
        return f"Credits({self.wire})"

    def __lt__(self, other: "Credits") -> bool:
        return self.hundredths < other.hundredths

    def __bool__(self) -> bool:
        return self.hundredths != 0


def _with_decimals(hundredths: int) -> Decimal:
    whole, rest = divmod(abs(hundredths), _HUNDRED)
    sign = "-" if hundredths < 0 else ""
    return Decimal(f"{sign}{whole}.{rest:02}".rstrip("0"))


def _hundredths(number: Decimal) -> int:
    """The exact number of hundredths, digit by digit: arithmetic on decimals rounds long ones."""
    sign, digits, exponent = number.as_tuple()
    shift = int(exponent) + 2
    if any(digits[shift:] if shift < 0 else ()):
        raise ValueError("Must have at most two decimals, such as 2.55.")
    whole = digits[:shift] if shift < 0 else digits
    amount = int("".join(map(str, whole)) or "0") * 10 ** max(shift, 0)
    return -amount if sign else amount


NOTHING = Credits(0)
SMALLEST = Credits(limits.AMOUNT_MIN_CREDITS * _HUNDRED)
LARGEST = Credits(limits.AMOUNT_MAX_CREDITS * _HUNDRED)


def amount_problem(amount: Credits, *, may_be_nothing: bool) -> str | None:
    """Why an amount cannot be offered, or None."""
    if may_be_nothing and not amount:
        return None
    if SMALLEST <= amount <= LARGEST:
        return None
    zero = "0 or " if may_be_nothing else ""
    return f"Must be {zero}from {SMALLEST.wire:,} to {LARGEST.wire:,}."


class TransactionKind(StrEnum):
    """What a ledger transaction is for."""

    SIGNUP_GRANT = "signup_grant"
    HOLD = "hold"
    PAYOUT = "payout"
    REFUND = "refund"
    RETIREMENT = "retirement"


class Posting(NamedTuple):
    """One line of a transaction: the hundredths that an account gains, or loses when negative."""

    account: str
    amount: int


@dataclass(slots=True)
class Movement:
    """A transaction before it is written, which never changes. Its postings sum to zero, or it
    cannot be built."""

    kind: TransactionKind
    reference_type: str
    reference_id: str
    postings: tuple[Posting, Posting]

    def __post_init__(self) -> None:
        first, second = self.postings
        if first.amount + second.amount != 0:
            raise InvariantBroken(f"{self.kind} of {self.reference_id} does not sum to zero")


def agent_account(agent_id: str) -> str:
    """The account of what an agent can spend."""
    return f"agent:{agent_id}"


def escrow_account(hold_id: str) -> str:
    """The account of what one hold keeps."""
    return f"escrow:{hold_id}"


def grant(agent_id: str, amount: Credits) -> Movement:
    """Credits for a new key: the only way that credits come into being."""
    return _move(
        TransactionKind.SIGNUP_GRANT, "agent", agent_id, ISSUER, agent_account(agent_id), amount
    )


def hold(hold_type: str, hold_id: str, agent_id: str, amount: Credits) -> Movement:
    """Set credits aside for a bounty or a job."""
    giver, escrow = agent_account(agent_id), escrow_account(hold_id)
    return _move(TransactionKind.HOLD, hold_type, hold_id, giver, escrow, amount)


def payout(hold_type: str, hold_id: str, agent_id: str, amount: Credits) -> Movement:
    """Pay a hold to the agent who did the work."""
    escrow, taker = escrow_account(hold_id), agent_account(agent_id)
    return _move(TransactionKind.PAYOUT, hold_type, hold_id, escrow, taker, amount)


def refund(hold_type: str, hold_id: str, agent_id: str, amount: Credits) -> Movement:
    """Give a hold back to the agent who made it."""
    escrow, giver = escrow_account(hold_id), agent_account(agent_id)
    return _move(TransactionKind.REFUND, hold_type, hold_id, escrow, giver, amount)


def retirement(agent_id: str, amount: Credits) -> Movement:
    """Take back what a retired agent has: the only way that credits cease to be."""
    giver = agent_account(agent_id)
    return _move(TransactionKind.RETIREMENT, "agent", agent_id, giver, ISSUER, amount)


def _move(
    kind: TransactionKind,
    reference_type: str,
    reference_id: str,
    source: str,
    target: str,
    amount: Credits,
) -> Movement:
    change = amount.hundredths
    postings = (Posting(source, -change), Posting(target, change))
    return Movement(kind, reference_type, reference_id, postings)
