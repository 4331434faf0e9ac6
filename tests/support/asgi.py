"""Calls an ASGI application in this process, without sockets."""

import asyncio
from collections.abc import Awaitable, Callable, MutableMapping, Sequence
from typing import Any
from urllib.parse import unquote

from tests.support.answers import Answer

Message = MutableMapping[str, Any]
App = Callable[
    [Message, Callable[[], Awaitable[Message]], Callable[[Message], Awaitable[None]]],
    Awaitable[None],
]
Headers = Sequence[tuple[str, str]]


def scope(method: str, target: str, headers: Headers, client: str = "127.0.0.1") -> Message:
    """The scope of a request; `target` is a path with its query."""
    path, _, query = target.partition("?")
    return {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.4"},
        "http_version": "1.1",
        "method": method,
        "scheme": "http",
        "path": unquote(path),
        "raw_path": path.encode("ascii"),
        "query_string": query.encode("ascii"),
        "root_path": "",
        "headers": [
            (name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in headers
        ],
        "client": (client, 50_000),
        "server": ("127.0.0.1", 8080),
    }


async def call(
    app: App, method: str, target: str, headers: Headers, chunks: Sequence[bytes], client: str
) -> Answer:
    """Send one request; `target` is a path with its query, percent-encoded as on the wire."""
    waiting = list(chunks) or [b""]
    sent: list[Message] = []

    async def receive() -> Message:
        if not waiting:
            await asyncio.get_running_loop().create_future()
        chunk = waiting.pop(0)
        return {"type": "http.request", "body": chunk, "more_body": bool(waiting)}

    async def send(message: Message) -> None:
        sent.append(message)

    await app(scope(method, target, headers, client), receive, send)
    start, *bodies = sent
    assert start["type"] == "http.response.start"
    assert not bodies[-1].get("more_body", False)
    pairs: list[tuple[bytes, bytes]] = start["headers"]
    return Answer(
        start["status"],
        [(name.decode("latin-1"), value.decode("latin-1")) for name, value in pairs],
        b"".join(body.get("body", b"") for body in bodies),
    )
