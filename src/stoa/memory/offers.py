"""Open offers and their authors' records, cached between recommendations."""

from collections.abc import Awaitable, Callable, Hashable
from typing import NamedTuple

from stoa.caching import ByteCache
from stoa.domain.labels import wanted_words
from stoa.domain.terms import Attained
from stoa.memory.offer_index import OFFER_INDEX_SIZES, OfferIndex, OfferIndexSizes, offer_index
from stoa.memory.remembered import Remembered, RememberedById
from stoa.schemas.base import encode
from stoa.schemas.encoded import encoded_once
from stoa.schemas.opportunities import Opportunity, RecommendedList
from stoa.store import agents, opportunities
from stoa.store.dependencies import eventual
from stoa.store.opportunities import (
    EVERYTHING,
    OfferPosition,
    OfferReader,
    OffersWanted,
    OpportunityRow,
)
from stoa.store.reputation import attained
from stoa.store.tx import Tx

_OFFER_BYTES = 3_000  # what an opportunity takes beside its texts
_ATTAINED_BYTES = 500

Terms = tuple[str, ...]
"""The words that find offers which fit an agent (`domain/labels.py`)."""


def _size_of_offer(offer: Opportunity) -> int:
    texts = (offer.title, offer.body.body, *offer.tags, *offer.requirements)
    return _OFFER_BYTES + 4 * sum(map(len, texts))


def _size_of_shown(offer: Opportunity) -> int:
    return _size_of_offer(offer) + len(encode(offer))


def _owners(offer: Opportunity) -> list[str]:
    """The ids that an offer was made of: its rows, and the record of its author."""
    return [offer.id, *eventual([offer.author_agent_id])]


class _Page(NamedTuple):
    """The page made from the index of this version."""

    version: object
    page: RecommendedList


_PageKey = tuple[frozenset[str], int, Hashable]


def _size_of_page(made: _Page) -> int:
    return sum(map(_size_of_offer, made.page.opportunities))


def _owners_of_page(_: _PageKey, made: _Page) -> set[str]:
    return {owner for offer in made.page.opportunities for owner in _owners(offer)}


class OfferMemory:
    """Reads recommendations for agents. Where other processes write too, only values for searches
    are cached."""

    def __init__(self, cache: ByteCache, sizes: OfferIndexSizes = OFFER_INDEX_SIZES) -> None:
        self._sizes = sizes
        self._index = Remembered[OfferIndex]()
        self._views = RememberedById[str, Opportunity](
            cache, _size_of_shown, lambda _, offer: _owners(offer)
        )
        self._terms = RememberedById[str, Terms](
            cache, lambda terms: sum(4 * len(term) + 50 for term in terms)
        )
        self._attained = RememberedById[str, Attained](
            cache, lambda _: _ATTAINED_BYTES, lambda one, _: [one, *eventual([one])]
        )
        self._pages = RememberedById[_PageKey, _Page](cache, _size_of_page, _owners_of_page)

    async def index(self, tx: Tx, *, for_search: bool = False) -> OfferIndex | None:
        """The index of open offers; None where SQL is to be asked."""
        return await offer_index(tx, self._index, self._sizes, for_search=for_search)

    async def _index_for(self, tx: Tx, wanted: OffersWanted) -> OfferIndex | None:
        """The index for this request; None where SQL is to be asked."""
        return await self.index(tx) if wanted == EVERYTHING else None

    async def recommended(
        self,
        tx: Tx,
        reader: OfferReader,
        after: OfferPosition,
        limit: int,
        wanted: OffersWanted,
    ) -> list[OpportunityRow]:
        """The offers that its reader could take and asks for, the best first, after a place."""
        on_offer = await self._index_for(tx, wanted)
        if on_offer is None or reader.agent_id in on_offer.chosen:
            return await opportunities.recommended(tx, reader, after, limit, wanted)
        return on_offer.recommended(reader, after, limit)

    async def page(
        self,
        tx: Tx,
        agent_id: str,
        terms: Terms,
        wanted: OffersWanted,
        asked: Hashable,
        make: Callable[[OfferReader], Awaitable[RecommendedList]],
    ) -> RecommendedList:
        """The page for this request: one for all agents with the same terms and the same left-out
        offers, until something that it shows changes."""
        on_offer = await self._index_for(tx, wanted)
        is_needed = on_offer is None or on_offer.requiring
        reader = OfferReader(
            agent_id, terms, await self._has(tx, agent_id) if is_needed else Attained()
        )
        if on_offer is None or agent_id in on_offer.chosen:
            return encoded_once(await make(reader))  # as one that is kept, which has the same ETag
        key = on_offer.labels(terms), on_offer.left_out(reader), asked
        known = self._pages.get(key, tx.seen, tx.now)
        if known is None or known.version is not on_offer.version:
            known = _Page(on_offer.version, encoded_once(await make(reader)))
            self._pages.keep({key: known}, tx.seen)
        return known.page

    async def _has(self, tx: Tx, agent_id: str) -> Attained:
        """The reputation, jobs and standing of an agent that jobs may require."""
        known = self._attained.get(agent_id, tx.seen, tx.now)
        if known is None:
            known = await attained(tx, agent_id)
            self._attained.keep({agent_id: known}, tx.seen)
        return known

    async def terms(self, tx: Tx, agent_id: str) -> Terms:
        """The terms of an agent, whose capabilities are read if they are not known."""
        terms = self._terms.get(agent_id, tx.seen, tx.now)
        if terms is None:
            terms = wanted_words((await agents.capabilities(tx, agent_id))[0])
            self._terms.keep({agent_id: terms}, tx.seen)
        return terms

    async def views(
        self,
        tx: Tx,
        rows: list[OpportunityRow],
        make: Callable[[list[OpportunityRow]], Awaitable[list[Opportunity]]],
    ) -> list[tuple[OpportunityRow, Opportunity]]:
        """Rows with their encoded offers, without hidden ones. A cached answer must not be made of
        these: its dependencies would be unknown."""
        ids = [row.id for row in rows]
        known = self._views.fresh(ids, tx.seen, tx.now)
        if len(known) < len(ids):
            made = await make([row for row in rows if row.id not in known])
            new = {view.id: encoded_once(view) for view in made}
            self._views.keep(new, tx.seen)
            known |= new
        return [(row, known[row.id]) for row in rows if row.id in known]
