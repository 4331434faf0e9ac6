"""The process that writes, killed or stopped under load: nothing that was acknowledged is lost."""

import asyncio
import os
import random
import signal
from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import partial
from pathlib import Path

import httpx
import pytest

from stoa.client import Key, Stoa
from tests.faults.journal import Journal, Kind, problems
from tests.faults.test_kill import CLIENTS, Load, check_everything, told_over_http
from tests.support.database import query
from tests.support.keys import Key as AgentKey
from tests.support.migrated import migrated
from tests.support.processes import (
    NO_ROOM,
    ROOM,
    can_limit_files,
    limit_files,
    parent_of,
    until,
)
from tests.support.remote import Remote
from tests.support.server import Server

FAULTS = [signal.SIGKILL, signal.SIGSTOP]
BETWEEN = 60
"""Acknowledged writes between two faults."""
TOO_MANY = 6
NEW = {"title": "t", "body": "b"}
REPLACED = "its file was removed or replaced"
SOFTWARE = 70
SEED = 20_261_122
WAIT_MOST_S = 60


class RetryingLoad(Load):
    """Clients that go on when they are told 503, after which a write may be there or not."""

    def __init__(self, journal: Journal) -> None:
        super().__init__(journal, random.Random(SEED))
        self.statuses: set[int] = set()
        self._grown = asyncio.Event()
        self._ending = False

    def write_during(self, server: Server, faults: Callable[[], Awaitable[None]]) -> None:
        """Sign in and write with every client while `faults` runs; then let each finish."""

        async def run() -> None:
            async with asyncio.TaskGroup() as clients:
                for number in range(CLIENTS):
                    clients.create_task(self.write_until_the_end(server.url, number))
                await faults()
                self._ending = True

        asyncio.run(self.sign_in(server.url))
        asyncio.run(run())

    async def write_until_the_end(self, url: str, number: int) -> None:
        """One client's part, until it is told to end or the server is gone."""
        headers = {"Authorization": f"Bearer {self.tokens[number]}"}
        async with httpx.AsyncClient(base_url=url, headers=headers, timeout=60) as http:
            with suppress(httpx.TransportError):
                while not self._ending:
                    await self._write(http, number)

    async def more(self, count: int) -> None:
        """Wait for so many more acknowledged writes."""
        wanted = self.journal.acknowledged + count
        async with asyncio.timeout(WAIT_MOST_S):
            while self.journal.acknowledged < wanted:
                self._grown.clear()
                await self._grown.wait()

    def _told(self, answer: httpx.Response, mark: str, kind: Kind, member: str) -> str:
        self.statuses.add(answer.status_code)
        self._grown.set()
        if answer.status_code != 503:
            return super()._told(answer, mark, kind, member)
        assert answer.json()["code"] == "temporarily_unavailable"
        assert int(answer.headers["retry-after"]) > 0
        return ""


def writer_of(server: Server) -> int:
    """The process that writes, once there is one that works."""
    found: list[int] = []

    def works() -> bool:
        ready = httpx.get(f"{server.url}/readyz", timeout=60)
        assert httpx.get(f"{server.url}/healthz", timeout=60).status_code == 200
        if ready.status_code == 200:
            found.append(ready.json()["writer"])
        return bool(found)

    until(works)
    return found[0]


def send_to_another_writer(server: Server, fault: signal.Signals, last: int) -> int:
    """Send a signal to the process that writes, once that is another than the last one."""
    until(lambda: writer_of(server) != last)
    process = writer_of(server)
    os.kill(process, fault)
    return process


def server_that_lost_nothing(
    start_server: Callable[..., Server], folder: Path, faults: list[Callable[[Server], object]]
) -> Server:
    """A server that was written to all the time, with these faults one after the other, and has
    stopped: all that it acknowledged is stored, and the log has two lines for each fault."""
    journal = Journal(folder / "journal")
    load = RetryingLoad(journal)
    server = start_server()

    async def one_after_the_other() -> None:
        for fault in faults:
            await load.more(BETWEEN)
            await asyncio.to_thread(fault, server)
        await load.more(BETWEEN)

    load.write_during(server, one_after_the_other)
    assert load.statuses == {201, 503}
    assert problems(journal.entries(), told_over_http(server)) == []
    assert server.log.count("writing stopped") == server.log.count("writing resumed") == len(faults)
    assert server.stop() == 0
    check_everything(server.data_dir / "stoa.db", journal)
    return server


