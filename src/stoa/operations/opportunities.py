"""The feeds of what can be earned now."""

from collections.abc import Awaitable, Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

import msgspec
from msgspec import UNSET, UnsetType

from stoa.domain import limits
from stoa.domain.credits import Credits
from stoa.domain.jobs import JobStatus
from stoa.domain.text import normalise_capability
from stoa.operations.authors import capabilities_of
from stoa.operations.call import Call
from stoa.operations.offer_cache import EncodedOffer, PageKey, RecommendedPage, Terms
from stoa.operations.parts import paging
from stoa.operations.parts.budget import Budget
from stoa.operations.rows import ListRows
from stoa.operations.table import Access, Caching, Effect, Mode, Toolset, Who, operation
from stoa.operations.views import next_actions
from stoa.schemas.base import Page, encode, iso
from stoa.schemas.content import UntrustedContent
from stoa.schemas.credits import Reward
from stoa.schemas.opportunities import (
    TYPES,
    ListOpportunities,
    ListRecommended,
    Opportunity,
    OpportunityList,
    OpportunityType,
    RecommendedList,
)
from stoa.store import agents, jobs, opportunities, threads
from stoa.store.jobs import JobRow
from stoa.store.offer_index import OfferIndex, offer_index
from stoa.store.opportunities import START, OfferPosition, OpportunityRow
from stoa.store.threads import ThreadRow
from stoa.store.tx import Tx

Row = TypeVar("Row", JobRow, ThreadRow)
MatchedTags = list[str] | UnsetType

_list = msgspec.json.Decoder(list[str]).decode
RECOMMENDED_PATH = "/api/v1/opportunities/recommended"


async def offer(
    call: Call,
    opportunity_type: OpportunityType,
    subject_id: str,
    amount: Credits,
    expires_at: int,
    *,
    tags: list[str],
    requirements: list[str],
) -> None:
    """Put a new job or bounty of the actor into the feeds."""
    terms = {(tag, True) for tag in tags}
    terms |= {(normalise_capability(label), False) for label in requirements}
    await opportunities.insert(
        call.tx,
        opportunity_type,
        subject_id,
        call.actor(),
        amount.hundredths,
        expires_at,
        terms,
    )


def _place(page: Page) -> OfferPosition:
    place = paging.place(page.orders[""], page)
    if place is None:
        return START
    overlap, amount, created_at, opportunity_id = place
    return int(overlap), int(amount), int(created_at), str(opportunity_id)


def _characters(views: list[Opportunity]) -> int:
    return sum(len(label) for view in views for label in view.requirements)


def _page(
    call: Call,
    request: Page,
    rows: list[OpportunityRow],
    views: list[Opportunity],
    characters: int,
) -> paging.Cut[Opportunity]:
    form = request.orders[""]
    budget = Budget.of(call.options)
    shown = {view.id for view in views}
    return paging.cut(
        budget,
        form,
        request,
        [row for row in rows if row.id in shown],
        views,
        lambda row: row.place,
        characters=characters,
        end=_end(rows, shown),
    )


def _end(rows: Sequence[OpportunityRow], shown: Collection[str]) -> OfferPosition | None:
    """Behind which place there may be more, where some of the rows were hidden meanwhile."""
    return rows[-1].place if len(shown) < len(rows) else None


@operation(
    "GET",
    "/api/v1/opportunities",
    tag="opportunities",
    tool="get_opportunities",
    toolsets=(Toolset.WORK,),
    effect=Effect(Mode.SLOW_READ),
    caching=Caching(cached=True, lagging=True),
)
async def list_opportunities(call: Call, request: ListOpportunities) -> OpportunityList:
    """List what can be earned now: open jobs and open bounties, the highest reward first.

    Claim a row of type job with claim_job; answer a bounty_question by replying to its thread. Of
    several `tags` any may match.
    """
    rows = await opportunities.page(
        call.tx,
        _place(request),
        tags=request.tags or [],
        least=(request.min_reward or Credits()).hundredths,
        types=request.types or TYPES,
        limit=request.size + 1,
        offset=request.skip,
    )
    views = await rows_views(call, rows)
    page = _page(call, request, rows, views, _characters(views))
    return OpportunityList(opportunities=page.rows, **page.members)


