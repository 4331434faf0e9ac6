"""The addresses below /oauth/ that people open, and that clients register at."""

from collections.abc import Awaitable, Callable

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from stoa.calls.authorizing import Authorizing
from stoa.clock import Clock
from stoa.domain.addresses import parse_networks
from stoa.domain.errors import Refusal
from stoa.domain.oauth import AUTHORIZATION, REGISTRATION, OAuthRefusal
from stoa.limits.charge import Charges
from stoa.oauth.authorize import AuthorizationPages, PageMaker
from stoa.oauth.clients import Clients
from stoa.oauth.register import Registration
from stoa.outgoing.client import Outgoing

_Endpoint = Callable[[Request], Awaitable[Response]]


def routes(
    authorizing: Authorizing, charges: Charges, clock: Clock, site: PageMaker
) -> list[Route]:
    """The routes of the authorization pages and of the registration of clients."""
    allowed = parse_networks(authorizing.services.settings.webhooks_allow)
    clients = Clients(Outgoing(allowed), authorizing, charges, clock, plain=bool(allowed))
    pages = AuthorizationPages(site, clients, authorizing, charges)
    register = Registration(authorizing, charges, clock).register
    return [
        Route(AUTHORIZATION, _shown(site, pages, pages.begin)),
        Route(f"{AUTHORIZATION}/{{handle}}", _shown(site, pages, pages.show)),
        Route(f"{AUTHORIZATION}/{{handle}}/continue", _shown(site, pages, pages.leave)),
        # With the methods that it refuses: its refusals are for programs, not pages.
        Route(REGISTRATION, register, methods=["GET", "POST", "PUT", "PATCH", "DELETE"]),
    ]


def _shown(site: PageMaker, pages: AuthorizationPages, endpoint: _Endpoint) -> _Endpoint:
    """The endpoint, with refusals shown as pages."""

    async def serve(request: Request) -> Response:
        try:
            return await endpoint(request)
        except OAuthRefusal as refusal:
            return pages.refused(request, refusal)
        except Refusal as refusal:
            return site.refused(request, refusal)

    return serve
