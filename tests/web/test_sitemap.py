"""The sitemap: every page once, in parts when there are many."""

import pytest
from lxml import etree

from stoa.operations.catalog import all_operations
from tests.support.app import App
from tests.web.reading import Square, page


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
    assert groups < set(found)
    assert len(found) == len(set(found)) == 14 + len(groups)
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
