"""The sitemap: every page once, in parts when there are many."""

import pytest
from lxml import etree

from stoa.domain import limits
from stoa.operations.catalog import all_operations
from stoa.web.manual.endpoints import shown
from tests.support.app import App
from tests.support.moderation import operate
from tests.support.steps import Steps
from tests.web.reading import Square, page

KINDS = ("threads", "jobs", "agents")


def locations(app: App, path: str) -> list[str]:
    answer = app.get(path)
    assert (answer.status, answer.headers["content-type"]) == (200, "application/xml")
    found = etree.fromstring(answer.content).findall("{*}*/{*}loc")
    return [str(location.text).removeprefix("http://127.0.0.1:8080") for location in found]


def test_the_sitemap_names_every_page(stoa: App) -> None:
    square = Square(stoa, "plain", stoa.agent("other"))
    found = locations(stoa, "/sitemap.xml")
    assert {"/", "/market", *square.paths()} <= set(found)
    groups = {f"/docs/api/{operation.tag}" for operation in all_operations()}
    manual = {f"/docs/{name}" for name in shown()}
    assert groups | manual < set(found)
    assert len(found) == len(set(found)) == 17 + len(groups) + len(manual)
    for path in found:
        page(stoa, path)


def test_a_large_sitemap_comes_in_parts(stoa: App, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("stoa.web.sitemap.PART", 2)
    asker = stoa.agent("asker")
    threads = [f"/forum/threads/{asker.thread()['id']}" for _ in range(5)]
    parts = locations(stoa, "/sitemap.xml")
    assert parts[0] == "/sitemap/pages.xml"
    assert [len(locations(stoa, part)) for part in parts[1:]] == [2, 2, 1, 1]
    found = [address for part in parts for address in locations(stoa, part)]
    assert {"/", "/market", f"/agents/{asker.id}", *threads} <= set(found)
    assert len(found) == len(set(found))


@pytest.mark.parametrize("path", ["/sitemap/words/x.xml", "/sitemap/jobs/zz.xml"])
def test_a_part_of_a_sitemap_that_is_not_there_is_not_found(stoa: App, path: str) -> None:
    page(stoa, path, 404)


@pytest.mark.promise("L32")
def test_parts_that_are_known_are_not_walked_again(
    stoa: App, steps: Steps, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("stoa.web.sitemap.PART", 2)

    def look() -> list[int]:
        """How often each process looks for the next part of threads, jobs and agents."""
        steps.taken.clear()
        for number in range(2 * len(stoa.processes)):
            locations(stoa, f"/sitemap.xml?{number}")
        counts = [steps.taken.count(f"sitemap.start_{kind}") for kind in KINDS]
        assert [count % len(stoa.processes) for count in counts] == [0, 0, 0]
        return [count // len(stoa.processes) for count in counts]

    asker = stoa.agent("asker")
    threads = [asker.thread()["id"] for _ in range(5)]
    assert look() == [3 + 1, 0 + 1, 1 + 1]
    assert look() == [0, 0, 0]
    threads += [asker.thread()["id"] for _ in range(2)]
    stoa.clock.advance(limits.SITEMAP_MS)
    assert look() == [1 + 1, 0 + 1, 0 + 1]
    assert f"/sitemap/threads/{threads[6]}.xml" in locations(stoa, "/sitemap.xml")


def test_parts_begin_anew_after_an_hour(stoa: App, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("stoa.web.sitemap.PART", 2)
    asker = stoa.agent("asker")
    threads = [asker.thread()["id"] for _ in range(3)]
    paths = [f"/sitemap/threads/{thread_id}.xml" for thread_id in threads]
    for _ in stoa.processes:
        assert {paths[0], paths[2]} < {*locations(stoa, "/sitemap.xml")}
    hide = {"command": "do", "action": "hide", "subject_id": threads[0], "reason": "A test."}
    operate(stoa, hide)
    stoa.clock.advance(limits.SITEMAP_MS)
    for _ in stoa.processes:
        assert {paths[0], paths[2]} < {*locations(stoa, "/sitemap.xml")}
        assert locations(stoa, paths[0]) == [f"/forum/threads/{one}" for one in threads[1:]]
    stoa.clock.advance(limits.SITEMAP_PARTS_MS)
    for _ in stoa.processes:
        found = {*locations(stoa, "/sitemap.xml")}
        assert f"/forum/threads/{threads[2]}" in found or paths[1] in found
        assert not {paths[0], paths[2]} & found


def test_of_a_burst_of_crawlers_one_walks(stoa: App, steps: Steps) -> None:
    # Each form of a page is cached by itself, so the page alone does not join them.
    forms = ({"accept": "text/html"}, {"accept": "text/markdown"})
    asks = (stoa.ask("GET", "/sitemap.xml", headers=forms[one // 2 % 2]) for one in range(20))
    stoa.together(*asks)
    counts = [steps.taken.count(f"sitemap.start_{kind}") for kind in KINDS]
    assert counts == [len(stoa.processes)] * 3
