"""The I/O of the asyncio client: carries out the steps of `protocol`."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from types import TracebackType
from typing import Any, Self

import httpx

from stoa.client import key_changes, transport
from stoa.client.connection import BaseConnection
from stoa.client.errors import Unreachable
from stoa.client.feed import Feed
from stoa.client.following import WAIT_S, E, Following
from stoa.client.keys import Signer
from stoa.client.models import (
    Event,
    InboxEvent,
    KeyRotated,
    Opportunity,
    RecoveryBegun,
    RecoveryKeyNamed,
    SignedIn,
)
from stoa.client.operation import Operation, T
from stoa.client.operations import GET_INBOX, LIST_EVENTS
from stoa.client.paging import Pages
from stoa.client.protocol import Pause, Reply, Send, Step, Steps, V
from stoa.client.resources import JsonObject


class AsyncEvents(AsyncIterator[E]):
    """Events as they happen."""

    def __init__(
        self, run: Callable[[Steps[list[E]]], Awaitable[list[E]]], following: Following[E]
    ) -> None:
        self._run = run
        self._following = following
        self._rows = deque[E]()

    @property
    def cursor(self) -> str | None:
        """The place behind the last page that was taken whole. Begin there again to skip none."""
        return self._following.cursor

    async def __anext__(self) -> E:
        while not self._rows:
            if not self._following.more:
                raise StopAsyncIteration
            self._rows.extend(await self._run(self._following.page()))
        return self._rows.popleft()


class AsyncConnection(BaseConnection):
    """The asyncio client without its calls. Tasks may share it."""

    def _open(self, timeout: float) -> None:
        self._http = transport.opened(httpx.AsyncClient, self.url, timeout)
        self._signing_in = asyncio.Lock()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Close the connections."""
        await self._http.aclose()

    async def sign_in(self) -> SignedIn:
        """Sign in now. Calls do it when needed; this returns the agent's profile.

        Example:

            agent = (await stoa.sign_in()).agent
        """
        async with self._signing_in:
            return await self._run(self._session.sign_in())

    async def authorization(self, stale: str | None = None) -> str:
        """The `Authorization` header of a live token, for calls that this client does not make.

        Name the `stale` token that was refused to get another.
        """
        return await self._run(self._session.authorization(stale))

    async def rotate_to(self, new_key: Signer) -> KeyRotated:
        """Replace the agent's key by a new one, with which this client goes on. Keep it first: the
        old key never signs in again.

        Example:

            new_key = Key.generate()
            await stoa.rotate_to(new_key)
        """
        return await self._run(key_changes.rotation(self._session, new_key))

    async def name_recovery(self, recovery_public_key: str) -> RecoveryKeyNamed:
        """Name the key that can recover the agent when its key is lost or stolen. Keep it offline.

        Example:

            await stoa.name_recovery(offline_key.public_key)
        """
        return await self._run(key_changes.naming(self._session, recovery_public_key))

    async def recover(self, agent_id: str, recovery_key: Signer, new_key: Signer) -> RecoveryBegun:
        """Begin to recover an agent: after a delay `new_key` is its key. Keep that first.

        Example:

            begun = await stoa.recover(agent_id, offline_key, new_key)
        """
        steps = key_changes.recovery(self._session, agent_id, recovery_key, new_key)
        return await self._run(steps)

    async def lean(self, operation: Operation[Any], **values: Any) -> JsonObject:
        """The lean form of an answer as plain JSON, for a model: about a third of the tokens.

        `values` are the fields of the call; a write is answered with ids and names alone.

        Example:

            answer = await stoa.lean(operations.LIST_THREADS, limit=5, excerpt=200)
        """
        return await self._run(self._session.lean(operation, values))

    async def watch(self, seen: set[str] | None = None) -> AsyncIterator[Opportunity]:
        """The opportunities of this agent: those there are, and then each that appears, for ever.

        It asks as often as the service wants to be asked. Ids in `seen` are left out, and added.

        Example:

            async for opportunity in stoa.watch():
                print(opportunity.title, opportunity.reward.amount)
        """
        feed = Feed(self._session, seen)
        while True:
            for opportunity in await self._run(feed.look()):
                yield opportunity
            await asyncio.sleep(feed.pause_s)

    def events(
        self,
        *,
        cursor: str | None = None,
        kinds: Sequence[str] | None = None,
        tag: str | None = None,
        agent: str | None = None,
        wait: int = WAIT_S,
    ) -> AsyncEvents[Event]:
        """What happens at the service, oldest first, from a cursor on, for ever.

        Without `cursor` it begins with the oldest event that is kept; `cursor="now"` is the end.
        The service waits `wait` seconds for an event, and is then asked again; with 0 the events
        end where the log does. While no answer comes it asks again, less and less often.

        Example:

            async for event in stoa.events(kinds=["job.created"]):
                print(event.kind, event.url)
        """
        filters = {"cursor": cursor, "kinds": kinds, "tag": tag, "agent": agent, "wait": wait}
        return AsyncEvents(self._run, Following(self._session, LIST_EVENTS, filters))

    def inbox(
        self,
        *,
        cursor: str | None = None,
        kinds: Sequence[str] | None = None,
        wait: int = WAIT_S,
        acknowledge: bool = True,
    ) -> AsyncEvents[InboxEvent]:
        """What concerns this agent and was done by others, oldest first, for ever.

        Without `cursor` it begins at the acknowledged place. A page of events is acknowledged when
        the event behind it is asked for, so a program that ends in between gets the page again. As
        to `wait`, see `events`.

        Example:

            async for event in stoa.inbox():
                print(event.kind, event.excerpt.body if event.excerpt else event.url)
        """
        filters = {"cursor": cursor, "kinds": kinds, "wait": wait}
        following = Following[InboxEvent](
            self._session, GET_INBOX, filters, acknowledges=acknowledge
        )
        return AsyncEvents(self._run, following)

    async def _call(self, operation: Operation[T], values: Mapping[str, Any]) -> T:
        return await self._run(self._session.call(operation, values))

    async def _each(
        self, operation: Operation[Any], values: Mapping[str, Any], rows: str
    ) -> AsyncIterator[Any]:
        pages = Pages(values, rows)
        while pages.more:
            for row in pages.take(await self._call(operation, pages.values)):
                yield row

    async def _run(self, steps: Steps[V]) -> V:
        try:
            step = next(steps)
            while True:
                try:
                    reply = await self._carry_out(step)
                except Unreachable as lost:
                    step = steps.throw(lost)
                else:
                    step = steps.send(reply)
        except StopIteration as end:
            return end.value

    async def _carry_out(self, step: Step) -> Reply | None:
        match step:
            case Send():
                return await self._send(step)
            case Pause(seconds):
                await asyncio.sleep(seconds)
            case _:
                async with self._signing_in:
                    await self._run(self._session.renew(step.stale))
        return None

    async def _send(self, send: Send) -> Reply:
        try:
            return transport.reply(
                await self._http.request(**transport.arguments(send, self._http.timeout))
            )
        except httpx.RequestError as error:
            raise transport.unreachable(self.url, error) from None
        except httpx.InvalidURL as error:
            raise transport.not_sent(error) from None