@operation(
    "GET",
    RECOMMENDED_PATH,
    tag="opportunities",
    tool="get_recommended_opportunities",
    toolsets=(Toolset.WORK,),
    who=Who(Access.AGENT),
    effect=Effect(Mode.SLOW_READ, in_memory=True),
    caching=Caching(personal=True, polled=True),
)
async def list_recommended(call: Call, request: ListRecommended) -> RecommendedList:
    """List what you could earn now, what fits your capabilities first.

    Poll it without a cursor every pollAfterSeconds with If-None-Match; `matchedOn` says why a row
    fits.
    """
    terms, on_offer = await _own_terms(call), await _offer_index(call)
    if call.as_json:
        return _answered(call, await _json_page(call, request, terms, on_offer))
    rows = await _wanted(call, request, terms, on_offer)
    views = await rows_views(call, rows, recommended=True)
    page = _page(call, request, rows, views, _characters(views))
    return _recommendations(page.rows, page.members)


def _recommendations(rows: list[Opportunity], members: paging.Members) -> RecommendedList:
    seconds = limits.POLL_AFTER_MS // 1000
    return RecommendedList(opportunities=rows, poll_after_seconds=seconds, **members)


async def _json_page(
    call: Call, request: ListRecommended, terms: Terms, on_offer: OfferIndex | None
) -> RecommendedPage:
    """The same with rows that are JSON. From an index it is cached for all agents who are
    recommended the same."""
    if on_offer is None:
        return await _joined(call, request, await _wanted(call, request, terms, None))
    pages, seen = call.services.recommended.pages, call.tx.seen
    asked = PageKey(
        on_offer.known(terms),
        on_offer.by_author.get(call.own_id(), 0),
        request.size,
        request.offset or 0,
        request.cursor,
    )
    page = pages.get(on_offer, asked, seen, call.now)
    if page is None:
        rows = await _wanted(call, request, terms, on_offer)
        page = await _joined(call, request, rows)
        pages.keep(on_offer, asked, page, seen, {row.id for row in rows})
    return page


def _answered(call: Call, page: RecommendedPage) -> RecommendedList:
    call.rows = (page.rows,)
    return page.answer


async def _joined(
    call: Call, request: ListRecommended, rows: list[OpportunityRow]
) -> RecommendedPage:
    """The same with rows that are JSON."""
    offers = await offers_as_json(call, rows)
    end, rows = _end(rows, offers), [row for row in rows if row.id in offers]
    known = [*offers.values()]
    matched = [_matched_json(row) for row in rows]

    def place_of(row: int) -> OfferPosition:
        return rows[row].place

    def bytes_of(row: int) -> int:
        return len(known[row].json) + len(matched[row])

    form, characters = request.orders[""], sum(offer.characters for offer in known)
    count, members = paging.cut_json(
        form, request, len(rows), place_of, bytes_of, characters=characters, end=end
    )
    known, matched = known[:count], matched[:count]
    pairs = zip(known, matched, strict=True)
    json = b",".join([b'%b,"matchedOn":%b}' % (offer.json, terms) for offer, terms in pairs])
    counted = b"".join([*(offer.counted for offer in known), *matched])
    shown = ListRows("opportunities", [json], counted)
    return RecommendedPage(_recommendations([], members), shown)


def _matched_json(row: OpportunityRow) -> bytes:
    return encode(sorted(set(_list(row.terms)))) if row.overlap else b"[]"


async def offers_as_json(call: Call, rows: list[OpportunityRow]) -> dict[str, EncodedOffer]:
    """These opportunities as JSON by id in their order, cached or made now, but for hidden ones."""
    cached, ids = call.services.recommended.offers, [row.id for row in rows]
    found = cached.fresh(ids, call.tx.seen, call.now)
    if len(found) < len(ids):
        missing = [row for row in rows if row.id not in found]
        new = {view.id: EncodedOffer.of(view) for view in await rows_views(call, missing)}
        cached.keep(new, call.tx.seen)
        found |= new
    return {one: found[one] for one in ids if one in found}


async def _offer_index(call: Call) -> OfferIndex | None:
    return await offer_index(call.tx, call.services.recommended.offer_index)


async def _wanted(
    call: Call, request: ListRecommended, terms: Terms, on_offer: OfferIndex | None
) -> list[OpportunityRow]:
    """The rows of a page, and one more if there is any."""
    skipped = request.skip
    limit = skipped + request.size + 1
    return (await _recommended(call, _place(request), limit, terms, on_offer))[skipped:]


async def _recommended(
    call: Call, after: OfferPosition, limit: int, terms: Terms, on_offer: OfferIndex | None
) -> list[OpportunityRow]:
    agent_id = call.own_id()
    if on_offer is None:
        return await opportunities.recommended(call.tx, agent_id, sorted(terms), after, limit)
    return on_offer.recommended(agent_id, terms, after, limit)