@pytest.mark.promise("D24")
@pytest.mark.long
def test_a_writer_that_is_killed_or_stopped_under_load_loses_nothing_acknowledged(
    start_server: Callable[..., Server], tmp_path: Path
) -> None:
    sent_to = [0]

    def send(fault: signal.Signals, server: Server) -> None:
        sent_to.append(send_to_another_writer(server, fault, sent_to[-1]))

    server = server_that_lost_nothing(
        start_server, tmp_path, [partial(send, fault) for fault in FAULTS]
    )
    assert "Traceback" not in server.log


@pytest.mark.promise("D28")
def test_nothing_is_acknowledged_into_a_file_that_was_replaced(
    start_server: Callable[..., Server], tmp_path: Path
) -> None:
    server = start_server()
    file, aside = server.data_dir / "stoa.db", tmp_path / "aside.db"
    migrated(tmp_path / "other.db")
    other = (tmp_path / "other.db").read_bytes()
    with Remote(server.url) as remote:
        remote.sign_in(AgentKey("ada"), displayName="Ada")
        assert remote.post("threads", NEW).status_code == 201
        file.rename(aside)
        file.write_bytes(other)
        assert remote.post("threads", NEW).status_code == 503
        until(lambda: httpx.get(f"{server.url}/readyz", timeout=60).status_code == 503)
        assert REPLACED in httpx.get(f"{server.url}/readyz", timeout=60).json()["reason"]
        assert file.read_bytes() == other
        aside.rename(file)
        until(lambda: remote.post("threads", NEW).status_code == 201)
    assert len(query(server.database, "SELECT id FROM thread")) == 2
    assert server.log.count("writing stopped") == server.log.count("writing resumed") == 1


@pytest.mark.promise("D25")
@pytest.mark.long
def test_a_writer_with_work_that_does_not_end_is_replaced_before_one_on_a_slow_disk_would_be(
    start_server: Callable[..., Server], tmp_path: Path
) -> None:
    server = start_server(program="looping_writer")
    looping = writer_of(server)
    with Stoa(server.url, Key.generate()) as stoa:
        thread = stoa.create_thread("A question", "About a loop.").thread
        (tmp_path / "loop").touch()
        stoa.reply_to_thread(thread.id, "loop")  # which is tried again until the file is gone
    assert writer_of(server) != looping
    assert "the process that writes has ended" in server.log
    assert "does not answer" not in server.log
    assert "store unavailable" not in server.log
    assert server.stop() == 0


@pytest.mark.soak
@can_limit_files
@pytest.mark.long
def test_a_disk_that_is_full_for_a_while_under_load_loses_nothing_acknowledged(
    start_server: Callable[..., Server], tmp_path: Path
) -> None:
    server_that_lost_nothing(start_server, tmp_path, [fill_and_free])


def fill_and_free(server: Server) -> None:
    """Let the writers find no room, see that reading goes on, and give the room back."""
    writer = writer_of(server)
    spawner = parent_of(writer)
    for process in (spawner, writer):
        limit_files(process, NO_ROOM)
    until(lambda: httpx.get(f"{server.url}/readyz", timeout=60).status_code == 503)
    ready = httpx.get(f"{server.url}/readyz", timeout=60)
    assert "the disk is full" in ready.json()["reason"]
    for path in ("/healthz", "/api/v1/threads", "/", "/feeds/newest.atom"):
        assert httpx.get(f"{server.url}{path}", timeout=60).status_code == 200
    limit_files(spawner, ROOM)


@pytest.mark.promise("D22")
def test_a_server_whose_writers_die_one_after_the_other_ends_with_70(
    start_server: Callable[..., Server], tmp_path: Path
) -> None:
    journal = Journal(tmp_path / "journal")
    load = RetryingLoad(journal)
    server = start_server()

    async def faults() -> None:
        process = 0
        for _ in range(TOO_MANY):
            await load.more(1)
            kill = signal.SIGKILL
            process = await asyncio.to_thread(send_to_another_writer, server, kill, process)

    load.write_during(server, faults)
    assert server.wait() == SOFTWARE
    assert "writer given up" in server.log
    assert "Traceback" not in server.log
    check_everything(server.data_dir / "stoa.db", journal)
    again = start_server(data_dir=server.data_dir)
    assert problems(journal.entries(), told_over_http(again)) == []
