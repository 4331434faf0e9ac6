"""What recommendations are made of, each made once for each of its versions."""

import hashlib
from collections.abc import Set
from dataclasses import dataclass, field
from functools import partial
from threading import Lock
from typing import NamedTuple

import msgspec

from stoa.caching import ByteCache
from stoa.operations.rows import ListRows
from stoa.schemas.base import encode
from stoa.schemas.opportunities import Opportunity, RecommendedList
from stoa.store.changes import ChangesSeen
from stoa.store.offer_index import OfferIndex
from stoa.store.remembered import Remembered, RememberedById

_MOST_BYTES = 4 * 1024 * 1024

Terms = tuple[str, ...]


class EncodedOffer(msgspec.Struct, frozen=True, gc=False):
    """The JSON of an opportunity but for the last brace, a hash of it, and the characters of its
    requirements."""

    json: bytes
    counted: bytes
    characters: int

    @classmethod
    def of(cls, view: Opportunity) -> "EncodedOffer":
        """Of one that is recommended to no agent yet."""
        json = encode(view)[:-1]
        counted = hashlib.sha1(json, usedforsecurity=False).digest()
        return cls(json, counted, sum(map(len, view.requirements)))


class PageKey(NamedTuple):
    """What a page of recommendations depends on beside what is on offer: the terms of the agent
    that any offer has, its own offers as a bitmap, and which page it asks for."""

    terms: frozenset[str]
    own: int
    size: int
    offset: int
    cursor: str | None


class RecommendedPage(NamedTuple):
    """A page of recommendations and its rows as JSON, which are not in the answer itself."""

    answer: RecommendedList
    rows: ListRows


def _size_of_page(asked: PageKey, page: Remembered[RecommendedPage]) -> int:
    rows = sum(map(len, page.latest.rows.pieces)) if page.latest else 0
    return rows + asked.own.bit_length() // 8 + sum(map(len, asked.terms))


class RecommendedPages:
    """Pages of recommendations from one index, for all agents of whom they are the same."""

    def __init__(self) -> None:
        self._offer_index: OfferIndex | None = None
        self._known = self._none()
        self._lock = Lock()

    def _none(self) -> ByteCache[PageKey, Remembered[RecommendedPage]]:
        return ByteCache(_MOST_BYTES, _size_of_page)

    def get(
        self, offer_index: OfferIndex, asked: PageKey, seen: ChangesSeen | None, now: int
    ) -> RecommendedPage | None:
        """The page, if none of its rows has changed."""
        with self._lock:
            known = self._known.find(asked) if self._offer_index is offer_index else None
        return known.get(seen, now) if known else None

    def keep(
        self,
        offer_index: OfferIndex,
        asked: PageKey,
        page: RecommendedPage,
        seen: ChangesSeen | None,
        ids: Set[str],
    ) -> None:
        """Cache a page that is made of opportunities with these ids."""
        new = Remembered[RecommendedPage]()
        new.keep(page, seen, ids, None)
        with self._lock:
            if self._offer_index is not offer_index:
                self._offer_index, self._known = offer_index, self._none()
            self._known.put(asked, new)


def _size_of_offer(offer: EncodedOffer) -> int:
    return len(offer.json)


def _size_of_terms(terms: Terms) -> int:
    return sum(4 * len(term) + 50 for term in terms)


@dataclass(frozen=True, slots=True)
class Recommended:
    """The index of open offers, the `offers` that were shown, by id, the `terms` of agents that
    asked, by id, and the `pages` that they were shown."""

    offer_index: Remembered[OfferIndex] = field(default_factory=Remembered[OfferIndex])
    offers: RememberedById[EncodedOffer] = field(
        default_factory=partial(RememberedById[EncodedOffer], _MOST_BYTES, _size_of_offer)
    )
    terms: RememberedById[Terms] = field(
        default_factory=partial(RememberedById[Terms], _MOST_BYTES, _size_of_terms)
    )
    pages: RecommendedPages = field(default_factory=RecommendedPages)
