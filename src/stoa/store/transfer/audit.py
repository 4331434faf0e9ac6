"""The independent check of the ledger against itself and against threads, jobs and reputation."""

from dataclasses import dataclass
from typing import NamedTuple

from stoa.store.tx import Tx, first_number

EVERYTHING = ("", "~")
CHUNK = 5000
TOUCHED_MOST = 1_000


class Difference(NamedTuple):
    """A wrong value; amounts in hundredths."""

    subject: str
    expected: str
    found: str


@dataclass(frozen=True, slots=True)
class Check:
    """One statement of `audit.sql` and the kind of rows whose ids it takes."""

    name: str
    subject: str
    meaning: str


CHECKS = (
    Check("transactions", "transactions", "the postings of each transaction sum to zero"),
    Check("seals", "transactions", "every posting belongs to a sealed transaction"),
    Check(
        "bookings",
        "transactions",
        "each transaction is a grant to its agent, moves its hold or empties a retired agent",
    ),
    Check("accounts", "accounts", "each balance is the sum of its postings"),
    Check("running", "accounts", "each balance after a posting is the sum up to it"),
    Check("overdrawn", "accounts", "no account but the issuer's is below zero"),
    Check("escrow", "holds", "escrow holds what open holds say, and nothing else"),
    Check("reserved", "holds", "each hold is as large as what was set aside for it"),
    Check("settlements", "holds", "each hold has at most one outcome, and the one it shows"),
    Check("movements", "holds", "each outcome was booked to whom it says"),
    Check("subjects", "holds", "each hold belongs to a job or thread that names it"),
    Check("grants", "agents", "each key has at most one signup grant"),
    Check("minted", "agents", "all credits come from signup grants, less what retired agents left"),
    Check("jobs", "jobs", "jobs agree with their holds: state, reward, creator, deadline"),
    Check("threads", "threads", "threads agree with their bounties: state, author"),
    Check("completions", "jobs", "each completed job paid and counts once for its claimer"),
    Check("answers", "threads", "each accepted answer counts once for its author, who was paid"),
    Check("events", "agents", "each reputation event has its job or thread"),
    Check("records", "agents", "each record counts how jobs, claims and bounties ended"),
    Check("scores", "agents", "each score is the sum of its events, in every list"),
)
FOLLOWING = Check("following", "transactions", "new postings follow from the ones before")
"""The check of new postings alone that corresponds to `running` over all postings."""
SUBJECTS = tuple(dict.fromkeys(check.subject for check in CHECKS))


@dataclass(frozen=True, slots=True)
class Finding:
    """The outcome of one check."""

    check: Check
    checked: int
    differences: list[Difference]


async def differences(tx: Tx, check: Check, ids: tuple[str, str]) -> list[Difference]:
    """What one check finds in the rows whose ids lie in this range."""
    first, last = ids
    rows = await tx.all(f"audit.{check.name}", first=first, last=last)
    return [Difference(*row) for row in rows]


async def run(tx: Tx, check: Check, ids: tuple[str, str] = EVERYTHING) -> Finding:
    """Make one check over the rows whose ids lie in this range."""
    count = await _count(tx, check.subject, ids)
    return Finding(check, count, await differences(tx, check, ids))


async def _count(tx: Tx, subject: str, ids: tuple[str, str]) -> int:
    first, last = ids
    return await first_number(tx, f"audit.count_{subject}", first=first, last=last)


async def run_all(tx: Tx) -> list[Finding]:
    """Every check over everything, on one snapshot."""
    counts = {subject: await _count(tx, subject, EVERYTHING) for subject in SUBJECTS}
    return [
        Finding(check, counts[check.subject], await differences(tx, check, EVERYTHING))
        for check in CHECKS
    ]


def in_use(findings: list[Finding]) -> bool:
    """Whether a database over all of which these checks were made has any agent."""
    return any(finding.checked for finding in findings if finding.check.subject == "agents")


async def chunk(tx: Tx, subject: str, after: str, rows: int) -> tuple[str, str]:
    """The next range of so many ids of a subject after `after`; the last one has no end."""
    row = await tx.one(f"audit.chunk_{subject}", after=after, size=rows - 1)
    return (f"{after}!" if after else "", row[0] if row else EVERYTHING[1])


class Touched(NamedTuple):
    """The subjects that new transactions changed: the ids of each kind, the newest of these
    transactions, and whether there may be more."""

    ids: dict[str, set[str]]
    newest: str
    more: bool


async def touched(tx: Tx, after: str, most: int) -> Touched:
    """The subjects of the transactions after `after`, with up to so many postings."""
    rows = await tx.all("audit.touched", after=after, limit=most)
    if more := len(rows) == most:  # of the last transaction there may be more
        rows = [row for row in rows if row[1] != rows[-1][1]] or rows
    references: dict[str, set[str]] = {"agent": set(), "job": set(), "bounty": set()}
    for row in rows:
        references.setdefault(row[2], set()).add(row[3])
    ids = {
        "accounts": {row[0] for row in rows if row[0] != "issuer"},
        "agents": references["agent"],
        "holds": references["job"] | references["bounty"],
        "jobs": references["job"],
        "threads": {row[4] for row in rows if row[2] == "bounty" and row[4]},
    }
    return Touched(ids, rows[-1][1] if rows else after, more)
