"""Copying a database to another engine and back: nothing is lost, whenever it was interrupted."""

import asyncio
from collections.abc import Callable, Generator, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import apsw
import asyncpg
import msgspec
import pytest

from stoa.app import Service
from stoa.clock import Clock
from stoa.settings import Settings
from stoa.store.engines import engine_of
from stoa.store.engines.postgres import migrations as postgres_migrations
from stoa.store.engines.postgres.connection import connect
from stoa.store.engines.sqlite import migrations as sqlite_migrations
from stoa.store.transfer import copying
from stoa.store.transfer.copying import TABLES, CopyOutcome, TableUpdate, Target
from stoa.store.tx import StartRefused
from tests.support import everything, jobs
from tests.support.app import Agent, App
from tests.support.clock import VirtualClock
from tests.support.command import run_stoa_here
from tests.support.moderation import moderate, operate
from tests.support.oauth import bearer, granted, post, renewal
from tests.support.postgresql import PostgreSQL, rows
from tests.support.schema import migrated

BOTH = pytest.mark.parametrize("engine", ["sqlite", "postgresql"])
SMALL = 7
"""Rows per transaction here, so that there are many."""
HAS_SEEN_WHO_IS_THERE = """
SELECT 1 FROM pg_stat_activity
WHERE application_name = 'stoa-copy' AND query LIKE '%application%' AND state = 'idle'
"""

Wrap = Callable[[Target], Any]


@pytest.fixture
def new_database(engine: str, postgresql: PostgreSQL) -> Callable[[], str]:
    """Databases that no test used before: PostgreSQL counts what a session wrote up to ten seconds
    later, and a copy would take rows of an earlier test for new ones."""
    return lambda: "" if engine == "sqlite" else postgresql.new()


@pytest.fixture
def stoa(settings: Settings, clock: VirtualClock) -> Iterator[App]:
    """The application with connections of its own, by which a copy sees that it is served."""
    with App(settings, clock) as app:
        yield app


@pytest.fixture
def other(engine: str, postgresql: PostgreSQL, settings: Settings, tmp_path: Path) -> Settings:
    """An empty database of the other engine than that of `settings`."""
    url = f"sqlite:///{tmp_path}/other.db" if engine == "postgresql" else postgresql.empty()
    return msgspec.structs.replace(settings, database_url=url)


@pytest.fixture
def full(stoa: App) -> list[Agent]:
    """The agents of a full database."""
    ada, bob, cy = everything.fill(stoa)
    everything.talk(ada, bob)
    operate(stoa, {"command": "invite", "uses": 2, "days": 3, "reason": "Wanted."})
    purge = {"command": "do", "action": "purge", "subject_id": cy.thread()["id"]}
    operate(stoa, {**purge, "reason": "Not wanted."})
    return [ada, bob, cy]


def as_it_is(target: Target) -> Target:
    """The target itself."""
    return target


def copy(
    source: Settings, target: Settings, clock: Clock, wrap: Wrap = as_it_is, **options: Any
) -> CopyOutcome:
    """Copy one database to another in small batches."""

    async def work() -> CopyOutcome:
        async with (
            engine_of(source).open_source(source, clock) as read,
            engine_of(target).open_target(target, clock) as written,
        ):
            return await copying.copy(read, wrap(written), nothing, batch=SMALL, **options)

    return asyncio.run(work())


def nothing(_what: str, _done: int) -> None:
    """Nobody looks on."""


def moved(source: Settings, target: Settings, clock: Clock, wrap: Wrap = as_it_is) -> CopyOutcome:
    """Copy one database to another; the outcome, which must be good."""
    outcome = copy(source, target, clock, wrap)
    assert [table for table in outcome.tables if not table.equal] == []
    assert outcome.equal
    assert outcome.finished
    return outcome


@contextmanager
def served(settings: Settings, app: App, agents: list[Agent]) -> Generator[App]:
    """The same agents at another database, at the same time."""
    with App(settings, app.clock) as there:
        for agent in agents:
            agent.app = there
        yield there
    for agent in agents:
        agent.app = app


