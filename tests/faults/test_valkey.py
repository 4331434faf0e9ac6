"""Valkey gone: no call fails for it, limits go on, and it is found again without help."""

import asyncio
import os
import shutil
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack
from functools import partial
from pathlib import Path
from threading import Event

import httpx
import msgspec
import pytest

from stoa import __version__
from stoa.settings import Settings
from tests.support import processes
from tests.support.a2a import A2A
from tests.support.app import App
from tests.support.crowd import Crowd
from tests.support.keys import Key
from tests.support.metrics import scrape, values
from tests.support.oauth import assertion, by_key, post, refused
from tests.support.remote import Remote
from tests.support.server import Server
from tests.support.valkey import Valkey

Start = Callable[..., Server]

NEW = {"title": "t", "body": "b"}
GONE = "temporarily_unavailable"
CLIENTS = 4
PATH = "/api/v1/threads?limit=1"
LIMITS = {"limit_reads_agent": 120, "limit_reads_anonymous": 24}
WINDOW_S = 60
"""For so long a call counts."""
ONE_PROCESS = {
    "version": __version__,
    "valkey": "answers",
    "limits": "shared",
    "outages": 0,
    "countedLocally": 0,
}


@pytest.fixture
def settings(settings: Settings, own_valkey: Valkey) -> Settings:
    return msgspec.structs.replace(settings, valkey_url=own_valkey.url)


@pytest.fixture
def strict(settings: Settings) -> Iterator[App]:
    """A service that refuses writes while their limits cannot be counted."""
    with App(msgspec.structs.replace(settings, valkey_outage="refuse-writes")) as app:
        yield app


# --- What callers see.


@pytest.mark.settings(limit_threads=2)
def test_without_valkey_calls_are_served_and_limited_by_each_process(
    stoa: App, own_valkey: Valkey
) -> None:
    alice = stoa.agent("alice")
    alice.post("threads", NEW).ok(201)
    own_valkey.kill()
    alone = 2 * len(stoa.processes)
    answers = [alice.post("threads", NEW).status for _ in range(alone + 1)]
    assert answers == [*alone * [201], 429]
    stoa.get("threads").ok()
    stoa.get("/").ok()


@pytest.mark.settings(limit_reads_anonymous=9)
def test_ready_tells_loopback_alone_who_counts(stoa: App, own_valkey: Valkey) -> None:
    said = stoa.get("/readyz").ok().json
    assert said == {"status": "ok", "process": os.getpid(), **ONE_PROCESS}
    own_valkey.kill()
    for _ in stoa.processes:
        stoa.get("threads").ok()
    ready = stoa.get("/readyz").ok()
    assert (ready["limits"], ready["outages"], ready["countedLocally"]) == ("local", 1, 1)
    assert stoa.get("/readyz", client="192.0.2.1").ok().json == {"status": "ok"}
    assert stoa.get("/healthz").ok().json == {"status": "ok"}


@pytest.mark.settings(limit_threads=2)
def test_writes_can_be_refused_meanwhile(strict: App, own_valkey: Valkey) -> None:
    alice = strict.agent("alice")
    thread, hirer = alice.thread(), A2A(strict, alice)
    task = hirer.hire()
    own_valkey.kill()
    for _ in range(5):
        refusal = alice.post("threads", NEW).refused(503, GONE)
        assert refusal.headers["retry-after"] == "5"
    alice.post(f"threads/{thread['id']}/replies", {"body": "b"}).refused(503, GONE)
    strict.verify(Key("bob")).refused(503, GONE)
    refused(post(strict, by_key(assertion(Key("bob"), strict.clock()))), 503, GONE)
    push = {"taskId": task["id"], "url": "https://agent.example/hook"}
    error = hirer.ask("CreateTaskPushNotificationConfig", **push)["error"]
    assert error["data"][-1]["value"]["code"] == GONE
    assert len(alice.get("threads").ok()["threads"]) == 1


# --- Over processes.


def several(
    start_server: Start, valkey: Valkey, folder: Path, count: int
) -> tuple[list[Server], str]:
    """So many servers, each on a copy of the same data, with one Valkey and limits of
    reads, and a token that is good at each."""
    first = start_server(folder / "first")
    with Remote(first.url) as remote:
        token = remote.sign_in(Key("alice"), displayName="Alice")["token"]
    first.stop()
    for number in range(count):
        shutil.copytree(folder / "first", folder / f"copy{number}")
    copies = [folder / f"copy{number}" for number in range(count)]
    with ThreadPoolExecutor(count) as starting:
        start = partial(start_server, **LIMITS, valkey_url=valkey.url)
        return list(starting.map(start, copies)), token


