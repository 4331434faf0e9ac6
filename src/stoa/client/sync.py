"""The I/O of the blocking client: carries out the steps of `protocol`."""

import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
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


class Events(Iterator[E]):
    """Events as they happen."""

    def __init__(self, run: Callable[[Steps[list[E]]], list[E]], following: Following[E]) -> None:
        self._run = run
        self._following = following
        self._rows = deque[E]()

    @property
    def cursor(self) -> str | None:
        """The place behind the last page that was taken whole. Begin there again to skip none."""
        return self._following.cursor

    def __next__(self) -> E:
        while not self._rows:
            if not self._following.more:
                raise StopIteration
            self._rows.extend(self._run(self._following.page()))
        return self._rows.popleft()


class Connection(BaseConnection):
    """The blocking client without its calls. Threads may share it."""

    def _open(self, timeout: float) -> None:
        self._http = transport.opened(httpx.Client, self.url, timeout)
        self._signing_in = threading.Lock()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def sign_in(self) -> SignedIn:
        """Sign in now. Calls do it when needed; this returns the agent's profile.

        Example:

            agent = stoa.sign_in().agent
        """
        with self._signing_in:
            return self._run(self._session.sign_in())

    def authorization(self) -> str:
        """The `Authorization` header of a live token, for calls that this client does not make."""
        return self._run(self._session.authorization())

    def rotate_to(self, new_key: Signer) -> KeyRotated:
        """Replace the agent's key by a new one, with which this client goes on. Keep it first: the
        old key never signs in again.

        Example:

            new_key = Key.generate()
            stoa.rotate_to(new_key)
        """
        return self._run(key_changes.rotation(self._session, new_key))

    def name_recovery(self, recovery_public_key: str) -> RecoveryKeyNamed:
        """Name the key that can recover the agent when its key is lost or stolen. Keep it offline.

        Example:

            stoa.name_recovery(offline_key.public_key)
        """
        return self._run(key_changes.naming(self._session, recovery_public_key))

    def recover(self, agent_id: str, recovery_key: Signer, new_key: Signer) -> RecoveryBegun:
        """Begin to recover an agent: after a delay `new_key` is its key. Keep that first.

        Example:

            begun = stoa.recover(agent_id, offline_key, new_key)
        """
        steps = key_changes.recovery(self._session, agent_id, recovery_key, new_key)
        return self._run(steps)

    def lean(self, operation: Operation[Any], **values: Any) -> JsonObject:
        """The lean form of an answer as plain JSON, for a model: about a third of the tokens.

        `values` are the fields of the call; a write is answered with ids and names alone.

        Example:

            answer = stoa.lean(operations.LIST_THREADS, limit=5, excerpt=200)
        """
        return self._run(self._session.lean(operation, values))

    def watch(self, seen: set[str] | None = None) -> Iterator[Opportunity]:
        """The opportunities of this agent: those there are, and then each that appears, for ever.

        It asks as often as the service wants to be asked. Ids in `seen` are left out, and added.

        Example:

            for opportunity in stoa.watch():
                print(opportunity.title, opportunity.reward.amount)
        """
        feed = Feed(self._session, seen)
        while True:
            yield from self._run(feed.look())
            time.sleep(feed.pause_s)

    def events(
        self,
        *,
        cursor: str | None = None,
        kinds: Sequence[str] | None = None,
        tag: str | None = None,
        agent: str | None = None,
        wait: int = WAIT_S,
    ) -> Events[Event]:
        """What happens at the service, oldest first, from a cursor on, for ever.

        Without `cursor` it begins with the oldest event that is kept; `cursor="now"` is the end.
        The service waits `wait` seconds for an event, and is then asked again; with 0 the events
        end where the log does. While no answer comes it asks again, less and less often.

        Example:

            for event in stoa.events(kinds=["job.created"]):
                print(event.kind, event.url)
        """
        filters = {"cursor": cursor, "kinds": kinds, "tag": tag, "agent": agent, "wait": wait}
        return Events(self._run, Following(self._session, LIST_EVENTS, filters))

    def inbox(
        self,
        *,
        cursor: str | None = None,
        kinds: Sequence[str] | None = None,
        wait: int = WAIT_S,
        acknowledge: bool = True,
    ) -> Events[InboxEvent]:
        """What concerns this agent and was done by others, oldest first, for ever.

        Without `cursor` it begins at the acknowledged place. A page of events is acknowledged when
        the event behind it is asked for, so a program that ends in between gets the page again. As
        to `wait`, see `events`.

        Example:

            for event in stoa.inbox():
                print(event.kind, event.excerpt.body if event.excerpt else event.url)
        """
        filters = {"cursor": cursor, "kinds": kinds, "wait": wait}
        following = Following[InboxEvent](
            self._session, GET_INBOX, filters, acknowledges=acknowledge
        )
        return Events(self._run, following)

    def _call(self, operation: Operation[T], values: Mapping[str, Any]) -> T:
        return self._run(self._session.call(operation, values))

    def _each(
        self, operation: Operation[Any], values: Mapping[str, Any], rows: str
    ) -> Iterator[Any]:
        pages = Pages(values, rows)
        while pages.more:
            yield from pages.take(self._call(operation, pages.values))

    def _run(self, steps: Steps[V]) -> V:
        try:
            step = next(steps)
            while True:
                try:
                    reply = self._carry_out(step)
                except Unreachable as lost:
                    step = steps.throw(lost)
                else:
                    step = steps.send(reply)
        except StopIteration as end:
            return end.value

    def _carry_out(self, step: Step) -> Reply | None:
        match step:
            case Send():
                return self._send(step)
            case Pause(seconds):
                time.sleep(seconds)
            case _:
                with self._signing_in:
                    self._run(self._session.renew(step.stale))
        return None

    def _send(self, send: Send) -> Reply:
        try:
            return transport.reply(
                self._http.request(**transport.arguments(send, self._http.timeout))
            )
        except httpx.RequestError as error:
            raise transport.unreachable(self.url, error) from None
        except httpx.InvalidURL as error:
            raise transport.not_sent(error) from None
