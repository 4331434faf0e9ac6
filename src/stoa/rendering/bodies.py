"""The bodies on one page: each rendered once and cached, as many as fit."""

from collections.abc import Callable
from sys import getsizeof
from typing import Generic, TypeVar

from markupsafe import Markup

from stoa.caching import ByteCache, CachedKind
from stoa.rendering.fences import fenced
from stoa.rendering.html import RenderedText, render
from stoa.rendering.parts import end_near

FOLD_CHARS = 6000
"""A longer text is folded on a page; one click shows the whole of it."""

BEGINNING_CHARS = 3000
"""How much a page shows of the text that it is about, where there is no room for all of it."""

PAGE_BYTES = 70_000
"""No text makes a page longer. A text for which there is no room is shown by its beginning, with a
link to a page of its own."""

FRAME_BYTES = 20_000
"""Room that is kept for what stands around the texts of a page of HTML."""

_MARKDOWN_FRAME_BYTES = 5_000

ROW_BYTES = 1_500
"""Room that is kept for each reply of a page, which may be shown by its beginning."""

_LINK_BYTES = 300
"""What the link to a text takes that is not shown: a text that takes less is always shown."""

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

    def __init__(self, cache: ByteCache) -> None:
        self._made = CachedKind[BodyKey, RenderedText](cache, _size)

    def page(self, *, formatted: bool = False) -> "PageBodies[RenderedText]":
        """The bodies of one page of HTML. Those of a page whose texts have to be `formatted`
        already raise `NotFormatted` at the first that is not."""
        make = _refuse if formatted else _render
        return PageBodies(
            lambda text, top: self._made.get((text, top), make),
            lambda body: _bytes(body.html),
            FRAME_BYTES,
        )


def beginning(text: str) -> str:
    """What of a long text a page shows that has no room for it."""
    return text[: end_near(text, BEGINNING_CHARS)]


def markdown_page() -> "PageBodies[Markup]":
    """The bodies of one page of Markdown, which are not formatted."""
    return PageBodies(lambda text, _: fenced(text), _bytes, _MARKDOWN_FRAME_BYTES)


def _bytes(body: Markup) -> int:
    return len(body.encode())


class PageBodies(Generic[T]):
    """Renders the bodies of one page while there is room for them."""

    def __init__(
        self, render: Callable[[str, int], T], size: Callable[[T], int], frame: int
    ) -> None:
        self._render = render
        self._size = size
        self._frame = frame
        self.keep_rows(0)

    def keep_rows(self, rows: int, beside: int | None = None) -> None:
        """Make room on a page of so many replies, with so many bytes `beside` them if known."""
        around = self._frame if beside is None else beside
        self._room = PAGE_BYTES - around - rows * ROW_BYTES

    def may_fit(self, text: str) -> bool:
        """Whether there could be room for a text. Its HTML is as long as it is, or longer."""
        return len(text) <= self._room

    def fits(self, size: int) -> bool:
        """Whether there is room for so many bytes, which are then taken."""
        if size > self._room:
            return False
        self._room -= size
        return True

    def beginning(self, text: str, top: int) -> T | None:
        """The beginning of a text for which there is no room; None when there is none for that."""
        return self.beside(beginning(text), top)

    def whole(self, text: str, top: int) -> T:
        """A text that is shown in any case. Its headings begin at the level `top`."""
        return self._render(text, top)

    def beside(self, text: str, top: int) -> T | None:
        """A text; None when there is no room for it and it is longer than a link to it."""
        if len(text) > max(self._room, _LINK_BYTES):
            return None
        body = self._render(text, top)
        size = self._size(body)
        return body if size <= _LINK_BYTES or self.fits(size) else None
