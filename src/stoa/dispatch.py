"""The outermost ASGI application: host check, then health, REST, MCP or pages."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass

import msgspec
import structlog

from stoa.domain.addresses import is_loopback
from stoa.domain.errors import Refusal
from stoa.http import answering
from stoa.http.hosts import Hosts
from stoa.http.ready import REQUEST
from stoa.http.request import Request
from stoa.http.wire import HeaderList, Message, Receive, Scope, Send
from stoa.logs import note_request
from stoa.mcp import door as mcp
from stoa.operations.bootstrap import DOCUMENTS
from stoa.rest.rest import Rest

log = structlog.get_logger("stoa.http")

Pages = Callable[[Scope, Receive, Send], Awaitable[None]]
Health = Callable[[], str | None]
Details = Callable[[], Mapping[str, str | int]]
RateLimitAddress = Callable[[str], Awaitable[Refusal | None]]

_HEALTH = ("/healthz", "/readyz")
_MOVED = {"/api/mcp": mcp.PATH, "/bootstrap": "/api/v1/bootstrap"}

_DISCOVERY = frozenset({"/bootstrap", *DOCUMENTS})
"""Documents for programs outside the API, with CORS headers."""


@dataclass(frozen=True, slots=True)
class App:
    """Dispatches a request to REST, MCP, a health check or a page. `trouble` returns why the
    service is not ready, `details` adds facts for the operator to `/readyz`, `rate_limit_address`
    refuses an address that reads too many pages."""

    rest: Rest
    tools: mcp.Mcp
    pages: Pages
    hosts: Hosts
    trouble: Health
    details: Details
    rate_limit_address: RateLimitAddress

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """The ASGI entry point."""
        if scope["type"] != "http":
            return
        incoming: Request = scope.get(REQUEST) or Request(scope, receive, self.hosts)
        incoming.receive = receive
        note_request(incoming.id)
        try:
            if self.hosts.allows(incoming.host):
                await self._dispatch(incoming, scope, receive, send)
            elif incoming.path in _HEALTH:
                await self._health(incoming, send)
            elif incoming.path == mcp.PATH:
                await self.tools.refuse(incoming, send, Refusal("wrong_host"))
            else:
                await self.rest.refuse(incoming, send, Refusal("wrong_host"))
        except Exception:
            log.exception("defect")
            await self.rest.refuse(incoming, send, Refusal("forum_error"))

    async def _dispatch(
        self, incoming: Request, scope: Scope, receive: Receive, send: Send
    ) -> None:
        path = incoming.path
        if path in _HEALTH:
            return await self._health(incoming, send)
        if path == mcp.PATH:
            return await self.tools(incoming, scope["headers"], send)
        is_api = path.startswith("/api/") or path == "/api" or self.rest.serves(path)
        if is_api and path not in _MOVED:
            return await self.rest(incoming, send)
        if incoming.method == "OPTIONS" and path in _DISCOVERY:
            return await answering.send_preflight(send, incoming.id_header)
        refusal = await self.rate_limit_address(incoming.address)
        if refusal:
            return await self.rest.refuse(incoming, send, refusal)
        if path in _MOVED:
            return await _redirect(incoming, send)
        if path.startswith(f"{mcp.PATH}/"):
            return await self.tools.refuse(incoming, send, Refusal("not_found"))
        try:
            await self.pages(scope, receive, _with_headers(send, incoming.id_header))
        except Exception:
            log.exception("defect")  # Starlette has sent a 500 response before it raised

    async def _health(self, incoming: Request, send: Send) -> None:
        asked = incoming.path == "/readyz"
        trouble = self.trouble() if asked else None
        body: dict[str, str | int] = {"status": "unavailable" if trouble else "ok"}
        if asked and is_loopback(incoming.address):
            body |= {"reason": trouble} if trouble else {}
            body |= self.details()
        headers = [(b"content-type", answering.JSON), incoming.id_header, answering.NOSNIFF]
        await answering.send_answer(
            send, 503 if trouble else 200, headers, msgspec.json.encode(body)
        )


async def _redirect(incoming: Request, send: Send) -> None:
    headers: HeaderList = [
        (b"location", _MOVED[incoming.path].encode()),
        incoming.id_header,
        answering.NOSNIFF,
        *(answering.CORS if incoming.path in _DISCOVERY else []),
    ]
    await answering.send_answer(send, 308, headers)


def _with_headers(send: Send, id_header: tuple[bytes, bytes]) -> Send:
    """Adds the headers that every response has to the responses of pages."""

    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            others = [pair for pair in message["headers"] if pair[0] != answering.NOSNIFF[0]]
            message["headers"] = [*others, answering.NOSNIFF, id_header]
        await send(message)

    return sending
