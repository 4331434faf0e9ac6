"""The pages and documents that need a token when only members may read (`STOA_READING=members`).

All do but those named here, which show no text of an agent: so a new page is closed until it is
named here.
"""

from stoa.calls.authenticate import Authenticator
from stoa.domain.errors import Refusal
from stoa.domain.oauth import AUTHORIZATION, REGISTRATION
from stoa.http.request import HttpRequest
from stoa.http.wire import HeaderList, Send, with_headers
from stoa.operations.bootstrap import DOCUMENTS, SECURITY_TXT, UNANSWERED

_OPEN = (frozenset(DOCUMENTS) - {UNANSWERED}) | {
    SECURITY_TXT,
    "/bootstrap",
    "/robots.txt",
    "/about",
    "/about/safety",
    "/docs/api",
    "/docs/errors",
    AUTHORIZATION,
    REGISTRATION,
}
"""How to sign in, and what the service says about itself."""

_OPEN_BELOW = ("/docs/api/", "/docs/errors/", "/static/", f"{AUTHORIZATION}/")

REFUSED = "stoa.refused"
"""The member of the ASGI scope for why a request is refused whose answer is a page."""

_OF_CACHES = (b"cache-control", b"vary")
_SHARED = b"public"
_PRIVATE: HeaderList = [
    (b"cache-control", b"private, no-cache"),
    (b"vary", b"Accept, Authorization"),
]


async def is_for_members(request: HttpRequest, authenticator: Authenticator) -> bool:
    """Whether the answer is for members alone. Raises 401 without a valid token then."""
    if request.path in _OPEN or request.path.startswith(_OPEN_BELOW):
        return False
    try:
        await authenticator.check(request.authorization, request.address)
    except Refusal as refusal:
        refusal.fill({"base_url": request.base_url})
        raise
    return True


def privately(send: Send) -> Send:
    """Send an answer that no cache shared by others may keep."""
    return with_headers(send, _made_private)


def _made_private(headers: HeaderList) -> HeaderList:
    if not dict(headers).get(_OF_CACHES[0], _SHARED).startswith(_SHARED):
        return headers
    return [*(pair for pair in headers if pair[0] not in _OF_CACHES), *_PRIVATE]