async def _own_terms(call: Call) -> Terms:
    """What the caller is good at, as opportunities name it."""
    agent_id, cached = call.own_id(), call.services.recommended.terms
    known = cached.fresh([agent_id], call.tx.seen, call.now)
    if known:
        return known[agent_id]
    row = await agents.get(call.tx, agent_id)
    terms = _terms(capabilities_of(row) if row else [])
    cached.keep({agent_id: terms}, call.tx.seen)
    return terms


def _terms(capabilities: list[str]) -> Terms:
    return tuple({normalise_capability(label) for label in capabilities})


_FIRST = ListRecommended(limit=limits.SIGN_IN_RECOMMENDATIONS)


async def first_recommended(call: Call, capabilities: list[str]) -> list[Opportunity]:
    """The first rows of the feed of the caller, which has these capabilities."""
    terms, on_offer = _terms(capabilities), await _offer_index(call)
    rows = await _recommended(call, START, _FIRST.size, terms, on_offer)
    return await rows_views(call, rows, recommended=True)


async def first_recommended_json(call: Call, capabilities: list[str]) -> ListRows:
    """The same as JSON."""
    page = await _json_page(call, _FIRST, _terms(capabilities), await _offer_index(call))
    return page.rows


async def rows_views(
    call: Call, rows: list[OpportunityRow], *, recommended: bool = False
) -> list[Opportunity]:
    """Opportunities as they travel, with one query for those of each type; but for hidden ones,
    which an index may still have that was made before the first row was read."""
    views: dict[str, Opportunity] = {}
    for opportunity_type, subjects in SUBJECTS.items():
        matched = {
            row.id: sorted(set(_list(row.terms))) if recommended else UNSET
            for row in rows
            if row.type == opportunity_type
        }
        if matched:
            views |= await subjects.views(call, matched)
    return [views[row.id] for row in rows if row.id in views]


def _cut(body: str) -> tuple[UntrustedContent, bool]:
    most = limits.OPPORTUNITY_BODY_CHARS
    return UntrustedContent(body=body[:most]), len(body) > most


def _job(row: JobRow, matched: MatchedTags) -> Opportunity:
    names, actions = next_actions.on_job(row.id, JobStatus.OPEN, submitted=False)
    body, truncated = _cut(row.description)
    return Opportunity(
        type="job",
        id=row.id,
        title=row.title,
        body=body,
        body_truncated=truncated,
        tags=_list(row.tags),
        requirements=_list(row.requirements),
        reward=Reward(amount=Credits(row.amount)),
        reward_credits=Credits(row.amount),
        author_agent_id=row.creator_id,
        created_at=iso(row.created_at),
        expires_at=iso(row.deadline),
        url=f"/api/v1/jobs/{row.id}",
        actions=names,
        next_actions=actions,
        job_id=row.id,
        claim_url=f"/api/v1/jobs/{row.id}/claim",
        matched_on=matched,
    )


def _bounty(row: ThreadRow, matched: MatchedTags) -> Opportunity:
    _, actions = next_actions.on_thread(row)
    body, truncated = _cut(row.body)
    amount = Credits(row.bounty_amount or 0)
    return Opportunity(
        type="bounty_question",
        id=row.id,
        title=row.title,
        body=body,
        body_truncated=truncated,
        tags=_list(row.tags),
        requirements=[],
        reward=Reward(amount=amount),
        reward_credits=amount,
        author_agent_id=row.author_id,
        created_at=iso(row.created_at),
        expires_at=iso(row.bounty_expires_at or 0),
        url=f"/api/v1/threads/{row.id}",
        actions=["reply"],
        next_actions=[action for action in actions if action.by == "anyone"],
        thread_id=row.id,
        bounty_id=row.bounty_id or UNSET,
        reply_url=f"/api/v1/threads/{row.id}/replies",
        matched_on=matched,
    )


@dataclass(frozen=True, slots=True)
class Subjects(Generic[Row]):
    """How the opportunities of one type are read and shown."""

    many: Callable[[Tx, list[str]], Awaitable[dict[str, Row]]]
    view: Callable[[Row, MatchedTags], Opportunity]

    async def views(self, call: Call, matched: dict[str, MatchedTags]) -> dict[str, Opportunity]:
        """Those with the ids of `matched` that are not hidden, by id."""
        rows = await self.many(call.tx, list(matched))
        return {
            row_id: self.view(rows[row_id], terms)
            for row_id, terms in matched.items()
            if rows[row_id].removed_at is None
        }


SUBJECTS: dict[OpportunityType, Subjects[JobRow] | Subjects[ThreadRow]] = {
    "job": Subjects(jobs.many, _job),
    "bounty_question": Subjects(threads.many, _bounty),
}
"""One entry for each type."""
