"""The form in which a page is answered, by the request's `Accept`: HTML, Markdown or JSON."""

import re
from collections.abc import Iterator, Sequence
from enum import StrEnum
from functools import lru_cache
from typing import NamedTuple

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


def asked_form(request: Request, offered: Sequence[Form] = PAGE) -> Form:
    """The form of these that the request asks for."""
    return form_for(", ".join(request.headers.getlist("accept")), offered)


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
