"""The opportunities that a search names beside its threads: those that have to do with it."""

from collections import defaultdict
from heapq import nlargest
from typing import NamedTuple

from stoa.domain import limits
from stoa.domain.querylang import Query
from stoa.domain.related import Term, asked, described, shared
from stoa.operations.call import Call
from stoa.operations.opportunities import rows_views
from stoa.schemas.opportunities import Opportunity
from stoa.store import holds, opportunities
from stoa.store.dependencies import read_from
from stoa.store.opportunities import START, OpportunityRow
from stoa.store.tx import Tx

LOOKED_AT = 150
"""So many opportunities are compared with a search, those with the highest rewards."""

_MOST = 500
"""Opportunities whose words are cached. They never change, and a full cache is emptied."""


class Offers(NamedTuple):
    """Open opportunities by id, the best first, the ids that have each word or tag, and those that
    were shown already as they travel."""

    rows: dict[str, OpportunityRow]
    holders: dict[str, set[str]]
    views: dict[str, Opportunity]


async def related(call: Call, query: Query, tags: set[str], found: list[str]) -> list[Opportunity]:
    """A few opportunities that a query matches, or that have any of these tags, the best first.

    `found` are the ids of the threads that the query found.
    """
    terms = asked(query, sorted(tags))
    if not terms:
        return []
    offers = await _offers(call)
    if len(offers.rows) == LOOKED_AT:
        offers = await _with_more(call, offers, terms, found)
    both = offers.rows.keys() & set(found)
    common = shared(offers.holders, len(offers.rows), terms, both)
    in_order = (subject for subject in offers.rows if subject in common)
    best = nlargest(limits.SUGGESTIONS, in_order, key=common.__getitem__)
    missing = [offers.rows[subject] for subject in best if subject not in offers.views]
    offers.views.update((view.id, view) for view in await rows_views(call, missing))
    return [offers.views[subject] for subject in best]


async def _offers(call: Call) -> Offers:
    """Those with the highest rewards, which are kept until one of them changes or ends."""
    cache, marks, before = call.services.offers, call.tx.marks, len(call.tx.ran)
    kept = cache.get(marks, call.now)
    if kept:
        return kept
    rows = {row.id: row for row in await _page(call.tx, [])}
    latest = cache.latest
    if latest and latest.rows == rows:
        holders = latest.holders  # their words never change
    else:
        holders = _holders(await _words(call, rows))
    offers = Offers(rows, holders, {})
    read = read_from(call.tx.ran[before:])
    deadline = await holds.next_deadline(call.tx) if read else None
    cache.keep(offers, marks, read and read | rows.keys(), deadline)
    return offers


def _holders(words: dict[str, frozenset[str]]) -> dict[str, set[str]]:
    holders: defaultdict[str, set[str]] = defaultdict(set)
    for subject, its_words in words.items():
        for word in its_words:
            holders[word].add(subject)
    return dict(holders)


async def _with_more(call: Call, offers: Offers, terms: list[Term], found: list[str]) -> Offers:
    """As there may be more: also those that share a tag, and those found."""
    extra = await _page(call.tx, [word.removeprefix("#") for _, word in terms])
    extra += await opportunities.among(call.tx, found)
    more = {row.id: row for row in extra if row.id not in offers.rows}
    words = await _words(call, more)
    holders = {
        word: offers.holders.get(word, set()) | {one for one in more if word in words[one]}
        for _, word in terms
    }
    rows = sorted((offers.rows | more).values(), key=_order, reverse=True)
    return Offers({row.id: row for row in rows}, holders, {})


def _order(row: OpportunityRow) -> tuple[int, int, str]:
    return row.amount, row.created_at, row.id


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
