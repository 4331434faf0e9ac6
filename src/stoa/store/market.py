"""The numbers of the market, read in one snapshot."""

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import Generic, NamedTuple, TypeVar

from stoa.domain import limits
from stoa.domain.ids import encode_ulid
from stoa.schemas.beside import MarketDay
from stoa.store.tx import Tx, first_number, json_texts, one_row

SAMPLE_JOBS = 1000
"""The usual values are computed from so many of the newest jobs of the window."""
TOP_TAGS = 10
_Figure = TypeVar("_Figure")
_PREFIXES = {"agents": "ag_", "threads": "th_", "replies": "rp_"}
SERIES = ("agents", "threads", "answers", "jobs_created", "jobs_completed", "credits_paid")


class SampleRow(NamedTuple):
    """A recent job: reward in hundredths, spans in ms where they ended."""

    amount: int
    to_claim: int | None
    to_submit: int | None
    to_decide: int | None
    status: str


class MarketRow(NamedTuple):
    """All values that the market is made of; amounts in hundredths, waits in ms.

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
    tags: "Sums"
    richest: tuple[int, int]
    stale: int
    daily: dict[str, dict[int, int]]
    daily_status: dict[int, dict[str, int]]
    daily_wait: dict[int, int]


@dataclass(slots=True)
class DailyFigures(Generic[_Figure]):
    """A figure for each day that has one; those of days before `until` are final."""

    until: int = 0
    known: dict[int, _Figure] = field(default_factory=dict[int, _Figure])

    def since(self, first: int) -> int:
        """The time from which to count, ms, for figures from the day `first` on."""
        return max(self.until, first) * limits.DAY_MS

    def add(self, first: int, found: dict[int, _Figure], until: int) -> dict[int, _Figure]:
        """The figures from the day `first` on, when those from there and the old `until` on were
        found; what is before the new `until` is kept."""
        figures = {day: figure for day, figure in self.known.items() if day >= first} | found
        until = max(self.until, until)
        self.known = {day: figure for day, figure in figures.items() if day < until}
        self.until = until  # last, as another thread counts from there on
        return figures


class Paid(NamedTuple):
    """The sum paid after `since` and until `until` (ms), in hundredths."""

    since: int
    until: int
    amount: int


@dataclass(slots=True)
class Finished:
    """Final counts, which need not be counted again.

    Of each series the days that are over; of the jobs offered each day those that ended; of
    payments in a span of time all but the last hour; of other rows those up to an id. Rows written
    within `settled_ms` may not be visible yet. Idle agents can come back, so they are counted again
    after `idle_ms`.
    """

    settled_ms: int = limits.SETTLED_MS
    idle_ms: int = limits.IDLE_KEPT_MS
    series: defaultdict[str, DailyFigures[int]] = field(
        default_factory=lambda: defaultdict(DailyFigures[int])
    )
    statuses: DailyFigures[dict[str, int]] = field(default_factory=DailyFigures[dict[str, int]])
    paid: dict[int, Paid] = field(default_factory=dict[int, Paid])
    rows: dict[str, tuple[str, int]] = field(default_factory=dict[str, tuple[str, int]])
    idle: tuple[int, int] | None = None
    jobs: tuple[str, dict[str, int]] = ("", {})


async def read(tx: Tx, finished: Finished) -> MarketRow:
    """Read all values, as if every due refund had been booked.

    New final counts are put into `finished`, for the next time.
    """
    day = limits.DAY_MS
    first = tx.now // day - limits.MARKET_DAYS + 1
    settled = tx.now - finished.settled_ms
    (due,) = await one_row(tx, "market.oldest_due", now=tx.now)
    # A day is not over while something is due since then that is not booked.
    over = (settled if due is None else min(settled, due)) // day
    # Who waits to be let in will count for the day of its registration.
    waits_since = await first_number(tx, "market.waits_since", now=tx.now)
    overs = dict.fromkeys(SERIES, over) | {"agents": min(over, waits_since // day)}
    agents = await _count(tx, "agents", finished, waits_since)
    held_bounties, oldest_held = await one_row(tx, "market.held")
    placed = oldest_held or tx.now  # what is held gets its place later
    from_id = f"job_{encode_ulid(first * day, 0)}"
    sample = await tx.all("market.sample", from_id=from_id, sample=SAMPLE_JOBS)
    tags = await tx.all("market.top_tags", now=tx.now, limit=TOP_TAGS)
    holders, held = await one_row(tx, "market.richest", most=max(1, agents // 10))
    return MarketRow(
        agents=(agents, agents - await _idle(tx, agents, finished)),
        threads=await _threads(tx, finished, placed),
        unanswered=await first_number(tx, "market.unanswered"),
        replies=await _count(tx, "replies", finished, placed),
        jobs=await _jobs(tx, finished, placed),
        holds=await _holds(tx, held_bounties),
        locked_bounties=await first_number(tx, "market.locked_bounties", now=tx.now),
        issued=await first_number(tx, "market.issued"),
        paid_day=await _paid(tx, day, finished),
        paid_week=await _paid(tx, 7 * day, finished),
        sample=[SampleRow(*row) for row in sample],
        tags=[(row[0], row[1], row[2]) for row in tags],
        richest=(holders, held),
        stale=await first_number(tx, "market.stale_submissions", before=tx.now - day, now=tx.now),
        daily={name: await _series(tx, name, first, finished, overs[name]) for name in SERIES},
        daily_status=await _statuses(tx, first, finished),
        daily_wait=await _series(tx, "wait", first, finished, over),
    )


async def last_day(tx: Tx) -> MarketDay:
    """The new rows of the last 24 hours."""
    return MarketDay(*await one_row(tx, "market.last_day", since=tx.now - limits.DAY_MS))


Sums = list[tuple[str, int, int]]
"""Tags or ids of agents, each with a number and an amount in hundredths; most first."""


async def wanted_since(tx: Tx, since: int) -> Sums:
    """The tags of most of the newest jobs and bounties since a time (ms)."""
    rows = await tx.all("market.wanted_since", since=since, newest=SAMPLE_JOBS)
    numbers: Counter[str] = Counter()
    amounts: Counter[str] = Counter()
    for encoded, amount in rows:
        for tag in json_texts(encoded):
            numbers[tag] += 1
            amounts[tag] += amount
    most = sorted(numbers, key=lambda tag: (-numbers[tag], -amounts[tag], tag))[:TOP_TAGS]
    return [(tag, numbers[tag], amounts[tag]) for tag in most]


async def paid_since(tx: Tx, since: int, limit: int) -> Sums:
    """The agents with most jobs paid since a time (ms)."""
    rows = await tx.all("market.paid_since", since=since)
    return [(row[0], row[1], row[2]) for row in rows[:limit]]


async def _pairs(tx: Tx, statement: str, **values: int | str) -> list[tuple[str, int]]:
    return [(row[0], row[1]) for row in await tx.all(statement, **values)]


async def _paid(tx: Tx, span: int, finished: Finished) -> int:
    """The sum paid in the last `span` ms. Earlier counts are reused: only payments that have left
    the span since, and new ones, are read."""
    since, until = tx.now - span, tx.now - finished.settled_ms
    known = finished.paid.get(span)
    if known and known.since <= since <= known.until <= until:
        left = await _paid_between(tx, known.since, since)
        amount = known.amount - left + await _paid_between(tx, known.until, until)
    else:
        amount = await _paid_between(tx, since, until)
    finished.paid[span] = Paid(since, until, amount)
    return amount + await _paid_between(tx, until, tx.now)


async def _paid_between(tx: Tx, since: int, until: int) -> int:
    return await first_number(tx, "market.paid", since=since, until=until)


async def _series(tx: Tx, name: str, first: int, finished: Finished, over: int) -> dict[int, int]:
    """A figure for each day from the day `first` on; those before the day `over` are counted
    once."""
    days = finished.series[name]
    rows = await tx.all(f"market.daily_{name}", since=days.since(first))
    return days.add(first, {row[0]: int(row[1]) for row in rows}, over)


async def _statuses(tx: Tx, first: int, finished: Finished) -> dict[int, dict[str, int]]:
    """The jobs offered each day from the day `first` on by their status now; days on which no job
    can change any more are counted once."""
    days = finished.statuses
    rows = await tx.all("market.daily_job_status", since=days.since(first), now=tx.now)
    found: defaultdict[int, dict[str, int]] = defaultdict(dict)
    settled = tx.now - finished.settled_ms
    over = settled // limits.DAY_MS
    for day, status, count, deadline in rows:
        found[day][status] = count
        if deadline > settled:
            over = min(over, day)
    return days.add(first, found, over)


async def _count(tx: Tx, rows: str, finished: Finished, placed: int) -> int:
    """The number of rows of a kind. New rows get ids of a time from `placed` (ms) on, so the count
    of the rows before is kept, and only newer rows are counted."""
    if rows not in finished.rows:
        count = await first_number(tx, f"market.{rows}")
    else:
        after, counted = finished.rows[rows]
        count = counted + await first_number(tx, f"market.{rows}_after", after=after)
    last = _PREFIXES[rows] + encode_ulid(min(tx.now - finished.settled_ms, placed), 0)
    newer = await first_number(tx, f"market.{rows}_after", after=last)
    finished.rows[rows] = (last, count - newer)
    return count


async def _idle(tx: Tx, agents: int, finished: Finished) -> int:
    """How many of all `agents` were not seen for a day. Counting reads every agent, so a count is
    kept for a time, in which no agent becomes idle."""
    if finished.idle is None or tx.now - finished.idle[0] >= finished.idle_ms:
        active = await first_number(tx, "market.active", since=tx.now - limits.DAY_MS)
        finished.idle = (tx.now, agents - active)
    return finished.idle[1]


async def _threads(tx: Tx, finished: Finished, placed: int) -> dict[str, int]:
    total = await _count(tx, "threads", finished, placed)
    unsolved = await first_number(tx, "market.open_threads")
    return {"open": unsolved, "answered": total - unsolved}


async def _all_jobs(tx: Tx, finished: Finished, oldest_held: int) -> dict[str, int]:
    """Jobs by their booked status; final ones are counted once, if they are older than any held
    post, which may become a job."""
    after, counted = finished.jobs
    newer = await _pairs(tx, "market.jobs_after", after=after)
    counts = {status: counted.get(status, 0) + count for status, count in newer}
    old = tx.now - tx.now % limits.DAY_MS - limits.JOB_TTL_MS - limits.DAY_MS
    last = f"job_{encode_ulid(min(old, oldest_held), 0)}"
    if last > after and not await first_number(tx, "market.unfinished_until", last=last):
        newer = await _pairs(tx, "market.jobs_after", after=last)
        finished.jobs = (last, {status: counts[status] - count for status, count in newer})
    return counts


async def _jobs(tx: Tx, finished: Finished, oldest_held: int) -> dict[str, int]:
    counts = await _all_jobs(tx, finished, oldest_held)
    for status, due_to, count in await tx.all("market.jobs_due", now=tx.now):
        counts[status] -= count
        counts[due_to] = counts.get(due_to, 0) + count
    return counts


async def _holds(tx: Tx, held_bounties: int) -> dict[tuple[str, str], tuple[int, int]]:
    """The holds of each type and status; a bounty of a held post is reserved, but not open."""
    rows = await tx.all("market.holds")
    found = {(row[0], row[1]): (int(row[2]), int(row[3])) for row in rows}
    for row in await tx.all("market.holds_due", now=tx.now):
        moved = (row[1], int(row[2]))
        for status, sign in (("OPEN", -1), ("REFUNDED", 1)):
            count, amount = found.get((row[0], status), (0, 0))
            found[row[0], status] = (count + sign * moved[0], amount + sign * moved[1])
    count, amount = found.get(("bounty", "OPEN"), (0, 0))
    found["bounty", "OPEN"] = (count - held_bounties, amount)
    return found
