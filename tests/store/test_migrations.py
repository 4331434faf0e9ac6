"""Migrations: numbered steps that lead any release's database to the schema written down."""

import asyncio
from pathlib import Path

import apsw
import pytest

from stoa.store.engines.migration_steps import MigrationStep, refuse_other
from stoa.store.engines.sqlite import migrations as sqlite_migrations
from stoa.store.engines.sqlite.file import connect
from stoa.store.engines.sqlite.store import SqliteStore, migrate
from stoa.store.tx import StartRefused
from tests.support import schema
from tests.support.clock import VirtualClock
from tests.support.soaking import few

STEPS = sqlite_migrations.steps()


def catalogue(connection: apsw.Connection) -> dict[str, object]:
    """What there is, however its definition is spelled: columns, keys, indexes, triggers."""
    found: dict[str, object] = {}
    for name, sql in schema.objects(connection):
        found[name] = (
            connection.execute(f"PRAGMA table_xinfo({name})").fetchall(),
            sorted(connection.execute(f"PRAGMA foreign_key_list({name})").fetchall()),
            connection.execute(f"PRAGMA index_xinfo({name})").fetchall(),
            "" if sql.startswith("CREATE TABLE") else " ".join(sql.split()),
            [word in sql for word in ("STRICT", "WITHOUT ROWID", "CHECK", "UNIQUE")],
        )
    return found


def at_version(number: int, path: Path) -> apsw.Connection:
    """A database as a program of that time left it."""
    path.touch()
    connection = connect(path, writer=True)
    sqlite_migrations.migrate(connection, STEPS[:number])
    return connection


def test_steps_are_numbered_from_one_without_gaps() -> None:
    assert [number for number, _, _ in STEPS] == list(range(1, len(STEPS) + 1))


def test_the_written_schema_and_the_migrations_give_the_same_database() -> None:
    migrated, written = schema.migrated(), schema.written()
    assert catalogue(written) == catalogue(migrated), "run tools/schema"
    assert schema.rows(written) == schema.rows(migrated)
    assert schema.WRITTEN.read_text(encoding="utf-8") == schema.text(), "run tools/schema"


@pytest.mark.promise("D8")
@pytest.mark.parametrize("number", few(sorted(range(len(STEPS) + 1), key=lambda at: at % 4), 6))
def test_a_database_of_any_release_gets_to_the_same_schema(tmp_path: Path, number: int) -> None:
    path = tmp_path / "stoa.db"
    if number:
        at_version(number, path).close()
    assert migrate(path) == [f"{step:04}_{name}" for step, name, _ in STEPS[number:]]
    connection = connect(path, writer=False)
    assert catalogue(connection) == catalogue(schema.migrated())
    assert sqlite_migrations.version(connection) == len(STEPS)
    connection.close()
    assert migrate(path) == []


LATER = MigrationStep(len(STEPS) + 1, "moods", "ALTER TABLE secret ADD COLUMN mood TEXT")
FAILING = MigrationStep(len(STEPS) + 2, "failing", "CREATE TABLE mood (name TEXT); SELECT gone")
"""Made-up steps, as later releases may have them."""


def test_a_later_step_alone_is_applied_and_rows_stay(tmp_path: Path) -> None:
    newest = at_version(len(STEPS), tmp_path / "stoa.db")
    newest.execute("INSERT INTO secret VALUES ('a', x'00')")
    assert sqlite_migrations.migrate(newest, [*STEPS, LATER]) == [LATER.title]
    assert newest.execute("SELECT * FROM secret").fetchall() == [("a", b"\0", None)]
    assert sqlite_migrations.version(newest) == LATER.number
    assert sqlite_migrations.migrate(newest, [*STEPS, LATER]) == []
    newest.close()


def with_an_agent(number: int, path: Path) -> apsw.Connection:
    """A database of that time with an agent `a`."""
    older = at_version(number, path)
    older.execute("PRAGMA foreign_keys = OFF")
    older.execute(
        "INSERT INTO agent (id, public_key, display_name, description, capabilities, status, "
        "reputation, created_at, last_seen_at, version) "
        "VALUES ('a', zeroblob(32), 'a', '', '[]', 'active', 0, 1, 1, 1)"
    )
    return older


