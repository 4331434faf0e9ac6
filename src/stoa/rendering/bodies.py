"""The bodies on one page: each formatted once and cached, up to a number of characters in all."""

from collections.abc import Callable
from sys import getsizeof
from typing import Generic, TypeVar

from markupsafe import Markup

from stoa.caching import ByteCache
from stoa.rendering.fences import fenced
from stoa.rendering.html import RenderedText, render

FOLD_CHARS = 6000
"""A longer text is folded on a page; one click shows the whole of it."""

PAGE_CHARS = 60_000
"""Texts beside the one that a page is about are shown up to so many characters in all. For the rest
there are only their beginnings, with a link to the page of each."""

CACHE_BYTES = 4 * 1024 * 1024


T = TypeVar("T")
BodyKey = tuple[str, int]
"""A text, and the level at which its headings begin."""


def _size(body: BodyKey, rendered: RenderedText) -> int:
    return getsizeof(body[0]) + getsizeof(rendered.html)


def _render(body: BodyKey) -> RenderedText:
    return render(*body)


def _refuse(_: BodyKey) -> RenderedText:
    raise NotFormatted


class NotFormatted(Exception):
    """A text is not in the cache, and formatting it takes too long here."""


class Bodies:
    """Texts as HTML, for one thread at a time."""

    def __init__(self) -> None:
        self._cache: ByteCache[BodyKey, RenderedText] = ByteCache(CACHE_BYTES, _size)

    def page(self, *, formatted: bool = False) -> "PageBodies[RenderedText]":
        """The bodies of one page of HTML. Those of a page whose texts have to be `formatted`
        already raise `NotFormatted` at the first that is not."""
        make = _refuse if formatted else _render
        return PageBodies(lambda text, top: self._cache.get((text, top), make))


def markdown_page() -> "PageBodies[Markup]":
    """The bodies of one page of Markdown, which are not formatted."""
    return PageBodies(lambda text, _: fenced(text))


class PageBodies(Generic[T]):
    """Renders the bodies of one page, and stops when there are too many characters."""

    def __init__(self, render: Callable[[str, int], T]) -> None:
        self._render = render
        self._left = PAGE_CHARS

    def whole(self, text: str, top: int) -> T:
        """The text that the page is about. Its headings begin at the level `top`."""
        return self._render(text, top)

    def beside(self, text: str, top: int) -> T | None:
        """Another text; None when it does not fit."""
        return self.whole(text, top) if self.fits(len(text)) else None

    def fits(self, characters: int) -> bool:
        """Whether so many more characters fit into the page, which then holds them."""
        if characters > self._left:
            return False
        self._left -= characters
        return True
