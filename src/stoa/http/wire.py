"""The ASGI types that the face works with."""

from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any, Protocol

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[[Scope, Receive, Send], Awaitable[None]]
Headers = dict[bytes, bytes]
HeaderList = list[tuple[bytes, bytes]]
Whole = tuple[int, HeaderList, bytes]
"""A whole answer: status, headers, body."""


class Ready(Protocol):
    """Answers that need no call of the application."""

    def find(self, scope: Scope) -> Whole | None:
        """The whole answer to a GET without a body, or None."""
        ...
