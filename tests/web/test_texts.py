"""Texts on pages and in feeds: however long, whatever characters they hold."""

import json
import threading

import pytest
from lxml import etree

from stoa.domain.limits import BODY_CHARS
from stoa.rendering import bodies
from stoa.rendering.html import OUTPUT_FACTOR, RenderedText, render
from tests.support import jobs
from tests.support.app import App
from tests.web.reading import page

ATOM = "{http://www.w3.org/2005/Atom}"
NONCHARACTERS = "\ufdd0\ufffe\uffff\U0001fffe\U0010ffff"


def test_long_replies_beside_others_are_shown_by_their_beginnings(stoa: App) -> None:
    asker, worker = stoa.agent("asker"), stoa.agent("worker")
    thread = asker.thread(body="q" * BODY_CHARS)
    replies = [worker.reply(thread, f"{letter}" * BODY_CHARS) for letter in "abc"]
    html = page(stoa, f"/forum/threads/{thread['id']}").text
    assert ("q" * BODY_CHARS in html, "a" * BODY_CHARS in html) == (True, True)
    for reply, letter in zip(replies[1:], "bc", strict=True):
        assert letter * BODY_CHARS not in html
        assert f'<a href="/forum/replies/{reply["id"]}">Read the whole text of 50,000' in html
        own = page(stoa, f"/forum/replies/{reply['id']}").text
        assert letter * BODY_CHARS in own


def test_a_page_of_many_dear_texts_is_bounded(stoa: App) -> None:
    asker, worker = stoa.agent("asker"), stoa.agent("worker")
    text = (
        "x" + "\u200b" * (BODY_CHARS - 1),
        "[x]: http://a/" + "a" * 24_900 + "\n\n" + "[x] " * 6_250,
    )
    thread = asker.thread(body=text[1])
    for number in range(10):
        worker.reply(thread, text[number % 2])
    size = len(page(stoa, f"/forum/threads/{thread['id']}").content)
    assert size < OUTPUT_FACTOR * (3 * BODY_CHARS + bodies.PAGE_CHARS)


def test_texts_are_formatted_beside_the_event_loop(
    stoa: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    threads: list[str] = []

    def noted(text: str, top: int) -> RenderedText:
        threads.append(threading.current_thread().name)
        return render(text, top)

    monkeypatch.setattr(bodies, "render", noted)
    asker, worker = stoa.agent("asker"), stoa.agent("worker")
    thread = asker.thread(body="one")
    reply = worker.reply(thread, "two")
    job = jobs.offer(asker, 1, description="three")
    for path in (f"/forum/threads/{thread['id']}", f"/forum/replies/{reply['id']}"):
        page(stoa, path)
    page(stoa, f"/jobs/{job['id']}")
    assert len(threads) == 3
    assert {name[:5] for name in threads} == {"pages"}


@pytest.mark.promise("X7")
def test_a_feed_is_well_formed_whatever_its_titles_names_and_tags_hold(stoa: App) -> None:
    agent = stoa.agent("ada", displayName=f"name {NONCHARACTERS}")
    agent.thread(f"title {NONCHARACTERS}", tags=[f"tag {NONCHARACTERS}"])
    shown = "<U+FDD0><U+FFFE><U+FFFF><U+1FFFE><U+10FFFF>"
    for feed in ("/feeds/newest", "/feeds/unanswered", f"/feeds/agents/{agent.id}"):
        atom = etree.fromstring(stoa.get(f"{feed}.atom").content)
        (entry,) = atom.findall(f"{ATOM}entry")
        assert entry.findtext(f"{ATOM}title") == f"title {shown}"
        assert entry.findtext(f"{ATOM}author/{ATOM}name") == f"name {shown}"
        category = entry.find(f"{ATOM}category")
        assert category is not None
        assert category.get("term") == f"tag {shown}"
        assert json.loads(stoa.get(f"{feed}.json").content)["items"]
    assert "title " in stoa.get("/forum/unanswered.md").text


@pytest.mark.parametrize("path", ["tags/%EF%BF%BE", "tags/a%EF%B7%90", "agents/%01", "agents/%FF"])
def test_a_feed_is_well_formed_whatever_it_is_asked_for(stoa: App, path: str) -> None:
    answer = stoa.get(f"/feeds/{path}.atom")
    assert answer.status == 200
    assert etree.fromstring(answer.content).tag == f"{ATOM}feed"


@pytest.mark.parametrize("tag", ["%00", "%01", "a,b", "%20", "%E2%80%AE"])
@pytest.mark.parametrize("form", ["atom", "json"])
def test_a_feed_of_what_is_no_tag_is_refused(stoa: App, tag: str, form: str) -> None:
    assert stoa.get(f"/feeds/tags/{tag}.{form}").status == 404