def test_replies_of_before_are_ordered_by_score_then_accepted_then_imported_score(
    tmp_path: Path,
) -> None:
    older = with_an_agent(26, tmp_path / "stoa.db")
    older.execute(
        "INSERT INTO thread (id, author_id, title, tags, status, accepted_reply_id, locked, "
        "reply_count, answer_count, created_at, updated_at, last_activity_at, body) "
        "VALUES ('t', 'a', 't', '[]', 'answered', 'taken', 0, 4, 4, 1, 1, 1, 'b')"
    )
    scores = {"worked": (1, None), "taken": (0, -4), "plain": (0, None), "high": (0, 9)}
    for order, (reply, given) in enumerate(scores.items()):
        older.execute(
            "INSERT INTO reply (id, thread_id, thread_order, author_id, depth, kind, body, "
            "created_at, score, imported_score) VALUES (?, 't', ?, 'a', 0, 'answer', 'b', 1, ?, ?)",
            (reply, order, *given),
        )
    sqlite_migrations.migrate(older, STEPS)
    ordered = older.execute("SELECT id FROM reply ORDER BY worth DESC").fetchall()
    assert [one for (one,) in ordered] == ["worked", "taken", "high", "plain"]
    older.close()


def test_jobs_on_offer_of_before_are_known_by_what_they_require(tmp_path: Path) -> None:
    older = with_an_agent(29, tmp_path / "stoa.db")
    least = '{"reputation":5,"completedJobs":1}'
    terms = {"hard": f'{{"onSilence":"refund","requires":{least}}}', "any": "{}", "plain": None}
    for job, promised in terms.items():
        older.execute(
            "INSERT INTO job (id, type, status, creator_id, amount, reject_count, "
            "submission_count, created_at, deadline, title, tags, requirements, "
            "acceptance_criteria, verification, terms) "
            "VALUES (?, 'open', 'OPEN', 'a', 1, 0, 0, 1, 9, 't', '[]', '[]', '[]', '', ?)",
            (job, promised),
        )
        older.execute(
            "INSERT INTO opportunity (id, type, author_id, amount, created_at, expires_at) "
            "VALUES (?, 'job', 'a', 1, 1, 9)",
            (job,),
        )
    sqlite_migrations.migrate(older, STEPS)
    known = older.execute("SELECT id, requires FROM opportunity").fetchall()
    assert dict(known) == {"hard": least, "any": None, "plain": None}
    older.close()


def test_of_webhooks_of_before_it_is_known_when_they_took_what_came_last(tmp_path: Path) -> None:
    older = with_an_agent(30, tmp_path / "stoa.db")
    attempts = {"took": (7, None), "failed": (8, "timeout"), "new": (None, None)}
    for webhook, attempt in attempts.items():
        older.execute(
            "INSERT INTO webhook (id, agent_id, url, scope, kinds, status, created_at, seq, "
            "due_at, failures, attempted_at, problem) "
            "VALUES (?, 'a', '', 'events', 'null', 'active', 1, 1, 1, 0, ?, ?)",
            (webhook, *attempt),
        )
    sqlite_migrations.migrate(older, STEPS)
    known = older.execute("SELECT id, delivered_at FROM webhook").fetchall()
    assert dict(known) == {"took": 7, "failed": None, "new": None}
    older.close()


def test_a_step_that_fails_leaves_everything_as_the_step_before_it_did(tmp_path: Path) -> None:
    newest = at_version(len(STEPS), tmp_path / "stoa.db")
    with pytest.raises(apsw.SQLError, match="gone"):
        sqlite_migrations.migrate(newest, [*STEPS, LATER, FAILING])
    assert sqlite_migrations.version(newest) == LATER.number
    assert "mood" in dict(schema.objects(newest))["secret"]
    assert "mood" not in dict(schema.objects(newest))
    newest.close()


REFERRING = """CREATE TABLE mood (name TEXT PRIMARY KEY); INSERT INTO mood VALUES ('glad');
CREATE TABLE face (mood TEXT REFERENCES mood (name)); INSERT INTO face VALUES ('glad')"""


@pytest.mark.parametrize("dropping", ["DROP TABLE mood", "DELETE FROM mood"])
def test_a_step_that_drops_what_others_refer_to_is_refused(tmp_path: Path, dropping: str) -> None:
    connection = at_version(len(STEPS), tmp_path / "stoa.db")
    moods = MigrationStep(LATER.number, "moods", REFERRING)
    lost = MigrationStep(LATER.number + 1, "lost", dropping)
    with pytest.raises(StartRefused, match=f"{lost.title} would leave references to nothing"):
        sqlite_migrations.migrate(connection, [*STEPS, moods, lost])
    assert sqlite_migrations.version(connection) == moods.number
    assert connection.execute("SELECT name FROM mood").fetchall() == [("glad",)]
    connection.close()


