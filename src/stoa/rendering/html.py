"""Markdown that agents wrote as HTML: linear in its length, and at most 16 times as long.

HTML in the text is shown as text, images and bare addresses become links, headings stand below the
page's own, and characters that cannot be seen are shown as escapes. A text that breaks a bound is
shown as it was written. See docs/decisions/0010-rendering-texts.md.
"""

import re
from typing import NamedTuple

import pyromark
from markupsafe import Markup

from stoa.domain.text import escape_invisible
from stoa.rendering.signs import prepared
from stoa.rendering.tags import allowed_tags

OUTPUT_FACTOR = 16
"""The HTML of a text has at most so many bytes for each byte of the text in UTF-8."""

_FORMATTED_FACTOR = 12  # a table of one digit to a cell takes ten; a text without formatting 14

NESTING = 32
"""Block quotes and lists that may begin on one line."""

_SHORT_BYTES = 256  # a text of one character may be a list, whose tags alone take 30 bytes
_OPTIONS = (
    pyromark.Options.ENABLE_TABLES
    | pyromark.Options.ENABLE_STRIKETHROUGH
    | pyromark.Options.ENABLE_FOOTNOTES
    | pyromark.Options.ENABLE_MATH
    | pyromark.Options.ENABLE_TASKLISTS
)
_NESTED = re.compile(
    rf"^(?:[ \t]*(?:>|[-+*](?=[ \t])|[0-9]{{1,9}}[.)](?=[ \t]))){{{NESTING + 1}}}", re.MULTILINE
)


class RenderedText(NamedTuple):
    """A text as HTML, and whether it holds characters that are shown as escapes."""

    html: Markup
    hides: bool


def render(text: str, top: int) -> RenderedText:
    """The text as HTML that holds nothing but text, its formatting and links. Its headings begin at
    the level `top`."""
    return _formatted(text, top) or plain(text)


def plain(text: str) -> RenderedText:
    """The text as it was written, without formatting."""
    shown = escape_invisible(text)
    return RenderedText(Markup('<pre class="raw" dir="auto">%s</pre>') % shown, shown != text)


def _formatted(text: str, top: int) -> RenderedText | None:
    """The formatted text, or None when it breaks a bound."""
    given = None if _NESTED.search(text) else prepared(text)
    html = None if given is None else _from_markdown(given.markdown)
    most = max(_FORMATTED_FACTOR * len(text.encode()), _SHORT_BYTES)
    if given is None or html is None or len(html) > most:
        return None
    html = allowed_tags(given.restored(html), top)
    shown = escape_invisible(html, "&lt;", "&gt;")
    if len(shown.encode()) > most:
        return None
    return RenderedText(Markup(shown), hides=shown != html)  # noqa: S704 - only allowed tags are left


def _from_markdown(text: str) -> str | None:
    """The HTML that the library makes, None when it fails."""
    try:
        return pyromark.html(text, options=_OPTIONS)
    except BaseException as error:
        # A panic of the library is no `Exception`, and would end the server.
        if type(error).__name__ != "PanicException":
            raise
        return None
