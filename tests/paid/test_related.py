"""What a search names beside its threads: opportunities that match `q` or the tags of its rows."""

from typing import Any
from urllib.parse import quote

import pytest

from stoa.domain.limits import DESCRIBED_BYTES, PAGE_MAX
from stoa.memory.described import COMPARED
from stoa.memory.memory import Memory
from stoa.memory.offer_index import OfferIndexSizes
from stoa.operations.search import search_threads
from stoa.schemas.search import SearchThreads
from stoa.store.engines.sqlite.tx import drive
from tests.support import jobs
from tests.support.app import Agent, App
from tests.support.clock import HOUR, SECOND
from tests.support.composing import Composed, having, with_parts
from tests.support.faces import Face
from tests.support.snapshots import call_of_now


def related(stoa: App, q: str = "", **more: str) -> list[str]:
    """The ids of the opportunities that a search names."""
    asked = "&".join(f"{name}={quote(value)}" for name, value in {"q": q, **more}.items())
    return ids(stoa.get(f"search?{asked}").ok())


def ids(answer: Any) -> list[str]:
    """The ids of the opportunities of an answer."""
    return [row["id"] for row in answer["relatedOpportunities"]]


def work(agent: Agent, title: str, reward: float = 1, **more: Any) -> str:
    """The id of a new job."""
    agent.app.clock.advance(SECOND)
    return jobs.offer(agent, reward, title=title, **more)["id"]


@pytest.mark.promise("Q9")
def test_opportunities_that_match_neither_words_nor_tags_are_not_related(
    stoa: App, ada: Agent, face: Face
) -> None:
    kettle = work(ada, "Descale a kettle", tags=["copper"])
    asked = ada.thread("Which kettle for porridge?", bountyCredits=1)["id"]
    ada.thread("Pipes that sing", tags=["copper"])
    work(ada, "Translate a poem", 50, tags=["french"])

    def found(**asked: str) -> list[str]:
        return ids(face.call("search_threads", asked).ok())

    assert sorted(found(q="kettle")) == sorted([kettle, asked])
    assert found(q="pipes") == [kettle]
    assert found(q="quarks") == []
    assert found(q="quarks", tags="granite") == []


def test_words_are_looked_for_in_all_that_a_row_shows(stoa: App, ada: Agent) -> None:
    shown = [
        work(ada, "Weigh Grünkohl"),
        work(ada, "A job", description="Weigh, then say what grunkohl costs."),
        work(ada, "A job", requirements=["GRUNKOHL"]),
        work(ada, "A job", tags=["grünkohl soup"]),
    ]
    work(ada, "A job", description="x " * 250 + "grunkohl")
    assert set(related(stoa, "grünkohl")) == set(shown)


def test_words_are_also_looked_for_in_what_was_added(stoa: App, ada: Agent) -> None:
    finds_what_is_added(stoa, ada)


@having(memory=lambda _: Memory(OfferIndexSizes(most=1)))
def test_they_are_looked_for_there_too_where_no_index_is_kept(stoa: App, ada: Agent) -> None:
    finds_what_is_added(stoa, ada)


def finds_what_is_added(stoa: App, ada: Agent) -> None:
    """Each process finds a job by a text that was just added to it, and by none before."""
    job = work(ada, "Tie a bowline")
    work(ada, "Tie a hitch")
    for word in ("hemp", "jute"):
        assert [related(stoa, word) for _ in stoa.processes] == [[]] * len(stoa.processes)
        ada.post(f"jobs/{job}/append", {"body": f"Of {word}."}).ok()
        assert [related(stoa, word) for _ in stoa.processes] == [[job]] * len(stoa.processes)


def test_words_that_every_text_has_relate_nothing(stoa: App, ada: Agent) -> None:
    work(ada, "How to do it with the tools that you have")
    knot = work(ada, "Tie a bowline")
    assert related(stoa, "how do I tie the knot that you like") == [knot]
    assert related(stoa, "what is it") == []


def test_the_best_match_comes_first_then_shared_tags_then_the_reward(stoa: App, ada: Agent) -> None:
    ada.thread("Sour dough", tags=["bread", "rye"])
    both = work(ada, "Taste sour dough", tags=["cake"])
    one = work(ada, "Taste sour cherries", 2)
    tags = work(ada, "Knead", 3, tags=["bread", "rye"])
    dear, cheap = work(ada, "Bake", 9, tags=["bread"]), work(ada, "Cool down", 4, tags=["rye"])
    assert related(stoa, "sour dough") == [both, one, tags, dear, cheap]


def test_a_rare_word_counts_more_than_a_common_one(stoa: App, ada: Agent) -> None:
    rare = work(ada, "Tune a theremin")
    common = [work(ada, f"Tune piano {number}", 5) for number in range(4)]
    assert related(stoa, "piano theremin tune") == [rare, *reversed(common)]


def test_quoted_words_must_be_there_and_others_must_not(stoa: App, ada: Agent) -> None:
    whole = work(ada, "Explain why the database is locked")
    part = work(ada, "Choose a database")
    assert related(stoa, "locked database") == [whole, part]
    assert related(stoa, '"database is locked"') == [whole]
    assert related(stoa, "database -locked") == [part]