def begin_schema(settings: Settings) -> None:
    """Apply some steps to an empty database, as a program did that was killed then."""

    async def on_postgresql() -> None:
        connection = await connect(settings.database_url)
        await postgres_migrations.migrate(connection, "here", postgres_migrations.steps()[:5])
        await connection.close()

    if settings.engine == "postgresql":
        asyncio.run(on_postgresql())
    else:
        with closing(apsw.Connection(str(settings.database_path))) as connection:
            sqlite_migrations.migrate(connection, sqlite_migrations.steps()[:5])


def no_server_opens(settings: Settings) -> None:
    """Try it."""
    with pytest.raises(StartRefused, match="unfinished copy of"):
        asyncio.run(Service.open(settings))


def told_at(settings: Settings, app: App, agents: list[Agent]) -> dict[str, bytes]:
    """What a server that has just opened a database tells."""
    with served(settings, app, agents) as there:
        return everything.answers(there, agents)


def differing(one: dict[str, bytes], two: dict[str, bytes]) -> list[str]:
    """What the two tell differently, but for searches: each engine ranks in its own way."""
    names = sorted(one.keys() | two.keys())
    return [name for name in names if one.get(name) != two.get(name) and "search?q" not in name]


def found(app: App, word: str) -> list[str]:
    """The ids of the threads that a search finds."""
    return [thread["id"] for thread in app.get(f"search?q={word}").ok()["threads"]]


class Mortal:
    """A target that dies at a given change."""

    def __init__(self, target: Target, life: int = 1_000_000) -> None:
        self._target: Any = target
        self._life = life

    def __getattr__(self, name: str) -> Any:
        return getattr(self._target, name)

    async def apply(self, changes: list[TableUpdate]) -> None:
        """As the target does it, while it lives."""
        self._live()
        await self._target.apply(changes)

    async def finish(self) -> None:
        """As the target does it, while it lives."""
        self._live()
        await self._target.finish()

    def _live(self) -> None:
        self._life -= 1
        if self._life < 0:
            raise Killed


class Killed(BaseException):
    """The end of a copy in the middle."""


class Watched(Mortal):
    """A target that tells which table was written."""

    def __init__(self, target: Target, tell: Callable[[str], None]) -> None:
        super().__init__(target)
        self._tell = tell

    async def apply(self, changes: list[TableUpdate]) -> None:
        """As the target does it; then tell."""
        await self._target.apply(changes)
        # The application in this process runs on a loop of its own.
        await asyncio.to_thread(self._tell, changes[0].table.name)


class Forger(Mortal):
    """The target of a copy, to which another program writes once the agents are copied."""

    async def apply(self, changes: list[TableUpdate]) -> None:
        """As the target does it; then change an agent behind its back."""
        await self._target.apply(changes)
        change = "UPDATE agent SET description = 'Forged.' WHERE display_name = 'bob'"
        done = self._target._connection.execute(change)
        if asyncio.iscoroutine(done):
            await done


def test_every_table_is_copied() -> None:
    found = migrated().execute("SELECT name FROM sqlite_schema WHERE type = 'table'").fetchall()
    names = {row[0] for row in found if not row[0].startswith("sqlite_")}
    # Which process audits is of no matter elsewhere.
    assert {table.name for table in TABLES} == names - {"lease"}


@pytest.mark.costly
@pytest.mark.promise("D12")
@BOTH
def test_a_copy_and_a_copy_of_the_copy_answer_as_the_original(
    stoa: App, settings: Settings, other: Settings, full: list[Agent], tmp_path: Path
) -> None:
    stoa.close()
    told = told_at(settings, stoa, full)
    outcome = moved(settings, other, stoa.clock)
    empty = {table.table for table in outcome.tables if not table.source}
    assert empty <= {"thread_moved", "agent_word"}  # both are filled in the background
    assert differing(told_at(other, stoa, full), told) == []
    third = msgspec.structs.replace(settings, database_url=f"sqlite:///{tmp_path}/third.db")
    moved(other, third, stoa.clock)
    again = told_at(third, stoa, full)
    assert differing(again, told) == []
    assert settings.engine == "postgresql" or again == told


