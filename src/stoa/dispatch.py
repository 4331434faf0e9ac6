"""The outermost ASGI application: host check, then health, REST, MCP, A2A or pages."""

import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass

import msgspec

from stoa.a2a.endpoint import TaskEndpoint
from stoa.calls.authenticate import Authenticator
from stoa.domain.addresses import is_loopback
from stoa.domain.errors import Refusal
from stoa.domain.oauth import REGISTRATION
from stoa.http import answering
from stoa.http.hosts import Hosts
from stoa.http.request import REQUEST, HttpRequest
from stoa.http.wire import Application, HeaderList, Receive, Scope, Send, with_headers
from stoa.logs import log, note_request
from stoa.mcp import endpoint as mcp
from stoa.metrics import A2A as A2A_CALL
from stoa.metrics import HEALTH, MCP, PAGE, PREFLIGHT
from stoa.oauth import endpoints
from stoa.operations.bootstrap import A2A, DOCUMENTS, SECURITY_TXT
from stoa.rest.rest import Rest
from stoa.web.members import REFUSED, is_for_members, privately
from stoa.web.shedding import shed

_HEALTH = ("/healthz", "/readyz")
_TASKS = (A2A, f"{A2A}/")
_READS = ("GET", "HEAD", "OPTIONS")
_HOST = re.compile(r"[A-Za-z0-9._:\[\]-]{1,100}")
_CLIENT = b"client"
"""The query with which `/healthz` tells callers the address that they count as."""
_MOVED = {"/api/mcp": mcp.PATH, "/bootstrap": "/api/v1/bootstrap"}

_DISCOVERY = frozenset({"/bootstrap", SECURITY_TXT, *DOCUMENTS})
"""Documents for programs outside the API, with CORS headers."""

_FOR_PROGRAMS = ("/feeds/", "/sitemap", "/robots.txt")
"""How the paths of everything else begin that programs read, with CORS headers too."""


