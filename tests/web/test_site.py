"""What every page of a list shares: one address, the way to the next page, a small size."""

import re

import pytest

from stoa.domain.limits import REPLY_DEPTH
from stoa.web.site import REPLIES, ROWS
from tests.support import jobs
from tests.support.app import App
from tests.web.reading import PAGE_BYTES, page


def canonical(html: str) -> str:
    address = html.split('<link rel="canonical" href="')[1].split('"', maxsplit=1)[0]
    assert f'property="og:url" content="{address}"' in html
    return address.removeprefix("http://127.0.0.1:8080").replace("&amp;", "&")


def following(html: str) -> str:
    address = html.split('<link rel="next" href="')[1].split('"', maxsplit=1)[0]
    assert f'<a rel="next" href="{address}">' in html
    return address.replace("&amp;", "&")


@pytest.mark.parametrize(
    ("path", "own"),
    [
        ("/forum", "/forum"),
        ("/forum?tag=&status=&sort=recent", "/forum"),
        ("/forum?utm=x&sort=active&tag=a%26b", "/forum?tag=a%26b&sort=active"),
        ("/forum/search?tags=b,a&q=two+words", "/forum/search?q=two+words&tags=b%2Ca"),
        (
            "/forum/search?hasAccepted=false&q=a&sort=recent&status=",
            "/forum/search?q=a&hasAccepted=false&sort=recent",
        ),
        ("/forum/search?hasAccepted=true&sort=relevance", "/forum/search?hasAccepted=true"),
        ("/tags/c%23?sort=replies", "/tags/c%23?sort=replies"),
        ("/opportunities?minReward=2.50", "/opportunities?minReward=2.5"),
        ("/market?x=1", "/market"),
        ("/forum?limit=1&sort=active", "/forum?sort=active"),
    ],
)
def test_a_page_has_one_address(stoa: App, path: str, own: str) -> None:
    assert canonical(page(stoa, path).text) == own


def test_later_pages_of_a_list_name_themselves(stoa: App) -> None:
    asker = stoa.agent("asker")
    for _ in range(5):
        asker.thread(tags=["a&b"])
    first = page(stoa, "/forum?tag=a%26b&status=&limit=2").text
    assert canonical(first) == "/forum?tag=a%26b"
    assert "First page" not in first
    second = following(first)
    html = page(stoa, second).text
    assert canonical(html) == second.replace("limit=2&", "") != canonical(first)
    assert '<a href="/forum?limit=2&amp;tag=a%26b">First page</a>' in html
    last = page(stoa, following(html)).text
    assert 'rel="next"' not in last
    assert "First page" in last


def test_a_page_behind_the_end_of_a_list_says_so(stoa: App) -> None:
    asker, worker = stoa.agent("asker"), stoa.agent("worker")
    thread = asker.thread("Yeast", tags=["bread"])
    worker.reply(thread)
    asker.thread("Yeast too", bounty={"credits": 5})
    for path in (
        "/forum",
        "/forum/unanswered",
        "/forum/search?q=yeast",
        f"/forum/threads/{thread['id']}",
        "/tags/bread",
        "/jobs",
        "/opportunities",
        "/agents",
        f"/agents/{worker.id}/answers",
        "/moderation",
    ):
        behind = f"{path}{'&' if '?' in path else '?'}offset=50"
        html = page(stoa, behind).text
        assert "The list ends before this page." in html, path
        assert f'<a href="{path}">First page</a>' in html
        markdown = stoa.get(behind, headers={"Accept": "text/markdown"}).text
        assert "\nThe list ends before this page.\n" in markdown, path
    for path in ("/forum?tag=dough", "/tags/dough", "/forum?tag=bread&status=answered"):
        assert '<p class="empty">No thread matches.</p>' in page(stoa, path).text
        markdown = stoa.get(path, headers={"Accept": "text/markdown"}).text
        assert "\nNo thread matches.\n" in markdown, path


def test_later_pages_of_a_thread_name_themselves(stoa: App) -> None:
    asker, worker = stoa.agent("asker"), stoa.agent("worker")
    thread = asker.thread()
    replies = [worker.reply(thread) for _ in range(REPLIES + 1)]
    asker.accept(thread, replies[0]).ok()
    path = f"/forum/threads/{thread['id']}"
    second = following(page(stoa, path).text)
    html = page(stoa, second).text
    assert canonical(html) == second
    assert f'<a href="{path}">First page</a>' in html
    assert 'id="accepted-answer"' not in html


def test_a_long_page_of_a_list_is_small_without_its_texts(stoa: App) -> None:
    asker, creator = stoa.agent("asker"), stoa.agent("creator")
    tags = ["a", "b", "c", "d", "e"]
    for _ in range(ROWS + 1):
        asker.thread("x", "word", tags=tags, bountyCredits=1)
        jobs.offer(creator, 1, tags=tags)
    for path in ("/forum", "/jobs", "/opportunities", "/forum/search?q=word", "/tags/a"):
        html = page(stoa, f"{path}{'&' if '?' in path else '?'}limit=100")
        assert html.text.count('<li class="row">') == ROWS, path
        assert len(html.content) <= PAGE_BYTES, path


def test_the_page_of_a_reply_with_many_below_it_is_small(stoa: App) -> None:
    asker, worker = stoa.agent("asker"), stoa.agent("worker")
    thread = asker.thread()
    parent = asker.reply(thread)
    for _ in range(REPLIES):
        worker.reply(thread, "x", parent)
    answer = page(stoa, f"/forum/replies/{parent['id']}")
    assert answer.text.count('class="reply') == REPLIES
    assert "There are more replies around it than this page shows" in answer.text
    assert len(answer.content) <= PAGE_BYTES


def test_the_page_of_a_reply_shows_it_however_deep_it_stands(stoa: App) -> None:
    asker, worker = stoa.agent("asker"), stoa.agent("worker")
    thread, branch = asker.thread(), list[dict[str, str]]()
    for depth in range(REPLY_DEPTH + 1):
        above = branch[-1] if branch else None
        branch.append(worker.reply(thread, f"Depth {depth}.", above))
    for depth in (REPLY_DEPTH, 20, 0):
        path, shown = f"/forum/replies/{branch[depth]['id']}", f">Depth {depth}."
        html = page(stoa, path).text
        before, _, after = html.partition(shown)
        assert ("<details>" in before, "</main>" in after) == (False, True), depth
        near = f">Depth {depth + 1}." if depth < REPLY_DEPTH else f">Depth {depth - 1}."
        assert near in html, depth
        assert "There are more replies around it" in html, depth
        assert f"Depth {depth}." in stoa.get(path, headers={"Accept": "text/markdown"}).ok().text


def test_a_thread_leads_to_the_feed_of_its_first_tag_that_a_browser_can_ask_for(stoa: App) -> None:
    thread = stoa.agent("asker").thread(tags=["a/../b", "a/b", "c"])
    html = page(stoa, f"/forum/threads/{thread['id']}").text
    (feed,) = re.findall(r'<a href="(/feeds[^"]+)">Feed of', html)
    assert feed == "/feeds/tags/a/b.atom"
