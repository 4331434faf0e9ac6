"""The documentation as a site: every page is in it, every link leads somewhere, nothing is loaded
from elsewhere."""

import posixpath
import re
import shutil
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from lxml import html

from stoa.cli.manual.site import BrokenLink, build
from stoa.web.manual.pages import NAVIGATION, folder, pages
from tests.support.soaking import few

DOCS = Path(__file__).parents[3] / "docs"


def names(source: Path) -> set[str]:
    """The names of all Markdown files below a folder."""
    found = source.rglob("*.md")
    return {path.relative_to(source).as_posix().removesuffix(".md") for path in found}


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    """A copy of the documentation, to be broken."""
    return shutil.copytree(DOCS, tmp_path / "docs", ignore=shutil.ignore_patterns("*.png"))


def dead_links(made: dict[str, bytes]) -> list[tuple[str, str]]:
    """The links, images, scripts and styles of a site that lead nowhere, each with its page."""
    trees = {name: html.document_fromstring(body) for name, body in made.items() if is_page(name)}
    places = {name: set(tree.xpath("//@id")) for name, tree in trees.items()}
    dead: list[tuple[str, str]] = []
    for name, tree in trees.items():
        for target in map(str, tree.xpath("//@href | //@src")):
            parts = urlsplit(target)
            if parts.scheme in ("http", "https", "mailto"):
                continue
            file = posixpath.normpath(posixpath.join(posixpath.dirname(name), parts.path))
            file = file if parts.path else name
            if file not in made or (parts.fragment and parts.fragment not in places[file]):
                dead.append((name, target))
    return dead


def is_page(name: str) -> bool:
    return name.endswith(".html")


@pytest.mark.promise("F9")
def test_every_page_of_the_documentation_is_in_the_site() -> None:
    assert names(DOCS) == set(pages(folder())), "add the page to NAVIGATION in pages.py"


def test_a_page_that_is_missing_from_the_navigation_is_found(copied: Path) -> None:
    (copied / "extra.md").write_text("# Extra\n")
    assert names(copied) - set(pages(copied)) == {"extra"}


def test_a_page_of_the_navigation_that_is_not_there_stops_the_build(copied: Path) -> None:
    (copied / "glossary.md").unlink()
    with pytest.raises(FileNotFoundError):
        build(copied)


@pytest.mark.promise("F10")
def test_every_link_of_the_site_leads_somewhere(site: dict[str, bytes]) -> None:
    assert len([name for name in site if is_page(name)]) > 30
    assert dead_links(site) == []


@pytest.mark.parametrize("damage", ["glossary.html", "manual.js", "stoa.svg"])
def test_a_link_that_leads_nowhere_is_found(site: dict[str, bytes], damage: str) -> None:
    assert dead_links({name: body for name, body in site.items() if name != damage})


@pytest.mark.parametrize(
    "target",
    few(["nowhere.md", "operating.md#nowhere", "#nowhere", "screens", "start/nowhere.md"]),
)
def test_a_broken_link_stops_the_build(copied: Path, target: str) -> None:
    page = copied / "glossary.md"
    page.write_text(f"{page.read_text('utf-8')}\n[More]({target})\n", "utf-8")
    with pytest.raises(BrokenLink, match=re.escape(target)):
        build(copied)


def test_a_link_to_a_file_of_the_repository_becomes_its_text(site: dict[str, bytes]) -> None:
    promises = site["promises.html"].decode()
    assert "../tests/" not in promises
    assert "two kills under load lose nothing that was acknowledged" in promises


def test_nothing_is_loaded_from_another_host(site: dict[str, bytes]) -> None:
    for name, body in site.items():
        if is_page(name):
            loaded = html.document_fromstring(body).xpath(
                "//script/@src | //link/@href | //img/@src"
            )
            assert loaded
            assert not [one for one in map(str, loaded) if urlsplit(one).netloc]
    assert b"http" not in site["manual.js"]
    assert b"url(" not in site["manual.css"]


def test_each_page_has_its_title_and_says_where_it_stands(site: dict[str, bytes]) -> None:
    titles = set[str]()
    for name in filter(is_page, site):
        tree = html.document_fromstring(site[name])
        titles.add(str(tree.findtext(".//title")))
        assert len(tree.xpath("//h1")) == 1, name
        if not name.startswith("decisions/0") and name != "index.html":
            assert len(tree.xpath("//nav//a[@aria-current='page']")) == 1, name
    assert len(titles) == len(list(filter(is_page, site)))


def test_the_pages_lead_from_one_to_the_next_through_all(site: dict[str, bytes]) -> None:
    name, seen = "index.html", ["index.html"]
    while steps := html.document_fromstring(site[name]).xpath(
        "//nav[@class='steps']/a[small='Next']/@href"
    ):
        name = posixpath.normpath(posixpath.join(posixpath.dirname(name), str(steps[0])))
        seen.append(name)
    assert sorted(seen) == sorted(filter(is_page, site))


def test_no_group_names_a_page_twice() -> None:
    listed = [name for group in NAVIGATION.values() for name in group]
    assert len(set(listed)) == len(listed)
