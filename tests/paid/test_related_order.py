"""What a search names beside its threads is what a look at each opportunity alone finds, from an
index in memory as in SQL, on both engines, where there are more than a search compares."""

import random
from collections.abc import Callable
from typing import Any, NamedTuple
from urllib.parse import quote

import pytest

from stoa.domain import limits
from stoa.domain.related import of_tag
from stoa.memory.described import Offers
from stoa.memory.memory import Memory
from stoa.memory.offer_index import OfferIndexSizes
from stoa.settings import Settings
from tests.support import jobs
from tests.support.app import Agent, App
from tests.support.clock import SECOND
from tests.support.composing import Composed, having, with_parts
from tests.support.related import one_by_one

WORDS = ("ale", "beer", "cider", "dough", "eggs", "flour", "rye", "salt")
TAGS = ("rye", "salt", "stone ground")
LOOKED_AT = 4
STEPS = 40


class Offer(NamedTuple):
    """An opportunity with its words and tags; what comes first has the larger order."""

    id: str
    has: set[str]
    order: tuple[int, str]


class Market:
    """Opportunities at random, and searches."""

    def __init__(self, stoa: App, seed: int = 0) -> None:
        self.stoa = stoa
        self.random = random.Random(seed)
        self.agents = [stoa.agent(name) for name in ("ada", "bob")]
        self.offers: list[tuple[Agent, Any, Offer]] = []

    def some(self, of: tuple[str, ...], most: int) -> list[str]:
        """A few of these."""
        return self.random.sample(of, self.random.randint(0, most))

    def offer(self) -> None:
        """Offer a job or a bounty."""
        words, tags = self.some(WORDS, 3), self.some(TAGS, 2)
        reward, agent = self.random.randint(1, 3), self.random.choice(self.agents)
        self.stoa.clock.advance(self.random.choice([0, SECOND]))
        text = " ".join(["Wanted", *words])
        if self.random.random() < 0.3:
            made = agent.thread(text, "Tell.", tags=tags, bountyCredits=reward)
            words.append("tell")
        else:
            made = jobs.offer(agent, reward, title=text, description="Make.", tags=tags)
            words.append("make")
        words += [word for tag in tags for word in tag.split()]
        known = {"wanted", *words, *map(of_tag, tags)}
        offer = Offer(made["id"], known, (reward, made["createdAt"] + made["id"]))
        self.offers.append((agent, made, offer))

    def end(self) -> None:
        """Have a job claimed, or a bounty paid."""
        agent, made, _ = self.offers.pop(self.random.randrange(len(self.offers)))
        other = next(one for one in self.agents if one is not agent)
        if made["id"].startswith("job"):
            jobs.done(other, made, "claim")
        else:
            agent.accept(made, other.reply(made, "Salt.")).ok()

    def compare(self) -> None:
        """Search, and look at each opportunity alone."""
        may, must, barred = self.some(WORDS, 3), self.some(WORDS, 1), self.some(WORDS, 1)
        if not may and not must:
            return
        q = [*may, *(f'"{word}"' for word in must), *(f"-{word}" for word in barred)]
        tags, limit = self.some(TAGS, 1), self.random.choice([1, 3])
        asked = f"search?q={quote(' '.join(q))}&tags={quote(','.join(tags))}&limit={limit}"
        answer = self.stoa.get(asked).ok().json
        shared = {*tags, *(tag for thread in answer["threads"] for tag in thread["tags"])}
        kept = {*may} - {*must} - {*barred}
        terms = [("word", word) for word in kept]
        terms += [("must", word) for word in {*must} - {*barred}]
        terms += [("not", word) for word in barred] + [("tag", of_tag(tag)) for tag in shared]
        found = {thread["id"] for thread in answer["threads"]}
        named = [row["id"] for row in answer["relatedOpportunities"]]
        assert named == self.named(terms, {*may, *must, *barred} | shared, found), asked

    def named(self, terms: list[tuple[str, str]], tags: set[str], found: set[str]) -> list[str]:
        """What is to be named."""
        offers = sorted((one[2] for one in self.offers), key=lambda one: one.order, reverse=True)
        tagged = [one for one in offers if {*map(of_tag, tags)} & one.has]
        looked_at = {one.id for one in (*offers[:LOOKED_AT], *tagged[:LOOKED_AT])} | found
        offers = [one for one in offers if one.id in looked_at]
        places = {place for place, one in enumerate(offers) if one.id in found}
        best = one_by_one([one.has for one in offers], terms, places)
        return [offers[place].id for place in best[: limits.SUGGESTIONS]]

    def run(self) -> None:
        """Offer, end and search, many times."""
        for _ in range(STEPS):
            for _ in range(self.random.choice([0, 1, 4])):
                self.offer()
            if self.offers and self.random.random() < 0.4:
                self.end()
            self.compare()
            self.compare()


def few_compared(_: Settings) -> Memory:
    """For searches that compare so few opportunities that a test soon has more."""
    return Memory(compared=LOOKED_AT)


@pytest.fixture
def composed() -> Composed:
    """An application with such searches."""
    return with_parts(memory=few_compared)


@pytest.mark.costly
def test_a_search_names_what_a_look_at_each_opportunity_finds(stoa: App) -> None:
    Market(stoa).run()


@having(memory=lambda _: Memory(OfferIndexSizes(most=3), compared=LOOKED_AT))
@pytest.mark.costly
def test_sql_names_the_same_where_no_index_is_kept(stoa: App) -> None:
    Market(stoa, 1).run()


def no_set(*_: object) -> int:
    return 0


def no_tags(offers: Offers, _compared: int, _terms: object, found: list[str]) -> int:
    return offers.top | offers.those(found)


def all_known(offers: Offers, words: Any) -> Any:
    return {word: one._replace(looked_at=offers.all) for word, one in known(offers, words).items()}


known = Offers.known


@pytest.mark.parametrize("engine", ["sqlite"])
@pytest.mark.parametrize(
    ("name", "careless"),
    [
        ("stoa.operations.related._looked_at", no_tags),
        ("stoa.memory.described.Offers.those", no_set),
        ("stoa.memory.described.Offers.known", all_known),
    ],
    ids=["what shares a tag", "what was found", "words of more"],
)
def test_an_opportunity_that_is_not_looked_at_would_be_noticed(
    stoa: App, monkeypatch: pytest.MonkeyPatch, name: str, careless: Callable[..., Any]
) -> None:
    monkeypatch.setattr(name, careless)
    with pytest.raises(AssertionError):
        Market(stoa).run()
