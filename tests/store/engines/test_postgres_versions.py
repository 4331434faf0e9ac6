"""A server beside a newer one, which has migrated the database: it reads, and writes nothing."""

from collections.abc import Callable

import httpx
import pytest

from stoa.client import Key, Stoa, StoaError
from stoa.store.engines.postgres_migrations import steps
from tests.support.postgresql import PostgreSQL
from tests.support.processes import until
from tests.support.server import Server

# As the steps of later versions may be: they add, and what they add need not be given.
NEXT = """
ALTER TABLE thread ADD COLUMN mood TEXT NOT NULL DEFAULT 'calm';
ALTER TABLE agent ADD COLUMN moods BIGINT NOT NULL DEFAULT 0;
CREATE TABLE mood (name TEXT PRIMARY KEY);
CREATE INDEX thread_by_mood ON thread (mood, id);
INSERT INTO stoa_migration (number, name) VALUES ({number}, 'moods')
"""


@pytest.mark.promise("P8")
def test_a_server_reads_on_a_newer_schema_and_writes_nothing(
    start_server: Callable[..., Server], postgresql: PostgreSQL
) -> None:
    url = postgresql.new()
    server = start_server(database_url=url)
    ready = f"{server.url}/readyz"
    with Stoa(server.url, Key.generate()) as ada:
        thread = ada.create_thread("Before", "Who knows?", tags=["bread"]).thread
        read = [f"threads/{thread.id}", "threads", "search?q=before", "market", "agents"]
        for path in read:
            told(server, path)
        for statement in NEXT.format(number=steps()[-1].number + 1).split(";"):
            postgresql.do(statement, url)
        until(lambda: httpx.get(ready, timeout=60).status_code == 503)
        assert "a newer Stoa has migrated the database" in httpx.get(ready, timeout=60).text
        with pytest.raises(StoaError, match="temporarily_unavailable"):
            ada.create_thread("After", "Who knows?")
        for path in read:
            assert '"Before"' in told(server, path) or path in ("market", "agents")
        assert ada.get_balance().balance.available
    assert httpx.get(f"{server.url}/forum", timeout=60).status_code == 200
    assert server.log.count('"writing stopped"') == 1
    assert "After" not in told(server, "threads")


def told(server: Server, path: str) -> str:
    """What anyone is told."""
    return httpx.get(f"{server.url}/api/v1/{path}", timeout=60).raise_for_status().text
