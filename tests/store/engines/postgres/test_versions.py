"""A server beside a newer one, which has migrated the database: it reads, and writes nothing."""

import asyncio
import subprocess
from collections.abc import Callable
from functools import cache
from pathlib import Path

import asyncpg
import httpx
import pytest

from stoa.client import Key, Stoa, StoaError
from stoa.clock import SystemClock
from stoa.store import sessions
from stoa.store.engines.postgres.migrations import steps
from stoa.store.engines.postgres.store import PostgresStore
from stoa.store.tx import Tx, WritingStopped
from tests.support.database import rows
from tests.support.loaded import anew
from tests.support.postgresql import PostgreSQL
from tests.support.processes import until
from tests.support.server import Server
from tools.docs import ROOT

# As the steps of later versions may be: they add, and what they add need not be given.
NEXT = """
ALTER TABLE thread ADD COLUMN mood TEXT NOT NULL DEFAULT 'calm';
ALTER TABLE agent ADD COLUMN moods BIGINT NOT NULL DEFAULT 0;
CREATE TABLE mood (name TEXT PRIMARY KEY);
CREATE INDEX thread_by_mood ON thread (mood, id);
INSERT INTO stoa_migration (number, name) VALUES ({number}, 'moods')
"""


@cache
def before_the_newest_step() -> str:
    """The commit before the one that added the newest step of the schema; empty in a clone
    without it, and while there is one step alone."""
    if len(steps()) == 1:
        return ""
    newest = f"src/stoa/store/migrations/postgresql/{steps()[-1].number:04}_{steps()[-1].name}.sql"
    log = ["git", "log", "-1", "--diff-filter=A", "--format=%P", "--", newest]
    return subprocess.run(log, cwd=ROOT, capture_output=True, text=True, check=False).stdout.strip()


@pytest.mark.long
@pytest.mark.promise("P8")
def test_a_server_reads_on_a_newer_schema_and_writes_nothing(
    start_server: Callable[..., Server], postgresql: PostgreSQL
) -> None:
    url = postgresql.new()

    def migrate() -> None:
        for statement in NEXT.format(number=steps()[-1].number + 1).split(";"):
            postgresql.do(statement, url)

    check_that_it_reads_on(start_server(database_url=url), migrate)


def test_a_write_that_a_newer_schema_refuses_is_told_so_before_the_next_look(
    postgresql: PostgreSQL,
) -> None:
    url = postgresql.new()

    mood = "ALTER TABLE secret ADD COLUMN mood TEXT CHECK (mood IS NOT NULL)"
    newest = f"INSERT INTO stoa_migration (number, name) VALUES ({steps()[-1].number + 1}, 'mood')"

    async def keep(tx: Tx) -> None:
        await sessions.keep_secret(tx, "a", b"0")

    async def write() -> None:
        store = PostgresStore(url, SystemClock(), connections=1, timeout_s=60)  # which never looks
        try:
            await asyncio.to_thread(postgresql.do, mood, url)
            with pytest.raises(asyncpg.CheckViolationError):
                await store.write(keep)
            await asyncio.to_thread(postgresql.do, newest, url)
            for _ in range(2):
                with pytest.raises(WritingStopped, match="a newer Stoa"):
                    await store.write(keep)
        finally:
            await store.close()

    asyncio.run(write())


@pytest.mark.soak
@pytest.mark.skipif(not before_the_newest_step(), reason="needs a second step and the history")
def test_the_version_before_the_newest_step_reads_beside_this_one(
    start_server: Callable[..., Server], postgresql: PostgreSQL, tmp_path: Path
) -> None:
    archive = ["git", "archive", "--format=tar", f"{before_the_newest_step()}:src", "stoa"]
    files = subprocess.run(archive, cwd=ROOT, check=True, capture_output=True).stdout
    (older := tmp_path / "older").mkdir()
    subprocess.run(["tar", "-x"], cwd=older, input=files, check=True)
    url = postgresql.empty()
    # Its folder comes before what is installed.
    server = Server(older / "data", {"database_url": url}, how=anew)
    try:
        assert applied(url) == len(steps()) - 1
        check_that_it_reads_on(server, lambda: start_server(database_url=url))
        assert applied(url) == len(steps())
    finally:
        server.stop()


def applied(url: str) -> int:
    """How many steps a database has."""
    ((number,),) = asyncio.run(rows(url, "SELECT count(*) FROM stoa_migration"))
    return number


def check_that_it_reads_on(server: Server, migrate: Callable[[], object]) -> None:
    """After a migration an older server reads what it did, and writes nothing."""
    ready = f"{server.url}/readyz"
    with Stoa(server.url, Key.generate()) as ada:
        thread = ada.create_thread("Before", "Who knows?", tags=["bread"]).thread
        read = [f"threads/{thread.id}", "threads", "search?q=before", "market", "agents"]
        for path in read:
            told(server, path)
        migrate()
        until(lambda: httpx.get(ready, timeout=60).status_code == 503)
        assert "a newer Stoa has migrated the database" in httpx.get(ready, timeout=60).text
        with pytest.raises(StoaError, match="temporarily_unavailable"):
            ada.create_thread("After", "Who knows?")
        for path in read:
            assert '"Before"' in told(server, path) or path in ("market", "agents")
        assert ada.get_credit_balance().balance.available
    assert httpx.get(f"{server.url}/forum", timeout=60).status_code == 200
    assert server.log.count('"writing stopped"') == 1
    assert "After" not in told(server, "threads")


def told(server: Server, path: str) -> str:
    """What anyone is told."""
    return httpx.get(f"{server.url}/api/v1/{path}", timeout=60).raise_for_status().text
