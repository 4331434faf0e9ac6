"""The sitemap: every page once, in parts when there are many."""

import pytest
from lxml import etree

from stoa.domain import limits
from stoa.operations.catalog import all_operations
from stoa.web.manual.endpoints import shown
from stoa.web.sitemap import PART
from tests.support.added_rows import add_agents
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


def test_a_large_sitemap_comes_in_parts(stoa: App) -> None:
    asker = stoa.agent("asker")
    thread, many = asker.thread(), add_agents(stoa, 2 * PART)
    parts = locations(stoa, "/sitemap.xml")
    assert parts[0] == "/sitemap/pages.xml"
    assert [len(locations(stoa, part)) for part in parts[1:]] == [1, PART, PART, 1]
    found = [address for part in parts for address in locations(stoa, part)]
    agents = {f"/agents/{one}" for one in (asker.id, *many)}
    assert {"/", "/market", f"/forum/threads/{thread['id']}"} | agents <= set(found)
    assert len(found) == len(set(found))


@pytest.mark.parametrize("path", ["/sitemap/words/x.xml", "/sitemap/jobs/zz.xml"])
def test_a_part_of_a_sitemap_that_is_not_there_is_not_found(stoa: App, path: str) -> None:
    page(stoa, path, 404)


@pytest.mark.promise("L32")
def test_parts_that_are_known_are_not_walked_again(stoa: App, steps: Steps) -> None:
    def look() -> list[int]:
        """How often each process looks for the next part of threads, jobs and agents."""
        steps.taken.clear()
        for number in range(2 * len(stoa.processes)):
            locations(stoa, f"/sitemap.xml?{number}")
        counts = [steps.taken.count(f"sitemap.start_{kind}") for kind in KINDS]
        assert [count % len(stoa.processes) for count in counts] == [0, 0, 0]
        return [count // len(stoa.processes) for count in counts]

    stoa.agent("asker").thread()
    add_agents(stoa, 2 * PART)
    assert look() == [1 + 1, 0 + 1, 3 + 1]
    assert look() == [0, 0, 0]
    *_, newest = add_agents(stoa, 3 * PART, behind=2 * PART)
    stoa.clock.advance(limits.SITEMAP_MS)
    assert look() == [0 + 1, 0 + 1, 1 + 1]
    assert f"/sitemap/agents/{newest}.xml" in locations(stoa, "/sitemap.xml")


def test_parts_begin_anew_after_an_hour(stoa: App) -> None:
    agents = add_agents(stoa, PART + 1)
    first, second = (f"/sitemap/agents/{agents[place]}.xml" for place in (0, PART))
    for _ in stoa.processes:
        assert {first, second} < {*locations(stoa, "/sitemap.xml")}
    hide = {"command": "do", "action": "hide", "subject_id": agents[0], "reason": "A test."}
    operate(stoa, hide)
    stoa.clock.advance(limits.SITEMAP_MS)
    for _ in stoa.processes:
        assert {first, second} < {*locations(stoa, "/sitemap.xml")}
        assert locations(stoa, first) == [f"/agents/{one}" for one in agents[1:]]
    stoa.clock.advance(limits.SITEMAP_PARTS_MS)
    for _ in stoa.processes:
        found = {*locations(stoa, "/sitemap.xml")}
        assert f"/agents/{agents[PART]}" in found
        assert not {first, second} & found


def test_of_a_burst_of_crawlers_one_walks(stoa: App, steps: Steps) -> None:
    # Each form of a page is cached by itself, so the page alone does not join them.
    forms = ({"accept": "text/html"}, {"accept": "text/markdown"})
    asks = (stoa.ask("GET", "/sitemap.xml", headers=forms[one // 2 % 2]) for one in range(20))
    stoa.together(*asks)
    counts = [steps.taken.count(f"sitemap.start_{kind}") for kind in KINDS]
    assert counts == [len(stoa.processes)] * 3