@dataclass(frozen=True, slots=True)
class App:
    """Dispatches a request to REST, MCP, A2A, OAuth, a health check or a page. `tools` are the
    endpoints of MCP by path, `tasks` that of A2A. `trouble` returns why the service is not ready,
    `details` adds facts for the operator to `/readyz`, `rate_limit_address` refuses an address that
    reads too many pages. With `members`, by which they are known, they alone read."""

    rest: Rest
    tools: Mapping[str, mcp.Mcp]
    tasks: TaskEndpoint
    oauth: endpoints.OAuthEndpoints
    pages: Application
    hosts: Hosts
    trouble: Callable[[], str | None]
    details: Callable[[], Mapping[str, str | int | None]]
    rate_limit_address: Callable[[str], Awaitable[Refusal | None]]
    members: Authenticator | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """The ASGI entry point."""
        if scope["type"] != "http":
            return
        incoming: HttpRequest = scope.get(REQUEST) or HttpRequest(scope, receive, self.hosts)
        incoming.receive = receive
        scope[REQUEST] = incoming
        note_request(incoming.id)
        try:
            if self.hosts.allows(incoming.host):
                await self._dispatch(incoming, scope, receive, send)
            elif incoming.path in _HEALTH:
                await self._health(incoming, send)
            elif incoming.path in self.tools:
                await self.tools[incoming.path].refuse(
                    incoming, send, self._wrong_host(incoming.host)
                )
            elif incoming.path in _TASKS:
                await self.tasks.refuse(incoming, send, self._wrong_host(incoming.host))
            elif incoming.path in endpoints.PATHS:
                await self.oauth.refuse(incoming, send, self._wrong_host(incoming.host))
            else:
                await self.rest.refuse(incoming, send, self._wrong_host(incoming.host))
        except Exception:
            log.exception("defect")
            await self.rest.refuse(incoming, send, Refusal("forum_error"))
        finally:
            # It leads back to the scope: only the garbage collector would free both, and the body.
            del incoming.receive

    def _wrong_host(self, host: str) -> Refusal:
        told = _HOST.fullmatch(host)
        message = f"This service does not answer to the host name {host}." if told else None
        refusal = Refusal("wrong_host", message)
        refusal.fill({"base_url": self.hosts.origin})
        return refusal

    def _dispatch(
        self, incoming: HttpRequest, scope: Scope, receive: Receive, send: Send
    ) -> Awaitable[None]:
        path = incoming.path
        if path in _HEALTH:
            return self._health(incoming, send)
        if path in self.tools:
            incoming.operation = MCP
            return self.tools[path](incoming, scope["headers"], send)
        if path in _TASKS:
            incoming.operation = A2A_CALL
            return self.tasks(incoming, send)
        if path in endpoints.PATHS:
            return self.oauth(incoming, send)
        is_api = path.startswith("/api/") or path == "/api" or self.rest.serves(path)
        if is_api and path not in _MOVED:
            return self.rest(incoming, send)
        return self._page(incoming, scope, receive, send)

    async def _page(
        self, incoming: HttpRequest, scope: Scope, receive: Receive, send: Send
    ) -> None:
        path = incoming.path
        incoming.operation = PAGE
        if incoming.method == "OPTIONS" and _has_preflight(path):
            incoming.operation = PREFLIGHT
            return await answering.send_preflight(send, incoming.id_header)
        refusal = await self.rate_limit_address(incoming.address)
        if refusal:
            refuse = shed if _is_for_people(incoming) else self.rest.refuse
            return await refuse(incoming, send, refusal)
        if path in _MOVED:
            return await _redirect(incoming, send)
        if path.startswith(f"{mcp.PATH}/") and path not in _DISCOVERY:
            incoming.operation = MCP
            nothing = Refusal(
                "not_found",
                "Nothing exists at this path.",
                recovery=f"Send a JSON-RPC message with POST {mcp.PATH}.",
            )
            return await self.tools[mcp.PATH].refuse(incoming, send, nothing)
        if self.members:
            try:
                send = privately(send) if await is_for_members(incoming, self.members) else send
            except Refusal as missing:
                if not _is_for_people(incoming):
                    return await self.rest.refuse(incoming, send, missing)
                scope[REFUSED] = missing
        if _writes_json(incoming):
            # A program that looks for the API: a page would tell it nothing.
            nowhere = self.rest.unknown(incoming, f"/api{path}")
            nowhere.message = "No operation of the API is at this path."
            return await self.rest.refuse(incoming, send, nowhere)
        try:
            await self.pages(scope, receive, _with_headers(send, incoming.id_header))
        except Exception:
            log.exception("defect")  # Starlette has sent a 500 response before it raised

    async def _health(self, incoming: HttpRequest, send: Send) -> None:
        incoming.operation = HEALTH
        asked = incoming.path == "/readyz"
        trouble = self.trouble() if asked else None
        body: dict[str, str | int | None] = {"status": "unavailable" if trouble else "ok"}
        if asked and is_loopback(incoming.address):
            body |= {"reason": trouble} if trouble else {}
            body |= self.details()
        if not asked and incoming.query == _CLIENT:
            body["client"] = incoming.address
        headers = [(b"content-type", answering.JSON), incoming.id_header, answering.NOSNIFF]
        status, head = 503 if trouble else 200, incoming.method == "HEAD"
        await answering.send_answer(send, status, headers, msgspec.json.encode(body), head=head)


def _has_preflight(path: str) -> bool:
    """Whether web pages of any origin may read what is here, outside the API."""
    return path in _DISCOVERY or path == REGISTRATION or path.startswith(_FOR_PROGRAMS)


def _is_for_people(incoming: HttpRequest) -> bool:
    """Whether a refusal is a page: where pages are, and for a browser at any document."""
    if incoming.path.startswith(("/api/", f"{mcp.PATH}/")):
        return False
    accept = incoming.headers.get(b"accept", b"")
    return b"text/html" in accept or not (incoming.path in _DISCOVERY or b"json" in accept)


def _writes_json(incoming: HttpRequest) -> bool:
    """Whether a program sends JSON where pages are, of which those of OAuth take some."""
    sent = incoming.headers.get(b"content-type", b"").startswith(answering.JSON)
    return sent and incoming.method not in _READS and not incoming.path.startswith("/oauth/")


async def _redirect(incoming: HttpRequest, send: Send) -> None:
    headers: HeaderList = [
        (b"location", _MOVED[incoming.path].encode()),
        incoming.id_header,
        answering.NOSNIFF,
        *(answering.CORS if incoming.path in _DISCOVERY else []),
    ]
    await answering.send_answer(send, 308, headers)


def _with_headers(send: Send, id_header: tuple[bytes, bytes]) -> Send:
    """Adds the headers that every response has to the responses of pages."""

    def changed(given: HeaderList) -> HeaderList:
        others = (pair for pair in given if pair[0] != answering.NOSNIFF[0])
        return [*others, answering.NOSNIFF, id_header]

    return with_headers(send, changed)
