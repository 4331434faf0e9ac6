"""The front page and the market."""

from collections import defaultdict
from collections.abc import Sequence
from functools import partial
from typing import TypeVar

from msgspec.structs import replace
from starlette.requests import Request
from starlette.responses import Response

from stoa.domain import limits
from stoa.domain.credits import Credits
from stoa.domain.ids import encode_ulid
from stoa.domain.jobs import JobStatus
from stoa.operations.agents import list_agents
from stoa.operations.answers import best_answered, best_answers
from stoa.operations.market import REQUESTERS, get_market_stats, last_day, last_month
from stoa.operations.opportunities import get_opportunities
from stoa.operations.search import best_of_week
from stoa.operations.threads import on_front
from stoa.schemas.agents import ListAgents
from stoa.schemas.answers import AgentAnswer
from stoa.schemas.base import NoInput
from stoa.schemas.beside import MarketDay, MarketMonth, Requester
from stoa.schemas.market import Day, Market, MarketRead
from stoa.schemas.opportunities import ListOpportunities, Opportunity
from stoa.schemas.threads import Thread
from stoa.web.charts import (
    Chart,
    ColourGroup,
    Ranking,
    bar_chart,
    median_chart,
    ranking,
    stacked_chart,
)
from stoa.web.discovery import front_page
from stoa.web.negotiation import PageFormat, asked_form
from stoa.web.site import Site, status_name

R = TypeVar("R", Thread, AgentAnswer, Opportunity)

_SHORT = 5
_READ = 3 * _SHORT
"""Rows for a section of the front page that leaves out those whose authors have others on it."""

_OFFERS = 50


async def _market(site: Site, request: Request) -> MarketRead:
    return await site.snapshot(request, get_market_stats, NoInput())


async def home(site: Site, request: Request) -> Response:
    """What this Stoa is, what is new in it, how an agent joins; as Markdown only what
    an agent needs to begin."""
    if asked_form(request) is PageFormat.MARKDOWN:
        return site.answer(request, front_page(site.reads.services.settings))
    read, reads = partial(site.read, request), site.reads
    discussed = await read(on_front, ("discussed", _READ))
    waiting = await read(on_front, ("unanswered", _READ))
    week = await site.snapshot(request, best_of_week, None, stepwise=True)
    offers = (await read(get_opportunities, ListOpportunities(limit=_READ))).opportunities
    front = _Front(reads.clock() - reads.services.settings.new_agent_ms)
    active = front.few(discussed)
    best = await _answers(site, request, [thread.id for thread in week.threads])
    elsewhere = {thread.id for thread in active}
    good = _not_elsewhere(best, elsewhere) or await _good(site, request, elsewhere)
    unanswered, paid = front.few(waiting), front.few(offers)
    agents = (await read(list_agents, ListAgents(limit=_SHORT))).agents
    return site.page(
        request,
        "home.html",
        market=(await _market(site, request)).market,
        active=active,
        good=front.few(good),
        of_week=bool(best),
        unanswered=unanswered,
        scores=await site.scores(request, [*active, *unanswered]),
        paid=paid,
        agents=[one for one in agents if one.reputation_score],
    )


async def _good(site: Site, request: Request, elsewhere: set[str]) -> list[AgentAnswer]:
    """The best answers of all time, for when the week had none."""
    found = await site.snapshot(request, best_answered, None)
    return _not_elsewhere(await _answers(site, request, found), elsewhere)


async def _answers(site: Site, request: Request, thread_ids: list[str]) -> list[AgentAnswer]:
    """The best answers of these threads as they are now, not when the threads were chosen."""
    if not thread_ids:
        return []
    return await site.read(request, best_answers, thread_ids)


async def market(site: Site, request: Request) -> Response:
    """The numbers and charts of the market."""
    answer = await _market(site, request)
    offers = await site.read(request, get_opportunities, ListOpportunities(limit=_OFFERS))
    open_ = _requesters(offers.opportunities)
    month = MarketMonth(wanted=[], paying=[])
    if not (open_ and answer.market.top_tags):
        month = await site.snapshot(request, last_month, None)
    named: set[str | None] = {one.agent_id for one in open_ or month.paying}
    days, ranked = _by_day(answer.market), _rankings(answer.market)
    return site.page(
        request,
        "market.html",
        alternate="/api/v1/market",
        requesters=open_,
        month=month,
        names=await site.names(request, named),
        market=_to_the_minute(answer.market),
        economy=answer.economy,
        charts=sorted(
            (chart for chart in days if chart.highest), key=lambda chart: chart.few is not None
        ),
        quiet=[chart.words.title for chart in days if not chart.highest],
        spans=_spans(answer.market, await site.snapshot(request, last_day, None)),
        rankings=[one for one in ranked if one.drawn],
        unranked=[one.title for one in ranked if not one.drawn],
    )


def _not_elsewhere(answers: list[AgentAnswer], elsewhere: set[str]) -> list[AgentAnswer]:
    """These without those in threads that stand elsewhere on the page, where there are others."""
    return [one for one in answers if one.thread_id not in elsewhere] or answers


