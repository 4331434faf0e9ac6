"""The server that an import writes to, through one client per author, with retries."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Iterator
from functools import lru_cache, partial
from typing import TypeVar

from stoa.client import AsyncStoa, ForeignChallenge, Refused, StoaError, UnexpectedAnswer
from stoa.client.errors import Unreachable
from stoa.client.protocol import HttpReply, SendRequest
from stoa.importers import ImportStopped
from stoa.importers.connections import ConnectionPool
from stoa.importers.keyfile import AuthorKey

Say = Callable[[str], None]
T = TypeVar("T")

PAUSES_S = (0.5, 1, 2, 4, 8, 16)
"""Pauses between attempts while the server cannot be reached or answers 502 to 504."""

PAIR_LIMIT = "pair_farming_limit"
"""The one 429 that is not waited for: it lasts a day, and concerns one pair of authors only."""

AUTHORS_KEPT = 10_000
"""Signed-in authors held at once, so that a million of them do not fill the memory."""

_GONE = 410
_TOO_MANY = 429
_NO_OUTCOME = {502, 503, 504}


def is_unsure(error: StoaError) -> bool:
    """Whether what was sent may or may not have happened."""
    return isinstance(error, Unreachable) or error.status in _NO_OUTCOME


class AuthorClient(AsyncStoa):
    """One author at the server, or a reader without a key, on connections that all share.

    It never waits for a limit: `ForumServer.patiently` does, and says so.
    """

    def __init__(self, url: str, key: AuthorKey | None, connections: ConnectionPool) -> None:
        self._connections = connections
        name = key.name if key else None
        super().__init__(url, key and key.key, display_name=name, max_wait=0)

    @property
    def agent_id(self) -> str:
        """The id of the author, who has signed in."""
        assert self.signed_in
        return self.signed_in.agent.id

    def _open(self, timeout: float) -> None:  # noqa: ARG002 - the connections have theirs
        self._signing_in = asyncio.Lock()

    async def _send(self, send: SendRequest) -> HttpReply:
        return await self._connections.send(send)


class ForumServer:
    """One server at `url`, which is read as the `reader`, since it may let members alone read.
    `say` gets a line whenever it makes the import wait."""

    def __init__(
        self, url: str, connections: int, say: Say, reader: AuthorKey | None = None
    ) -> None:
        self.url = url
        self._say = say
        self._connections = ConnectionPool(url, connections)
        self._reader = AuthorClient(url, reader, self._connections)
        client = partial(AuthorClient, url, connections=self._connections)
        self._author = lru_cache(AUTHORS_KEPT)(client)

    async def __aenter__(self) -> "ForumServer":
        return self

    async def __aexit__(self, *_error: object) -> None:
        self._connections.close()

    async def author(self, key: AuthorKey) -> AuthorClient:
        """An author, signed in; the first sign-in registers them. Raises as `patiently`."""
        author = self._author(key)
        await self.patiently(f"sign-in of {key.author}", author.authorization)
        return author

    async def check(self) -> None:
        """Raise ImportStopped unless the server answers at once, as Stoa does."""
        try:
            await self.patiently("first call", lambda: self._reader.get_recent_threads(limit=1), ())
        except Refused as refused:
            raise ImportStopped(f"{self.url} cannot be read: {refused}") from None

    async def has(self, thread_id: str) -> bool:
        """Whether the server knows a thread, which may be removed by now. Raises ImportStopped when
        it does not answer."""
        what = "looking for an earlier import"
        try:
            await self.patiently(what, lambda: self._reader.get_thread(thread_id))
        except Refused as refused:
            return refused.status == _GONE
        return True

    async def patiently(
        self,
        what: str,
        attempt: Callable[[], Awaitable[T]],
        pauses_s: Iterable[float] = PAUSES_S,
    ) -> T:
        """Repeat `attempt` as long as the server asks to wait because a limit is reached, and after
        each of the pauses while its outcome is unknown. Raises Refused, or ImportStopped."""
        pauses = iter(pauses_s)
        while True:
            try:
                return await attempt()
            except StoaError as error:
                wait = self._wait(what, error, pauses)
            await asyncio.sleep(wait)

    def _wait(self, what: str, error: StoaError, pauses: Iterator[float]) -> float:
        """The seconds to wait before another attempt; raises when there is to be none."""
        asked = error.retry_after or 0
        if error.status == _TOO_MANY and error.code != PAIR_LIMIT:
            wait = max(1, asked)
            self._say(f"{what}: {error}; waiting {wait} s as the server asks")
            return wait
        if not is_unsure(error):
            raise self._final(error) from None
        pause = next(pauses, None)
        if pause is None:
            raise ImportStopped(f"{what}: cannot reach {self.url}: {error.message}") from None
        wait = max(pause, asked)
        self._say(f"{what}: {error}; trying again in {wait:g} s")
        return wait

    def _final(self, error: StoaError) -> Exception:
        """What an error means that no further attempt would change."""
        if isinstance(error, ForeignChallenge):
            return ImportStopped(
                f"{error.message}; give the address that the server calls its own as --url"
            )
        if isinstance(error, UnexpectedAnswer):
            return ImportStopped(f"{self.url} does not answer as Stoa does: {error.message}")
        return error