@pytest.mark.costly
@pytest.mark.promise("D13")
@BOTH
def test_a_copy_that_is_ended_again_and_again_is_carried_to_its_end(
    stoa: App, settings: Settings, other: Settings, full: list[Agent]
) -> None:
    stoa.close()
    told = told_at(settings, stoa, full[:1])

    def wrap(target: Target) -> Mortal:
        return Mortal(target, 6)

    deaths, finished = 0, False
    while not finished:
        try:
            finished = moved(settings, other, stoa.clock, wrap).finished
        except Killed:
            deaths += 1
            no_server_opens(other)
    assert deaths > 5
    assert differing(told_at(other, stoa, full[:1]), told) == []


@BOTH
def test_a_copy_that_was_killed_while_it_made_the_schema_is_carried_to_its_end(
    stoa: App, settings: Settings, other: Settings
) -> None:
    ada = stoa.agent("ada")
    stoa.close()
    begin_schema(other)
    moved(settings, other, stoa.clock)
    assert told_at(other, stoa, [ada]) == told_at(settings, stoa, [ada])


@pytest.mark.parametrize("engine", ["postgresql"])
def test_a_server_that_is_just_ending_is_waited_for(
    stoa: App, settings: Settings, other: Settings
) -> None:
    stoa.agent("ada")
    stoa.close()

    async def end_meanwhile() -> None:
        left = await connect(settings.database_url)
        copied = asyncio.create_task(asyncio.to_thread(moved, settings, other, stoa.clock))
        while not copied.done() and not await rows(settings.database_url, HAS_SEEN_WHO_IS_THERE):
            continue
        await left.close()
        await copied

    asyncio.run(end_meanwhile())


@pytest.mark.costly
@BOTH
@pytest.mark.soak
def test_what_is_written_during_a_copy_comes_with_the_next_one(
    stoa: App, settings: Settings, other: Settings, full: list[Agent]
) -> None:
    ada, bob, cy = full
    thread = ada.thread("Written before")

    def write(table: str) -> None:
        if table in {"token", "thread", "job"}:
            bob.reply(ada.thread("Written meanwhile", bountyCredits=1), "At once.")
            bob.reply(thread, "Later.")
            cy.sign_in()
            jobs.offer(cy, 1)

    first = copy(settings, other, stoa.clock, lambda target: Watched(target, write))
    assert first.equal
    assert (first.served, first.finished) == (True, False)
    no_server_opens(other)
    stoa.close()
    told = told_at(settings, stoa, full[:1])
    moved(settings, other, stoa.clock)
    assert differing(told_at(other, stoa, full[:1]), told) == []
    with served(other, stoa, full) as there:
        assert there.get("search?q=meanwhile").ok()["threads"] != []


@pytest.mark.costly
@BOTH
def test_what_was_hidden_between_two_runs_is_not_found_in_the_copy(
    stoa: App, settings: Settings, other: Settings
) -> None:
    ada, bob = stoa.agent("ada"), stoa.agent("bob")
    thread, shown = ada.thread("Hidden with its replies"), ada.thread("Shown")
    bob.reply(thread, "A secret of the thread.")
    reply = bob.reply(shown, "A secret of the reply.")
    assert not copy(settings, other, stoa.clock).finished
    operate(stoa, {"command": "grant", "key": ada.key.public, "reason": "She is careful."})
    moderate(ada, thread, "hide").ok()
    moderate(ada, reply, "hide").ok()
    stoa.close()
    moved(settings, other, stoa.clock)
    with served(other, stoa, [ada]) as there:
        assert found(there, "secret") == found(there, "hidden") == []
        assert found(there, "shown") == [shown["id"]]
        moderate(ada, reply, "restore").ok()
        assert found(there, "secret") == [shown["id"]]


