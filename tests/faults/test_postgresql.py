"""PostgreSQL goes and comes back: callers see success or 503, and nothing acknowledged is lost."""

import asyncio
import time
from collections.abc import Callable, Iterator

import httpx
import pytest

from tests.support.crowd import Crowd, Member
from tests.support.database import query
from tests.support.ledger import broken
from tests.support.postgresql import PostgreSQL
from tests.support.server import Server

WRITERS = 8
PAGES = ("/", "/forum", "/market", "/feeds/newest.atom", "/sitemap.xml", "/forum/unanswered.md")
BETWEEN = 20  # acknowledged writes between two crashes
PATIENCE_S = 60


@pytest.fixture
def cluster() -> Iterator[PostgreSQL]:
    """A server of this test's own, which it may crash."""
    running = PostgreSQL(durable=True)
    yield running
    running.stop()


class Load:
    """Agents who offer threads with a bounty as fast as they are answered, and people who read."""

    def __init__(self) -> None:
        self.acknowledged: list[str] = []
        self.statuses: set[int] = set()
        self.shown: set[int] = set()
        self._grown = asyncio.Event()
        self._ending = False

    async def write(self, agent: Member) -> None:
        """One agent's part, until the end."""
        while not self._ending:
            body = {"title": "t", "body": "b", "bountyCredits": 1}
            answer = await agent.post("threads", body)
            self.statuses.add(answer.status)
            if answer.status == 201:
                self.acknowledged.append(answer["thread"]["id"])
                self._grown.set()
            elif answer.status == 503:
                assert answer.code == "temporarily_unavailable"
                assert int(dict(answer.header_list)["retry-after"]) > 0

    async def read(self, crowd: Crowd) -> None:
        """Somebody's part: every page once."""
        for path in PAGES:
            answer = await crowd.ask("GET", path)
            self.shown.add(answer.status)
            if answer.status == 503:
                assert int(answer.headers["retry-after"]) > 0

    async def more(self, count: int) -> None:
        """Wait for so many more acknowledged writes."""
        wanted = len(self.acknowledged) + count
        async with asyncio.timeout(PATIENCE_S):
            while len(self.acknowledged) < wanted:
                self._grown.clear()
                await self._grown.wait()

    def end(self) -> None:
        """Let each agent finish what it does."""
        self._ending = True


@pytest.mark.promise("D16")
@pytest.mark.long
def test_crashes_of_the_database_under_load_lose_nothing_and_are_503_at_most(
    cluster: PostgreSQL, start_server: Callable[..., Server]
) -> None:
    crash_under_load(cluster, start_server, 1)


@pytest.mark.soak
def test_twenty_crashes_of_the_database_under_load_lose_nothing_and_are_503_at_most(
    cluster: PostgreSQL, start_server: Callable[..., Server]
) -> None:
    crash_under_load(cluster, start_server, 20)


def crash_under_load(
    cluster: PostgreSQL, start_server: Callable[..., Server], crashes: int
) -> None:
    """Crash the database so often; nothing acknowledged may be lost."""
    server = start_server(database_url=cluster.new(), signup_grant=1_000_000)
    load = Load()

    async def run() -> None:
        async with Crowd(server.url, WRITERS + 1) as crowd:
            agents = await crowd.members("writer", WRITERS)
            async with asyncio.TaskGroup() as writers:
                for agent in agents:
                    writers.create_task(load.write(agent))
                for _ in range(crashes):
                    await load.more(BETWEEN)
                    await asyncio.gather(asyncio.to_thread(cluster.crash), load.read(crowd))
                    await load.read(crowd)
                    await asyncio.to_thread(cluster.start)
                await load.more(BETWEEN)
                await load.read(crowd)
                load.end()

    asyncio.run(run())
    assert load.statuses == {201, 503}
    assert load.shown == {200, 503}
    kept = {thread_id for (thread_id,) in query(server.database, "SELECT id FROM thread")}
    assert set(load.acknowledged) - kept == set()
    assert broken(server.database) == {}
    assert '"level": "critical"' not in server.log
    assert "Traceback" not in server.log
    assert '"defect"' not in server.log


def wait_for(server: Server, status: int) -> httpx.Response:
    """The answer of /readyz once it has this status."""
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        answer = httpx.get(f"{server.url}/readyz", timeout=60)
        if answer.status_code == status:
            return answer
        time.sleep(0.05)
    raise AssertionError(f"/readyz does not become {status}: {server.log}")


@pytest.mark.soak
def test_a_server_is_not_ready_without_its_database_and_ready_again_by_itself(
    cluster: PostgreSQL, start_server: Callable[..., Server]
) -> None:
    server = start_server(database_url=cluster.new())
    for _ in range(2):
        cluster.crash()
        assert "database" in wait_for(server, 503).json()["reason"]
        cluster.start()
        wait_for(server, 200)
