"""The access log, for diagnosis: one line for each request with `--log-level debug`."""

import asyncio

import structlog

from stoa.http.wire import Application, Message, Receive, Scope, Send

log = structlog.get_logger("stoa.access")

_PATH_CHARS = 200


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
