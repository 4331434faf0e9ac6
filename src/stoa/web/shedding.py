"""The page for a person whose address asks for too many pages.

It is small, and made once for each number of seconds to wait, so that a flood does not cost more.
"""

from functools import lru_cache

from stoa.domain import limits
from stoa.domain.errors import Refusal
from stoa.http import answering
from stoa.http.browser_headers import SECURITY
from stoa.http.request import HttpRequest
from stoa.http.wire import HeaderList, Send

_HEADERS: HeaderList = [
    (name.lower().encode(), value.encode())
    for name, value in {
        **SECURITY,
        "Content-Type": "text/html; charset=utf-8",
        "Cache-Control": "no-store",
    }.items()
]


@lru_cache(limits.UNCHARGED_WINDOW_MS // 1000)
def shed_page(seconds: int, limit: int, window: int) -> bytes:
    """The page: `limit` requests are allowed in `window` seconds, and `seconds` are to wait."""
    from stoa.web.site import environment  # loaded for the first page that is refused

    template = environment().get_template("shed.html")
    return template.render(seconds=seconds, limit=limit, window=window).encode()


async def shed(request: HttpRequest, send: Send, refusal: Refusal) -> None:
    """Send the 429 of a full bucket as a page, with the headers that it has as JSON."""
    details = refusal.details
    body = shed_page(refusal.retry_after or 1, details["limit"], details["windowSeconds"])
    headers = [*_HEADERS, request.id_header, *answering.refusal_headers(refusal, None)]
    head = request.method == "HEAD"
    await answering.send_answer(send, refusal.status, headers, body, head=head)
