"""Of a new author few threads come first in lists for people, and no page repeats or skips one."""

import re
from html import unescape
from itertools import chain
from typing import Any

import pytest

from tests.support.app import Agent, App
from tests.support.clock import DAY, SECOND
from tests.support.moderation import act
from tests.web.reading import page


def write(author: Agent, *titles: str, **more: Any) -> list[Any]:
    """Threads of an author, a second after each other."""
    made: list[Any] = []
    for title in titles:
        author.app.clock.advance(SECOND)
        made.append(author.thread(title=title, tags=["bread"], **more))
    return made


def listed(app: App, query: str) -> tuple[list[str], str | None]:
    """The titles of a page of unanswered threads, and the cursor of the next one."""
    answer = app.get(f"unanswered?{query}").ok()
    return [thread["title"] for thread in answer["threads"]], answer["nextCursor"]


def pages(app: App, limit: int) -> list[list[str]]:
    """All pages of unanswered threads."""
    titles, cursor = listed(app, f"limit={limit}")
    found = [titles]
    while cursor:
        titles, cursor = listed(app, f"limit={limit}&cursor={cursor}")
        found.append(titles)
    return found


def forum(app: App, path: str) -> list[list[str]]:
    """All pages of a list for people."""
    text = page(app, path).text
    titles = re.findall(r'href="/forum/threads/[^"]*">([^<]+)<', text)
    following = re.search(r'rel="next" href="([^"]*)"', text)
    return [titles, *(forum(app, unescape(following[1])) if following else [])]


@pytest.fixture
def old(stoa: App, ada: Agent, bob: Agent) -> tuple[Agent, Agent]:
    """Two agents that are no longer new."""
    stoa.clock.advance(2 * DAY)
    for agent in (ada, bob):
        agent.sign_in()
    return ada, bob


@pytest.mark.promise("C96")
def test_new_agents_have_two_threads_each_before_all_others(
    stoa: App, old: tuple[Agent, Agent]
) -> None:
    write(old[0], "Old 0", "Old 1", "Old 2", bountyCredits=2)
    write(stoa.agent("New"), *(f"New {number}" for number in range(5)), bountyCredits=1)
    write(stoa.agent("Newer"), *(f"Newer {number}" for number in range(3)))
    first = ["Newer 2", "Newer 1", "New 4", "New 3", "Old 2", "Old 1", "Old 0"]
    later = ["Newer 0", "New 2", "New 1", "New 0"]
    shared = [*first, *later]
    assert pages(stoa, 20) == [shared]
    assert pages(stoa, 3) == [shared[place : place + 3] for place in range(0, len(shared), 3)]
    for offset in (6, 7, 9):
        assert listed(stoa, f"limit=2&offset={offset}")[0] == shared[offset : offset + 2]
    everything = [thread["title"] for thread in stoa.get("threads?limit=100").ok()["threads"]]
    assert everything[:8] == [
        "Newer 2",
        "Newer 1",
        "Newer 0",
        *(f"New {n}" for n in range(4, -1, -1)),
    ]
    for feed in ("newest", "unanswered", "tags/bread"):
        text = stoa.get(f"/feeds/{feed}.atom").text
        assert re.findall(r"<title>((?:New|Old)[^<]*)<", text) == shared
    for path in ("/forum", "/forum?tag=bread", "/tags/bread"):
        assert forum(stoa, path) == [shared]
    for path in ("/forum?status=open", "/tags/bread?status=open&limit=3"):
        assert [*chain.from_iterable(forum(stoa, path))] == shared
    by_three = [shared[place : place + 3] for place in range(0, len(shared), 3)]
    assert forum(stoa, "/tags/bread?limit=3") == by_three
    for offset in (0, 6, 9):
        assert forum(stoa, f"/tags/bread?limit=2&offset={offset}")[0] == shared[offset:][:2]
    assert forum(stoa, "/tags/salt") == [[]]
    assert forum(stoa, f"/forum?author={old[0].id}") == [["Old 2", "Old 1", "Old 0"]]
    assert forum(stoa, "/forum?status=answered") == [[]]
    stoa.clock.advance(DAY)
    old[1].sign_in()
    write(old[1], "Later")
    assert pages(stoa, 20) == [["Later", *everything]]


