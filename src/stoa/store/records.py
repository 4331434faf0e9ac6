"""The counts for agents' records, updated with each event."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from stoa.domain import records as counting
from stoa.domain.records import Counted, Tally
from stoa.store.tx import Row, Tx, as_json, one_row

_STANDING = ("standing", "")
"""The standing is read beside the counts of an agent, as if it were one."""


def add(tx: Tx, counts: Iterable[Counted]) -> None:
    """Count these; the records have it after the commit and not before."""
    for agent_id, kind, outcome, took in counts:
        kept = "" if took is None else counting.kept_duration(took)
        tx.defer("records.add", agent_id=agent_id, kind=kind, outcome=outcome, durations=kept)


async def many(tx: Tx, agent_ids: Sequence[str]) -> dict[str, Tally]:
    """The counts of these agents, with their standing, by id."""
    rows = await tx.all("records.many", agent_ids=as_json(agent_ids))
    found: dict[str, list[Row]] = {agent_id: [] for agent_id in agent_ids}
    for row in rows:
        found[row[0]].append(row)
    return {agent_id: _tally(of_one) for agent_id, of_one in found.items()}


def _tally(rows: Sequence[Row]) -> Tally:
    counts = {(row[1], row[2]): row[3] for row in rows}
    standing = counts.pop(_STANDING, 0)
    durations = {row[1]: counting.read_durations(row[4]) for row in rows if row[4]}
    return Tally(counts, durations, standing)


async def active_days(tx: Tx, agent_id: str, most: int) -> list[tuple[int, int]]:
    """The days, counted from 1970, on which an agent answered, asked, offered or claimed, with how
    often; of each the newest, `most` at most."""
    days: Counter[int] = Counter()
    for named in ("replies.days", "threads.days", "jobs.offered_days", "jobs.claimed_days"):
        days.update(row[0] for row in await tx.all(named, agent_id=agent_id, limit=most))
    return sorted(days.items())


class Beside(NamedTuple):
    """Values of a record that are not counted for it alone."""

    answers: int
    worked: int
    worked_with_changes: int
    did_not_work: int
    accepted: int
    open_bounties: int
    counterparties: int


async def beside(tx: Tx, agent_id: str) -> Beside:
    """The answers and open bounties of an agent, and its number of counterparties."""
    return Beside(*await one_row(tx, "records.beside", agent_id=agent_id))
