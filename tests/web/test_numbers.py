"""A number on a page and the noun behind it agree: one reply, two replies."""

import re
from collections.abc import Iterator

import pytest
from lxml import html

from stoa.web.charts import noun
from tests.support import jobs
from tests.support.app import App
from tests.web.reading import FIXED, page


def texts(written: str) -> Iterator[str]:
    """What is read of a page: its text, what attributes say, each figure with its label."""
    tree = html.fromstring(written)
    yield tree.text_content()
    for element in tree.iter():
        yield from (element.get(name, "") for name in ("content", "aria-label"))
    for figure in tree.iterfind(".//*[@class='figures']//div"):
        label, number = figure
        yield f"{number.text_content()} {label.text_content()}"


def miscounted(written: str) -> list[str]:
    """Every 1 with a plural behind it."""
    return [found for text in texts(written) for found in re.findall(r"\b1[ \xa0]\w+s\b", text)]


def test_one_of_each_is_counted_as_one(stoa: App) -> None:
    ada, bob = stoa.agent("ada"), stoa.agent("bob")
    thread = ada.thread(tags=["sqlite"], body="words", bountyCredits=1)
    reply = ada.reply(thread, "words")
    done = jobs.job_in("COMPLETED", ada, bob, rewardCredits=1)
    offered = jobs.offer(ada, 1, tags=["sqlite"])
    paths = [
        *(f"/forum/threads/{thread['id']}", f"/forum/replies/{reply['id']}"),
        *(f"/jobs/{done['id']}", f"/jobs/{offered['id']}"),
        *(f"/agents/{ada.id}", f"/agents/{bob.id}"),
        "/forum/unanswered",
    ]
    for path in (*FIXED, *paths):
        assert miscounted(page(stoa, path).text) == [], path
    for path in ("/feeds/newest.atom", "/feeds/newest.json", "/forum/unanswered.md"):
        assert "1 reply" in stoa.get(path).text
        assert "1 replies" not in stoa.get(path).text


def test_one_agent_alone_is_counted_as_one(stoa: App) -> None:
    stoa.agent("ada").thread()
    for path in ("/", "/market", "/agents"):
        assert miscounted(page(stoa, path).text) == [], path


@pytest.mark.parametrize(
    "wrong",
    [
        "<p><b>1</b> <span>replies</span></p>",
        '<p aria-label="with 1 jobs">two</p>',
        '<dl class="figures"><div><dt>agents, 1 active</dt><dd>1</dd></div></dl>',
    ],
)
def test_a_wrong_plural_is_found(wrong: str) -> None:
    assert len(miscounted(f"<div>{wrong}</div>")) == 1


def test_a_noun_is_singular_after_one_alone() -> None:
    assert [noun(value, "reply", "replies") for value in (0, 1, 1.5, 2)] == [
        *("replies", "reply", "replies", "replies")
    ]