def test_a_bounty_found_by_one_of_its_replies_is_related(stoa: App, ada: Agent, bob: Agent) -> None:
    thread = ada.thread("Why?", bountyCredits=1)
    bob.reply(thread, "Because of osmosis.")
    work(ada, "Another one")
    assert related(stoa, "osmosis") == [thread["id"]]
    assert related(stoa, "osmosis", author=ada.id) == [thread["id"]]
    assert related(stoa) == []


def test_only_the_tags_of_rows_that_are_shown_count(stoa: App, ada: Agent) -> None:
    ada.thread("Old", tags=["iron"])
    stoa.clock.advance(SECOND)
    ada.thread("New", tags=["zinc"])
    iron, zinc = work(ada, "Smelt", tags=["iron"]), work(ada, "Plate", tags=["zinc"])
    assert related(stoa, limit="1") == [zinc]
    assert related(stoa, limit="1", offset="1") == [iron]
    assert related(stoa, limit="1", tags="iron") == [iron]


def test_a_tag_is_compared_whole(stoa: App, ada: Agent) -> None:
    ada.thread("About", tags=["rust"])
    work(ada, "Write rust free paint", tags=["rust-free", "#rust"])
    same = work(ada, "Borrow", tags=["rust"])
    assert related(stoa, tags="rust") == [same]


def test_what_can_no_longer_be_earned_is_not_related(stoa: App, ada: Agent, bob: Agent) -> None:
    claimed = jobs.offer(ada, title="Repair a theremin")
    paid = ada.thread("Which theremin?", bountyCredits=1)
    assert set(related(stoa, "theremin")) == {claimed["id"], paid["id"]}
    jobs.done(bob, claimed, "claim")
    ada.accept(paid, bob.reply(paid)).ok()
    assert related(stoa, "theremin") == []
    work(ada, "Sell a theremin", deadlineHours=1)
    stoa.clock.advance(HOUR)
    assert related(stoa, "theremin") == []


@having(memory=lambda _: Memory(OfferIndexSizes(few=1)))
def test_what_was_taken_a_moment_ago_is_not_related_among_many(
    stoa: App, ada: Agent, bob: Agent
) -> None:
    kept, taken = (
        work(ada, f"Descale a {what} kettle", tags=["copper"]) for what in ("new", "old")
    )
    assert sorted(related(stoa, "kettle")) == sorted([kept, taken])
    bob.post(f"jobs/{taken}/claim").ok()
    assert related(stoa, "kettle") == [kept]


@having(memory=lambda _: Memory(OfferIndexSizes(few=1, made_each_ms=HOUR)))
def test_among_many_a_new_one_is_related_once_a_process_looks_again(stoa: App, ada: Agent) -> None:
    def named() -> list[list[str]]:
        return [sorted(related(stoa, "kettle")) for _ in stoa.processes]

    first = sorted(work(ada, f"Descale a {what} kettle") for what in ("new", "old"))
    assert named() == [first] * len(stoa.processes)
    new = work(ada, "Descale a green kettle")
    assert named() == [first] * len(stoa.processes)
    stoa.clock.advance(HOUR)
    assert named() == [sorted([*first, new])] * len(stoa.processes)


@having(memory=lambda _: Memory(compared=2))
def test_a_search_compares_the_highest_rewards_and_what_shares_a_tag_or_was_found(
    stoa: App, ada: Agent
) -> None:
    low = work(ada, "Polish a lens")
    tagged = work(ada, "Polish another lens", tags=["lens"])
    asked = ada.thread("Which lens?", bountyCredits=1)["id"]
    dear = [work(ada, "Polish a lens", 5) for _ in range(2)]
    assert set(related(stoa, "lens")) == {tagged, asked, *dear}
    assert low not in related(stoa, "lens")


@pytest.mark.parametrize(
    "text", ["'); DROP TABLE job; --", "#", "*", '{"a": [', "\\u0000", "🍺" * 99]
)
def test_no_text_is_read_as_anything_but_words(stoa: App, ada: Agent, text: str) -> None:
    work(ada, text, description=text)
    assert stoa.get(f"search?q={quote(text)}").status in (200, 400)


def test_the_words_of_all_that_a_search_looks_at_are_kept() -> None:
    looked_at = {f"job_{n}": b"x" * DESCRIBED_BYTES for n in range(2 * COMPARED + PAGE_MAX)}
    kept = Memory().described.words
    kept.put_all(looked_at)
    assert None not in kept.find_all(looked_at)


def knowing(sizes: OfferIndexSizes) -> Composed:
    """An application with an index of offers of these sizes."""
    return with_parts(memory=lambda _: Memory(sizes))


@pytest.mark.parametrize("engine", ["sqlite"])
@pytest.mark.parametrize(
    "composed",
    [
        knowing(OfferIndexSizes(made_each_ms=0)),
        knowing(OfferIndexSizes(few=0, made_each_ms=SECOND)),
    ],
    ids=["small", "large"],
)
def test_a_search_that_began_before_an_offer_does_without_it(stoa: App, ada: Agent) -> None:
    bob = stoa.agent("bob")
    stoa.clock.advance(SECOND)
    before = call_of_now(stoa)
    kettle = jobs.offer(ada, title="Descale a kettle")["id"]
    recommended = bob.get("opportunities/recommended").ok()["opportunities"]
    assert [row["id"] for row in recommended] == [kettle]  # from an index that knows it
    found = drive(search_threads(before, SearchThreads(q="kettle")))
    assert not found.related_opportunities
    assert related(stoa, "kettle") == [kettle]
