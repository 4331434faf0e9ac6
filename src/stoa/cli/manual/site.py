"""The documentation as a site: static files that need no server and no network."""

import json
import posixpath
from collections.abc import Mapping
from html import escape
from importlib.resources import files
from importlib.resources.abc import Traversable
from string import Template

from stoa import __version__
from stoa.store.tx import StartRefused
from stoa.web.manual.pages import HOME, NAVIGATION, ManualPage, named, pages
from stoa.web.manual.render import RenderedPage, render

STYLE, SCRIPT, INDEX, ICON = "manual.css", "manual.js", "search.js", "stoa.svg"
_FEWEST_LISTED, _MOST_LISTED = 3, 200
_ELSEWHERE = ("http://", "https://", "mailto:")


class BrokenLink(StartRefused):
    """A link of a page has no target; the message names it."""


def build(source: Traversable) -> dict[str, bytes]:
    """The files of the site by their paths. Raises BrokenLink."""
    book = pages(source)
    headings: list[_LinkedHeading] = []
    rendered = {name: _rendered(page, book, headings) for name, page in book.items()}
    for name, place, link in headings:
        if place not in rendered[name].places:
            raise BrokenLink(f"{link}, which is no heading")
    template = Template(_resource("page.html"))
    names = list(book)
    made = {
        book[name].address: _whole(template, book, rendered[name], names, number).encode()
        for number, name in enumerate(names)
    }
    return {**made, **_shared(rendered, book)}


def _resource(name: str) -> str:
    return (files("stoa.cli.manual") / name).read_text(encoding="utf-8")


def _shared(
    rendered: Mapping[str, RenderedPage], book: Mapping[str, ManualPage]
) -> dict[str, bytes]:
    """The files that all pages share. The style adds to that of the service's own pages."""
    static = files("stoa") / "web" / "static"
    style = (static / "stoa.css").read_text(encoding="utf-8") + _resource(STYLE)
    return {
        STYLE: style.encode(),
        SCRIPT: _resource(SCRIPT).encode(),
        INDEX: _index(rendered, book).encode(),
        ICON: (static / "stoa.svg").read_bytes(),
    }


# --- Links.


_LinkedHeading = tuple[str, str, str]
"""The name of a page, the anchor of a heading in it, and the link that leads there."""


def _rendered(
    page: ManualPage, book: Mapping[str, ManualPage], headings: list[_LinkedHeading]
) -> RenderedPage:
    """The page; the headings that it links to are added to those given."""

    def link(target: str) -> str | None:
        if target.startswith(_ELSEWHERE):
            return target
        path, mark, place = target.partition("#")
        found = named(page.name, path) if path else page.name
        if found.startswith("../"):
            return None  # a file of the repository
        told = f"{page.name}.md leads to {target}"
        if found not in book:
            raise BrokenLink(f"{told}, which is no page")
        if place:
            headings.append((found, place, told))
        return f"{_relative(page, book[found].address)}{mark}{place}" if path else target

    return render(page.text, link)


def _relative(page: ManualPage, address: str) -> str:
    return posixpath.relpath(address, posixpath.dirname(page.name) or ".")


# --- A page.


def _whole(
    template: Template,
    book: Mapping[str, ManualPage],
    rendered: RenderedPage,
    names: list[str],
    number: int,
) -> str:
    page = book[names[number]]
    root = _relative(page, ".")
    before = book[names[number - 1]] if number else None
    after = book[names[number + 1]] if number + 1 < len(names) else None
    return template.substitute(
        title=escape(page.title if page.name != HOME else "Documentation"),
        version=escape(__version__),
        root="" if root == "." else f"{root}/",
        home=_relative(page, book[HOME].address),
        navigation=_navigation(page, book),
        contents=_contents(rendered),
        body=rendered.html,
        before=_step(page, before, "Before"),
        after=_step(page, after, "Next"),
    )


def _navigation(page: ManualPage, book: Mapping[str, ManualPage]) -> str:
    groups: list[str] = []
    for group, names in NAVIGATION.items():
        entries = "".join(_entry(page, book[name]) for name in names)
        groups.append(f"<h2>{escape(group)}</h2>\n<ul>{entries}</ul>\n")
    return "".join(groups)


def _entry(page: ManualPage, one: ManualPage) -> str:
    current = ' aria-current="page"' if one is page else ""
    return f'<li><a href="{_relative(page, one.address)}"{current}>{escape(one.title)}</a></li>'


def _contents(rendered: RenderedPage) -> str:
    """The headings of the page, unless they are too few or too many to help."""
    listed = rendered.listed
    if not _FEWEST_LISTED <= len(listed) <= _MOST_LISTED:
        return ""
    rows = "".join(
        f'<li class="{one.level}"><a href="#{one.place}">{escape(one.text)}</a></li>'
        for one in listed
    )
    return f'<nav class="contents" aria-label="On this page"><h2>Contents</h2><ul>{rows}</ul></nav>'


def _step(page: ManualPage, other: ManualPage | None, label: str) -> str:
    if other is None:
        return ""
    address = _relative(page, other.address)
    return f'<a href="{address}"><small>{label}</small> {escape(other.title)}</a>'


def _index(rendered: Mapping[str, RenderedPage], book: Mapping[str, ManualPage]) -> str:
    """The index of the search, as a script: a page opened from a file can load no data."""
    names = list(book)
    sections = [
        [number, section.heading.place, section.heading.text, section.text]
        for number, name in enumerate(names)
        for section in rendered[name].sections
    ]
    listed = [[book[name].address, book[name].title] for name in names]
    data = json.dumps({"pages": listed, "sections": sections}, ensure_ascii=False)
    return f"window.stoaManual = {data};\n"
