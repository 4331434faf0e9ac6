"""The ASGI types that all faces work with."""

import re
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Iterable, Iterator, MutableMapping
from typing import Any, Protocol

import msgspec

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[[Scope, Receive, Send], Awaitable[None]]
Headers = dict[bytes, bytes]
HeaderList = list[tuple[bytes, bytes]]
Whole = tuple[int, bytes, bytes]
"""A whole answer: status, header lines, body."""
InParts = tuple[int, bytes, *tuple[bytes, ...]]
"""The same with the body in parts, which are sent without being joined."""


_LINE = re.compile(rb"(.*?): (.*)\r\n")


def header_lines(headers: Iterable[tuple[bytes, bytes]]) -> bytes:
    """Headers as they are sent. The caller has checked names (lower case) and values."""
    return b"".join([b"%b: %b\r\n" % header for header in headers])


class HeaderLines(msgspec.Struct, frozen=True, gc=False):
    """Headers as they are sent. In an ASGI message they stand for the list of pairs, which
    iterating gives. The caller has checked names and values, and included the length of a body."""

    text: bytes

    def __iter__(self) -> Iterator[tuple[bytes, bytes]]:
        return iter(_LINE.findall(self.text))


def with_headers(send: Send, changed: Callable[[HeaderList], HeaderList]) -> Send:
    """A `send` of answers whose headers are `changed`."""

    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            message = {**message, "headers": changed(message["headers"])}
        await send(message)

    return sending


class Ready(Protocol):
    """Answers that need no call of the application."""

    def find(self, scope: Scope) -> InParts | None:
        """The whole answer to a GET without a body, or None."""
        ...

    def begins(self, url: bytes) -> bool:
        """Whether the call for a GET of this URL, or a POST that is held, may begin outside of a
        task."""
        ...

    def holds(self, url: bytes) -> bool:
        """Whether the body of a POST to this URL is waited for before its call begins."""
        ...

    def find_posted(self, scope: Scope, body: bytes) -> InParts | None:
        """The whole answer to a POST with this body, or None."""
        ...


class ArrivedBody(ABC):
    """An ASGI `receive` of a request whose body is here as a whole."""

    __slots__ = ("_body",)

    def __init__(self, body: bytes) -> None:
        self._body: bytes | None = body

    def take(self) -> bytes | None:
        """The body, once, in fewer steps than as a message."""
        body, self._body = self._body, None
        return body

    @abstractmethod
    async def __call__(self) -> Message:
        """The next message of the request."""
