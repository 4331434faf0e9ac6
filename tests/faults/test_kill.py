"""Killed in the middle of its work again and again, the server keeps what it acknowledged."""

import asyncio
import os
import random
import signal
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

import apsw
import httpx
import pytest

from stoa.clock import SystemClock
from stoa.store.engines.sqlite import store as sqlite
from stoa.store.transfer import audit
from tests.faults.journal import Entry, Journal, Kept, Kind, Outcome, kept_in, problems
from tests.support.keys import Key
from tests.support.processes import workers
from tests.support.server import Server

CLIENTS = 16
READY_TIMES = 5
"""A start after a kill takes less than so many times what the first start took."""

SEED = 20_261_121


@dataclass
class Thread:
    """A thread that somebody was told of, and a reply to it that its author may accept."""

    id: str
    author: int
    reply: str = ""


@dataclass
class Load:
    """Sixteen clients that write as fast as they can."""

    journal: Journal
    random: random.Random
    tokens: list[str] = field(default_factory=list[str])
    threads: list[Thread] = field(default_factory=list[Thread])

    async def sign_in(self, url: str) -> None:
        """Get a token for each client."""
        async with httpx.AsyncClient(base_url=url, timeout=60) as http:
            for number in range(CLIENTS):
                key = Key(f"client {number}")
                asked = {"publicKey": key.public}
                answer = await http.post("/api/v1/auth/challenge", json=asked)
                challenge = answer.json()["challenge"]
                proof = {**asked, "challenge": challenge, "signature": key.sign(challenge)}
                answer = await http.post("/api/v1/auth/verify", json=proof)
                self.tokens.append(answer.json()["token"])

    async def run(
        self, server: Server, acknowledgements: int, harm: Callable[[], None] | None = None
    ) -> None:
        """Write until so many more writes are acknowledged, kill the server at that moment, or do
        it another harm, and wait until every client has noticed."""
        enough = asyncio.Event()
        wanted = self.journal.acknowledged + acknowledgements
        clients = [
            asyncio.create_task(self._client(server.url, number, wanted, enough))
            for number in range(CLIENTS)
        ]
        await enough.wait()
        await asyncio.to_thread(harm or server.kill)
        await asyncio.gather(*clients)

    async def _client(self, url: str, number: int, wanted: int, enough: asyncio.Event) -> None:
        headers = {"Authorization": f"Bearer {self.tokens[number]}"}
        async with httpx.AsyncClient(base_url=url, headers=headers, timeout=60) as http:
            try:
                while True:
                    await self._write(http, number)
                    if self.journal.acknowledged >= wanted:
                        enough.set()
            except httpx.TransportError:
                enough.set()

    async def _write(self, http: httpx.AsyncClient, number: int) -> None:
        ripe = [one for one in self.threads[-200:] if one.reply and one.author == number]
        if ripe and self.random.random() < 0.3:
            await self._accept(http, ripe[0])
        elif len(self.threads) < CLIENTS or self.random.random() < 0.1:
            await self._open(http, number)
        else:
            await self._reply(http, number, self.random.choice(self.threads[-200:]))

    async def _open(self, http: httpx.AsyncClient, number: int) -> None:
        mark = self.journal.ask("thread")
        bounty = {"credits": self.random.choice([0, 0, 1])}
        body = {"title": mark, "body": "Who knows?", "bounty": bounty}
        answer = await http.post("/api/v1/threads", json=body)
        if id_ := self._told(answer, mark, "thread", "thread"):
            self.threads.append(Thread(id_, number))

    async def _reply(self, http: httpx.AsyncClient, number: int, thread: Thread) -> None:
        mark = self.journal.ask("reply")
        answer = await http.post(f"/api/v1/threads/{thread.id}/replies", json={"body": mark})
        id_ = self._told(answer, mark, "reply", "reply")
        if thread.author != number and not thread.reply:
            thread.reply = id_

    async def _accept(self, http: httpx.AsyncClient, thread: Thread) -> None:
        reply, thread.reply, thread.author = thread.reply, "", -1
        mark = self.journal.ask("accept", thread.id)
        answer = await http.post(f"/api/v1/threads/{thread.id}/replies/{reply}/accept")
        if answer.status_code == 200:
            self.journal.told(mark, "accept", "ok", reply)

    def _told(self, answer: httpx.Response, mark: str, kind: Kind, member: str) -> str:
        outcome: Outcome = "ok" if answer.status_code == 201 else "failed"
        id_ = answer.json()[member]["id"] if outcome == "ok" else ""
        self.journal.told(mark, kind, outcome, id_)
        return id_


def check_everything(path: Path, journal: Journal) -> None:
    """Nothing is lost or doubled, the file is whole and the books balance."""
    assert problems(journal.entries(), kept_in(path)) == []
    connection = apsw.Connection(str(path))
    assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    connection.close()
    findings = sqlite.read_once(path, SystemClock(), audit.run_all)
    assert [finding for finding in findings if finding.differences] == []