async def storm(servers: list[Server], token: str, each: int) -> list[Counter[int]]:
    """So many calls of an agent to each server, and of nobody; how often each had which status."""
    async with AsyncExitStack() as opened:
        crowds = [await opened.enter_async_context(Crowd(one.url, CLIENTS)) for one in servers]
        calls = [
            asyncio.gather(*(crowd.ask("GET", PATH, who) for crowd in crowds for _ in range(each)))
            for who in (token, "")
        ]
        return [Counter(answer.status for answer in await answers) for answers in calls]


@pytest.mark.promise("L6")
def test_two_hundred_calls_to_four_processes_pass_exactly_the_limit(
    start_server: Start, own_valkey: Valkey, tmp_path: Path
) -> None:
    seen = calls_to_four(start_server, own_valkey, tmp_path, 50)
    assert seen == [{200: 120, 429: 80}, {200: 24, 429: 176}]


@pytest.mark.soak
def test_a_thousand_calls_to_four_processes_pass_exactly_the_limit(
    start_server: Start, own_valkey: Valkey, tmp_path: Path
) -> None:
    seen = calls_to_four(start_server, own_valkey, tmp_path, 250)
    assert seen == [{200: 120, 429: 880}, {200: 24, 429: 976}]


def calls_to_four(
    start_server: Start, valkey: Valkey, folder: Path, each: int
) -> list[Counter[int]]:
    """What so many calls to each of four processes are answered within one window, in which a slow
    machine has let none of them count alone."""
    servers, token = several(start_server, valkey, folder, 4)
    while True:
        for server in servers:
            until(server, {"limits": "shared"})
        valkey.ask("FLUSHALL")
        begun, before = time.monotonic(), outages(servers)
        seen = asyncio.run(storm(servers, token, each))
        if time.monotonic() - begun < WINDOW_S and outages(servers) == before:
            return seen


def outages(servers: list[Server]) -> int:
    """How often a process has found that Valkey does not answer."""
    return sum(
        httpx.get(f"{server.url}/readyz", timeout=60).json()["outages"] for server in servers
    )


@pytest.mark.soak
def test_no_call_fails_when_valkey_is_killed_under_load(
    start_server: Start, own_valkey: Valkey, tmp_path: Path
) -> None:
    server = start_server(tmp_path / "data", valkey_url=own_valkey.url, limit_reads_anonymous=10**6)
    over = Event()

    def load() -> set[int]:
        with httpx.Client(base_url=server.url, timeout=60) as client:
            seen: set[int] = set()
            while not over.is_set():
                seen.add(client.get("/api/v1/threads").status_code)
            return seen

    with ThreadPoolExecutor(CLIENTS) as threads:
        running = [threads.submit(load) for _ in range(CLIENTS)]
        try:
            for outage in range(1, 3):
                own_valkey.kill()
                until(server, {"limits": "local", "outages": outage})
                own_valkey.start()
                until(server, {"limits": "shared", "outages": outage})
                processes.until(lambda: server.log.count("valkey answers again") == outage)  # noqa: B023
        finally:
            over.set()
    assert {status for call in running for status in call.result()} == {200}
    assert server.log.count("valkey does not answer") == 2
    assert "defect" not in server.log


@pytest.mark.soak
def test_ready_and_a_metric_say_that_valkey_is_away_though_nobody_calls(
    start_server: Start, own_valkey: Valkey, tmp_path: Path
) -> None:
    server = start_server(tmp_path / "data", valkey_url=own_valkey.url, metrics="127.0.0.1:0")
    until(server, {"status": "ok", "valkey": "answers"})
    until_told(server, 0)
    own_valkey.kill()
    until(server, {"status": "ok", "valkey": "away"})
    until_told(server, 1)
    own_valkey.start()
    until(server, {"status": "ok", "valkey": "answers"})
    until_told(server, 0)


def until_told(server: Server, away: int) -> None:
    """Ask until the metric says so."""
    processes.until(lambda: values(scrape(server)).get("stoa_valkey_away") == away)


def until(server: Server, wanted: dict[str, str | int]) -> None:
    """Ask until `/readyz` says so; it is 200 all the time."""

    def says_so() -> bool:
        ready = httpx.get(f"{server.url}/readyz", timeout=60).raise_for_status().json()
        return wanted.items() <= ready.items()

    processes.until(says_so)
