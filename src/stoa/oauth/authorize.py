"""`GET /oauth/authorize`: the page on which a person lets a client use an agent's key.

It redirects to the client only after an agent has approved the client. Before that it has at most
a link to the client that the person may follow, and for an unknown client or address none.
"""

from importlib.resources import files
from typing import Any, Protocol
from urllib.parse import parse_qsl, urlencode

from starlette.requests import Request
from starlette.responses import Response

from stoa.calls.authorizing import Authorizing
from stoa.domain import limits
from stoa.domain.authorizations import answer_address, check_asked, read_confirmation
from stoa.domain.clients import is_on_this_computer, place, program
from stoa.domain.errors import Refusal
from stoa.domain.oauth import AUTHORIZATION, ISSUER, WRITE, OAuthRefusal
from stoa.http.browser_headers import with_script
from stoa.http.request import REQUEST
from stoa.http.request import HttpRequest as Incoming
from stoa.limits.charge import Charges
from stoa.oauth.clients import Clients
from stoa.operations.parts.authorizations import ShownRequest
from stoa.schemas.base import iso

SCRIPT = (files("stoa.oauth") / "static" / "authorize.js").read_text(encoding="utf-8")
"""The one script of this page, in the place of that of all others."""

_HEADERS = {**with_script(SCRIPT), "Cache-Control": "no-store"}
_QUERY_BYTES = 16_000
_NOT_NAMED = "The `redirect_uri` is not one that this client has named."
_TOO_LATE = "This page has expired, or the program has been let in already."
_TOO_OFTEN = "The confirmation was given wrong too often, so nothing was granted."
_CONFIRMATION = "confirmation"
"""The name of what the page of an approved request asks for, in the query of its address."""


class PageMaker(Protocol):
    """What makes the pages of this service: templates, headers, the style sheet."""

    def page(self, request: Request, template: str, *, status: int, **values: Any) -> Response:
        """A page made of a template and these values."""
        ...

    def refused(self, request: Request, refusal: Refusal) -> Response:
        """The page of a refusal."""
        ...


