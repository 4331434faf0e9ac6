"""The numbers behind the market, read in one snapshot."""

from dataclasses import dataclass, field
from typing import NamedTuple

from stoa.domain import limits
from stoa.domain.ids import encode_ulid
from stoa.store.tx import Tx

SAMPLE_JOBS = 1000
"""What is usual is read off this many of the newest jobs of the window."""
TOP_TAGS = 10
SERIES = ("agents", "threads", "answers", "jobs_created", "jobs_completed", "credits_paid")


class SampleRow(NamedTuple):
    """A recent job: reward in hundredths, spans in ms where they ended."""

    amount: int
    to_claim: int | None
    to_submit: int | None
    to_decide: int | None
    status: str


class MarketRow(NamedTuple):
    """Everything that the market is made of; amounts in hundredths, waits in ms.

    Days are counted from 1970.
    """

    agents: tuple[int, int]
    threads: dict[str, int]
    unanswered: int
    replies: int
    jobs: dict[str, int]
    holds: dict[tuple[str, str], tuple[int, int]]
    locked_bounties: int
    issued: int
    paid_day: int
    paid_week: int
    sample: list[SampleRow]
    tags: list[tuple[str, int, int]]
    richest: list[int]
    stale: tuple[int, int | None]
    daily: dict[str, dict[int, int]]
    daily_status: dict[tuple[int, str], int]
    daily_wait: dict[int, int]


@dataclass(slots=True)
class Finished:
    """What was counted once and does not change any more, so that it is not counted again.

    Of each series the days that are over; of replies and jobs those up to an id.
    """

    days: dict[str, dict[int, int]] = field(default_factory=dict[str, dict[int, int]])
    replies: tuple[str, int] | None = None
    jobs: tuple[str, dict[str, int]] = ("", {})


async def read(tx: Tx, finished: Finished) -> MarketRow:
    """Read it all, as if every due refund had been booked.

    What is new in `finished` is put there, for the next time.
    """
    day = limits.DAY_MS
    first_day = (tx.now // day - limits.MARKET_DAYS + 1) * day
    active = await tx.one("market.agents", since=tx.now - day)
    from_id = f"job_{encode_ulid(first_day, 0)}"
    sample = await tx.all("market.sample", from_id=from_id, sample=SAMPLE_JOBS)
    tags = await tx.all("market.top_tags", now=tx.now, limit=TOP_TAGS)
    tenth = active[0] // 10 if active else 0
    richest = await tx.all("market.richest", limit=max(1, tenth))
    stale = await tx.one("market.stale_submissions", before=tx.now - day, now=tx.now)
    return MarketRow(
        agents=(active[0], active[1]) if active else (0, 0),
        threads=dict(await _pairs(tx, "market.threads")),
        unanswered=await _number(tx, "market.unanswered"),
        replies=await _replies(tx, finished),
        jobs=await _jobs(tx, finished),
        holds=await _holds(tx),
        locked_bounties=await _number(tx, "market.locked_bounties", now=tx.now),
        issued=await _number(tx, "market.issued"),
        paid_day=await _number(tx, "market.paid", since=tx.now - day),
        paid_week=await _number(tx, "market.paid", since=tx.now - 7 * day),
        sample=[SampleRow(*row) for row in sample],
        tags=[(row[0], row[1], row[2]) for row in tags],
        richest=[row[0] for row in richest],
        stale=(stale[0], stale[1]) if stale else (0, None),
        daily={name: await _series(tx, name, first_day // day, finished) for name in SERIES},
        daily_status={
            (row[0], row[1]): row[2]
            for row in await tx.all("market.daily_job_status", since=first_day, now=tx.now)
        },
        daily_wait=await _daily(tx, "wait", first_day),
    )


async def _number(tx: Tx, statement: str, **values: int | str) -> int:
    row = await tx.one(statement, **values)
    return int(row[0]) if row else 0


async def _pairs(tx: Tx, statement: str, **values: int | str) -> list[tuple[str, int]]:
    return [(row[0], row[1]) for row in await tx.all(statement, **values)]


async def _daily(tx: Tx, series: str, since: int) -> dict[int, int]:
    return {row[0]: int(row[1]) for row in await tx.all(f"market.daily_{series}", since=since)}


async def _series(tx: Tx, name: str, first: int, finished: Finished) -> dict[int, int]:
    """A figure of each day from the day `first` on; days that are over are counted once."""
    known = finished.days.get(name, {})
    start = max(known, default=first - 1) + 1
    found = await _daily(tx, name, max(start, first) * limits.DAY_MS)
    over = range(start, (tx.now - limits.SETTLED_MS) // limits.DAY_MS)
    kept = {day: count for day, count in known.items() if day >= first}
    finished.days[name] = kept | {day: found.get(day, 0) for day in over if day >= first}
    return kept | found


async def _replies(tx: Tx, finished: Finished) -> int:
    if finished.replies is None:
        count = await _number(tx, "market.replies")
    else:
        after, counted = finished.replies
        count = counted + await _number(tx, "market.replies_after", after=after)
    last = f"rp_{encode_ulid(tx.now - limits.SETTLED_MS, 0)}"
    finished.replies = (last, count - await _number(tx, "market.replies_after", after=last))
    return count


async def _all_jobs(tx: Tx, finished: Finished) -> dict[str, int]:
    """Jobs by their status as it is booked; those of which none can change are counted once."""
    after, counted = finished.jobs
    newer = await _pairs(tx, "market.jobs_after", after=after)
    counts = {status: counted.get(status, 0) + count for status, count in newer}
    old = tx.now - tx.now % limits.DAY_MS - limits.JOB_TTL_MS - limits.DAY_MS
    last = f"job_{encode_ulid(old, 0)}"
    if last > after and not await _number(tx, "market.unfinished_until", last=last):
        newer = await _pairs(tx, "market.jobs_after", after=last)
        finished.jobs = (last, {status: counts[status] - count for status, count in newer})
    return counts


async def _jobs(tx: Tx, finished: Finished) -> dict[str, int]:
    counts = await _all_jobs(tx, finished)
    for status, count in await _pairs(tx, "market.jobs_due", now=tx.now):
        counts[status] -= count
        counts["REFUNDED_EXPIRED"] = counts.get("REFUNDED_EXPIRED", 0) + count
    return counts


async def _holds(tx: Tx) -> dict[tuple[str, str], tuple[int, int]]:
    rows = await tx.all("market.holds")
    found = {(row[0], row[1]): (int(row[2]), int(row[3])) for row in rows}
    for row in await tx.all("market.holds_due", now=tx.now):
        moved = (row[1], int(row[2]))
        for status, sign in (("OPEN", -1), ("REFUNDED", 1)):
            count, amount = found.get((row[0], status), (0, 0))
            found[row[0], status] = (count + sign * moved[0], amount + sign * moved[1])
    return found
