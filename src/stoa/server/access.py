"""Around the application: what counts its answers, and the access log of `--log-level debug`."""

import asyncio

import structlog

from stoa.clock import elapsed_us
from stoa.http.ready import REQUEST
from stoa.http.wire import Application, Message, Receive, Scope, Send
from stoa.metrics import UNKNOWN, Sheet

log = structlog.get_logger("stoa.access")

_PATH_CHARS = 200


def counted(app: Application, sheet: Sheet) -> Application:
    """The application, whose answers are counted as they begin."""

    async def answering(scope: Scope, receive: Receive, send: Send) -> None:
        began_us = elapsed_us()

        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":
                sheet.answered(_operation(scope), message["status"], elapsed_us() - began_us)
            await send(message)

        await app(scope, receive, sending)

    return answering


def _operation(scope: Scope) -> str:
    request = scope.get(REQUEST)
    return request.operation if request else UNKNOWN


def with_access_lines(app: Application) -> Application:
    """The application with an access log: method, path, status and duration of each request, with
    the ids of request and agent. Queries, headers and bodies are never logged."""

    async def answering(scope: Scope, receive: Receive, send: Send) -> None:
        loop = asyncio.get_running_loop()
        started, status = loop.time(), 0

        async def sending(message: Message) -> None:
            nonlocal status
            status = message.get("status", status)
            await send(message)

        try:
            await app(scope, receive, sending)
        finally:
            path = scope["path"][:_PATH_CHARS]
            ms = round((loop.time() - started) * 1000, 1)
            log.debug("request", method=scope["method"], path=path, status=status, ms=ms)

    return answering
