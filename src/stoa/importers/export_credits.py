"""The ledger that follows from an export, which has promises and payments, but no balances.

Each agent gets the signup grant of the settings, or more where it has spent more than that. Then
the movements of the export take place in their order. What a retired agent has left goes back.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from stoa.domain import ids
from stoa.domain.credits import ISSUER, Credits, TransactionKind, agent_account, escrow_account
from stoa.store.transfer.copying import POSTING, SEAL, TABLES, TableUpdate
from stoa.store.transfer.public import TIME, ExportLine
from stoa.store.tx import Row

_ACCOUNT = next(table for table in TABLES if table.name == "account")
_ACCOUNT_COLUMNS = ("id", "balance")
_SEALED = ("id", "kind", "reference_type", "reference_id", "created_at")
_POSTED = ("account_id", "transaction_id", "amount", "balance_after")


@dataclass(slots=True)
class _Purse:
    """What an agent has and the least that it ever had, counted from its signup grant."""

    balance: int = 0
    lowest: int = 0


@dataclass
class Books:
    """Makes the rows of the ledger. `grant` is what a new agent is given, in hundredths.

    First every movement is told to `note`. Then the rows are made: those of agents, holds,
    movements, and at last of the issuer.
    """

    grant: int
    _purses: dict[str, _Purse] = field(default_factory=dict[str, _Purse])
    _held: Counter[str] = field(default_factory=Counter[str])
    _issued: int = 0
    _retired: list[tuple[str, int]] = field(default_factory=list[tuple[str, int]])
    _last: str = ""

    def note(self, movement: ExportLine) -> None:
        """Learn what an agent needs at the start to be able to spend what it spent."""
        purse = self._purses.setdefault(movement["agentId"], _Purse())
        purse.balance += _gain(movement)
        purse.lowest = min(purse.lowest, purse.balance)
        self._last = max(self._last, movement["id"])

    def of_agents(self, agents: Iterable[ExportLine]) -> list[TableUpdate]:
        """The accounts and the grants of agents, which come in the order of their ids."""
        accounts: list[Row] = []
        seals: list[Row] = []
        postings: list[Row] = []
        for agent in agents:
            agent_id, at = agent["id"], TIME.back(agent["createdAt"])
            purse = self._purses.setdefault(agent_id, _Purse())
            # Who waits to be let in gets it then.
            given = 0 if agent["pendingAt"] else max(self.grant, -purse.lowest)
            left = purse.balance + given
            if agent["retiredAt"] and left:
                self._retired.append((agent_id, left))
                left = 0
            accounts.append((agent_account(agent_id), left))
            purse.balance = given
            if given:
                # Made with the agent, and so before anything that it spent or earned.
                transaction_id = f"tx_{agent_id.partition('_')[2]}"
                self._last = max(self._last, transaction_id)
                seals.append(
                    (transaction_id, TransactionKind.SIGNUP_GRANT.value, "agent", agent_id, at)
                )
                postings += self._issue(agent_id, transaction_id, given, given)
        return [_accounts(accounts), *_booked(seals, postings)]

    def of_holds(self, holds: Iterable[ExportLine]) -> list[TableUpdate]:
        """The accounts of holds."""
        rows: list[Row] = [
            (escrow_account(hold["id"]), hundredths(hold) if hold["status"] == "OPEN" else 0)
            for hold in holds
        ]
        return [_accounts(rows)]

    def of_movements(self, movements: Iterable[ExportLine]) -> list[TableUpdate]:
        """The transactions of holds. Raises KeyError for an agent that the export does not have."""
        seals: list[Row] = []
        postings: list[Row] = []
        for line in movements:
            agent_id, gain, escrow = line["agentId"], _gain(line), escrow_account(line["holdId"])
            purse = self._purses[agent_id]
            purse.balance += gain
            at = TIME.back(line["createdAt"])
            seals.append((line["id"], line["kind"], line["holdType"], line["holdId"], at))
            postings.append((agent_account(agent_id), line["id"], gain, purse.balance))
            held = self._held[escrow] = self._held[escrow] - gain
            postings.append((escrow, line["id"], -gain, held))
        return _booked(seals, postings)

    def of_issuer(self) -> list[TableUpdate]:
        """What retired agents had left, and the account that all credits come from."""
        seals: list[Row] = []
        postings: list[Row] = []
        at = ids.made_at(self._last) + 1 if self._retired else 0
        for number, (agent_id, left) in enumerate(self._retired):
            transaction_id = f"tx_{ids.encode_ulid(at, number)}"
            seals.append((transaction_id, TransactionKind.RETIREMENT.value, "agent", agent_id, at))
            postings += self._issue(agent_id, transaction_id, -left, 0)
        issuer = TableUpdate(_ACCOUNT, _ACCOUNT_COLUMNS, [], [(ISSUER, -self._issued)], [])
        return [issuer, *_booked(seals, postings)]

    def _issue(self, agent_id: str, transaction_id: str, amount: int, after: int) -> list[Row]:
        self._issued += amount
        return [
            (agent_account(agent_id), transaction_id, amount, after),
            (ISSUER, transaction_id, -amount, -self._issued),
        ]


def hundredths(line: ExportLine) -> int:
    """The amount of a line."""
    return Credits.parse(line["amount"]).hundredths


def _gain(movement: ExportLine) -> int:
    """What an agent has more of afterwards, negative for less."""
    amount = hundredths(movement)
    return -amount if movement["kind"] == TransactionKind.HOLD else amount


def _accounts(rows: list[Row]) -> TableUpdate:
    return TableUpdate(_ACCOUNT, _ACCOUNT_COLUMNS, rows, [], [])


def _booked(seals: list[Row], postings: list[Row]) -> list[TableUpdate]:
    return [
        TableUpdate(SEAL, _SEALED, seals, [], []),
        TableUpdate(POSTING, _POSTED, postings, [], []),
    ]
