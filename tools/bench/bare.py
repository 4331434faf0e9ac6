"""The yardstick: a bare ASGI application with ready answers on uvicorn, uvloop and httptools.

GET answers the given bytes and headers. POST reads and decodes its JSON, looks the bearer token up
in a dict and encodes the given answer with the sent text in it. With a verification POST reads its
body, verifies a signature and encodes the given answer.
"""

import asyncio
import socket
import sys
from collections.abc import Collection
from http.client import HTTPResponse
from typing import Any

import msgspec
import uvicorn

from stoa.domain import keys
from stoa.http.wire import HeaderList, Receive, Scope, Send

_decode = msgspec.json.decode
_encode = msgspec.json.encode


class Answer(msgspec.Struct):
    """A whole answer; header names are lower-case."""

    status: int
    headers: list[tuple[bytes, bytes]]
    body: bytes

    @classmethod
    def of(cls, given: HTTPResponse, added: Collection[str] = ("date",)) -> "Answer":
        """The answer of a server, without the headers that are `added` when it is given again."""
        kept = [
            (name.lower().encode(), value.encode())
            for name, value in given.getheaders()
            if name.lower() not in added
        ]
        return cls(given.status, kept, given.read())


class Verification(msgspec.Struct):
    """A good signature of a text."""

    key: bytes
    text: bytes
    signature: bytes


class Spec(msgspec.Struct):
    """What the application serves, and the tokens it knows. The answer to a POST names what it
    shows by its first member that is an object, and has no Content-Length of its own."""

    port: int
    get: Answer
    post: Answer | None = None
    tokens: list[str] = []
    verification: Verification | None = None


class Bare:
    """The application."""

    def __init__(self, spec: Spec) -> None:
        self._get_start = _start(spec.get)
        self._get_body = {"type": "http.response.body", "body": spec.get.body}
        self._post = spec.post
        self._verification = spec.verification
        self._template: dict[str, Any] = _decode(spec.post.body) if spec.post else {}
        self._shown = next(
            (k for k, value in self._template.items() if isinstance(value, dict)), ""
        )
        self._agents = {
            f"Bearer {token}".encode(): place for place, token in enumerate(spec.tokens)
        }

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """The ASGI entry point."""
        if self._verification and scope["method"] == "POST":
            await self._verify(self._verification, receive, send)
        elif scope["method"] == "POST":
            await self._write(scope, receive, send)
        else:
            await send(self._get_start)
            await send(self._get_body)

    async def _write(self, scope: Scope, receive: Receive, send: Send) -> None:
        authorization = next(value for name, value in scope["headers"] if name == b"authorization")
        agent = self._agents[authorization]
        sent = _decode(await _body(receive))
        shown = {**self._template[self._shown], "score": agent, "body": sent["body"]}
        await self._answer({**self._template, self._shown: shown}, send)

    async def _verify(self, given: Verification, receive: Receive, send: Send) -> None:
        await _body(receive)
        assert keys.verify(given.key, given.text, given.signature)
        await self._answer(self._template, send)

    async def _answer(self, members: dict[str, Any], send: Send) -> None:
        assert self._post
        body = _encode(members)
        headers: HeaderList = [*self._post.headers, (b"content-length", b"%d" % len(body))]
        await send({"type": "http.response.start", "status": self._post.status, "headers": headers})
        await send({"type": "http.response.body", "body": body})


def _start(answer: Answer) -> dict[str, Any]:
    return {"type": "http.response.start", "status": answer.status, "headers": answer.headers}


async def _body(receive: Receive) -> bytes:
    body = b""
    while True:
        message = await receive()
        body += message.get("body", b"")
        if not message.get("more_body", False):
            return body


def main() -> None:
    """Serve what the spec on stdin says, until killed."""
    spec = msgspec.msgpack.decode(sys.stdin.buffer.read(), type=Spec)
    listener = socket.create_server(("127.0.0.1", spec.port), backlog=2048)
    config = uvicorn.Config(
        Bare(spec),
        lifespan="off",
        log_config=None,
        access_log=False,
        proxy_headers=False,
        server_header=False,
    )
    with asyncio.Runner(loop_factory=config.get_loop_factory()) as runner:
        runner.run(uvicorn.Server(config).serve(sockets=[listener]))


if __name__ == "__main__":
    main()
