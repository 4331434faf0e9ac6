"""The market: one snapshot of the whole service, remade every few seconds."""

from datetime import UTC, datetime
from decimal import Decimal

from stoa.domain import economy, limits
from stoa.domain.credits import Credits
from stoa.domain.economy import EconomySignals
from stoa.domain.jobs import JobStatus
from stoa.operations.call import Call
from stoa.operations.table import Effect, Mode, Toolset, operation
from stoa.operations.views.records import requester_summary
from stoa.schemas.base import NoInput, iso
from stoa.schemas.beside import MarketDay, MarketMonth, Requester
from stoa.schemas.market import (
    AgentCounts,
    BountyCounts,
    CreditCounts,
    Day,
    Economy,
    Hint,
    HoursTo,
    JobCounts,
    JobDay,
    Market,
    MarketRead,
    RewardSpread,
    SuppressedHint,
    ThreadCounts,
    TopTag,
)
from stoa.store import market, records
from stoa.store.market import SERIES, MarketRow, SampleRow, Sums

REQUESTERS = 10
"""How many of the agents that pay most are shown."""


async def last_day(call: Call, _: None) -> MarketDay:
    """The new rows of the last 24 hours, for the page of the market. Not an operation of its
    own."""
    return await market.last_day(call.tx)


async def last_month(call: Call, _: None) -> MarketMonth:
    """The demand of the last 30 days and who paid, for the page of a market without an offer. Not
    an operation of its own."""
    since = call.now - limits.MARKET_DAYS * limits.DAY_MS
    paid = await market.paid_since(call.tx, since, REQUESTERS)
    tallies = await records.many(call.tx, [agent_id for agent_id, _, _ in paid])
    return MarketMonth(
        wanted=_tags(await market.wanted_since(call.tx, since)),
        paying=[
            Requester(agent_id, number, Credits(amount), requester_summary(tallies[agent_id]))
            for agent_id, number, amount in paid
        ],
    )


def _tags(rows: Sums) -> list[TopTag]:
    return [TopTag(tag=tag, open=number, reward=Credits(amount)) for tag, number, amount in rows]


@operation(
    "GET /api/v1/market",
    toolsets=(Toolset.DEFAULT, Toolset.WORK),
    effect=Effect(Mode.SNAPSHOT),
)
async def get_market_stats(call: Call, request: NoInput) -> MarketRead:
    """Read what is on offer, what is paid and how long things take.

    A snapshot at most five seconds old (`asOf`), with suggestions.
    """
    row = await market.read(call.tx, call.services.finished)
    return MarketRead(market=_market(row, call.now), economy=_economy(row))


def _market(row: MarketRow, now: int) -> Market:
    by_status = {status.value: row.jobs.get(status, 0) for status in JobStatus}
    today = now // limits.DAY_MS
    days = range(today - limits.MARKET_DAYS + 1, today + 1)  # counted from 1970
    return Market(
        as_of=iso(now),
        agents=AgentCounts(total=row.agents[0], active24h=row.agents[1]),
        threads=ThreadCounts(
            total=sum(row.threads.values()),
            open=row.threads.get("open", 0),
            answered=row.threads.get("answered", 0),
            unanswered=row.unanswered,
        ),
        replies=row.replies,
        jobs=JobCounts(total=sum(by_status.values()), by_status=by_status),
        bounties=BountyCounts(
            open=row.holds["bounty", "OPEN"][0],
            paid=row.holds.get(("bounty", "PAID"), (0, 0))[0],
            refunded=row.holds.get(("bounty", "REFUNDED"), (0, 0))[0],
        ),
        credits=_credits(row),
        reward=RewardSpread(median=_amount_at(row.sample, 500), p90=_amount_at(row.sample, 900)),
        acceptance_rate=_acceptance(row.sample),
        hours_to=HoursTo(
            claim=_median_hours([job.to_claim for job in row.sample]),
            submit=_median_hours([job.to_submit for job in row.sample]),
            decide=_median_hours([job.to_decide for job in row.sample]),
        ),
        top_tags=_tags(row.tags),
        daily=[_day(row, number) for number in days],
        daily_jobs=[_job_day(row, number) for number in days],
    )


def _reserved(row: MarketRow) -> int:
    return sum(amount for (_, status), (_, amount) in row.holds.items() if status == "OPEN")


def _credits(row: MarketRow) -> CreditCounts:
    reserved = _reserved(row)
    return CreditCounts(
        issued=Credits(row.issued),
        available=Credits(row.issued - reserved),
        reserved=Credits(reserved),
        paid24h=Credits(row.paid_day),
        paid7d=Credits(row.paid_week),
    )


def _at(values: list[int], thousandths: int) -> int | None:
    """The value at a share of the sorted values (nearest rank)."""
    if not values:
        return None
    ordered = sorted(values)
    return ordered[max(0, -(-len(ordered) * thousandths // 1000) - 1)]


def _amount_at(sample: list[SampleRow], thousandths: int) -> Credits | None:
    amount = _at([job.amount for job in sample], thousandths)
    return None if amount is None else Credits(amount)


def _median_hours(spans: list[int | None]) -> Decimal | None:
    return _hours(_at([span for span in spans if span is not None], 500))


def _hours(span: int | None) -> Decimal | None:
    return None if span is None else _plain(Decimal(span) / limits.HOUR_MS)


def _plain(number: Decimal) -> Decimal:
    """Two decimals at most, in a form that JSON shows without exponent."""
    return Decimal(f"{number:.2f}".rstrip("0").rstrip("."))


def _acceptance(sample: list[SampleRow]) -> Decimal | None:
    decided = [job.status for job in sample if job.status in _DECIDED]
    if not decided:
        return None
    return _plain(Decimal(decided.count(JobStatus.COMPLETED)) / len(decided))


_DECIDED = {JobStatus.COMPLETED, JobStatus.REJECTED_TERMINAL}


def _date(number: int) -> str:
    return datetime.fromtimestamp(number * limits.DAY_MS // 1000, UTC).date().isoformat()


def _day(row: MarketRow, number: int) -> Day:
    counts = {name: row.daily[name].get(number, 0) for name in SERIES}
    paid = Credits(counts.pop("credits_paid"))
    return Day(date=_date(number), credits_paid=paid, **counts)


def _job_day(row: MarketRow, number: int) -> JobDay:
    counts = row.daily_status.get(number, {})
    return JobDay(
        date=_date(number),
        by_status={status.value: counts.get(status, 0) for status in JobStatus},
        hours_to_decide=_hours(row.daily_wait.get(number)),
    )


def _economy(row: MarketRow) -> Economy:
    signals = EconomySignals(
        agents=row.agents[0],
        available=row.issued - _reserved(row),
        holders=row.richest[0],
        held=row.richest[1],
        open_opportunities=row.jobs.get(JobStatus.OPEN, 0)
        + row.holds["bounty", "OPEN"][0]
        - row.locked_bounties,
        unanswered=row.unanswered,
        open_threads=row.threads.get("open", 0),
        stale_submissions=row.stale,
    )
    advice = economy.advise(signals)
    return Economy(
        hints=[
            Hint(kind=hint.kind, message=hint.message, data=hint.data)
            for hint in advice
            if hint.data is not None
        ],
        hints_suppressed=[
            SuppressedHint(kind=hint.kind, reason=hint.suppressed)
            for hint in advice
            if hint.data is None
        ],
    )
