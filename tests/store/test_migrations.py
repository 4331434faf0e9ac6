"""Migrations: numbered steps that lead any older database to the schema that is written down."""

import asyncio
import re
from pathlib import Path

import apsw
import pytest

from stoa.domain import ids
from stoa.domain.words import words
from stoa.store.engines.sqlite import migrations as sqlite_migrations
from stoa.store.engines.sqlite.file import connect
from stoa.store.engines.sqlite.store import SqliteStore, migrate
from stoa.store.tx import StartRefused
from tests.support import schema
from tests.support.clock import HOUR, START, VirtualClock

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
    sqlite_migrations.add_functions(connection)
    for step, _, sql in STEPS:
        if step <= number:
            connection.execute(sql)
    connection.pragma("user_version", number)
    connection.pragma("application_id", sqlite_migrations.APPLICATION_ID)
    return connection


def test_steps_are_numbered_from_one_without_gaps() -> None:
    assert [number for number, _, _ in STEPS] == list(range(1, len(STEPS) + 1))


def test_the_written_schema_and_the_migrations_give_the_same_database() -> None:
    migrated, written = schema.migrated(), schema.written()
    assert catalogue(written) == catalogue(migrated), "run tools/schema"
    assert schema.rows(written) == schema.rows(migrated)
    assert schema.WRITTEN.read_text(encoding="utf-8") == schema.text(), "run tools/schema"


@pytest.mark.promise("D8")
@pytest.mark.parametrize("number", range(len(STEPS) + 1))
def test_a_database_of_any_age_gets_to_the_same_schema(tmp_path: Path, number: int) -> None:
    path = tmp_path / "stoa.db"
    if number:
        at_version(number, path).close()
    assert migrate(path) == [f"{step:04}_{name}" for step, name, _ in STEPS[number:]]
    connection = connect(path, writer=False)
    assert catalogue(connection) == catalogue(schema.migrated())
    assert sqlite_migrations.version(connection) == len(STEPS)
    connection.close()
    assert migrate(path) == []


def insert(database: apsw.Connection, table: str, *row: str | int | bytes | None) -> None:
    database.execute(f"INSERT INTO {table} VALUES ({', '.join('?' * len(row))})", row)


def insert_agents(database: apsw.Connection) -> None:
    for name in ("ag_1", "ag_2"):
        key = name.encode() * 8
        insert(database, "agent", name, key, "A", "", "[]", "active", 30, START, START, 1)


def test_rows_of_an_older_database_stay(tmp_path: Path) -> None:
    path = tmp_path / "stoa.db"
    old = at_version(1, path)
    insert_agents(old)
    thread = ("th_1", "ag_1", "t", "b", '["x"]', "open", None, 0)
    insert(old, "thread", *thread, 0, 0, 0, START, START, START)
    agents = old.execute("SELECT * FROM agent ORDER BY id").fetchall()
    old.close()
    migrate(path)
    connection = connect(path, writer=False)
    columns = "id, author_id, title, body, tags, status, accepted_reply_id, locked"
    assert connection.execute(f"SELECT {columns} FROM thread").fetchall() == [thread]
    found = connection.execute("SELECT * FROM agent ORDER BY id").fetchall()
    assert [row[: len(agents[0])] for row in found] == agents
    assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
    connection.close()


def test_an_older_open_thread_knows_its_newest_reply_that_can_be_accepted(tmp_path: Path) -> None:
    path = tmp_path / "stoa.db"
    old = at_version(12, path)
    insert_agents(old)
    for thread, status, accepted in (("th_1", "open", None), ("th_2", "answered", "rp_a")):
        counts, times = (0, 3, 2, 2), (START, START, START)
        insert(
            old, "thread", thread, "ag_1", "t", "b", "[]", status, accepted, *counts, *times, None
        )
        for order, author in enumerate(("ag_2", "ag_2", "ag_1")):
            reply = (f"rp_{thread}{order}", thread, order, author)
            insert(old, "reply", *reply, None, 0, "answer", "b", START)
    old.close()
    migrate(path)
    connection = connect(path, writer=False)
    found = connection.execute("SELECT id, eligible_reply_id FROM thread ORDER BY id").fetchall()
    assert found == [("th_1", "rp_th_11"), ("th_2", None)]
    connection.close()


def definitions(sql: str) -> list[str]:
    """The columns and rules of a table that is created, in no order."""
    body = re.sub(r"--.*", "", sql)
    body = " ".join(body[body.index("(") + 1 : body.rindex(")")].split())
    return sorted(part.strip() for part in re.split(r",(?![^(]*\))", body))


