"""A layer around the application that counts its answers and writes the access log."""

from collections.abc import Callable

from stoa.clock import elapsed_ms, elapsed_ns
from stoa.domain import limits
from stoa.domain.addresses import UNKNOWN as UNKNOWN_ADDRESS
from stoa.domain.oauth import AUTHORIZATION
from stoa.http.request import REQUEST, HttpRequest
from stoa.http.wire import Application, Message, Receive, Scope, Send
from stoa.logs import log
from stoa.metrics import UNKNOWN, Counters

_PATH_CHARS = 200
_SECRETS_BELOW = (f"{AUTHORIZATION}/", "/api/v1/auth/approvals/")
"""Paths that end in what lets an OAuth client in."""
_REFUSED = 400


class RequestLines:
    """The access log: a line for each refusal at `info` or, with `of_all`, for each request at
    `debug`. Queries, headers and bodies are never logged, and paths only at `debug`, without what
    is secret in them.

    Of the refusals of one second only so many get a line; then one line says how many had none.
    """

    def __init__(self, *, of_all: bool, now_ms: Callable[[], int] = elapsed_ms) -> None:
        self.of_all = of_all
        self._now_ms = now_ms
        self._second = 0
        self._refused = 0

    def write(self, scope: Scope, status: int, ns: int) -> None:
        """Log an answer that took so many nanoseconds."""
        if not self.of_all and status < _REFUSED:
            return
        request: HttpRequest | None = scope.get(REQUEST)
        told = {
            "client": request.address if request else UNKNOWN_ADDRESS,
            "operation": _operation(scope),
            "status": status,
            "ms": round(ns / 1_000_000, 1),
        }
        if self.of_all:
            log.debug("request", method=scope["method"], path=_shown(scope["path"]), **told)
        elif self._admits():
            log.info("refused", **told)

    def write_refusal(self, kind: str, address: str, status: int) -> None:
        """Log a refusal without the application, as the metrics call it."""
        if self._admits():
            log.info("refused", client=address, operation=kind, status=status)

    def tell_left_out(self) -> None:
        """Say how many refusals had no line in a second that is over."""
        second = self._now_ms() // limits.SECOND_MS
        if second == self._second:
            return
        left_out = self._refused - limits.REFUSAL_LINES
        if left_out > 0:
            log.info("refusals left out", count=left_out)
        self._second, self._refused = second, 0

    def _admits(self) -> bool:
        self.tell_left_out()
        self._refused += 1
        return self._refused <= limits.REFUSAL_LINES


def observed(app: Application, counters: Counters, lines: RequestLines) -> Application:
    """The application, whose answers are counted as they begin and logged when they have ended."""

    async def answering(scope: Scope, receive: Receive, send: Send) -> None:
        began_ns, status = elapsed_ns(), 0

        async def sending(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                counters.answered(_operation(scope), status, elapsed_ns() - began_ns)
            await send(message)

        try:
            await app(scope, receive, sending)
        finally:
            lines.write(scope, status, elapsed_ns() - began_ns)

    return answering


def _shown(path: str) -> str:
    """A path as it is logged."""
    secret = next((above for above in _SECRETS_BELOW if path.startswith(above)), None)
    return f"{secret}…" if secret else path[:_PATH_CHARS]


def _operation(scope: Scope) -> str:
    request: HttpRequest | None = scope.get(REQUEST)
    return request.operation if request else UNKNOWN
