"""Of a new author few threads come first in lists for people, and no page repeats or skips one."""

import re
from html import unescape
from typing import Any

import pytest

from tests.support.app import Agent, App
from tests.support.clock import DAY, SECOND
from tests.support.moderation import act
from tests.web.reading import page


def write(author: Agent, *titles: str) -> list[Any]:
    """Threads of an author, a second after each other."""
    made: list[Any] = []
    for title in titles:
        author.app.clock.advance(SECOND)
        made.append(author.thread(title=title, tags=["bread"]))
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
    write(old[0], "Old 0", "Old 1", "Old 2")
    write(stoa.agent("New"), *(f"New {number}" for number in range(5)))
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
    by_three = [shared[place : place + 3] for place in range(0, len(shared), 3)]
    assert forum(stoa, "/tags/bread?limit=3") == by_three
    for offset in (0, 6, 9):
        assert forum(stoa, f"/tags/bread?limit=2&offset={offset}")[0] == shared[offset:][:2]
    assert forum(stoa, "/tags/salt") == [[]]
    assert forum(stoa, "/forum?status=open") == [everything]
    stoa.clock.advance(DAY)
    old[1].sign_in()
    write(old[1], "Later")
    assert pages(stoa, 20) == [["Later", *everything]]


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