@pytest.mark.costly
@BOTH
@pytest.mark.soak
def test_sessions_that_were_renewed_between_two_runs_are_copied(
    stoa: App, settings: Settings, other: Settings
) -> None:
    ada = stoa.agent("ada")
    first = [granted(stoa, ada) for _ in range(3 * SMALL)]
    assert not copy(settings, other, stoa.clock).finished
    renewed = [post(stoa, renewal(str(tokens.refresh_token))).ok() for tokens in first]
    stoa.close()
    moved(settings, other, stoa.clock)
    with App(other, stoa.clock) as there:
        for tokens in renewed:
            there.get("credits/balance", headers=bearer(tokens["access_token"])).ok()
        old = there.get("credits/balance", headers=bearer(first[0].access_token))
        assert old.status == 401


@pytest.mark.costly
@BOTH
def test_a_copy_can_be_written_to_and_its_guards_hold(
    stoa: App, settings: Settings, other: Settings, full: list[Agent]
) -> None:
    stoa.close()
    moved(settings, other, stoa.clock)
    with served(other, stoa, full) as there:
        ada, bob, _ = full
        thread = ada.thread("After the move", bountyCredits=1)
        ada.accept(thread, bob.reply(thread)).ok()
        assert there.get("search?q=move").ok()["threads"] != []
        for change in (
            "UPDATE posting SET amount = 1",
            "DELETE FROM posting",
            "DELETE FROM ledger_transaction",
            "UPDATE account SET balance = -1 WHERE id <> 'issuer'",
        ):
            with pytest.raises((apsw.ConstraintError, asyncpg.IntegrityConstraintViolationError)):
                there.sql(change)
    with pytest.raises(StartRefused, match="has agents already"):
        copy(settings, other, stoa.clock)


@pytest.mark.costly
@BOTH
@pytest.mark.soak
def test_an_unfinished_copy_of_another_database_is_left_alone(
    stoa: App, settings: Settings, other: Settings, tmp_path: Path
) -> None:
    stoa.agent("ada")
    stranger = msgspec.structs.replace(settings, database_url=f"sqlite:///{tmp_path}/third.db")
    App(stranger, stoa.clock).close()
    assert not copy(settings, other, stoa.clock).finished
    with pytest.raises(StartRefused, match="an unfinished copy of another database"):
        copy(stranger, other, stoa.clock)
    assert copy(settings, other, stoa.clock, while_served=True).finished


@pytest.mark.costly
@BOTH
def test_a_difference_is_found_and_keeps_the_copy_closed(
    stoa: App, settings: Settings, other: Settings, full: list[Agent]
) -> None:
    stoa.close()
    outcome = copy(settings, other, stoa.clock, Forger)
    assert [table.table for table in outcome.tables if not table.equal] == ["agent"]
    assert (outcome.equal, outcome.finished) == (False, False)
    moved(settings, other, stoa.clock)


@pytest.mark.costly
@BOTH
def test_a_wrong_ledger_is_copied_as_it_is_but_not_served(
    stoa: App, settings: Settings, other: Settings
) -> None:
    ada = stoa.agent("ada")
    stoa.sql("UPDATE account SET balance = balance + 1 WHERE id LIKE ?", f"%{ada.id}%")
    stoa.close()
    outcome = copy(settings, other, stoa.clock)
    assert all(table.equal for table in outcome.tables)
    wrong = {
        of.check.name for of, there in outcome.findings if of.differences and there.differences
    }
    assert "accounts" in wrong
    assert (outcome.equal, outcome.finished) == (False, False)
    there, here = (
        one.database_url or f"sqlite:///{one.database_path}" for one in (settings, other)
    )
    done = run_stoa_here("copy", "--from", there, "--to", here)
    assert (done.code, "If `stoa audit` finds differences" in done.out) == (1, True)


@pytest.mark.costly
@BOTH
@pytest.mark.soak
def test_rows_that_the_source_never_held_are_not_taken_away(
    stoa: App, settings: Settings, other: Settings, tmp_path: Path
) -> None:
    ada = stoa.agent("ada")
    older = msgspec.structs.replace(settings, database_url=f"sqlite:///{tmp_path}/older.db")
    assert copy(settings, older, stoa.clock, while_served=True).finished
    ada.thread("Newer")
    assert not copy(settings, other, stoa.clock).finished
    with pytest.raises(StartRefused, match="holds what the source never held"):
        copy(older, other, stoa.clock)
