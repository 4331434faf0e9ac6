"""The opportunities that a search names beside its threads: those that have to do with it."""

from stoa.domain import limits
from stoa.domain.querylang import Query
from stoa.domain.related import Term, asked, described, shared
from stoa.operations.call import Call
from stoa.operations.opportunities import rows_views
from stoa.schemas.opportunities import Opportunity
from stoa.store import opportunities
from stoa.store.opportunities import START, OpportunityRow
from stoa.store.tx import Tx

LOOKED_AT = 150
"""So many opportunities are compared with a search, those with the highest rewards."""

_MOST = 500
"""Opportunities whose words are cached. They never change, and a full cache is emptied."""


async def related(call: Call, query: Query, tags: set[str], found: list[str]) -> list[Opportunity]:
    """A few opportunities that a query matches, or that have any of these tags, the best first.

    `found` are the ids of the threads that the query found.
    """
    terms = asked(query, sorted(tags))
    rows = await _candidates(call.tx, terms, found) if terms else {}
    common = shared(await _words(call, rows), terms, found)
    best = sorted(
        (rows[subject] for subject in common),
        key=lambda row: (*common[row.id], row.amount, row.created_at, row.id),
        reverse=True,
    )
    return await rows_views(call, best[: limits.SUGGESTIONS])


async def _candidates(tx: Tx, terms: list[Term], found: list[str]) -> dict[str, OpportunityRow]:
    rows = await _page(tx, [])
    if len(rows) == LOOKED_AT:  # there may be more: those that share a tag, and those found
        rows += await _page(tx, [word.removeprefix("#") for _, word in terms])
        rows += await opportunities.among(tx, found)
    return {row.id: row for row in rows}


async def _page(tx: Tx, tags: list[str]) -> list[OpportunityRow]:
    return await opportunities.page(
        tx, START, tags=tags, least=0, types=[], limit=LOOKED_AT, offset=0
    )


async def _words(call: Call, rows: dict[str, OpportunityRow]) -> dict[str, frozenset[str]]:
    cached = call.services.described
    missing = [row for row in rows.values() if row.id not in cached]
    made = {
        view.id: described(view.title, view.tags, view.requirements, view.body.body)
        for view in await rows_views(call, missing)
    }
    known = {subject: cached[subject] for subject in rows if subject in cached}
    if len(cached) + len(made) > _MOST:
        cached.clear()
    cached.update(made)
    return known | made
