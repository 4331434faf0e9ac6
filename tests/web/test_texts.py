"""Texts on pages and in feeds: however long, whatever characters they hold."""

import json
import re
import threading
from typing import Any

import pyromark
import pytest
from lxml import etree

from stoa.domain.limits import BODY_CHARS, DESCRIPTION_CHARS
from stoa.rendering.bodies import BEGINNING_CHARS
from stoa.web.site import REPLIES
from tests.contract.test_outcomes import import_scores
from tests.support import jobs
from tests.support.app import App
from tests.support.moderation import act
from tests.support.soaking import few
from tests.web.reading import PAGE_BYTES, next_page, page

ATOM = "{http://www.w3.org/2005/Atom}"
NONCHARACTERS = "\ufdd0\ufffe\uffff\U0001fffe\U0010ffff"


def test_long_replies_beside_others_are_shown_by_their_beginnings(stoa: App) -> None:
    asker, worker = stoa.agent("asker"), stoa.agent("worker")
    thread = asker.thread(body="q" * 20_000)
    replies = [worker.reply(thread, f"{letter}" * 20_000) for letter in "abc"]
    html = page(stoa, f"/forum/threads/{thread['id']}").text
    assert ("q" * 20_000 in html, "a" * 20_000 in html) == (True, True)
    for reply, letter in zip(replies[1:], "bc", strict=True):
        assert letter * 20_000 not in html
        assert f'<a href="/forum/replies/{reply["id"]}">Read the whole text of 20,000' in html
        own = page(stoa, f"/forum/replies/{reply['id']}").text
        assert letter * 20_000 in own


IDEOGRAPHS = "".join(map(chr, range(0x4E00, 0x9000))) * 4
DEAR = {
    "ideographs": IDEOGRAPHS,
    "quotes": '"' * BODY_CHARS,
    "unseen": "x" + "\u200b" * BODY_CHARS,
    "links": "[x]: http://a/" + "a" * 24_900 + "\n\n" + "[x] " * 6_250,
}


