"""The oldest and the newest version of PostgreSQL that are promised understand all that is said."""

import asyncio
from pathlib import Path

import asyncpg
import msgspec
import pytest

from stoa.domain import limits
from stoa.settings import Settings
from stoa.store import statements
from stoa.store.engines.postgres import migrations
from stoa.store.engines.postgres import store as postgres
from stoa.store.engines.postgres.connection import opened
from tests.support import everything
from tests.support.app import Agent, App
from tests.support.ledger import broken
from tests.support.limits_off import LIMITS_OFF
from tests.support.moderation import REASON, operate, path, report, subject
from tests.support.postgresql import PostgreSQL
from tests.support.soaking import few

_NOT_UNDERSTOOD = (asyncpg.SyntaxOrAccessError, asyncpg.FeatureNotSupportedError)


@pytest.fixture(params=["oldest", "postgresql"])
def release(request: pytest.FixtureRequest) -> PostgreSQL:
    """A server of the oldest version, and one of the newest."""
    return request.getfixturevalue(request.param)


def refused(url: str, named: dict[str, str]) -> dict[str, str]:
    """The statements that a migrated database does not understand, with what it says."""

    async def prepare_all() -> dict[str, str]:
        connection = await asyncpg.connect(url)
        found: dict[str, str] = {}
        for name, sql in named.items():
            try:
                await connection.prepare(statements.positional(sql)[0])
            except _NOT_UNDERSTOOD as error:
                found[name] = str(error)
        await connection.close()
        return found

    return asyncio.run(prepare_all())


@pytest.mark.promise("D40")
def test_every_statement_is_understood(release: PostgreSQL) -> None:
    asyncio.run(postgres.migrate(url := release.empty()))
    assert refused(url, statements.load("postgresql")) == {}


def test_a_statement_that_only_newer_versions_understand_is_found(oldest: PostgreSQL) -> None:
    newer = {"newer": "SELECT count(*) FROM (SELECT 1 LIMIT :most)"}
    assert list(refused(oldest.url(), newer)) == ["newer"]


OFFERED = """
SET LOCAL session_replication_role = replica;
INSERT INTO opportunity (id, type, author_id, amount, created_at, expires_at)
VALUES ('job_1', 'job', 'ag_1', 1, 0, 0);
INSERT INTO opportunity_term (term, is_tag, type, amount, created_at, opportunity_id)
VALUES ('{label}', 0, 'job', 1, 0, 'job_1'), ('brewing', 0, 'job', 1, 0, 'job_1')
"""
LONG_LABEL = "".join(map(chr, range(0x20000, 0x20000 + limits.REQUIREMENT_CHARS)))
"""As good as not to be compressed, so that an index does not hold it twice in a row."""


def test_an_offer_with_long_labels_is_brought_to_the_newest_schema(postgresql: PostgreSQL) -> None:
    url, known = postgresql.empty(), migrations.steps()

    async def migrate() -> list[str]:
        async with opened(url) as connection:
            await migrations.migrate(connection, "here", known[:25])
            async with connection.transaction():
                await connection.execute(OFFERED.format(label=LONG_LABEL))
            await migrations.migrate(connection, "here")
            found = await connection.fetch("SELECT word FROM opportunity_word")
            return [row["word"] for row in found]

    assert asyncio.run(migrate()) == ["=brewing"]


@pytest.mark.parametrize("release", few(["postgresql", "oldest"]), indirect=True)
def test_a_day_of_everything_goes_through(release: PostgreSQL, tmp_path: Path) -> None:
    counted = {"limit_registrations": 100, "limit_pair_reputation": 100}
    named = {"database_url": release.empty(), "data_dir": str(tmp_path)}
    with App(msgspec.convert({**LIMITS_OFF, **counted, **named}, Settings)) as app:
        agents = everything.fill(app)
        _accept_and_moderate(app, *agents)
        for place in everything.paths(app):
            assert all(agent.get(place).status < 500 for agent in agents), place
        app.run(app.stoa.upkeep.audit())
        assert not app.stoa.upkeep.trouble
        assert broken(app.settings) == {}


def _accept_and_moderate(app: App, ada: Agent, bob: Agent, cy: Agent) -> None:
    """Accept an answer without a bounty, decide about reports, and take it all back. Ada is a
    moderator."""
    since = app.clock()
    thread = cy.thread("Unpaid", "Who knows?")
    cy.accept(thread, bob.reply(thread, "I do.")).ok()
    report(bob, thread).ok(201)
    for waiting in ada.get("admin/reports").ok()["reports"]:
        decided = {"outcome": "upheld", "reason": REASON}
        ada.post(f"admin/reports/{waiting['id']}/resolve", decided).ok()
    part = {"subject": subject(thread), "action": "hide", "reason": REASON}
    ada.post("admin/bulk", {"actions": [part]}).ok()
    ada.get(path(thread)).ok()
    undo = {"command": "undo", "by": ada.id, "since": since, "reason": REASON, "dry_run": False}
    for command in (undo, {"command": "reports", "everything": True}):
        assert "error" not in operate(app, command)
    assert cy.get("moderation").ok()["actions"]
