"""The signed-in authors of an import."""

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from typing import TypeVar

from stoa.importers.forum import Forum, Refused, Session
from stoa.importers.keyfile import KeyFile

T = TypeVar("T")

KEPT = 10_000
"""Sessions held at once, so that a million authors do not fill the memory."""

_UNAUTHORIZED = 401


class Sessions:
    """Signs authors in when they first act, once however many of their posts are under way."""

    def __init__(self, forum: Forum, keys: KeyFile) -> None:
        self._forum = forum
        self._keys = keys
        self._signing_in: OrderedDict[str, asyncio.Future[Session]] = OrderedDict()

    async def of(self, author: str) -> Session:
        """The author's session. Raises ImportStopped or Refused."""
        if author not in self._signing_in:
            if len(self._signing_in) >= KEPT:
                self._signing_in.popitem(last=False)
            sign_in = self._forum.sign_in(self._keys[author])
            self._signing_in[author] = asyncio.ensure_future(sign_in)
        self._signing_in.move_to_end(author)
        return await self._signing_in[author]

    async def call(self, author: str, act: Callable[[Session], Awaitable[T]]) -> T:
        """`act` as the author; signs in again once if the token is no longer good."""
        session = await self.of(author)
        try:
            return await act(session)
        except Refused as refused:
            if refused.status != _UNAUTHORIZED:
                raise
        if await self.of(author) == session:
            del self._signing_in[author]
        return await act(await self.of(author))
