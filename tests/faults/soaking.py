"""What goes on beside the faults of a soak: writers, hostile texts, strangers, looks at health."""

import asyncio
import random
import threading
import time
from collections.abc import Awaitable, Callable
from contextlib import closing, suppress
from http import HTTPStatus
from http.client import HTTPConnection, HTTPException
from itertools import cycle
from typing import NamedTuple, Self

import httpx

from tests.faults.journal import Journal, Kept
from tests.faults.test_writer import RetryingLoad
from tests.support.database import query
from tests.support.hostile import build, shapes
from tests.support.server import Server

LENGTH = 50_000
PATHS = (
    "/forum/threads/{thread}",
    "/api/v1/threads/{thread}",
    "/api/v1/search?q=zebrafish+a&limit=100",
    "/forum/search?q=zebrafish",
    "/feeds/newest.atom",
)
STRANGERS = 4
WRITE_PAUSE_S = 0.2
TEXT_PAUSE_S = 1.0
READ_PAUSE_S = 0.2
LOOK_PAUSE_S = 0.1


class SoakLoad(RetryingLoad):
    """Clients that go on over every fault: where a connection broke, they open another one.

    Each but the last writes what `Load` writes; the last one posts hostile texts, which strangers
    ask for. `statuses` are the answers to writes, `shown` those to strangers.
    """

    def __init__(self, journal: Journal, dice: random.Random) -> None:
        super().__init__(journal)
        self.random = dice
        self.shown: set[tuple[str, int]] = set()
        self._newest = ""
        names = sorted(shapes())
        self._shapes = cycle(dice.sample(names, len(names)))

    async def beside(self, url: str, faults: Awaitable[None]) -> None:
        """Write and read until the faults are over."""
        *writers, poster = range(len(self.tokens))
        async with asyncio.TaskGroup() as parts:
            for number in writers:
                parts.create_task(self._go_on(url, number, self._write_slowly))
            parts.create_task(self._go_on(url, poster, self._post_hostile))
            for _ in range(STRANGERS):
                parts.create_task(self._go_on(url, poster, self._read))
            await faults
            self._ending = True

    async def _go_on(
        self, url: str, number: int, part: Callable[[httpx.AsyncClient, int], Awaitable[None]]
    ) -> None:
        while not self._ending:
            async with httpx.AsyncClient(base_url=url, timeout=60) as http:
                with suppress(httpx.TransportError):
                    while not self._ending:
                        await part(http, number)

    async def _write_slowly(self, http: httpx.AsyncClient, number: int) -> None:
        http.headers["Authorization"] = f"Bearer {self.tokens[number]}"
        await self._write(http, number)
        await asyncio.sleep(WRITE_PAUSE_S)

    async def _post_hostile(self, http: httpx.AsyncClient, number: int) -> None:
        http.headers["Authorization"] = f"Bearer {self.tokens[number]}"
        mark = self.journal.ask("thread")
        text = build(shapes()[next(self._shapes)], LENGTH - 10)
        answer = await http.post(
            "/api/v1/threads", json={"title": mark, "body": f"zebrafish {text}"}
        )
        self._newest = self._told(answer, mark, "thread", "thread") or self._newest
        await asyncio.sleep(TEXT_PAUSE_S)

    async def _read(self, http: httpx.AsyncClient, _: int) -> None:
        for path in PATHS:
            if self._newest or "{" not in path:
                answer = await http.get(path.format(thread=self._newest))
                self.shown.add((path, answer.status_code))
            await asyncio.sleep(READ_PAUSE_S)


class Call(NamedTuple):
    """When a call was under way, and what went wrong with it, if anything."""

    begun: float
    ended: float
    wrong: str


class Watch:
    """Asks for `/healthz` ten times a second while the `with` block runs, each time on a new
    connection."""

    def __init__(self, server: Server, stall_s: float) -> None:
        self._server = server
        self._stall_s = stall_s
        self._calls: list[Call] = []
        self._excused: list[tuple[float, float]] = []
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._look)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ending.set()
        self._thread.join()

    def excuse(self, since: float, until: float) -> None:
        """Calls that were under way between these times may have been taken by a harmed worker."""
        self._excused.append((since, until))

    def problems(self) -> list[str]:
        """The calls that were refused, broken or stalled without an excuse."""
        return [
            f"{call.wrong or 'answered'} after {call.ended - call.begun:.3f} s"
            for call in self._inexcusable()
            if call.wrong or call.ended - call.begun > self._stall_s
        ]

    def summary(self) -> str:
        """How many calls there were and how long they took."""
        times = sorted(call.ended - call.begun for call in self._inexcusable())
        return f"{len(times)} calls of /healthz, the slowest took {times[-1]:.3f} s"

    def _inexcusable(self) -> list[Call]:
        return [
            call
            for call in self._calls
            if not any(call.begun < until and since < call.ended for since, until in self._excused)
        ]

    def _look(self) -> None:
        while not self._ending.wait(LOOK_PAUSE_S):
            begun = time.monotonic()
            wrong = self._ask()
            self._calls.append(Call(begun, time.monotonic(), wrong))

    def _ask(self) -> str:
        """What went wrong with a call, if anything."""
        connection = HTTPConnection(*self._server.address, timeout=60)
        try:
            with closing(connection):
                connection.request("GET", "/healthz")
                status = connection.getresponse().status
        except (OSError, HTTPException) as error:
            return repr(error)
        return "" if status == HTTPStatus.OK else str(status)


def kept_by(server: Server) -> Kept:
    """What the database of a server holds, on either engine."""
    accepted = "SELECT id, accepted_reply_id FROM thread WHERE accepted_reply_id IS NOT NULL"
    return Kept(
        *(
            [(str(mark), str(id_)) for mark, id_ in query(server.database, sql)]
            for sql in ("SELECT title, id FROM thread", "SELECT body, id FROM reply", accepted)
        )
    )