@pytest.mark.promise("D1")
@pytest.mark.long
def test_two_kills_under_load_lose_nothing_that_was_acknowledged(
    start_server: Callable[..., Server], tmp_path: Path
):
    kill_under_load(start_server, tmp_path, 2)


@pytest.mark.soak
def test_twenty_kills_under_load_lose_nothing_that_was_acknowledged(
    start_server: Callable[..., Server], tmp_path: Path
):
    first, waits = kill_under_load(start_server, tmp_path, 20)
    # A single start may have to wait for the rest of the machine.
    assert median(waits) < READY_TIMES * first


def kill_under_load(
    start_server: Callable[..., Server], tmp_path: Path, kills: int
) -> tuple[float, list[float]]:
    """Kill a server so often; nothing acknowledged may be lost. How long (s) the first start took,
    and each after a kill."""
    journal = Journal(tmp_path / "journal")
    waits: list[float] = []
    load = Load(journal, random.Random(SEED))
    begun = time.monotonic()
    server = start_server()
    first = time.monotonic() - begun
    asyncio.run(load.sign_in(server.url))
    for number in range(kills):
        before = journal.acknowledged
        asyncio.run(load.run(server, load.random.randrange(20, 120)))
        assert journal.acknowledged > before, f"kill {number}: nothing was under way"
        begun = time.monotonic()
        server = start_server(data_dir=server.data_dir)
        waits.append(time.monotonic() - begun)
        check_everything(server.data_dir / "stoa.db", journal)
    assert problems(journal.entries(), told_over_http(server)) == []
    return first, waits


@pytest.mark.promise("P1")
@pytest.mark.long
def test_a_server_that_hangs_under_load_is_replaced_and_loses_nothing(
    start_server: Callable[..., Server], tmp_path: Path
):
    journal = Journal(tmp_path / "journal")
    load = Load(journal, random.Random(SEED))
    server = start_server()
    asyncio.run(load.sign_in(server.url))
    (hung,) = workers(server)
    asyncio.run(load.run(server, 100, lambda: os.kill(hung, signal.SIGSTOP)))
    asyncio.run(load.run(server, 100))  # the next worker writes on, until it is killed
    assert "worker hung" in server.log
    check_everything(server.data_dir / "stoa.db", journal)


def told_over_http(server: Server) -> Kept:
    """What a client is told that reads everything."""
    kept = Kept()
    with httpx.Client(base_url=server.url, timeout=60) as http:
        for thread in pages(http, "/api/v1/threads?limit=100", "threads"):
            kept.thread.append((thread["title"], thread["id"]))
            if thread["acceptedReplyId"]:
                kept.accept.append((thread["id"], thread["acceptedReplyId"]))
            url = f"/api/v1/threads/{thread['id']}/replies?limit=100"
            kept.reply += [(row["body"]["body"], row["id"]) for row in pages(http, url, "replies")]
    return kept


def pages(http: httpx.Client, url: str, name: str) -> list[Any]:
    rows: list[Any] = []
    cursor = ""
    while True:
        page = http.get(f"{url}&cursor={cursor}" if cursor else url).json()
        rows += page[name]
        cursor = page["nextCursor"]
        if not cursor:
            return rows


# --- The check itself.

TOLD = [
    Entry("thread 1", "thread", "asked"),
    Entry("thread 1", "thread", "ok", "th_1"),
    Entry("reply 2", "reply", "asked"),
    Entry("reply 2", "reply", "ok", "rp_2"),
    Entry("reply 3", "reply", "asked"),
    Entry("reply 4", "reply", "asked"),
    Entry("reply 4", "reply", "failed"),
    Entry("th_1", "accept", "asked"),
    Entry("th_1", "accept", "ok", "rp_2"),
]


def kept(*more: tuple[str, str]) -> Kept:
    replies = [("reply 2", "rp_2"), *more]
    return Kept([("thread 1", "th_1")], replies, [("th_1", "rp_2")])


def test_the_check_finds_nothing_where_all_is_as_told():
    assert problems(TOLD, kept()) == []
    assert problems(TOLD, kept(("reply 3", "rp_3"))) == []


def test_the_check_notices_an_acknowledgement_without_a_write():
    invented = [*TOLD, Entry("reply 5", "reply", "asked"), Entry("reply 5", "reply", "ok", "rp_5")]
    assert problems(invented, kept()) == ["reply 5: acknowledged as rp_5, there is None"]
    assert problems(TOLD, Kept([("thread 1", "th_1")], [("reply 2", "rp_2")])) == [
        "th_1: acknowledged as rp_2, there is None"
    ]


def test_the_check_notices_a_write_that_is_there_twice():
    assert problems(TOLD, kept(("reply 2", "rp_2"))) == ["reply 2: 2 times"]
    twice = kept(("reply 3", "rp_3"), ("reply 3", "rp_4"))
    assert problems(TOLD, twice) == ["reply 3: 2 times"]


def test_the_check_notices_what_was_refused_or_never_asked_for():
    assert problems(TOLD, kept(("reply 4", "rp_4"))) == ["reply 4: refused, and there"]
    assert problems(TOLD, kept(("reply 9", "rp_9"))) == ["reply 9: nobody asked for it"]
