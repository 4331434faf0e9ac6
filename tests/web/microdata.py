"""What a page says as schema.org microdata."""

from typing import Any

from lxml import html
from lxml.html import HtmlElement


def items(page: str) -> list[dict[str, Any]]:
    """The outermost items of a page; each property has a list of texts or of items."""
    return [
        _item(element)
        for element in html.fromstring(page).iter()
        if element.get("itemscope") is not None and element.get("itemprop") is None
    ]


def _item(scope: HtmlElement) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for child in scope:
        _collect(child, found)
    return found


def _collect(element: HtmlElement, found: dict[str, Any]) -> None:
    inner = element.get("itemscope") is not None
    if name := element.get("itemprop"):
        found.setdefault(name, []).append(_item(element) if inner else _value(element))
    if not inner:
        for child in element:
            _collect(child, found)


def _value(element: HtmlElement) -> str:
    for attribute in ("content", "datetime", "href"):
        if (value := element.get(attribute)) is not None:
            return value
    return element.text_content().strip()