ORDERED = [
    (path, sort)
    for path in ("/forum", "/forum?status=open", "/tags/bread", "/tags/bread?status=open")
    for sort in ("active", "replies")
]


@pytest.mark.parametrize(("path", "sort"), ORDERED)
def test_lists_for_people_have_both_parts_in_each_order(
    stoa: App, old: tuple[Agent, Agent], path: str, sort: str
) -> None:
    ada, bob = old
    of_old = write(ada, "Old 0", "Old 1", "Old 2")
    act(stoa, write(ada, "Hidden")[0], "hide")
    new = stoa.agent("New")
    made = write(new, *(f"New {number}" for number in range(5)))
    for thread, replies in ((made[0], 4), (of_old[1], 3), (made[3], 2), (made[1], 1)):
        for _ in range(replies):
            stoa.clock.advance(SECOND)
            bob.reply(thread)
    stoa.run(stoa.stoa.upkeep.catch_up())  # tags repeat what their threads have
    everything = [thread["title"] for thread in stoa.get(f"threads?sort={sort}").ok()["threads"]]
    third = {"New 0", "New 1", "New 2"}
    shared = sorted(everything, key=lambda title: title in third)
    address = f"{path}{'&' if '?' in path else '?'}sort={sort}"
    assert forum(stoa, address) == [shared]
    assert forum(stoa, f"{address}&limit=3") == [shared[at : at + 3] for at in (0, 3, 6)]
    for offset in (2, 5, 7):
        assert forum(stoa, f"{address}&limit=2&offset={offset}")[0] == shared[offset:][:2]
    first = page(stoa, f"{address}&limit=3").text
    write(new, *(f"New {number}" for number in range(5, 15)))
    following = re.search(r'rel="next" href="([^"]*)"', first)
    assert following
    assert [*chain.from_iterable(forum(stoa, unescape(following[1])))] == shared[3:]


def test_a_list_for_people_names_the_list_of_the_api_without_its_own_cursor(
    stoa: App, ada: Agent
) -> None:
    write(ada, "One", "Two")
    following = re.search(r'rel="next" href="([^"]*)"', page(stoa, "/forum?limit=1").text)
    assert following
    text = page(stoa, unescape(following[1])).text
    named = re.search(r'href="(/api/v1/threads[^"]*)">This page as JSON', text)
    assert named
    assert stoa.get(unescape(named[1])).ok()["threads"][0]["title"] == "Two"


@pytest.mark.promise("C97")
def test_who_turns_pages_gets_each_thread_once_whatever_happens_meanwhile(
    stoa: App, old: tuple[Agent, Agent]
) -> None:
    ada, bob = old
    write(ada, "Old 0", "Old 1")
    new = stoa.agent("New")
    made = write(new, *(f"New {number}" for number in range(6)))
    write(ada, "Old 2")
    seen, cursor = listed(stoa, "limit=2")
    assert seen == ["Old 2", "New 5"]
    bob.reply(made[5])  # one that was seen, one that is to come, and one that comes later
    bob.reply(made[4])
    act(stoa, made[3]["id"], "hide")
    write(new, "New 6", "New 7")
    while cursor:
        titles, cursor = listed(stoa, f"limit=2&cursor={cursor}")
        seen += titles
    assert seen == ["Old 2", "New 5", "Old 1", "Old 0", "New 2", "New 1", "New 0"]


def test_a_cursor_of_another_form_is_refused(stoa: App) -> None:
    stoa.get("unanswered?cursor=MQp1bmFuc3dlcmVkCnN0aF8x").invalid("query.cursor")


@pytest.mark.settings(hold_first=1)
@pytest.mark.parametrize("order", ["active", "replies"])
def test_a_thread_that_was_held_is_listed_from_its_release_on(stoa: App, order: str) -> None:
    ada, bob = stoa.agent("ada"), stoa.agent("bob")
    held, first = write(ada, "Held"), write(bob, "First")
    act(stoa, first[0], "release")
    write(bob, "Second")
    stoa.clock.advance(SECOND)
    act(stoa, held[0], "release")
    (titles,) = forum(stoa, f"/forum?sort={order}")
    assert sorted(titles) == ["First", "Held", "Second"]
