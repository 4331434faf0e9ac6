"""What is recommended from an index that is kept in memory is what SQL recommends, and one that is
made of an earlier one is the one that would be made of all that is on offer."""

import random
from collections.abc import Generator, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import pytest

from stoa.domain.labels import wanted_words
from stoa.domain.terms import NO_TERMS, Attained, WorkTerms
from stoa.memory import offer_index
from stoa.memory.offer_index import OfferIndex, OfferIndexSizes
from stoa.memory.remembered import Remembered
from stoa.store import agents, opportunities
from stoa.store.agents import AgentProfile
from stoa.store.engines.sqlite import store as sqlite
from stoa.store.engines.sqlite.store import SqliteStore
from stoa.store.opportunities import (
    START,
    OfferPosition,
    OfferReader,
    OpportunityRow,
)
from stoa.store.tx import Tx
from tests.support import jobs
from tests.support.app import App
from tests.support.clock import DAY, SECOND, VirtualClock
from tests.support.growth import lines
from tests.support.store import Opened

AGENTS = ("ag_1", "ag_2", "ag_3")
LABELS = ("brewing", "home-brewing", "python-3", "python", "ale", "scale")
REQUIRED: tuple[dict[str, int], ...] = ({}, {"completedJobs": 1}, {"reputation": 1, "standing": 2})
ABLE = ("homebrew", "brewing", "python 2", "ale", "scales", "r")


class Market:
    """A database of its own, with a clock that a test sets."""

    def __init__(self, folder: Path) -> None:
        self.clock = VirtualClock()
        self.random = random.Random(1)
        self.offers = 0

        async def opening() -> SqliteStore:
            sqlite.migrate(folder / "stoa.db")
            return await SqliteStore.open(folder / "stoa.db", self.clock)

        self.opened = Opened(opening())
        self.opened.write(_register)
        self.kept, self.sizes = Remembered[OfferIndex](), OfferIndexSizes()

    def offer(self, count: int) -> None:
        """Offer so many jobs more, whose rewards and times are often the same."""
        for _ in range(count):
            self.clock.advance(self.random.choice([0, 1]))
            self.opened.write(self._offer)

    async def _offer(self, tx: Tx) -> None:
        self.offers += 1
        await self._insert(tx, self.offers, NO_TERMS)

    async def _insert(self, tx: Tx, number: int, promised: WorkTerms) -> None:
        source = self.random
        terms = {
            (label, source.random() < 0.5) for label in source.sample(LABELS, source.randrange(6))
        }
        author, amount = source.choice(AGENTS), source.choice([1, 2, 3])
        subject, ends = f"job_{number:03}", tx.now + DAY
        promised = replace(promised, requires=source.choice(REQUIRED))
        await opportunities.insert(
            tx, "job", subject, author, amount, ends, terms, promised=promised
        )

    def take(self) -> None:
        """Take one away that may be on offer."""
        subject = f"job_{self.random.randint(1, self.offers):03}"
        self.opened.write(lambda tx: tx.run("opportunities.delete", subject_id=subject))

    def renew(self) -> None:
        """Offer one again, at a later time, to all or to one agent, with another reward."""
        self.clock.advance(1)
        to = self.random.choice([None, None, *AGENTS])
        promised = WorkTerms(offered_to=to)
        number = self.random.randint(1, self.offers)

        async def renewed(tx: Tx) -> None:
            if await tx.run("opportunities.delete", subject_id=f"job_{number:03}"):
                await self._insert(tx, number, promised)

        self.opened.write(renewed)

    def compare(self) -> None:
        """Ask the index and SQL for the same."""
        source = self.random
        able = source.sample(ABLE, source.randrange(4))
        has = Attained.least(source.choice(REQUIRED))
        reader = OfferReader(source.choice(AGENTS), wanted_words(able), has)
        self.opened.run(self.opened.store.read(partial(self._compare, reader)))

    async def _compare(self, reader: OfferReader, tx: Tx) -> None:
        on_offer = await offer_index.offer_index(tx, self.kept, self.sizes)
        assert on_offer
        place, limit = START, self.random.randint(1, 5)
        places: list[OfferPosition] = [(-1, 2, tx.now, "job_1"), (0, 2, tx.now, "job_1"), START]
        while places:
            place = places.pop()
            here = on_offer.recommended(reader, place, limit)
            in_sql = await opportunities.recommended(tx, reader, place, limit)
            assert [row.place for row in here] == [row.place for row in in_sql], (reader, place)
            assert [shared(row) for row in here] == [shared(row) for row in in_sql]
            if len(here) == limit:
                places.append(here[-1].place)

    def offer_index(self, *, for_search: bool = False) -> OfferIndex | None:
        """The index of now, None where SQL is to be asked."""
        kept = {"kept": self.kept, "sizes": self.sizes}
        find = partial(offer_index.offer_index, **kept, for_search=for_search)
        return self.opened.run(self.opened.store.read(find))


async def _register(tx: Tx) -> None:
    for number, agent_id in enumerate(AGENTS):
        await agents.insert(tx, agent_id, bytes([number]) * 32, AgentProfile("Ada"), "")


