"""The documentation on the pages of a server: the list of its pages, and each page."""

import asyncio
import re
from functools import cache
from typing import TYPE_CHECKING, Any

from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import Response

from stoa.domain.errors import Refusal
from stoa.web import errors, reference
from stoa.web.manual import pages
from stoa.web.negotiation import PageFormat, asked_form
from stoa.web.site import Site

if TYPE_CHECKING:
    from stoa.web.manual.render import Heading

PATH = "/docs"
_NOT_SHOWN = "How it is made"
_MADE_HERE = {
    "reference/operations": reference.PATH,
    "reference/resources": "/openapi.json",
    "reference/errors": errors.PATH,
}
"""Pages whose content a server has at addresses of its own."""

_LINK = re.compile(r"\]\(([^()\s]+)\)")
_ELSEWHERE = ("http://", "https://", "mailto:", "#")


async def whole(site: Site, request: Request) -> Response:
    """The list of the pages, those for readers and agents first."""
    return site.page(request, "manual.html", groups=contents())


async def one(site: Site, request: Request) -> Response:
    """One page; as Markdown its source, with links that lead to pages of this server."""
    name: str = request.path_params["page"]
    if name not in shown():
        raise Refusal("not_found", recovery=f"GET {PATH} for the list of all pages.")
    page = shown()[name]
    values: dict[str, Any] = {"title": page.title}
    if asked_form(request) is PageFormat.MARKDOWN:
        values["text"] = _linked(page)
    else:
        html, values["headings"] = await asyncio.to_thread(_rendered, name)
        values["body"] = Markup(html)  # noqa: S704 - of the service
    return site.page(request, "manual_page.html", **values)


@cache
def shown() -> dict[str, pages.ManualPage]:
    """The pages that a server shows, by their names."""
    book = pages.pages(pages.folder())
    names = (name for _, group in _groups() for name in group)
    return {name: book[name] for name in names if name not in _MADE_HERE}


@cache
def contents() -> list[tuple[str, list[tuple[str, str]]]]:
    """The groups of pages, each page with its title and address."""
    book = pages.pages(pages.folder())
    return [
        (group, [(book[name].title, _MADE_HERE.get(name, f"{PATH}/{name}")) for name in names])
        for group, names in _groups()
    ]


def _groups() -> list[tuple[str, list[str]]]:
    return [(group, names) for group, names in pages.NAVIGATION.items() if group != _NOT_SHOWN]


def _address(page: str, target: str) -> str | None:
    """Where a link of a page leads on this server; None where that is not shown here."""
    if target.startswith(_ELSEWHERE):
        return target
    path, mark, place = target.partition("#")
    name = pages.named(page, path)
    if name in _MADE_HERE:
        return _MADE_HERE[name]
    if name == pages.HOME:
        return PATH
    return f"{PATH}/{name}{mark}{place}" if name in shown() else None


@cache
def _rendered(name: str) -> "tuple[str, list[Heading]]":
    """A page as HTML, with its headings of the second level."""
    from stoa.web.manual.render import render  # loads a library that nothing else needs

    made = render(shown()[name].text, lambda target: _address(name, target))
    return made.html, [one for one in made.listed if one.level == "h2"]


def _linked(page: pages.ManualPage) -> Markup:
    def leads(link: re.Match[str]) -> str:
        return f"]({_address(page.name, link[1]) or PATH})"

    return Markup(_LINK.sub(leads, page.text))  # noqa: S704 - of the service
