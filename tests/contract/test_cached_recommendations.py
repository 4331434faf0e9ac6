"""Recommendations from what is kept in memory are those that would be made now."""

from typing import Any

import pytest

from stoa.memory.memory import Memory
from stoa.memory.offer_index import OfferIndexSizes
from stoa.memory.remembered import Remembered, RememberedById
from tests.contract.test_cached_answers import (
    MORE_STEPS,
    World,
    ever_got,
    latest,
    no_index,
    nothing,
    nothing_known,
)
from tests.support.app import Agent, App
from tests.support.composing import Composed, with_parts

TARGETS = [f"opportunities/recommended{query}" for query in ("", "?limit=1", "?limit=2&offset=1")]
STEPS = 100


@pytest.fixture
def engine() -> str:
    """Where other processes write too, nothing is kept."""
    return "sqlite"


@pytest.fixture
def composed() -> Composed:
    """Each call makes the index of open offers: the clock stands still between steps."""
    return with_parts(memory=lambda _: Memory(OfferIndexSizes(made_each_ms=0)))


def pages(reader: Agent, target: str) -> list[Any]:
    """A page of a list, and the one behind it."""
    first = reader.get(target).ok().json
    if first["nextCursor"] is None:
        return [first]
    return [first, reader.get(f"opportunities/recommended?cursor={first['nextCursor']}").ok().json]


class Market(World):
    """The same agents, of whom one asks for recommendations after each step."""

    def __init__(self, stoa: App, seed: int) -> None:
        super().__init__(stoa, seed, set())

    def compare_after(self, steps: int) -> None:
        """Write, and compare what is recommended, many times."""
        for _ in range(steps):
            self.choose()
            after, reader = self.step(), self.agent()
            kept = [pages(reader, target) for target in TARGETS]
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr("stoa.memory.offers.offer_index", no_index)
                patch.setattr(RememberedById, "fresh", nothing_known)
                patch.setattr(RememberedById, "get", nothing)
                made = [pages(reader, target) for target in TARGETS]
            assert kept == made, after


@pytest.mark.parametrize("seed", range(2))
def test_recommendations_are_those_that_would_be_made_now(stoa: App, seed: int) -> None:
    Market(stoa, seed).compare_after(STEPS)


@pytest.mark.parametrize(
    ("cache", "method", "careless"),
    [
        (RememberedById, "get", ever_got),
        (Remembered, "get", latest),
    ],
    ids=["terms and pages", "offer_index"],
)
def test_a_part_of_a_recommendation_that_is_never_out_of_date_would_be_noticed(
    stoa: App, monkeypatch: pytest.MonkeyPatch, cache: type, method: str, careless: Any
) -> None:
    monkeypatch.setattr(cache, method, careless)
    with pytest.raises(AssertionError):
        Market(stoa, 0).compare_after(MORE_STEPS)
