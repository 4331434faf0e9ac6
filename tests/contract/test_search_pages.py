"""Pages of a search while others write and moderators hide: each thread is shown once."""

from typing import Any
from urllib.parse import quote, urlencode

import pytest

from tests.support.app import Agent, App
from tests.support.moderation import MODERATED, act


def _page(stoa: App, **query: str) -> tuple[list[str], str | None]:
    """The ids on a page of a search, and where the next one begins."""
    answer = stoa.get(f"search?{urlencode(query)}").ok()
    return [one["id"] for one in answer["threads"]], answer["nextCursor"]


def _rest(stoa: App, cursor: str | None, **query: str) -> list[str]:
    """The ids on all later pages."""
    found: list[str] = []
    while cursor is not None:
        ids, cursor = _page(stoa, cursor=cursor, **query)
        found += ids
    return found


def _threads(author: Agent) -> list[Any]:
    """Nine threads in some classes of rank, each with more of the words than some others."""
    bodies = ("hop and yeast", "hops and yeast", "yeasts", "hops, yeasts and malt")
    made: list[Any] = []
    for number in range(9):
        author.app.clock.advance(1)
        title = "Hops" if number % 3 == 0 else f"Number {number}"
        made.append(author.thread(title, f"About {bodies[number % 4]} for the hop."))
    return made


@MODERATED
@pytest.mark.parametrize(
    "query",
    [
        *({"q": "hops yeast"}, {"q": "hops"}, {"q": "hops", "sort": "recent"}, {"sort": "score"}),
        *({"q": "hops", "sort": "score"}, {}, {"since": "2020-01-01T00:00:00Z"}),
    ],
    ids=lambda query: urlencode(query) or "all",
)
def test_what_is_hidden_or_written_between_pages_shifts_no_other_thread(
    stoa: App, ada: Agent, bob: Agent, query: dict[str, str]
) -> None:
    threads = _threads(ada)
    for number, thread in enumerate(threads[2:6]):
        reply = bob.reply(thread, f"Take {number}.")
        ada.post(f"replies/{reply['id']}/outcomes", {"result": "did_not_work"}).ok(201)
    whole = _rest(stoa, _page(stoa, limit="100", **query)[1], **query)
    whole = _page(stoa, limit="100", **query)[0] + whole
    assert sorted(whole) == sorted(one["id"] for one in threads)
    shown, cursor = _page(stoa, limit="3", **query)
    assert shown == whole[:3]
    act(stoa, shown[0], "hide")
    act(stoa, shown[2], "hide")  # the one that the next page begins behind
    act(stoa, whole[4], "hide")
    for number in range(3):
        stoa.clock.advance(1)
        ada.thread("Later", "About yeasts for the hop.")  # of no better rank than those left
        ada.thread("Hops", f"hops yeast {number}")
        ada.thread(f"Of something else {number}", "Nothing.")
    left = [one for one in whole[3:] if one != whole[4]]
    assert _rest(stoa, cursor, limit="2", **query) == left


def test_a_cursor_of_a_text_that_no_longer_counts_is_no_error(stoa: App, ada: Agent) -> None:
    _threads(ada)
    _, cursor = _page(stoa, q="hops yeast", limit="3")
    assert cursor
    for q in ("malt", "hops yeast for the malt", "-malt hops", "brewing"):
        assert _rest(stoa, cursor, q=q, limit="100") is not None


@MODERATED
def test_threads_that_ask_the_same_go_on_behind_the_page(stoa: App, ada: Agent) -> None:
    title = "How do I copy a SQLite file that is in use?"
    asked, *others = [ada.thread(title, f"It changes {number}.") for number in range(8)]
    path = f"search?like={asked['id']}&limit=3"
    first = stoa.get(path).ok()
    ids = [one["id"] for one in first["threads"]]
    assert first["total"] == 7
    act(stoa, ids[2], "hide")
    cursor = first["nextCursor"]
    while cursor:
        page = stoa.get(f"{path}&cursor={quote(cursor)}").ok()
        ids += [one["id"] for one in page["threads"]]
        cursor = page["nextCursor"]
    assert sorted(ids) == sorted(one["id"] for one in others)
    at = [one["id"] for one in stoa.get(f"{path}&offset=2").ok()["threads"]]
    assert at == [one for one in ids if one != ids[2]][2:5]
    for name, value in (("q", "copy"), ("status", "open"), ("tags", "a"), ("sort", "recent")):
        stoa.get(f"{path}&{name}={value}").invalid(f"query.{name}")
    stoa.get(f"{path}&sort=relevance&q=&tags=").ok()
    few = stoa.get(f"search?like={asked['id']}&maxTokens=400").ok()
    assert few["omitted"]
    more = stoa.get(f"search?like={asked['id']}&maxTokens=400&cursor={few['nextCursor']}").ok()
    assert more["threads"][0]["id"] not in [one["id"] for one in few["threads"]]


@MODERATED
def test_a_word_that_is_rarer_by_now_brings_no_thread_before_the_page(
    stoa: App, ada: Agent
) -> None:
    first, second = ada.thread("Alpine", "Maltose."), ada.thread("Maltose", "Alpine.")
    hidden = [ada.thread(f"Number {number}", "Maltose.") for number in range(8)]
    for number in range(20):
        ada.thread(f"Of something else {number}", "Nothing.")
    shown, cursor = _page(stoa, q="alpine maltose", limit="1")
    assert shown == [first["id"]]
    for one in hidden:
        act(stoa, one["id"], "hide")
    assert _rest(stoa, cursor, q="alpine maltose", limit="1") == [second["id"]]
