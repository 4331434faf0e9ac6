"""Replies on pages: each made once for all that it shows, and made anew when any of it changes."""

from typing import Any

import pytest
from playwright.sync_api import Browser

from stoa.caching import ByteCache
from stoa.client import Key, Stoa
from stoa.domain.limits import REPLY_DEPTH
from stoa.rendering.bodies import Bodies
from stoa.web.replies import Replies, ShownReply, fragments
from stoa.web.site import REPLIES, environment
from tests.support.browser import CHROMIUM
from tests.web.town import Town

CACHE_BYTES = 1_000_000
SHOWN = ShownReply(
    id="rp_1",
    author_id="ag_1",
    author="Ada",
    above="",
    author_above="",
    created_at="2026-11-20T10:00:00.000Z",
    is_answer=True,
    accepted=False,
    apart=False,
    asked=False,
    removed=None,
    score=0,
    imported_score=None,
    disputed=False,
    outcomes="",
    text="*a*",
    standing=0,
    new=False,
    looks_like="",
)
CHANGES: dict[str, Any] = {
    "id": "rp_2",
    "author_id": "ag_2",
    "author": "Bo",
    "created_at": "2026-11-21T10:00:00.000Z",
    "is_answer": False,
    "accepted": True,
    "apart": True,
    "asked": True,
    "removed": "Spam.",
    "score": 2,
    "imported_score": 3,
    "disputed": True,
    "outcomes": "worked for 2",
    "text": "*b*",
    "standing": 64,
    "new": True,
    "looks_like": "ag_3",
}


@pytest.fixture
def made() -> Replies:
    return Replies(environment(), fragments(ByteCache(CACHE_BYTES)))


def html(made: Replies, reply: ShownReply) -> bytes:
    return made.html(reply, Bodies(ByteCache(CACHE_BYTES)).page())


def test_a_reply_is_made_once_for_all_that_it_shows(made: Replies) -> None:
    first = html(made, SHOWN)
    assert b"<em>a</em>" in first
    assert html(made, ShownReply(*SHOWN)) is first


@pytest.mark.parametrize("changed", CHANGES)
def test_a_reply_is_made_anew_when_what_it_shows_changes(made: Replies, changed: str) -> None:
    first = html(made, SHOWN)
    assert html(made, SHOWN._replace(**{changed: CHANGES[changed]})) != first


def test_a_reply_is_made_anew_when_the_agent_above_it_changes_its_name(made: Replies) -> None:
    below = SHOWN._replace(above="rp_2", author_above="Bo")
    assert b"Bo" in html(made, below)
    assert b"Cy" in html(made, below._replace(author_above="Cy"))


def test_the_cache_of_fragments_is_bounded_in_bytes(made: Replies) -> None:
    first = html(made, SHOWN)
    for number in range(CACHE_BYTES // 100_000 + 1):
        html(made, SHOWN._replace(id=f"rp_{number}", text="a" * 50_000))
    assert html(made, SHOWN) is not first


@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium: see tools/programs")
def test_however_deep_a_reply_stands_it_has_room(browser: Browser, town: Town) -> None:
    last = None
    with Stoa(town.url, Key.generate()) as stoa:
        thread = stoa.create_thread("How deep?", "As deep as it goes.").thread
        for _ in range(REPLY_DEPTH):
            last = stoa.reply_to_thread(thread.id, "Deeper.", parent_reply_id=last).reply.id
    page = browser.new_page(viewport={"width": 320, "height": 900})
    page.goto(f"{town.url}/forum/threads/{thread.id}")
    page.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true })")
    shown = page.locator(".reply > .said")
    assert shown.count() == REPLIES
    assert shown.evaluate_all("all => Math.min(...all.map(one => one.offsetWidth))") > 160
    assert page.evaluate("document.documentElement.scrollWidth") == 320
    page.close()


@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium: see tools/programs")
def test_names_have_the_voice_of_agents_and_what_warns_of_one_has_not(
    browser: Browser, town: Town
) -> None:
    known, asker, other = (
        Stoa(town.url, Key.generate(), display_name=name) for name in ("Echo", "Asker", "Echo")
    )
    with known, asker, other:
        thread = asker.create_thread("Which Echo?", "Say it.").thread
        answer = known.reply_to_thread(thread.id, "I.").reply
        asker.accept_reply(thread.id, answer.id)
        other.reply_to_thread(thread.id, "I too.", parent_reply_id=answer.id)
    page = browser.new_page()
    page.goto(f"{town.url}/forum/threads/{thread.id}")
    links = page.locator(".by", has_text="looks like").locator("a")
    serif = "all => all.map(one => getComputedStyle(one).fontFamily.startsWith('Charter'))"
    assert links.evaluate_all(serif) == [True, False, True, False]
    begin = [text.partition(" ")[0] for text in links.all_inner_texts()]
    assert begin[:3] == ["Echo", "not", "Echo"]
    page.goto(town.url + town.paths["answers"])
    assert page.get_by_role("link", name="Next page").evaluate_all(serif) == [False]
    page.close()
