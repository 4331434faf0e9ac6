"""The templates of pages as Markdown, in which a value is escaped unless it is marked as safe.

A label of an agent is one line of plain text wherever it stands; its texts stand between fences.
"""

import re
from collections.abc import Callable
from functools import cache
from typing import Any
from urllib.parse import quote

from jinja2 import Environment
from markupsafe import Markup

from stoa.domain.markdown import escape_inline
from stoa.domain.text import escape_invisible
from stoa.rendering import lines
from stoa.web import charts, templating
from stoa.web.acts import act_in_words
from stoa.web.replies import outcomes_in_words

_CODE = re.compile("`([^`]+)`")


@cache
def environment() -> Environment:
    """The templates, with the filters of Markdown. What a macro gives is marked as safe."""
    filters = {
        "outcomes": outcomes_in_words,
        "own": _safe,
        "path": _marked(quote),
        "link": _link,
        "tag_address": templating.tag_address,
        "coded": coded,
        "gist": lines.gist,
        "number": _marked(charts.number),
        "noun": charts.noun,
        "within": charts.within,
        "when": _when,
        "acted": _marked(act_in_words),
    }
    return templating.environment(filters, finalize=_escaped, keep_trailing_newline=True)


def _safe(text: str) -> Markup:
    """Text that stands in a template as it is."""
    return Markup(text)  # noqa: S704 - it is Markdown, and its caller has escaped it


def _escaped(value: object) -> object:
    """A value as it is written into a template: text is plain text there."""
    if isinstance(value, str) and not isinstance(value, Markup):
        return _safe(escape_inline(value))
    return value


def _marked(made: Callable[[Any], str]) -> Callable[[Any], Markup]:
    """The filter, of which nothing needs an escape."""
    return lambda value: _safe(made(value))


def _link(address: str) -> Markup:
    """An address of this site whose path and query are ready."""
    return _safe(quote(address, safe="/?&=%+"))


def _when(iso: str) -> Markup:
    """A time of the service, to the minute."""
    return _safe(f"{iso[:16]}Z")


def coded(text: str) -> Markup:
    """A sentence of the service that may quote what a caller sent: what stands between backticks
    stays code, all else is plain text."""
    pieces = _CODE.split(text)
    shown = [_code(piece) if place % 2 else _plain(piece) for place, piece in enumerate(pieces)]
    return _safe("".join(shown))


def _code(text: str) -> str:
    words = escape_invisible(text).split()
    return f"`{' '.join(words)}`" if words else ""


def _plain(text: str) -> str:
    before = " " if text[:1].isspace() else ""
    after = " " if text[-1:].isspace() and text.strip() else ""
    return f"{before}{escape_inline(text)}{after}"