def named(connection: apsw.Connection, table: str) -> list[dict[str, object]]:
    """The rows of a table by the names of columns."""
    found = connection.execute(f"SELECT * FROM {table} ORDER BY id")
    names = [column[0] for column in found.get_description()]
    return [dict(zip(names, row, strict=True)) for row in found]


def test_threads_and_jobs_keep_their_columns_rules_and_rows_in_another_order(
    tmp_path: Path,
) -> None:
    path = tmp_path / "stoa.db"
    old = at_version(27, path)
    for name in ("ag_1", "ag_2"):
        agent = (name, name.encode() * 8, name, "", "[]", "active", 0, START, START, 1, 1)
        insert(old, "agent", *agent, *[None] * 6, 0, None)
    times = (START, START + 1, START + 2)
    for thread in ("th_1", "th_2"):
        state = ("open", None, 0, 1, 1, *times, None, "rp_9", START + 3, "Spam.")
        insert(old, "thread", thread, "ag_1", "t", "b", '["x"]', *state)
        insert(old, "thread_tag", "x", thread, START, 1)
    insert(old, "reply", "rp_1", "th_1", 0, "ag_2", None, 0, "answer", "b", START, None, None)
    texts, end = ('["x"]', "[1]", "[2]", "[3]", "1 h"), (START + 3, START + 4, START + 5)
    head = ("job_1", "research", "COMPLETED", "t", "d", "ag_1", "ag_2", *texts)
    more = (7, 1, "late", "Late.", 2, "sub_1", START, START + 2, *end, None, START + 6, "Spam.")
    insert(old, "job", *head, *more)
    insert(old, "job_tag", "x", "job_1", 7, START + 2)
    tables = {name: sql for name, sql in schema.objects(old) if name in ("thread", "job")}
    kept = {name: named(old, name) for name in tables}
    old.close()
    migrate(path)
    connection = connect(path, writer=False)
    now = dict(schema.objects(connection))
    for name, sql in tables.items():
        assert definitions(now[name]) == definitions(sql)
        assert named(connection, name) == kept[name]
    assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
    connection.close()


LONG_TEXTS = {"thread": "body", "job": "description"}
"""Texts of up to 50,000 characters in rows that lists pass over. Those of replies and submissions
are in rows that are found by their ids, or shown."""


@pytest.mark.parametrize(("table", "column"), LONG_TEXTS.items())
def test_no_column_stands_behind_a_long_text(table: str, column: str) -> None:
    columns = [row[1] for row in schema.migrated().execute(f"PRAGMA table_info({table})")]
    assert columns[-1] == column, "make the table anew, as 0029_long_texts_last does"


def test_agents_of_an_older_database_know_their_first_posts(tmp_path: Path) -> None:
    path = tmp_path / "stoa.db"
    old = at_version(22, path)
    for name in ("ag_1", "ag_2", "ag_3"):
        key = name.encode() * 8
        more = (key, name, "", "[]", "active", 0, START, START, 1, 1, *[None] * 6, 0)
        insert(old, "agent", name, *more)
    for thread, author, at in (("th_1", "ag_1", 5), ("th_2", "ag_2", 7)):
        times = (START + at,) * 3
        shown = (None, None, None, None)
        insert(old, "thread", thread, author, "t", "b", "[]", "open", None, 0, 2, 0, *times, *shown)
    for order, author in enumerate(("ag_2", "ag_1", "ag_2")):
        reply = (f"rp_{order}", "th_1", order, author, None, 0, "answer", "b", START + 5 + order)
        insert(old, "reply", *reply, None, None)
    old.close()
    migrate(path)
    connection = connect(path, writer=False)
    found = connection.execute("SELECT id, first_post_id FROM agent ORDER BY id").fetchall()
    assert found == [("ag_1", "th_1"), ("ag_2", "rp_0"), ("ag_3", None)]
    connection.close()


