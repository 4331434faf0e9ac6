"""Workers killed, stopped and replaced under load: what they were answering fails, nothing else."""

import asyncio
import os
import random
import signal
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import httpx
import pytest

from tests.support.keys import Key
from tests.support.processes import has_ended, process, until, workers
from tests.support.remote import Remote
from tests.support.server import Server

Start = Callable[..., Server]

WORKERS = 2
CLIENTS = 4
BETWEEN = 4 * CLIENTS
"""Writes that are acknowledged between two kills, at least."""
SEED = 20_261_121
PLENTY = {"limit_reads_agent": 10**6, "limit_replies": 10**6}  # counted, never full


@dataclass
class Load:
    """Clients that read and write, one request after the other, each on a connection of its own."""

    url: str
    headers: dict[str, str]
    thread: str
    over: asyncio.Event = field(default_factory=asyncio.Event)
    progress: asyncio.Event = field(default_factory=asyncio.Event)
    statuses: set[int] = field(default_factory=set[int])
    acknowledged: list[str] = field(default_factory=list[str])
    broken: list[int | None] = field(default_factory=list[int | None])
    """For each request without an answer the worker it was sent to; None where the connection had
    been taken by a worker that had not answered on it before."""

    async def client(self) -> None:
        """Go on until the load is over; connect again at once where the connection broke."""
        while not self.over.is_set():
            worker = None
            async with httpx.AsyncClient(base_url=self.url, timeout=60) as http:
                try:
                    worker = (await http.get("/readyz")).raise_for_status().json()["process"]
                    while not self.over.is_set():
                        await self._read_and_write(http)
                except httpx.ConnectError:
                    raise  # the socket is there all the time
                except httpx.TransportError:
                    self.broken.append(worker)

    async def _read_and_write(self, http: httpx.AsyncClient) -> None:
        path = f"/api/v1/threads/{self.thread}"
        read = await http.get(path, headers=self.headers)
        written = await http.post(f"{path}/replies", json={"body": "b"}, headers=self.headers)
        self.statuses |= {read.status_code, written.status_code}
        if written.status_code == 201:
            self.acknowledged.append(written.json()["reply"]["id"])
            self.progress.set()

    async def goes_on(self, writes: int) -> None:
        """Wait until so many more writes are acknowledged."""
        goal = len(self.acknowledged) + writes
        while len(self.acknowledged) < goal:
            self.progress.clear()
            await self.progress.wait()


async def all_serve(server: Server) -> None:
    """Wait until each of the workers has answered."""
    answered: set[int] = set()
    async with httpx.AsyncClient(base_url=server.url, timeout=60) as http:
        while len(answered & workers(server)) < WORKERS:
            with suppress(httpx.TransportError):  # a worker that is about to end took it
                answer = await http.get("/readyz", headers={"Connection": "close"})
                answered.add(answer.raise_for_status().json()["process"])
            await asyncio.sleep(0.01)


async def harming(
    server: Server, load: Load, harm: signal.Signals, kills: int, between_s: float
) -> list[int]:
    """Kill or stop a worker, whenever all serve, again and again while the load runs; those that
    ended of it."""
    dice = random.Random(SEED)
    killed: list[int] = []
    async with asyncio.TaskGroup() as clients:
        for _ in range(CLIENTS):
            clients.create_task(load.client())
        for _ in range(kills):
            await asyncio.sleep(between_s)
            await all_serve(server)
            await load.goes_on(BETWEEN)
            victim = dice.choice(sorted(workers(server)))
            os.kill(victim, harm)
            killed.append(victim)
            await asyncio.to_thread(until, partial(has_ended, victim))
        await load.goes_on(BETWEEN)
        load.over.set()
    return killed


def stored(remote: Remote, thread: str) -> set[str]:
    """The ids of all replies."""
    found: set[str] = set()
    path: str | None = f"threads/{thread}/replies?limit=100"
    while path:
        answer = remote.get(path).json()
        found |= {reply["id"] for reply in answer["replies"]}
        cursor = answer["nextCursor"]
        path = cursor and f"threads/{thread}/replies?limit=100&cursor={cursor}"
    return found


@pytest.mark.promise("D10")
@pytest.mark.long
def test_when_a_worker_is_killed_only_requests_in_flight_on_it_fail(
    start_server: Start, together: dict[str, str]
) -> None:
    check_that_only_requests_in_flight_fail(start_server, together)


@pytest.mark.promise("P2")
@pytest.mark.long
def test_when_a_worker_hangs_only_requests_in_flight_on_it_fail(
    start_server: Start, together: dict[str, str]
) -> None:
    check_that_only_requests_in_flight_fail(start_server, together, signal.SIGSTOP)


@pytest.mark.soak
@pytest.mark.timeout(400)
def test_the_same_for_two_minutes(start_server: Start, together: dict[str, str]) -> None:
    check_that_only_requests_in_flight_fail(start_server, together, kills=24, between_s=5)


async def hanging_up(server: Server, load: Load) -> set[int]:
    """Let SIGHUP replace all workers while the load runs; those that were replaced."""
    before = workers(server)
    async with asyncio.TaskGroup() as clients:
        for _ in range(CLIENTS):
            clients.create_task(load.client())
        await load.goes_on(BETWEEN)
        server.process.send_signal(signal.SIGHUP)
        for worker in before:
            await asyncio.to_thread(until, partial(has_ended, worker))
        await load.goes_on(BETWEEN)
        load.over.set()
    return before


@pytest.mark.promise("P3")
@pytest.mark.long
def test_sighup_replaces_all_workers_without_a_failed_request(
    start_server: Start, together: dict[str, str]
) -> None:
    server = start_server(workers=2, **PLENTY, **together)
    load, _ = new_load(server)
    replaced = asyncio.run(hanging_up(server, load))
    assert len(replaced) == 2
    assert not replaced & workers(server)
    assert load.broken == []
    assert load.statuses == {200, 201}
    assert server.stop() == 0


def new_load(server: Server) -> tuple[Load, str]:
    """Clients of an agent, and the thread to which they reply."""
    with Remote(server.url) as remote:
        token = remote.sign_in(Key("alice"), displayName="Alice")["token"]
        thread: Any = remote.post("threads", {"title": "t", "body": "b"}).json()["thread"]
    return Load(server.url, {"Authorization": f"Bearer {token}"}, thread["id"]), thread["id"]


def check_that_only_requests_in_flight_fail(
    start_server: Start,
    together: dict[str, str],
    harm: signal.Signals = signal.SIGKILL,
    kills: int = 1,
    between_s: float = 0,
) -> None:
    server = start_server(workers=WORKERS, **PLENTY, **together)
    load, thread = new_load(server)
    killed = asyncio.run(harming(server, load, harm, kills, between_s))
    # One that is stopped holds its locks until it is killed: who waits for them too long is 503.
    assert load.statuses - ({503} if harm == signal.SIGSTOP else set()) == {200, 201}
    assert set(load.broken) <= {*killed, None}
    assert len(load.broken) <= kills * CLIENTS
    assert len(load.acknowledged) > 10 * kills
    with Remote(server.url) as remote:
        assert set(load.acknowledged) <= stored(remote, thread)
    with httpx.Client(base_url=server.url, timeout=60) as client:
        assert process(client) not in killed
    assert server.stop() == 0
