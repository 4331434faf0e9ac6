"""Stoa inside the test: the whole application over a real database, with a clock that tests move.

Tests are plain functions. Each test has an event loop of its own, which runs while a call is made.
"""

import asyncio
import json
from collections.abc import Coroutine, Mapping, Sequence
from itertools import cycle
from types import TracebackType
from typing import Any, Self, TypeVar

from stoa.app import Service, new_services
from stoa.clock import Clock
from stoa.settings import Settings
from stoa.store.engines import engine_of
from stoa.store.engines.sqlite.pace import WriterPace
from stoa.store.engines.sqlite.store import SqliteStore
from tests.support import asgi
from tests.support.answers import Answer
from tests.support.clock import VirtualClock
from tests.support.composing import Composed
from tests.support.database import KeptFile, query
from tests.support.keys import Key
from tests.support.lending import LentFile, nothing
from tests.support.loops import cancel_others, run_on
from tests.support.migrated import migrated
from tests.support.reuse import Kept
from tests.support.steps import Through, as_it_is

T = TypeVar("T")

HOST = "127.0.0.1:8080"
NOTHING = object()
"""The body of a request that has none."""
_IDLE: list[asyncio.Runner] = []
"""Event loops of applications that were closed: a new one takes longer than most calls."""


def full_path(path: str) -> str:
    """`threads` is short for `/api/v1/threads`."""
    return path if path.startswith("/") else f"/api/v1/{path}"


