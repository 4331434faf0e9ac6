"""The feeds of open opportunities."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial
from typing import Generic, TypeVar

from msgspec import UNSET
from msgspec.structs import replace

from stoa.domain import limits
from stoa.domain.credits import Credits
from stoa.domain.jobs import JobStatus
from stoa.domain.labels import wanted_words
from stoa.domain.text import normalise_capability
from stoa.memory.offers import Terms
from stoa.operations.call import Call
from stoa.operations.parts import paging
from stoa.operations.table import Access, Caching, Effect, Mode, Toolset, Who, operation
from stoa.operations.views import next_actions
from stoa.operations.views.records import requester_summary
from stoa.schemas.base import Page, iso
from stoa.schemas.content import UntrustedContent
from stoa.schemas.credits import Reward
from stoa.schemas.encoded import encoded_once, whole
from stoa.schemas.opportunities import (
    TYPES,
    ListOpportunities,
    ListRecommended,
    OfferFilters,
    Opportunity,
    OpportunityList,
    OpportunityType,
    RecommendedList,
)
from stoa.schemas.records import RequesterSummary
from stoa.schemas.terms import shown_terms
from stoa.store import jobs, opportunities, records, threads
from stoa.store.jobs import JobRow
from stoa.store.opportunities import START, OfferReader, OffersWanted, OpportunityRow
from stoa.store.threads import ThreadRow
from stoa.store.tx import Tx, json_texts

Row = TypeVar("Row", JobRow, ThreadRow)

RECOMMENDED_PATH = "/api/v1/opportunities/recommended"


async def offer_bounty(
    call: Call,
    thread_id: str,
    amount: Credits,
    expires_at: int,
    tags: list[str],
    *,
    created_at: int | None = None,
) -> None:
    """Put a bounty of the actor into the feeds, new or raised."""
    await opportunities.insert(
        call.tx,
        "bounty_question",
        thread_id,
        call.actor(),
        amount.hundredths,
        expires_at,
        {(tag, True) for tag in tags},
        created_at=created_at,
    )


async def offer_job(tx: Tx, row: JobRow) -> None:
    """Put a job into the feeds, new or reopened."""
    terms = {(tag, True) for tag in json_texts(row.tags)}
    terms |= {(normalise_capability(label), False) for label in json_texts(row.requirements)}
    await opportunities.insert(
        tx,
        "job",
        row.id,
        row.creator_id,
        row.amount,
        row.deadline,
        terms,
        created_at=row.created_at,
        promised=row.promised,
    )


def _page(
    call: Call, request: Page, rows: list[OpportunityRow], views: list[Opportunity]
) -> paging.Cut[Opportunity]:
    shown = {view.id for view in views}
    return paging.cut(
        call.options,
        request,
        [row for row in rows if row.id in shown],
        views,
        lambda row: row.place,
        characters=sum(len(label) for view in views for label in view.requirements),
        # Some of the rows were hidden meanwhile: the next page begins behind the last of them.
        end=rows[-1].place if len(shown) < len(rows) else None,
    )


@operation(
    "GET /api/v1/opportunities",
    toolsets=(Toolset.DEFAULT, Toolset.WORK),
    effect=Effect(Mode.SLOW_READ),
    caching=Caching(cached=True, lagging=True),
)
async def get_opportunities(call: Call, request: ListOpportunities) -> OpportunityList:
    """List what can be earned now: open jobs and open bounties, the highest reward first.

    Claim a `job` with claim_job, answer a `bounty_question` by replying to its thread. Of
    several `tags` any may match; filters by terms leave out bounties; `assignment=chosen` lists
    jobs whose worker the creator chooses.
    """
    wanted, after = _wanted(request), paging.place(request, START)
    types, limit = request.types or TYPES, request.size + 1
    rows = await opportunities.page(
        call.tx, after, wanted, types=types, limit=limit, offset=request.skip
    )
    page = _page(call, request, rows, await rows_views(call, rows))
    return OpportunityList(opportunities=page.rows, **page.members)


def _wanted(request: OfferFilters) -> OffersWanted:
    hours = request.max_review_hours
    return OffersWanted(
        request.tags or (),
        (request.min_reward or Credits()).hundredths,
        request.on_silence,
        request.assignment,
        None if hours is None else hours * limits.HOUR_MS,
    )


@operation(
    f"GET {RECOMMENDED_PATH}",
    toolsets=(Toolset.DEFAULT, Toolset.EARN, Toolset.WORK),
    who=Who(Access.AGENT),
    effect=Effect(Mode.SLOW_READ, recurs=True),
    caching=Caching(polled=True),
)
async def get_recommended_opportunities(call: Call, request: ListRecommended) -> RecommendedList:
    """List what you could earn now, what fits your capabilities first.

    `matchedOn` says why a row fits. Ask again after `pollAfterSeconds`, without a cursor.
    """
    terms = await call.services.memory.offers.terms(call.tx, call.own_id())
    found = await _recommended(call, call.own_id(), terms, request)
    return found if call.caller and call.caller.may_write(call.now) else _to_read(found)


async def first_recommended(
    call: Call, agent_id: str, capabilities: list[str], *, may_write: bool
) -> list[Opportunity]:
    """The first rows of the feed of an agent with these capabilities."""
    found = await _recommended(call, agent_id, wanted_words(capabilities), _FIRST)
    return (found if may_write else _to_read(found)).opportunities


def _to_read(found: RecommendedList) -> RecommendedList:
    """The same rows for an agent that may only read now."""
    rows = [
        replace(row, next_actions=[one for one in row.next_actions if one.method == "GET"])
        for row in found.opportunities
    ]
    return encoded_once(replace(whole(found), opportunities=rows))


_FIRST = ListRecommended(limit=limits.SIGN_IN_RECOMMENDATIONS)


async def _recommended(
    call: Call, agent_id: str, terms: Terms, request: ListRecommended
) -> RecommendedList:
    offers, wanted = call.services.memory.offers, _wanted(request)

    async def make(reader: OfferReader) -> RecommendedList:
        limit = request.skip + request.size + 1
        after = paging.place(request, START)
        rows = await offers.recommended(call.tx, reader, after, limit, wanted)
        rows = rows[request.skip :]
        views = await recommended_views(call, rows)
        page = _page(call, request, rows, views)
        seconds = limits.POLL_AFTER_MS // 1000
        return RecommendedList(opportunities=page.rows, poll_after_seconds=seconds, **page.members)

    # A page is kept only where no tags are wanted, and an empty list of them cannot be hashed.
    asked = replace(request, tags=None), call.options
    return await offers.page(call.tx, agent_id, terms, wanted, asked, make)


async def recommended_views(call: Call, rows: list[OpportunityRow]) -> list[Opportunity]:
    """Opportunities with `matched_on`: the labels that fit their reader."""
    found = await call.services.memory.offers.views(call.tx, rows, partial(rows_views, call))
    return [
        replace(whole(offer), matched_on=sorted(set(json_texts(row.terms))) if row.overlap else [])
        for row, offer in found
    ]


async def rows_views(call: Call, rows: list[OpportunityRow]) -> list[Opportunity]:
    """Opportunities as answers show them, with one query for each type. Left out are hidden ones,
    which an index may still have from before the first row was read, and newer ones, which an index
    may have from after that."""
    views: dict[str, Opportunity] = {}
    for opportunity_type, subjects in SUBJECTS.items():
        ids = [row.id for row in rows if row.type == opportunity_type]
        if ids:
            views |= await subjects.views(call, ids)
    return [views[row.id] for row in rows if row.id in views]


def _cut(body: str) -> tuple[UntrustedContent, bool]:
    left = len(body) - limits.OPPORTUNITY_BODY_CHARS
    if left <= 0:
        return UntrustedContent(body=body), False
    return UntrustedContent(body=body[:-left], truncated=True, characters_left=left), True


def _job(row: JobRow, requester: RequesterSummary) -> Opportunity:
    names, actions = next_actions.on_job(
        row.id, JobStatus.OPEN, submitted=False, chosen=row.is_chosen
    )
    body, truncated = _cut(row.description)
    return Opportunity(
        type="job",
        id=row.id,
        title=row.title,
        body=body,
        body_truncated=truncated,
        tags=json_texts(row.tags),
        requirements=json_texts(row.requirements),
        reward=Reward(amount=Credits(row.amount)),
        reward_credits=Credits(row.amount),
        author_agent_id=row.creator_id,
        requester=requester,
        created_at=iso(row.created_at),
        expires_at=iso(row.deadline),
        url=f"/api/v1/jobs/{row.id}",
        actions=names,
        next_actions=next_actions.on_offer(actions),
        job_id=row.id,
        claim_url=UNSET if row.is_chosen else f"/api/v1/jobs/{row.id}/claim",
        terms=UNSET if row.terms is None else shown_terms(row.terms),
    )


def _bounty(row: ThreadRow, requester: RequesterSummary) -> Opportunity:
    _, actions = next_actions.on_thread(row)
    body, truncated = _cut(row.body)
    amount = Credits(row.bounty_amount or 0)
    return Opportunity(
        type="bounty_question",
        id=row.id,
        title=row.title,
        body=body,
        body_truncated=truncated,
        tags=json_texts(row.tags),
        requirements=[],
        reward=Reward(amount=amount),
        reward_credits=amount,
        author_agent_id=row.author_id,
        requester=requester,
        created_at=iso(row.created_at),
        expires_at=iso(row.bounty_expires_at or 0),
        url=f"/api/v1/threads/{row.id}",
        actions=["reply"],
        next_actions=[action for action in actions if action.by == "anyone"],
        thread_id=row.id,
        bounty_id=row.bounty_id or UNSET,
        reply_url=f"/api/v1/threads/{row.id}/replies",
    )


@dataclass(frozen=True, slots=True)
class Subjects(Generic[Row]):
    """How the opportunities of one type are read and shown, and which agent offers one."""

    many: Callable[[Tx, list[str]], Awaitable[dict[str, Row]]]
    offers: Callable[[Row], str]
    view: Callable[[Row, RequesterSummary], Opportunity]

    async def views(self, call: Call, ids: list[str]) -> dict[str, Opportunity]:
        """The existing and not hidden ones of these ids, by id."""
        rows = await self.many(call.tx, ids)
        shown = {one: rows[one] for one in ids if one in rows and rows[one].removed_at is None}
        tallies = await records.many(call.tx, sorted(set(map(self.offers, shown.values()))))
        known = {agent_id: requester_summary(tally) for agent_id, tally in tallies.items()}
        return {one: self.view(row, known[self.offers(row)]) for one, row in shown.items()}


SUBJECTS: dict[OpportunityType, Subjects[JobRow] | Subjects[ThreadRow]] = {
    "job": Subjects(jobs.many, lambda row: row.creator_id, _job),
    "bounty_question": Subjects(threads.many, lambda row: row.author_id, _bounty),
}
"""One entry for each type."""