@pytest.mark.parametrize("kind", few(dict.fromkeys(["unseen", *DEAR])))
@pytest.mark.soak
def test_no_text_makes_a_page_long(stoa: App, kind: str) -> None:
    asker, worker = stoa.agent("asker"), stoa.agent("worker")
    text = DEAR[kind][:BODY_CHARS]
    thread = asker.thread(body=text)
    asker.post(f"threads/{thread['id']}/append", {"body": text[:10_000]}).ok()
    replies = [worker.reply(thread, text[: BODY_CHARS // (number + 1)]) for number in range(15)]
    asker.accept(thread, replies[-1])
    job = jobs.offer(asker, 1, description=text)
    worker.post(f"jobs/{job['id']}/messages", {"body": text[:10_000]}).ok(201)
    for path in (
        f"/forum/threads/{thread['id']}",
        f"/forum/threads/{thread['id']}?sort=score",
        f"/forum/replies/{replies[0]['id']}",
        f"/forum/replies/{replies[-1]['id']}",
        f"/jobs/{job['id']}",
    ):
        assert len(page(stoa, path).content) <= PAGE_BYTES, path
    for own in (f"/forum/threads/{thread['id']}", f"/jobs/{job['id']}"):
        assert parts_of(stoa, f"{own}/text")


def parts_of(stoa: App, path: str) -> list[str]:
    """The prose of all parts of a text, read on from one to the next."""
    found: list[str] = []
    following: str | None = path
    while following:
        answer = page(stoa, following)
        assert len(answer.content) <= PAGE_BYTES, following
        found.append(answer.text.partition('<div class="prose">')[2].partition("</article>")[0])
        onwards = re.search(r'<a rel="next" href="([^"]+)"', answer.text)
        following = onwards and onwards[1]
    return found


def test_a_long_text_is_read_part_by_part(stoa: App) -> None:
    asker = stoa.agent("asker")
    thread = asker.thread("A long title", IDEOGRAPHS[:BODY_CHARS])
    asker.post(f"threads/{thread['id']}/append", {"body": "What I forgot."}).ok()
    path = f"/forum/threads/{thread['id']}/text"
    whole = page(stoa, path.removesuffix("/text")).text
    assert f'<p class="more"><a href="{path}">Read the whole text of 50,000' in whole
    assert IDEOGRAPHS[:BEGINNING_CHARS] in whole
    found = parts_of(stoa, path)
    assert re.sub(r"<[^>]*>|\s", "", "".join(found[:-1])) == IDEOGRAPHS[:BODY_CHARS]
    assert "What I forgot." in found[-1]
    first, second = page(stoa, path).text, page(stoa, f"{path}/2").text
    assert f"A long text, part 1 of {len(found)}" in first
    assert f'<link rel="canonical" href="http://127.0.0.1:8080{path}">' in first
    assert f'rel="prev" href="{path}"' in second
    assert "asked, continued" in second
    assert "asked, continued" not in first
    assert page(stoa, f"{path}/1").text == first
    for beyond in (f"{path}/0", f"{path}/{len(found) + 1}", f"{path}/x"):
        page(stoa, beyond, 404)


def test_a_reply_has_a_page_of_its_text(stoa: App) -> None:
    asker, worker = stoa.agent("asker"), stoa.agent("worker")
    reply = worker.reply(asker.thread(), IDEOGRAPHS[:BODY_CHARS])
    path = f"/forum/replies/{reply['id']}"
    whole = page(stoa, path).text
    assert f'<a href="{path}/text">Read the whole text of 50,000' in whole
    assert IDEOGRAPHS[:BEGINNING_CHARS] in whole
    found = parts_of(stoa, f"{path}/text")
    assert re.sub(r"<[^>]*>|\s", "", "".join(found)) == IDEOGRAPHS[:BODY_CHARS]
    assert '<meta name="description" content="Written by an AI agent: ' in page(stoa, path).text
    assert "<h2>Agent " in page(stoa, f"{path}/text").text
    import_scores(stoa, (reply, 3))
    later = page(stoa, f"{path}/text/2").text
    assert '<meta name="description" content="Imported: ' in later
    assert "<h2>Agent " not in later


def test_all_questions_about_a_job_are_read_page_by_page(stoa: App) -> None:
    asker, worker = stoa.agent("asker"), stoa.agent("worker")
    path = f"/jobs/{jobs.offer(asker, 1, description='What is wanted.')['id']}"
    said = [f"Question {number} is about salt." for number in range(30)]
    for one in (*said, *[IDEOGRAPHS[:10_000]] * 2):
        worker.post(f"{path[1:]}/messages", {"body": one}).ok(201)
    first = page(stoa, path).text
    later = next_page(first)
    second = page(stoa, later).text
    assert [one for one in said if one in first] == said[:REPLIES]
    assert [one for one in said if one in second] == said[REPLIES:]
    assert f'<a href="{path}">First page</a>' in second
    assert 'rel="next"' not in second
    short = {"Accept": "text/markdown"}
    assert f"Next page: {later}" in stoa.get(path, headers=short).ok().text
    beyond = stoa.get(later, headers=short).ok().text
    texts = later.replace("?", "/text?")
    assert f"The whole text of 10,000 characters: {texts}" in beyond
    assert f'<a href="{texts}">Read the whole text of 10,000' in second
    found = parts_of(stoa, texts)
    assert said[REPLIES] in found[0]
    assert re.sub(r"<[^>]*>|\s", "", "".join(found[5:])) == IDEOGRAPHS[:10_000] * 2
    assert f'<a class="said-list" href="{later}">' in page(stoa, texts).text
    assert "What is wanted." in page(stoa, f"{path}/text").text
    assert "The list ends before this page." in page(stoa, f"{path}?offset=32").text


def test_a_description_of_an_agent_has_room_on_its_page(stoa: App) -> None:
    agent = stoa.agent("agent", description="&" * DESCRIPTION_CHARS)
    assert "&amp;" * DESCRIPTION_CHARS in page(stoa, f"/agents/{agent.id}").text


def test_texts_are_formatted_beside_the_event_loop(
    stoa: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    threads: list[str] = []

    formatted = pyromark.html

    def noted(text: str, **how: Any) -> str:
        threads.append(threading.current_thread().name)
        return formatted(text, **how)

    monkeypatch.setattr(pyromark, "html", noted)
    asker, worker = stoa.agent("asker"), stoa.agent("worker")
    thread = asker.thread(body="one")
    reply = worker.reply(thread, "two")
    job = jobs.offer(asker, 1, description="three")
    for path in (f"/forum/threads/{thread['id']}", f"/forum/replies/{reply['id']}"):
        page(stoa, path)
    page(stoa, f"/jobs/{job['id']}")
    assert len(threads) == 3
    assert {name[:5] for name in threads} == {"pages"}


def test_a_feed_names_the_page_of_the_same_list(stoa: App) -> None:
    agent = stoa.agent("ada")
    agent.thread(tags=["c++"])
    for feed, same in {
        "/feeds/newest": "/forum",
        "/feeds/unanswered": "/forum/unanswered",
        "/feeds/tags/c%2B%2B": "/tags/c%2B%2B",
        f"/feeds/agents/{agent.id}": f"/agents/{agent.id}",
        "/feeds/moderation": "/moderation",
    }.items():
        page(stoa, same)
        address = f"http://127.0.0.1:8080{same}"
        atom = etree.fromstring(stoa.get(f"{feed}.atom").content)
        links = {link.get("rel"): link.get("href") for link in atom.findall(f"{ATOM}link")}
        assert links == {"self": f"http://127.0.0.1:8080{feed}.atom", "alternate": address}
        assert json.loads(stoa.get(f"{feed}.json").content)["home_page_url"] == address


def test_the_feed_of_an_agent_is_named_after_it(stoa: App) -> None:
    agent = stoa.agent("Ada & <b>")
    path = f"/feeds/agents/{agent.id}.json"
    assert json.loads(stoa.get(path).content)["title"] == "Stoa: Threads of Ada & <b>"
    act(stoa, agent.id, "hide")
    assert json.loads(stoa.get(path).content)["title"] == f"Stoa: Threads of {agent.id}"


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
        (item,) = json.loads(stoa.get(f"{feed}.json").content)["items"]
        assert (item["title"], item["tags"]) == (f"title {shown}", [f"tag {shown}"])
        assert item["authors"] == [{"name": f"name {shown}"}]
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
