"""The cache of authors is bounded in bytes."""

import pytest

from stoa.operations import authors
from stoa.store.engines.sqlite_tx import SqliteTx
from stoa.store.tx import Row, Value
from tests.support.app import App


@pytest.fixture
def engine() -> str:
    """The embedded one: its reads of agents are counted."""
    return "sqlite"


@pytest.mark.parametrize(("most_bytes", "reads"), [(0, 4), (1024 * 1024, 2)])
def test_a_full_cache_of_authors_is_emptied(
    stoa: App, monkeypatch: pytest.MonkeyPatch, most_bytes: int, reads: int
) -> None:
    monkeypatch.setattr(authors, "_MOST_BYTES", most_bytes)
    asked: list[str] = []
    several = SqliteTx.all

    async def count(tx: SqliteTx, statement: str, **values: Value) -> list[Row]:
        asked.append(statement)
        return await several(tx, statement, **values)

    agents = [stoa.agent(name, description="long " * 400) for name in ("ada", "bob")]
    for agent in agents:
        agent.thread()
    stoa.clock.advance(60_000)
    monkeypatch.setattr(SqliteTx, "all", count)
    for limit, agent in enumerate(agents * 2, 1):
        stoa.get(f"threads?author={agent.id}&limit={limit}").ok()  # so that none is cached
    assert asked.count("agents.many") == reads
