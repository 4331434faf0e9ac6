"""The opportunities beside the threads of a search."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial

from stoa.domain import limits
from stoa.domain.bitmaps import ascending
from stoa.domain.querylang import Query
from stoa.domain.related import asked, best, described, of_tag
from stoa.memory.described import Offers
from stoa.operations.call import Call
from stoa.operations.opportunities import rows_views
from stoa.schemas.opportunities import TYPES, Opportunity
from stoa.store import additions, opportunities
from stoa.store.additions import AdditionRow
from stoa.store.opportunities import START, OffersWanted, OpportunityRow
from stoa.store.tx import Tx


async def kept_views(call: Call, shown: list[OpportunityRow]) -> list[Opportunity]:
    """Opportunities beside a search, which is not cached."""
    found = await call.services.memory.offers.views(call.tx, shown, partial(rows_views, call))
    return [offer for _, offer in found]


async def related(
    call: Call, query: Query, tags: frozenset[str], found: list[str]
) -> list[OpportunityRow]:
    """A few opportunities that a query matches, or that have any of these tags, the best first.

    `found` are the ids of the threads that the query found.
    """
    words, compared = asked(query), call.services.memory.described.compared
    if not tags and not words.all:
        return []
    on_offer = await call.services.memory.offers.index(call.tx, for_search=True)
    if on_offer:
        offers = call.services.memory.described.offers(on_offer)
        among = offers.all
        if len(offers.rows) > compared:
            among = _looked_at(offers, compared, words.all | tags, found)
    else:
        offers = await _in_sql(call, words.all, tags, found)
        among = offers.all
    having = await _having(call, offers, words.all, among)
    by_tags, offers_found = offers.sharing(tags), offers.those(found)
    in_order, most = offers.ranked.ascending, limits.SUGGESTIONS
    numbers = best(having, among, words, by_tags, offers_found, most, in_order)
    rows = [offers.rows[number] for number in numbers]
    if on_offer and on_offer.is_large:  # which may be a second old
        open_now = {row.id for row in await opportunities.among(call.tx, [row.id for row in rows])}
        rows = [row for row in rows if row.id in open_now]
    return rows


def _looked_at(offers: Offers, compared: int, terms: frozenset[str], found: list[str]) -> int:
    """The candidates of a search: the highest rewards, those with a shared tag, and the threads
    found."""
    tagged = 0
    for term in terms & offers.tagged.keys():
        tagged |= offers.tagged[term]
    return offers.top | offers.ranked.first(tagged, compared) | offers.those(found)


async def _in_sql(
    call: Call, words: frozenset[str], tags: frozenset[str], found: list[str]
) -> Offers:
    """The same where no index is kept."""
    compared = call.services.memory.described.compared
    rows = await _page(call.tx, [], compared)
    if len(rows) == compared:
        rows += await _page(call.tx, sorted(words | tags), compared)
        rows += await opportunities.among(call.tx, found)
    offers = Offers.of(sorted(set(rows), key=_order, reverse=True))
    having = await _having(call, offers, map(of_tag, tags), offers.all)
    return replace(offers, tagged={tag: having[of_tag(tag)] for tag in tags})


def _order(row: OpportunityRow) -> tuple[int, int, str]:
    return row.amount, row.created_at, row.id


async def _page(tx: Tx, tags: list[str], most: int) -> list[OpportunityRow]:
    wanted = OffersWanted(tags)
    return await opportunities.page(tx, START, wanted, types=TYPES, limit=most, offset=0)


async def _having(call: Call, offers: Offers, words: Iterable[str], among: int) -> dict[str, int]:
    """Which offers `among` these have each of the words."""
    known, missing = offers.known(words), 0
    for _, looked_at in known.values():
        missing |= among & ~looked_at
    if missing:
        numbers = [*ascending(missing)]
        texts = zip(
            numbers, await _words(call, [offers.rows[number] for number in numbers]), strict=True
        )
        # One without words is hidden now: it is looked at again, as it may be restored.
        known = offers.look(known, {number: text for number, text in texts if text})
    return {word: have & among for word, (have, _) in known.items()}


async def _words(call: Call, rows: Sequence[OpportunityRow]) -> list[bytes]:
    """The words of these opportunities, cached from now on; none of hidden ones."""
    cached = call.services.memory.described.words
    known = cached.find_all([row.key for row in rows])
    missing = [row for row, words in zip(rows, known, strict=True) if words is None]
    views = {view.id: view for view in await rows_views(call, missing)}
    added = await additions.of_threads(call.tx, [row.id for row in missing if row.added])
    new = {
        row.key: _described(views[row.id], added.get(row.id, ()))
        for row in missing
        if row.id in views
    }
    cached.put_all(new)
    return [words or new.get(row.key, b"") for row, words in zip(rows, known, strict=True)]


def _described(view: Opportunity, added: Iterable[AdditionRow]) -> bytes:
    texts = (text.body for text in added)
    return described(view.title, view.tags, view.body.body, [*view.requirements, *texts])