class AuthorizationPages:
    """The pages of the authorization endpoint, which raise `OAuthRefusal`."""

    def __init__(
        self, site: PageMaker, clients: Clients, authorizing: Authorizing, charges: Charges
    ) -> None:
        self._site = site
        self._clients = clients
        self._authorizing = authorizing
        self._charges = charges

    async def begin(self, request: Request) -> Response:
        """Show what a client asks for, with a pairing code."""
        incoming: Incoming = request.scope[REQUEST]
        query = _query(incoming.query)
        client = await self._clients.find(query.get("client_id", ""), incoming.address)
        redirect_uri = client.redirect(query.get("redirect_uri", ""))
        if redirect_uri is None:
            raise OAuthRefusal("invalid_request", _NOT_NAMED)
        try:
            base_urls = self._authorizing.services.base_urls
            asked = check_asked(client, redirect_uri, query, base_urls)
        except OAuthRefusal as refusal:
            back = _told(incoming, redirect_uri, query.get("state"), refusal.error)
            return self.refused(request, refusal, back)
        await self._charges.count_authorization(incoming.address)
        begun = await self._authorizing.begin(asked)
        return self._page(request, begun.handle, begun.shown)

    async def show(self, request: Request) -> Response:
        """Show a request again: that it waits, and once it is approved what was granted, to a
        browser that has the confirmation."""
        handle = request.path_params["handle"]
        shown = await self._shown(handle)
        if shown.row.agent_id is None:
            return self._page(request, handle, shown, again=True)
        given = _confirmation(request.scope[REQUEST])
        if given and await self._authorizing.confirm(handle, given):
            return self._page(request, handle, shown, confirmation=given)
        return await self._ask_confirmation(request, handle)

    async def leave(self, request: Request) -> Response:
        """Lead the browser back to the client that was approved, with a new code."""
        handle = request.path_params["handle"]
        shown = await self._shown(handle)
        if shown.row.agent_id is None:
            return self._page(request, handle, shown, again=True)
        incoming: Incoming = request.scope[REQUEST]
        given = _confirmation(incoming)
        code = await self._authorizing.give_code(handle, given) if given else None
        if code is None:
            return await self._ask_confirmation(request, handle)
        told = {"code": code, "state": shown.row.state, "iss": _issuer(incoming)}
        address = answer_address(shown.row.redirect_uri, told)
        return Response(status_code=303, headers={**_HEADERS, "Location": address})

    async def _shown(self, handle: str) -> ShownRequest:
        """The request of a page. Raises `OAuthRefusal` where it is over."""
        shown = await self._authorizing.shown(handle)
        if shown is None or shown.row.used_at is not None:
            raise OAuthRefusal("invalid_request", _TOO_LATE)
        return shown

    async def _ask_confirmation(self, request: Request, handle: str) -> Response:
        """Ask for the digits that the approval has shown, as long as there are tries left."""
        shown = await self._shown(handle)
        left = limits.CONFIRMATION_TRIES - shown.row.tries
        if left <= 0:
            raise OAuthRefusal("access_denied", _TOO_OFTEN)
        incoming: Incoming = request.scope[REQUEST]
        return self._answer(
            request,
            "confirm.html",
            program=program(shown.row.client_id, shown.row.redirect_uri),
            place=place(shown.row.redirect_uri),
            page=f"{AUTHORIZATION}/{handle}",
            name=_CONFIRMATION,
            digits=limits.CONFIRMATION_DIGITS,
            wrong=bool(incoming.query),
            left=left,
        )

    def _page(
        self,
        request: Request,
        handle: str,
        shown: ShownRequest,
        *,
        again: bool = False,
        confirmation: str | None = None,
    ) -> Response:
        """The page of a request that waits or, with the confirmation, of one that was granted."""
        incoming: Incoming = request.scope[REQUEST]
        row, path = shown.row, f"{AUTHORIZATION}/{handle}"
        return self._answer(
            request,
            "granted.html" if confirmation else "authorize.html",
            row=row,
            agent_name=shown.agent_name,
            program=program(row.client_id, row.redirect_uri),
            place=place(row.redirect_uri),
            unproved=is_on_this_computer(row.redirect_uri),
            writes=WRITE in row.scopes.split(),
            until=iso(row.expires_at),
            minutes=limits.PAIRING_MS // limits.MINUTE_MS,
            again=again,
            may_register=shown.may_register,
            page=path,
            back=f"{path}/continue?{urlencode({_CONFIRMATION: confirmation or ''})}",
            cancel=_told(incoming, row.redirect_uri, row.state, "access_denied"),
            service=incoming.base_url,
            script=SCRIPT,
        )

    def refused(self, request: Request, refusal: OAuthRefusal, back: str | None = None) -> Response:
        """The page of a refusal; `back` is the address that tells the client of it."""
        where = place(back) if back else ""
        return self._answer(
            request, "not_authorized.html", status=400, refusal=refusal, back=back, place=where
        )

    def _answer(
        self, request: Request, template: str, *, status: int = 200, **values: Any
    ) -> Response:
        # No address is shared, indexed or previewed: the page is this person's alone.
        answer = self._site.page(request, template, status=status, **values)
        answer.headers.update(_HEADERS)
        answer.headers["X-Robots-Tag"] = "noindex"
        return answer


def _query(raw: bytes) -> dict[str, str]:
    """The parameters, each given once (RFC 6749, 3.1); empty ones are left out."""
    try:
        pairs = parse_qsl(raw.decode("ascii"), errors="strict", max_num_fields=50)
    except ValueError:
        pairs = None
    if pairs is None or len(raw) > _QUERY_BYTES or len(dict(pairs)) != len(pairs):
        raise OAuthRefusal("invalid_request", "Each parameter must be given once, in UTF-8.")
    if any("\0" in name + value for name, value in pairs):
        raise OAuthRefusal("invalid_request", "No parameter may hold the character U+0000.")
    return dict(pairs)


def _confirmation(incoming: Incoming) -> str | None:
    """The confirmation in the query of a page's address; None if there is none that can be one."""
    try:
        return read_confirmation(_query(incoming.query).get(_CONFIRMATION, ""))
    except OAuthRefusal:
        return None


def _issuer(incoming: Incoming) -> str:
    return f"{incoming.base_url}{ISSUER}"


def _told(incoming: Incoming, redirect_uri: str, state: str | None, error: str) -> str:
    """The address that tells a client why it gets no code."""
    told = {"error": error, "state": state, "iss": _issuer(incoming)}
    return answer_address(redirect_uri, told)
