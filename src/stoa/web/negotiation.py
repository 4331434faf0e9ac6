"""The form of a page by the request's `Accept`: HTML, Markdown or JSON.

Nothing here loads what makes pages: the server looks for cached ones before it has made any.
"""

import re
from collections.abc import Mapping, Sequence
from enum import StrEnum
from functools import lru_cache
from itertools import chain
from typing import TYPE_CHECKING

from stoa.domain import limits
from stoa.http import request as http

if TYPE_CHECKING:
    from starlette.requests import Request


class PageFormat(StrEnum):
    """A form of a page; its value is the media type."""

    HTML = "text/html"
    MARKDOWN = "text/markdown"
    JSON = "application/json"


PAGE = (PageFormat.HTML, PageFormat.MARKDOWN)
"""The forms that every page has. The first is for all who ask for none in particular."""

_REMEMBERED = 256
"""The choices for so many headers are remembered: clients send the same, and a page asks for the
choice of its request several times."""

_NAMES = {form: (form.value, f"{form.partition('/')[0]}/*", "*/*") for form in PageFormat}
"""The media ranges that a form is in, the one that names it most exactly first."""

_NAMED = "|".join(re.escape(name) for name in sorted({*chain(*_NAMES.values())}))
_RANGE = re.compile(rf"(?:^|,)\s*({_NAMED})\s*((?:;[^,]*)?)(?=,|$)")
_Q = re.compile(r"q=(0(?:\.[0-9]{0,3})?|1(?:\.0{0,3})?)")

_Range = tuple[float, int]
"""How much a client likes a media range, and where that stands in the header."""


def asked_form(request: "Request", offered: Sequence[PageFormat] = PAGE) -> PageFormat:
    """The form of these that the request asks for."""
    return form_for(", ".join(request.headers.getlist("accept")), offered)


def asked_key(request: http.HttpRequest) -> str:
    """The key of the page that a request asks for."""
    form = form_for(request.headers.get(b"accept", b"").decode("latin-1"))
    return page_key(form, request.path, request.query)


def page_key(form: PageFormat, path: str, query: bytes) -> str:
    """The key of a page in the answer cache. No answer of the API has such a key. A query holds
    no space, which therefore ends the path."""
    return f"{form} {path} {query.decode('latin-1')}"


def form_for(accept: str, offered: Sequence[PageFormat] = PAGE) -> PageFormat:
    """Like `chosen`; what was asked for lately is remembered. A header that is longer than any
    client sends is not read: it counts as `*/*`."""
    return _remembered(accept, offered) if len(accept) <= limits.ACCEPT_CHARS else offered[0]


def chosen(accept: str, offered: Sequence[PageFormat] = PAGE) -> PageFormat:
    """The form that is liked best by this `Accept`: by `q`, then the one that is named more
    exactly, then the one named first. The first offered one if the header prefers none."""
    ranges = _ranges(accept)
    return max(offered, key=lambda form: _rank(form, ranges))


_remembered = lru_cache(_REMEMBERED)(chosen)


def _rank(form: PageFormat, ranges: Mapping[str, _Range]) -> tuple[float, int, int]:
    for exactness, name in zip((2, 1, 0), _NAMES[form], strict=True):
        if name in ranges:
            q, place = ranges[name]
            return (q, exactness, -place) if q else (0, 0, 0)
    return 0, 0, 0


def _ranges(accept: str) -> dict[str, _Range]:
    """The media ranges of the header that forms are in, each where it stands first. One with a `q`
    that cannot be read is left out."""
    found: dict[str, _Range] = {}
    for part in _RANGE.finditer(accept.lower()):
        if part[1] in found:
            continue
        parameters = (piece.strip() for piece in part[2].split(";"))
        given = next((one for one in parameters if one.startswith("q=")), "q=1")
        if q := _Q.fullmatch(given):
            found[part[1]] = float(q[1]), part.start()
    return found