class App:
    """An open Stoa, on a database that it opens itself or on a `kept` one.

    There it is two `processes` as far as one can hold two: each has connections and caches of its
    own, and they take the calls in turn. What a server does by itself these do when the test says.
    The clock of the second is `apart_ms` ahead of the other.
    Calls come from 127.0.0.1 unless they say another `client`. They go `through` another store to
    the one that is opened. What the calls of each process share is `composed`. The `pace` is that
    of a writer of the embedded engine.
    """

    def __init__(
        self,
        settings: Settings,
        clock: VirtualClock | None = None,
        kept: Kept | LentFile | None = None,
        *,
        through: Through = as_it_is,
        composed: Composed = new_services,
        pace: WriterPace | None = None,
    ) -> None:
        lent = isinstance(kept, LentFile)
        self.settings = kept.settings(settings) if lent else settings
        self.clock = clock or VirtualClock()
        self.apart_ms = 0
        self._closed = False
        self._through, self._composed, self._pace = through, composed, pace
        self._kept = kept
        own_file = settings.engine == "sqlite" and not lent
        self._file = KeptFile(settings.database_path) if own_file else None
        self._runner = kept.runner if kept else _IDLE.pop() if _IDLE else asyncio.Runner()
        self.processes = self.run(self._open())
        self._next = cycle(self.processes)
        self.stoa = self.processes[0]

    async def _open(self) -> list[Service]:
        if isinstance(self._kept, LentFile):
            services = self._composed(self.settings)
            return [await self._kept.open(services, self.clock, self._through)]
        if self._kept is None:
            return [await self._open_anew()]
        return [
            await self._kept.open(
                self.settings, self._composed(self.settings), clock, place, self._through
            )
            for place, clock in enumerate((self.clock, self._second_clock()))
        ]

    async def _open_anew(self) -> Service:
        engine, services = engine_of(self.settings), self._composed(self.settings)
        if self.settings.engine == "sqlite":
            migrated(self.settings.database_path)
        else:
            await engine.migrate(self.settings)
        if self._pace:
            path = self.settings.database_path
            store = await SqliteStore.open(path, self.clock, pace=self._pace)
        elif self._through is as_it_is:
            return await Service.open(self.settings, self.clock, services=services)
        else:
            store = await engine.open_store(self.settings, self.clock)
        return await Service.over(self._through(store), services, self.clock)

    def _second_clock(self) -> Clock:
        if type(self.clock) is not VirtualClock:
            return self.clock  # that of a machine tells of its steps too
        return lambda: self.clock() + self.apart_ms

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if isinstance(self._kept, LentFile):
            self._kept.stay()
        self.close()

    def close(self) -> None:
        """Close the store and the loop; once, however often it is asked to."""
        if self._closed:
            return
        self._closed = True
        if self._file:
            self._file.close()
        for process in self.processes:
            self.run(process.close())
        if self._kept:
            self._kept.settle()
        else:
            self.run(cancel_others())
            _IDLE.append(self._runner)

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine to its end."""
        return run_on(self._runner, work)

    def together(self, *work: Coroutine[Any, Any, T]) -> list[T]:
        """Run coroutines at the same time; their results in the order given."""

        async def gather() -> list[T]:
            return await asyncio.gather(*work)

        return self.run(gather())

    async def ask(
        self,
        method: str,
        path: str,
        body: Any = NOTHING,
        *,
        headers: Mapping[str, str] | Sequence[tuple[str, str]] = (),
        client: str = "127.0.0.1",
    ) -> Answer:
        """One call. `body` goes out as JSON; bytes go as they are, a list of bytes in chunks."""
        chunks = _chunks(body)
        pairs = list(headers.items() if isinstance(headers, Mapping) else headers)
        names = {name.lower() for name, _ in pairs}
        if "host" not in names:
            pairs.insert(0, ("host", HOST))
        if chunks and "content-type" not in names:
            pairs.append(("content-type", "application/json"))
        if chunks and not isinstance(body, list) and "content-length" not in names:
            pairs.append(("content-length", str(len(chunks[0]))))
        return await asgi.call(
            next(self._next).asgi, method, full_path(path), pairs, chunks, client
        )

    def call(self, method: str, path: str, body: Any = NOTHING, **options: Any) -> Answer:
        """One call, waited for; options as in `ask`."""
        return self.run(self.ask(method, path, body, **options))

    def get(self, path: str, **options: Any) -> Answer:
        """GET as nobody."""
        return self.call("GET", path, **options)

    def post(self, path: str, body: Any = NOTHING, **options: Any) -> Answer:
        """POST as nobody."""
        return self.call("POST", path, body, **options)

    def sql(self, statement: str, *values: str | int | bytes) -> list[Any]:
        """Look into the store, or change what no operation changes; `?` stands for a value."""
        found = query(self.settings, statement, *values)
        if not self._closed:
            self.run(self.stoa.store.write(nothing))  # which notices what others have changed
        return found

    def challenge(self, key: Key, **options: Any) -> str:
        """A challenge for this key."""
        return self.post("auth/challenge", {"publicKey": key.public}, **options).ok()["challenge"]

    def verify(self, key: Key, profile: Mapping[str, Any] | None = None, **options: Any) -> Answer:
        """Sign in with this key."""
        return self.post(
            "auth/verify", signed(key, self.challenge(key, **options), profile), **options
        )

    def agent(self, name: str, **profile: Any) -> "Agent":
        """An agent of this name, registered and signed in."""
        return Agent(self, Key(name), {"displayName": name, **profile})


def signed(key: Key, challenge: str, profile: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """The body of a verify."""
    signature = key.sign(challenge)
    return {
        "publicKey": key.public,
        "challenge": challenge,
        "signature": signature,
        **(profile or {}),
    }


def _chunks(body: Any) -> list[bytes]:
    if body is NOTHING:
        return []
    if isinstance(body, bytes):
        return [body]
    if isinstance(body, list) and all(isinstance(chunk, bytes) for chunk in body):  # pyright: ignore[reportUnknownVariableType]
        return body  # pyright: ignore[reportUnknownVariableType]
    return [json.dumps(body).encode()]


class Agent:
    """A signed-in agent and the calls it makes."""

    def __init__(self, app: App, key: Key, profile: Mapping[str, Any]) -> None:
        self.app = app
        self.key = key
        self.sign_in(profile)

    def sign_in(self, profile: Mapping[str, Any] | None = None) -> Answer:
        """Get a new token, which the calls from now on use."""
        self.signed_in = self.app.verify(self.key, profile).ok()
        self.token: str = self.signed_in["token"]
        self.id: str = self.signed_in["agent"]["id"]
        return self.signed_in

    @property
    def headers(self) -> dict[str, str]:
        """The header that says who calls."""
        return {"Authorization": f"Bearer {self.token}"}

    async def ask(self, method: str, path: str, body: Any = NOTHING, **options: Any) -> Answer:
        """One call as this agent, to be awaited or run together with others."""
        headers = {**self.headers, **options.pop("headers", {})}
        return await self.app.ask(method, path, body, headers=headers, **options)

    def call(self, method: str, path: str, body: Any = NOTHING, **options: Any) -> Answer:
        """One call as this agent."""
        return self.app.run(self.ask(method, path, body, **options))

    def get(self, path: str, **options: Any) -> Answer:
        """GET as this agent."""
        return self.call("GET", path, **options)

    def post(self, path: str, body: Any = NOTHING, **options: Any) -> Answer:
        """POST as this agent."""
        return self.call("POST", path, body, **options)

    def thread(self, title: str = "A question", body: str = "Who knows?", **more: Any) -> Any:
        """Open a thread; the thread."""
        return self.post("threads", {"title": title, "body": body, **more}).ok(201)["thread"]

    def reply(self, thread: Any, body: str = "An answer.", parent: Any = None) -> Any:
        """Reply to a thread, or to a reply of it; the reply."""
        request = {"body": body, "parentReplyId": parent and parent["id"]}
        return self.post(f"threads/{thread['id']}/replies", request).ok(201)["reply"]

    def accept(self, thread: Any, reply: Any) -> Answer:
        """Accept a reply; the answer, whatever it is."""
        return self.post(f"threads/{thread['id']}/replies/{reply['id']}/accept")