def test_texts_of_an_older_database_are_found_by_whole_words(tmp_path: Path) -> None:
    path = tmp_path / "stoa.db"
    old = at_version(30, path)
    old.pragma("foreign_keys", 0)
    threads = [("th_1", "दस की", None), ("th_2", "राम को", None), ("th_3", "दस की", START)]
    replies = [("rp_1", "दस की", None), ("rp_2", "की", START)]
    numbers = (0, 2, 0, START, START, START, None, None)
    for thread, title, removed_at in threads:
        more = (removed_at, title, "[]", None, "b")
        insert(old, "thread", thread, "ag_1", "open", None, *numbers, *more)
    for order, (reply, body, removed_at) in enumerate(replies):
        more = ("answer", body, START, removed_at, None)
        insert(old, "reply", reply, "th_2", order, "ag_1", None, 0, *more)
    texts = [(thread, None) for thread, *_ in threads] + [("th_2", reply) for reply, *_ in replies]
    for number, text in enumerate(texts, 1):
        insert(old, "post", number, *text)
    old.close()
    migrate(path)
    connection = connect(path, writer=False)
    ask = "SELECT rowid FROM post_index WHERE post_index MATCH ? ORDER BY rowid"
    found = {word: connection.execute(ask, (word,)).fetchall() for word in ("की", "को", "b")}
    assert found == {"की": [(1,), (4,)], "को": [(2,)], "b": [(1,), (2,)]}
    connection.close()


def test_texts_of_an_older_database_are_found_within_runs(tmp_path: Path) -> None:
    path = tmp_path / "stoa.db"
    old = at_version(34, path)
    old.pragma("foreign_keys", 0)
    numbers = (0, 2, 0, START, START, START, None, None)
    for number, (title, removed_at) in enumerate([("日本語", None), ("日本", START)], 1):
        more = (removed_at, title, "[]", None, "C++ at 東京都")
        insert(old, "thread", f"th_{number}", "ag_1", "open", None, *numbers, *more)
        insert(old, "post", number, f"th_{number}", None)
        old.execute(
            "INSERT INTO post_index (rowid, title, body) VALUES (?, '日本語', 'old')", (number,)
        )
    old.close()
    migrate(path)
    connection = connect(path, writer=False)
    ask = "SELECT rowid FROM post_index WHERE post_index MATCH ?"
    asked = ("title : 日本", "本語", "東京", f'"{words("C++")[1]}"', "old")
    assert [connection.execute(ask, (word,)).fetchall() for word in asked] == [*[[(1,)]] * 4, []]
    connection.close()


def test_tokens_of_an_older_database_stay_live_as_sessions(tmp_path: Path) -> None:
    path = tmp_path / "stoa.db"
    old = at_version(11, path)
    insert_agents(old)
    tokens = [(b"a", "ag_1", START + HOUR, None), (b"b", "ag_1", START + HOUR, START)]
    old.executemany("INSERT INTO token VALUES (?, ?, ?, ?)", tokens)
    old.close()
    migrate(path)
    connection = connect(path, writer=False)
    columns = "hash, agent_id, expires_at, revoked_at, via, created_at, last_used_at"
    found = connection.execute(f"SELECT {columns} FROM token ORDER BY hash").fetchall()
    assert found == [(*token, "verify", START, START) for token in tokens]
    sessions = {row[0] for row in connection.execute("SELECT session_id FROM token")}
    assert len(sessions) == 2
    assert all(ids.is_id("ses", session) for session in sessions)
    connection.close()


def test_a_step_that_fails_leaves_everything_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "stoa.db"
    old = at_version(1, path)
    # The second step makes this table after some others.
    old.execute("CREATE TABLE job (id TEXT PRIMARY KEY) STRICT")
    before = schema.objects(old)
    old.close()
    with pytest.raises(StartRefused, match="job"):
        migrate(path)
    connection = connect(path, writer=False)
    assert schema.objects(connection) == before
    assert sqlite_migrations.version(connection) == 1
    connection.close()


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


async def _open_and_close(path: Path) -> None:
    await SqliteStore.open(path, VirtualClock()).close()


@pytest.mark.promise("D7")
def test_a_second_program_is_refused_until_the_first_has_ended(tmp_path: Path) -> None:
    async def attempt() -> None:
        migrate(tmp_path / "stoa.db")
        first = SqliteStore.open(tmp_path / "stoa.db", VirtualClock())
        for path in (tmp_path / "stoa.db", tmp_path / "." / "x" / ".." / "stoa.db"):
            (tmp_path / "x").mkdir(exist_ok=True)
            with pytest.raises(StartRefused, match="already"):
                SqliteStore.open(path, VirtualClock())
        link = tmp_path / "link.db"
        link.symlink_to(tmp_path / "stoa.db")
        with pytest.raises(StartRefused, match="already"):
            SqliteStore.open(link, VirtualClock())
        with pytest.raises(StartRefused, match="already"):
            migrate(tmp_path / "stoa.db")
        await first.close()
        await SqliteStore.open(tmp_path / "stoa.db", VirtualClock()).close()

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
