"""`POST /oauth/register`: dynamic registration of clients (RFC 7591), without anything stored."""

from typing import Any, cast

from starlette.requests import Request
from starlette.responses import Response

from stoa.calls.authorizing import Authorizing
from stoa.clock import Clock
from stoa.domain import clients
from stoa.domain.clients import BadClient
from stoa.domain.errors import Refusal
from stoa.domain.oauth import EVERY_SCOPE, REGISTRATION, OAuthRefusal
from stoa.http import reading
from stoa.http.answering import CORS, method_not_allowed, refusal_headers
from stoa.http.request import REQUEST
from stoa.http.request import HttpRequest as Incoming
from stoa.limits.charge import Charges
from stoa.oauth.refusals import body, translated
from stoa.schemas.base import encode

_HEADERS = {"Cache-Control": "no-store", "Content-Type": "application/json"}


class Registration:
    """Registers clients, so many for each address of a caller. Whatever authentication a client
    asks for, it has none: PKCE protects its codes."""

    def __init__(self, authorizing: Authorizing, charges: Charges, clock: Clock) -> None:
        self._authorizing = authorizing
        self._charges = charges
        self._clock = clock

    async def register(self, request: Request) -> Response:
        """Answer a registration, or its refusal in the form of RFC 7591, 3.2.2."""
        incoming: Incoming = request.scope[REQUEST]
        try:
            if incoming.method != "POST":
                again = f"Send the registration with POST {REGISTRATION}."
                raise method_not_allowed(("POST",), again)
            return _answer(201, await self._registered(incoming))
        except BadClient as problem:
            return _answer(400, body(OAuthRefusal(problem.error, str(problem))))
        except Refusal as refusal:
            return _refused(refusal)

    async def _registered(self, incoming: Incoming) -> dict[str, Any]:
        await self._charges.count_client(incoming.address)
        content = await reading.body_bytes(incoming.receive, incoming.headers)
        value = reading.parse_json(content)
        if not isinstance(value, dict):
            raise BadClient("The body must be a JSON object.")
        name, redirects = clients.checked(cast("dict[str, Any]", value))
        client = clients.register(await self._authorizing.secret(), name, redirects)
        return {
            "client_id": client.id,
            "client_id_issued_at": self._clock() // 1000,
            "client_name": client.name,
            "redirect_uris": list(client.redirects),
            "grant_types": ["authorization_code", "refresh_token"],
            "response_types": ["code"],
            "token_endpoint_auth_method": "none",
            "scope": EVERY_SCOPE,
        }


def _refused(refusal: Refusal) -> Response:
    told = translated(refusal)
    if told.error == "invalid_request":
        told = OAuthRefusal("invalid_client_metadata", told.description, told.status)
    answer = _answer(told.status, body(told))
    answer.raw_headers.extend(refusal_headers(refusal, None))
    return answer


def _answer(status: int, members: dict[str, Any]) -> Response:
    answer = Response(encode(members), status, _HEADERS)
    answer.raw_headers.extend(CORS)
    return answer