def described(index: OfferIndex | None) -> Any:
    """All that an index says, whatever the numbers of what is on offer."""
    if index is None:
        return None

    def ids(bits: int) -> list[str]:
        return [index.rows[number].id for number in index.ranked.ascending(bits)]

    def sets(known: Mapping[Any, int]) -> dict[Any, list[str]]:
        return {key: ids(bits) for key, bits in known.items() if ids(bits)}

    assert {row.id: number for number, row in index.rows.items()} == index.numbers
    assert index.keys.keys() == {row.key for row in index.rows.values()}
    order = [index.rows[number] for number in index.ranked.ascending(index.ranked.all)]
    sizes = {row.id: index.sizes[index.numbers[row.id]] for row in order}
    labels = {term: index.labels([term]) for term in wanted_words(ABLE)}
    own = {agent_id: ids(index.left_out(OfferReader(agent_id, ()))) for agent_id in AGENTS}
    known = sets(index.having), sets(index.tagged), sets(index.by_author), sets(index.requiring)
    return order, sizes, labels, own, *known, index.chosen, index.too_many, index.is_large


def shared(row: OpportunityRow) -> set[str]:
    """The labels of an opportunity that meet capabilities of an agent."""
    return msgspec.json.decode(row.terms, type=set[str])


@pytest.fixture
def market(tmp_path: Path) -> Generator[Market]:
    market = Market(tmp_path)
    yield market
    market.opened.close()


def test_an_index_recommends_what_sql_recommends(market: Market) -> None:
    market.sizes = OfferIndexSizes(made_each_ms=0)
    for _ in range(40):
        market.offer(market.random.choice([0, 1, 3]) or market.offers == 0)
        market.take()
        market.compare()


@pytest.mark.parametrize("engine", ["sqlite"])
@pytest.mark.parametrize("filters", ["", "&minReward=1"], ids=["index", "SQL"])
def test_what_jobs_require_is_not_read_with_each_poll(stoa: App, filters: str) -> None:
    ada, bob = stoa.agent("Ada"), stoa.agent("Bob")

    def poll() -> int:
        stoa.clock.advance(SECOND)  # an index is made once a second
        feed = f"opportunities/recommended?limit=1{filters}"
        bob.get(feed).ok()
        # On a busy machine one may be read again in a thread, which takes more lines.
        return min(lines(lambda path: bob.get(path).ok(), feed) for _ in range(3))

    took: list[int] = []
    for least in range(1, 17):
        jobs.offer(ada, 1, terms={"requires": {"reputation": least, "standing": 1}})
        took.append(poll())
    assert took[-1] - took[7] <= 8 * 5, took


def test_of_too_much_on_offer_no_index_is_kept(market: Market) -> None:
    market.sizes = OfferIndexSizes(most=12)
    market.offer(3)
    assert market.offer_index()
    market.offer(12)
    market.clock.advance(market.sizes.made_each_ms)
    assert market.offer_index() is None


def test_it_is_looked_less_often_whether_it_is_still_too_much(market: Market) -> None:
    market.sizes = OfferIndexSizes(most=12)
    market.offer(13)
    assert market.offer_index(for_search=True) is None
    for _ in range(100):
        market.take()
    market.clock.advance(9 * market.sizes.made_each_ms)
    assert market.offer_index(for_search=True) is None
    market.clock.advance(market.sizes.made_each_ms)
    assert market.offer_index(for_search=True)


@pytest.mark.parametrize(
    ("room", "most"), [(0, 60), (1_000, 1_000)], ids=["numbered anew", "numbers kept"]
)
def test_an_index_that_is_made_of_an_earlier_one_is_the_one_made_of_all(
    market: Market, room: int, most: int
) -> None:
    market.sizes = OfferIndexSizes(most=most, few=15, made_each_ms=0, room=room)
    source, kept, numberings = market.random, market.kept, set[object]()
    market.offer(3)
    for _ in range(120):
        for _ in range(source.choice([1, 1, 4])):
            source.choice([market.take, market.renew, partial(market.offer, 1)])()
        earlier = kept.latest
        before, found = described(earlier), market.offer_index()
        assert described(earlier) == before, "other threads read it"
        market.kept = Remembered()
        assert described(found) == described(market.offer_index())
        market.kept = kept
        numberings.add(kept.latest and kept.latest.unused)
    assert (len(numberings) > 1) == (room == 0)


def test_a_search_of_much_on_offer_may_see_it_as_it_was_a_second_ago(market: Market) -> None:
    market.sizes = OfferIndexSizes(few=2)
    market.offer(9)
    first = market.offer_index(for_search=True)
    assert first
    market.offer(1)
    assert market.offer_index() is None
    assert market.offer_index(for_search=True) is first
    market.clock.advance(market.sizes.made_each_ms)
    second = market.offer_index(for_search=True)
    assert second
    assert len(second.rows) == len(first.rows) + 1


def test_an_index_is_made_once_a_second_at_most(market: Market) -> None:
    market.offer(1)
    first = market.offer_index()
    assert first
    assert market.offer_index() is first
    market.offer(1)
    assert market.offer_index() is None
    market.clock.advance(market.sizes.made_each_ms)
    second = market.offer_index()
    assert second
    assert len(second.rows) == 2