def test_the_schema_of_an_older_release_is_refused_by_what_does_not_migrate() -> None:
    with pytest.raises(StartRefused, match=r"schema 1, .* 2: make a backup .* `stoa migrate`"):
        refuse_other("here", 1, [MigrationStep(1, "baseline", ""), MigrationStep(2, "moods", "")])


LONG_TEXTS = {"thread": "body", "job": "description"}
"""Texts of up to 50,000 characters in rows that lists pass over. Those of replies and submissions
are in rows that are found by their ids, or shown."""


@pytest.mark.parametrize(("table", "column"), LONG_TEXTS.items())
def test_no_column_stands_behind_a_long_text(table: str, column: str) -> None:
    columns = [row[1] for row in schema.migrated().execute(f"PRAGMA table_info({table})")]
    assert columns[-1] == column, "let the long text be the last column"


@pytest.mark.promise("D9")
def test_a_newer_database_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "stoa.db"
    newer = at_version(len(STEPS), path)
    newer.execute("CREATE TABLE from_the_future (id TEXT PRIMARY KEY) STRICT")
    newer.pragma("user_version", len(STEPS) + 1)
    newer.close()
    content = path.read_bytes()
    with pytest.raises(StartRefused, match="newer"):
        asyncio.run(_open_and_close(path))
    assert path.read_bytes() == content


@pytest.mark.promise("D50")
def test_a_database_from_before_the_first_release_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "stoa.db"
    for number in (1, 36):
        old = at_version(len(STEPS), path)
        old.pragma("application_id", sqlite_migrations.BEFORE_RELEASE)
        old.pragma("user_version", number)
        old.close()
        content = path.read_bytes()
        with pytest.raises(StartRefused, match="from before the first release"):
            migrate(path)
        with pytest.raises(StartRefused, match="from before the first release"):
            asyncio.run(_open_and_close(path))
        assert path.read_bytes() == content
        path.unlink()


async def _open_and_close(path: Path) -> None:
    await (await SqliteStore.open(path, VirtualClock())).close()


@pytest.mark.promise("D7")
def test_a_second_program_is_refused_until_the_first_has_ended(tmp_path: Path) -> None:
    async def attempt() -> None:
        migrate(tmp_path / "stoa.db")
        first = await SqliteStore.open(tmp_path / "stoa.db", VirtualClock())
        for path in (tmp_path / "stoa.db", tmp_path / "." / "x" / ".." / "stoa.db"):
            (tmp_path / "x").mkdir(exist_ok=True)
            with pytest.raises(StartRefused, match="another Stoa uses"):
                await SqliteStore.open(path, VirtualClock())
        link = tmp_path / "link.db"
        link.symlink_to(tmp_path / "stoa.db")
        with pytest.raises(StartRefused, match="another Stoa uses"):
            await SqliteStore.open(link, VirtualClock())
        with pytest.raises(StartRefused, match="another Stoa uses"):
            migrate(tmp_path / "stoa.db")
        await first.close()
        await (await SqliteStore.open(tmp_path / "stoa.db", VirtualClock())).close()

    asyncio.run(attempt())


def test_every_table_is_strict() -> None:
    for name, sql in schema.objects(schema.migrated()):
        if sql.startswith("CREATE TABLE"):
            assert sql.rstrip().endswith(("STRICT", "STRICT, WITHOUT ROWID")), name


def test_every_connection_keeps_the_settings_that_durability_rests_on(tmp_path: Path) -> None:
    migrate(tmp_path / "stoa.db")
    writer = connect(tmp_path / "stoa.db", writer=True)
    reader = connect(tmp_path / "stoa.db", writer=False)
    assert (writer.pragma("journal_mode"), writer.pragma("synchronous")) == ("wal", 2)
    assert (writer.pragma("fullfsync"), writer.pragma("foreign_keys")) == (1, 1)
    assert (reader.pragma("query_only"), reader.pragma("wal_autocheckpoint")) == (1, 0)
    for connection in (reader, writer):
        connection.close()
