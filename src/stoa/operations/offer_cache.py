"""What recommendations are made of, each made once for each of its versions."""

from dataclasses import dataclass, field
from functools import partial

from stoa.schemas.opportunities import Opportunity
from stoa.store.offer_index import OfferIndex
from stoa.store.remembered import Remembered, RememberedById

_MOST_BYTES = 4 * 1024 * 1024
_OFFER_BYTES = 3_000  # what an opportunity takes beside its texts

Terms = tuple[str, ...]


def _size_of_offer(offer: Opportunity) -> int:
    texts = (offer.title, offer.body.body, *offer.tags, *offer.requirements)
    return _OFFER_BYTES + 4 * sum(map(len, texts))


def _size_of_terms(terms: Terms) -> int:
    return sum(4 * len(term) + 50 for term in terms)


@dataclass(frozen=True, slots=True)
class Recommended:
    """The index of open offers, the `offers` that were shown, by id, and the `terms` of agents that
    asked, by id."""

    offer_index: Remembered[OfferIndex] = field(default_factory=Remembered[OfferIndex])
    offers: RememberedById[Opportunity] = field(
        default_factory=partial(RememberedById[Opportunity], _MOST_BYTES, _size_of_offer)
    )
    terms: RememberedById[Terms] = field(
        default_factory=partial(RememberedById[Terms], _MOST_BYTES, _size_of_terms)
    )
