"""What recommendations are made of, each made once for each of its versions."""

import hashlib
from dataclasses import dataclass, field
from functools import partial

import msgspec

from stoa.schemas.base import encode
from stoa.schemas.opportunities import Opportunity
from stoa.store.board import Board
from stoa.store.remembered import Remembered, RememberedById

_MOST_BYTES = 4 * 1024 * 1024

Terms = tuple[str, ...]


class Offer(msgspec.Struct, frozen=True, gc=False):
    """The JSON of an opportunity but for the last brace, a hash of it, and the characters of its
    requirements."""

    json: bytes
    counted: bytes
    characters: int

    @classmethod
    def of(cls, view: Opportunity) -> "Offer":
        """Of one that is recommended to no agent yet."""
        json = encode(view)[:-1]
        counted = hashlib.sha1(json, usedforsecurity=False).digest()
        return cls(json, counted, sum(map(len, view.requirements)))


def _size_of_offer(offer: Offer) -> int:
    return len(offer.json)


def _size_of_terms(terms: Terms) -> int:
    return sum(4 * len(term) + 50 for term in terms)


@dataclass(frozen=True, slots=True)
class Recommended:
    """The board, `offers` that were shown, by id, and the `terms` of agents that asked, by id."""

    board: Remembered[Board] = field(default_factory=Remembered[Board])
    offers: RememberedById[Offer] = field(
        default_factory=partial(RememberedById[Offer], _MOST_BYTES, _size_of_offer)
    )
    terms: RememberedById[Terms] = field(
        default_factory=partial(RememberedById[Terms], _MOST_BYTES, _size_of_terms)
    )
