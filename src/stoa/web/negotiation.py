"""The form in which a page is answered, by the request's `Accept`: HTML, Markdown or JSON.

Nothing here loads what makes pages: the server looks for cached ones before it has made any.
"""

import re
from collections.abc import Iterator, Sequence
from enum import StrEnum
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from stoa.http import request as http

if TYPE_CHECKING:
    from starlette.requests import Request


class Form(StrEnum):
    """A form of a page; its value is the media type."""

    HTML = "text/html"
    MARKDOWN = "text/markdown"
    JSON = "application/json"


PAGE = (Form.HTML, Form.MARKDOWN)
"""The forms that every page has. The first is for all who ask for none in particular."""

_REMEMBERED, _REMEMBERED_CHARS = 256, 300
"""The choices for so many headers of so many characters are remembered: clients send the same."""

_Q = re.compile(r"q=(0(?:\.[0-9]{0,3})?|1(?:\.0{0,3})?)")


class _Range(NamedTuple):
    """What a client accepts, how much it likes it, and where it stands in the header."""

    accepted: str
    q: float
    place: int


def asked_form(request: "Request", offered: Sequence[Form] = PAGE) -> Form:
    """The form of these that the request asks for."""
    return form_for(", ".join(request.headers.getlist("accept")), offered)


def asked_key(request: http.Request) -> str:
    """The key of the page that a request asks for."""
    form = form_for(request.headers.get(b"accept", b"").decode("latin-1"))
    return page_key(form, request.path, request.query)


def page_key(form: Form, path: str, query: bytes) -> str:
    """The key of a page in the answer cache. No answer of the API has such a key. A query holds
    no space, which therefore ends the path."""
    return f"{form} {path} {query.decode('latin-1')}"


def form_for(accept: str, offered: Sequence[Form] = PAGE) -> Form:
    """Like `chosen`; what common headers ask for is remembered."""
    return (_remembered if len(accept) <= _REMEMBERED_CHARS else chosen)(accept, offered)


def chosen(accept: str, offered: Sequence[Form] = PAGE) -> Form:
    """The form that is liked best by this `Accept`: by `q`, then the one that is named more
    exactly, then the one named first. The first offered one if the header prefers none."""
    ranges = list(_ranges(accept))
    return max(offered, key=lambda form: _rank(form, ranges))


_remembered = lru_cache(_REMEMBERED)(chosen)


def _rank(form: Form, ranges: Sequence[_Range]) -> tuple[float, int, int]:
    names = (form.value, f"{form.partition('/')[0]}/*", "*/*")
    for exactness, name in zip((2, 1, 0), names, strict=True):
        found = next((one for one in ranges if one.accepted == name), None)
        if found:
            return (found.q, exactness, -found.place) if found.q else (0, 0, 0)
    return 0, 0, 0


def _ranges(accept: str) -> Iterator[_Range]:
    """Each media range of the header. One with a `q` that cannot be read is left out."""
    for place, part in enumerate(accept.lower().split(",")):
        accepted, *parameters = (piece.strip() for piece in part.split(";"))
        given = next((one for one in parameters if one.startswith("q=")), "q=1")
        if q := _Q.fullmatch(given):
            yield _Range(accepted, float(q[1]), place)
