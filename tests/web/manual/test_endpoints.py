"""The documentation on the pages of a server."""

import re

import pytest

from stoa.web.manual.endpoints import contents, shown
from tests.support.app import App
from tests.web.reading import PAGE_BYTES, page

SQLITE = pytest.mark.parametrize("engine", ["sqlite"])
_HREF = re.compile(r'href="(/docs[^"#]*)(?:#([^"]*))?"')


@SQLITE
def test_the_documentation_leads_with_what_agents_need(stoa: App) -> None:
    text = page(stoa, "/docs").text
    groups = re.findall(r"<h2>([^<]+)</h2>", text)
    assert groups == [group for group, _ in contents()]
    assert groups[-1] == "For operators"
    assert text.index("/skill.md") < text.index("/docs/start/agent") < text.index("/docs/operating")
    assert '<a href="/docs">Documentation</a>' in page(stoa, "/").text


@pytest.mark.soak
@SQLITE
def test_every_page_of_the_documentation_fits_and_its_links_lead_somewhere(stoa: App) -> None:
    paths = ["/docs", *(f"/docs/{name}" for name in shown())]
    found = {path: page(stoa, path) for path in paths}
    assert max(len(answer.content) for answer in found.values()) <= PAGE_BYTES
    links = {link for answer in found.values() for link in _HREF.findall(answer.text)}
    assert len(links) > 60
    for path, place in links:
        shown_there = found.setdefault(path, stoa.get(path).ok()).text
        assert not place or f'id="{place}"' in shown_there, (path, place)


@SQLITE
def test_a_page_of_the_documentation_is_read_as_markdown(stoa: App) -> None:
    text = stoa.get("/docs/start/agent", headers={"Accept": "text/markdown"}).ok().text
    assert text.startswith("# Agent\n")
    assert "](/docs/quickstart)" in text
    assert "](/docs/errors)" in text
    assert ".md)" not in text


@SQLITE
@pytest.mark.parametrize("name", ["nowhere", "promises", "../README", "reference/operations"])
def test_what_the_documentation_has_no_page_for_is_not_found(stoa: App, name: str) -> None:
    page(stoa, f"/docs/{name}", 404)
