"""The cache of authors is bounded in bytes, and shows no profile that was changed."""

from functools import partial
from pathlib import Path

import apsw
import pytest

from stoa.app import new_services
from stoa.calls.validity import validity
from stoa.memory.authors import Authors, Embedded
from stoa.operations.call import Call, authors_kept
from stoa.operations.views.agents import agent_resource
from stoa.store.changes import Changes, ChangesSeen
from stoa.store.dependencies import embedding
from stoa.store.engines.sqlite.file import connect
from stoa.store.engines.sqlite.tx import SqliteTx, drive
from tests.support.app import App
from tests.support.clock import DAY
from tests.support.composing import Composed, with_parts
from tests.support.steps import Steps


@pytest.fixture
def engine() -> str:
    """The embedded one: its reads of agents are counted."""
    return "sqlite"


def most_bytes(count: int) -> Composed:
    """An application that keeps authors of so many bytes."""
    return with_parts(authors=lambda settings: authors_kept(settings, count))


@pytest.mark.parametrize(
    ("composed", "reads"), [(most_bytes(0), 4), (most_bytes(1024 * 1024), 2)], ids=["full", "kept"]
)
def test_a_full_cache_of_authors_is_emptied(stoa: App, steps: Steps, reads: int) -> None:
    agents = [stoa.agent(name, description="long " * 400) for name in ("ada", "bob")]
    threads = [agent.thread()["id"] for agent in agents]
    stoa.clock.advance(60_000)
    steps.taken.clear()
    for limit, thread in enumerate(threads * 2, 1):
        stoa.get(f"threads/{thread}?include=replies&limit={limit}").ok()  # so that none is cached
    assert steps.taken.count("agents.many") == reads


@pytest.fixture
def connection(stoa: App) -> apsw.Connection:
    """One that reads what the server has written."""
    return connect(Path(stoa.settings.data_dir) / "stoa.db", writer=False)


def test_an_agent_of_an_older_snapshot_is_not_kept(stoa: App, connection: apsw.Connection) -> None:
    agent, changes = stoa.agent("ada"), Changes()
    known = Authors(partial(agent_resource, new_agent_ms=DAY))
    old = SqliteTx(connection.cursor(), stoa.clock(), ChangesSeen(changes, changes.data_version()))
    changes.mark(["agents.update_profile"])
    new = SqliteTx(connection.cursor(), stoa.clock(), ChangesSeen(changes, changes.data_version()))
    drive(known.load(new, {}, Embedded()))
    for tx, since, reads in ((old, 0, 1), (old, 0, 2), (new, 1, 1), (new, 1, 1)):
        embedded = Embedded()
        drive(known.load(tx, {agent.id: None}, embedded))
        assert (embedded.since, len(tx.ran)) == (since, reads)


def test_a_call_that_embeds_agents_depends_on_their_profiles(
    stoa: App, connection: apsw.Connection
) -> None:
    agent, changes = stoa.agent("ada"), Changes()
    tx = SqliteTx(connection.cursor(), stoa.clock(), ChangesSeen(changes, changes.data_version()))
    services = new_services(stoa.settings)
    known = services.authors
    drive(known.load(tx, {agent.id: None}, Embedded()))
    call = Call(SqliteTx(connection.cursor(), stoa.clock(), tx.seen), services, None)
    assert drive(validity(call)).depends_on == frozenset()
    drive(known.load(call.tx, {agent.id: None}, call.embedded))
    assert not call.tx.ran
    assert drive(validity(call)).depends_on == embedding()