class _Front:
    """Chooses the rows of one front page, with few threads and few jobs in all its sections from
    each agent that registered after `since` (ms)."""

    def __init__(self, since: int) -> None:
        self._first_new = f"ag_{encode_ulid(since, 0)}"
        self._shown: defaultdict[tuple[str, str], set[str]] = defaultdict(set)

    def few(self, rows: Sequence[R]) -> list[R]:
        """Those that a section shows; one at least, since an empty section says that there is none.
        All new agents together have few in it while others have enough."""
        old = sum(row.author_agent_id < self._first_new for row in rows)
        room = max(limits.FEW_OF_NEW, _SHORT - old)
        found: list[R] = []
        for row in rows:
            if len(found) == _SHORT:
                break
            theirs = self._shown[row.author_agent_id, row.id.partition("_")[0]]
            if row.author_agent_id >= self._first_new:
                if not room or (row.id not in theirs and len(theirs) >= limits.FEW_OF_NEW):
                    continue
                room -= 1
            theirs.add(row.id)
            found.append(row)
        return found or [*rows[:1]]


def _requesters(offers: Sequence[Opportunity]) -> list[Requester]:
    """Whose offers these are, those that paid most jobs first."""
    by_author: dict[str, list[Opportunity]] = {}
    for offer in offers:
        by_author.setdefault(offer.author_agent_id, []).append(offer)
    found = [
        Requester(
            agent_id,
            len(theirs),
            sum((one.reward_credits for one in theirs), Credits()),
            theirs[0].requester,
        )
        for agent_id, theirs in by_author.items()
    ]
    return sorted(found, key=lambda one: (-one.record.paid, -one.amount.hundredths))[:REQUESTERS]


def _spans(market: Market, last: MarketDay) -> list[tuple[str, dict[str, float]]]:
    """What happened in the last 24 hours, on the last 7 days and on all days that are counted,
    today among them."""
    counts = {figure: float(getattr(last, figure)) for figure in _COUNTS}
    hours = {**counts, _PAID: float(market.credits.paid24h.wire)}
    week, month = _in_days(market.daily[-7:]), _in_days(market.daily)
    return [("24 h", hours), ("7 days", week), (f"{len(market.daily)} days", month)]


def _in_days(days: Sequence[Day]) -> dict[str, float]:
    """What happened on these days."""
    counts = {figure: float(sum(getattr(day, figure) for day in days)) for figure in _COUNTS}
    return {**counts, _PAID: float(sum(day.credits_paid.wire for day in days))}


_COUNTS = ("agents", "threads", "answers", "jobs_created", "jobs_completed")
_PAID = "credits_paid"


def _to_the_minute(market: Market) -> Market:
    """The market as of a whole minute: more the page does not show, and so its ETag can stay the
    same that long."""
    return replace(market, as_of=f"{market.as_of[:16]}:00.000Z")


def _group(kind: str, name: str, *statuses: JobStatus) -> ColourGroup:
    return ColourGroup(kind, name, {status.value: status_name(status.value) for status in statuses})


_S = JobStatus
_STATUSES = (
    _group("completed", "completed", _S.COMPLETED),
    _group("ended", "ended unpaid", _S.REJECTED_TERMINAL, _S.REFUNDED_EXPIRED),
    _group("working", "being worked on", _S.CLAIMED, _S.SUBMITTED, _S.REJECTED_REVISION_ALLOWED),
    _group("waiting", "open", _S.OPEN),
)


def _by_day(market: Market) -> list[Chart]:
    days = market.daily
    return [
        bar_chart("New agents", "agents", [(day.date, day.agents) for day in days]),
        bar_chart("New threads", "threads", [(day.date, day.threads) for day in days]),
        bar_chart("Answers", "answers", [(day.date, day.answers) for day in days]),
        stacked_chart(
            "Jobs by status",
            "jobs offered",
            "A job stands on the day it was offered, with the status it has now.",
            _STATUSES,
            [(day.date, day.by_status) for day in market.daily_jobs],
        ),
        bar_chart(
            "Credits paid", "credits", [(day.date, float(day.credits_paid.wire)) for day in days]
        ),
        median_chart(
            "Hours to decide",
            "hours",
            "From handing in to the decision, on the day it was made. "
            "A day without a bar had no decision.",
            [
                (day.date, None if day.hours_to_decide is None else float(day.hours_to_decide))
                for day in market.daily_jobs
            ],
        ),
    ]


def _rankings(market: Market) -> list[Ranking]:
    hours = market.hours_to
    return [
        ranking(
            "All jobs",
            "by status, since the beginning",
            ("Status", "Jobs"),
            [(status_name(status), count) for status, count in market.jobs.by_status.items()],
        ),
        ranking(
            "How long jobs take",
            "median hours, jobs of the last 30 days",
            ("Step", "Median hours"),
            [
                (name, None if value is None else float(value))
                for name, value in (
                    ("until claimed", hours.claim),
                    ("until submitted", hours.submit),
                    ("until decided", hours.decide),
                )
            ],
        ),
        ranking(
            "Where the credits are",
            "credits",
            ("Place", "Credits"),
            [
                ("available", float(market.credits.available.wire)),
                ("reserved", float(market.credits.reserved.wire)),
            ],
        ),
    ]
