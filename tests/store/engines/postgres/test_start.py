"""Opening a PostgreSQL database: migrated once, or refused with one clear line."""

import asyncio
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from pathlib import Path
from socket import AF_UNIX, SHUT_RDWR, create_server, socket
from typing import Any

import pytest

from stoa.cli import starting
from stoa.settings import Settings
from stoa.store.engines.migration_steps import read
from stoa.store.engines.postgres import connection as postgres_connection
from stoa.store.engines.postgres import copying
from stoa.store.engines.postgres import migrations as postgres_migrations
from stoa.store.engines.postgres import store as postgres
from stoa.store.tx import StartRefused, Tx
from tests.support.app import App
from tests.support.command import run_stoa
from tests.support.database import fetched, rows
from tests.support.limits_off import LIMITS_OFF
from tests.support.logs import logged
from tests.support.pooler import Pooler
from tests.support.postgresql import PostgreSQL, name_of
from tests.support.soaking import few

SECRET = "pa55/w@rd"
STEPS = postgres_migrations.steps()
TITLES = [step.title for step in STEPS]


def refused_by_the_commands(url: str) -> str:
    """The one line with which `stoa migrate` and `stoa serve` refuse this database."""

    def told_by(*command: str) -> str:
        return run_stoa(*command, STOA_DATABASE_URL=url).err

    with ThreadPoolExecutor() as running:
        asked = [
            running.submit(told_by, *words) for words in (("migrate",), ("serve", "--port", "0"))
        ]
        said = {told.result() for told in asked}
    assert len(said) == 1, said
    (line,) = said
    assert line.startswith("stoa: ")
    assert line.count("\n") == 1
    assert SECRET not in line
    assert "pa55" not in line
    return line


def refused(url: str) -> str:
    """The reason for which this process neither migrates nor opens this database. The commands
    print it as it is, which the tests with `refused_by_the_commands` show."""
    settings = Settings(database_url=url)
    with pytest.raises(StartRefused) as migrating:
        asyncio.run(postgres.migrate(url))
    with pytest.raises(StartRefused) as opening:
        asyncio.run(starting.prepare(settings, new=False))
    assert str(migrating.value) == str(opening.value)
    assert "\n" not in str(opening.value)
    assert SECRET not in str(opening.value)
    return str(opening.value)


def test_an_empty_database_is_migrated_once(postgresql: PostgreSQL) -> None:
    url = postgresql.empty()
    assert asyncio.run(postgres.migrate(url)) == TITLES
    assert asyncio.run(postgres.migrate(url)) == []
    done = asyncio.run(rows(url, "SELECT number, name FROM stoa_migration ORDER BY number"))
    assert [f"{number:04}_{name}" for number, name in done] == TITLES


def test_of_several_programs_that_start_at_once_each_step_is_applied_by_one(
    postgresql: PostgreSQL,
) -> None:
    url = postgresql.empty()

    async def all_at_once() -> list[list[str]]:
        return await asyncio.gather(*(postgres.migrate(url) for _ in range(5)))

    applied = asyncio.run(all_at_once())
    assert sorted(title for titles in applied for title in titles) == TITLES


@pytest.mark.soak
def test_the_command_says_what_it_did_and_where(postgresql: PostgreSQL) -> None:
    url = postgresql.empty()
    first, second = (run_stoa("migrate", STOA_DATABASE_URL=url) for _ in range(2))
    where = f"{postgresql.socket.parent}/{name_of(url)}"
    assert first.out == f"{where} is new, with schema {len(STEPS)}\n"
    assert second.out == f"{where} was up to date\n"


def test_a_step_that_fails_leaves_everything_as_it_was(
    postgresql: PostgreSQL, tmp_path: Path
) -> None:
    (tmp_path / "0001_good.sql").write_text("CREATE TABLE good (id BIGINT)")
    (tmp_path / "0002_bad.sql").write_text("CREATE TABLE bad (id BIGINT); SELECT 1 / 0")
    url = postgresql.empty()

    async def migrate() -> None:
        async with postgres_connection.opened(url) as connection:
            await postgres_migrations.migrate(connection, "here", read(tmp_path))

    with pytest.raises(Exception, match="division by zero"):
        asyncio.run(migrate())
    tables = "SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY 1"
    assert asyncio.run(rows(url, tables)) == [("good",), ("stoa_migration",)]


LIMITS = ("statement_timeout", "lock_timeout", "idle_in_transaction_session_timeout")
IN_FORCE = f"SELECT name, setting FROM pg_settings WHERE name IN {LIMITS} ORDER BY 1"


@pytest.fixture
def hurried(postgresql: PostgreSQL) -> str:
    """The address of a database that gives its users an hour for each thing."""
    url = postgresql.new()
    for limit in LIMITS:
        postgresql.do(f"ALTER DATABASE {name_of(url)} SET {limit} = '1h'")
    return url


def test_what_a_database_allows_its_users_does_not_end_a_long_audit(hurried: str) -> None:
    async def look(tx: Tx) -> list[tuple[str, str]]:
        return await fetched(connection_of(tx), IN_FORCE)

    lifted = [(limit, "0") for limit in sorted(LIMITS)]
    assert asyncio.run(rows(hurried, IN_FORCE)) == [(limit, "3600000") for limit in sorted(LIMITS)]
    assert asyncio.run(postgres.read_once(hurried, int, look)) == lifted
    assert asyncio.run(postgres.write_once(hurried, int, look)) == lifted


def test_whole_databases_are_read_without_parallel_workers(postgresql: PostgreSQL) -> None:
    workers = "SELECT current_setting('max_parallel_workers_per_gather')"
    url = postgresql.new()
    postgresql.do(f"ALTER DATABASE {name_of(url)} SET max_parallel_workers_per_gather = 2")

    async def look(tx: Tx) -> list[tuple[str]]:
        return await fetched(connection_of(tx), workers)

    async def copied() -> list[tuple[str]]:
        async with copying.open_source(url, int) as source:
            return await look(source.tx)

    assert asyncio.run(rows(url, workers)) == [("2",)]
    assert asyncio.run(postgres.read_once(url, int, look)) == [("0",)]
    assert asyncio.run(copied()) == [("0",)]


def test_what_a_database_allows_its_users_does_not_end_a_long_step(
    hurried: str, tmp_path: Path
) -> None:
    (tmp_path / f"{len(STEPS) + 1:04}_long.sql").write_text(f"CREATE TABLE seen AS {IN_FORCE}")

    async def migrate() -> None:
        async with postgres_connection.opened(hurried) as connection:
            await postgres_migrations.migrate(connection, "here", [*STEPS, *read(tmp_path)])

    asyncio.run(migrate())
    assert {setting for _, setting in asyncio.run(rows(hurried, "TABLE seen"))} == {"0"}


@pytest.mark.parametrize("end", ["pg_cancel_backend", "pg_terminate_backend"])
def test_a_command_whose_database_goes_away_says_so_in_one_line(
    postgresql: PostgreSQL, end: str
) -> None:
    url = postgresql.new()

    async def go_away(tx: Tx) -> None:
        await fetched(connection_of(tx), f"SELECT {end}(pg_backend_pid()), pg_sleep(60)")

    for once in (postgres.read_once, postgres.write_once):
        with pytest.raises(StartRefused, match=f"{name_of(url)} cannot be used: .+"):
            asyncio.run(once(url, int, go_away))


def connection_of(tx: Any) -> Any:
    """By which a transaction runs."""
    return tx._connection


@pytest.mark.soak
def test_a_newer_database_is_refused_and_left_alone(postgresql: PostgreSQL) -> None:
    url = postgresql.new()
    postgresql.do("INSERT INTO stoa_migration VALUES (99, 'from_the_future')", url)
    line = refused_by_the_commands(url)
    assert f"has schema 99, this Stoa knows up to {len(STEPS)}: use a newer Stoa" in line


@pytest.mark.soak
def test_a_database_from_before_the_first_release_is_refused_and_left_alone(
    postgresql: PostgreSQL,
) -> None:
    url = postgresql.new()
    postgresql.do("UPDATE stoa_migration SET name = 'discussion' WHERE number = 1", url)
    before = postgresql.dump(url)
    line = refused_by_the_commands(url)
    assert "is from before the first release and is not migrated" in line
    assert postgresql.dump(url) == before


def test_the_database_of_something_else_is_refused_and_left_alone(postgresql: PostgreSQL) -> None:
    url = postgresql.empty()
    postgresql.do("CREATE TABLE invoice (id BIGINT)", url)
    assert "is not a database of Stoa; give it an empty one of its own" in refused(url)
    assert asyncio.run(rows(url, "SELECT to_regclass('stoa_migration')")) == [(None,)]


@pytest.mark.soak
def test_a_wrong_password_is_told_without_it(postgresql: PostgreSQL) -> None:
    postgresql.demand_password("guarded", "right")
    url = postgresql.url(name_of(postgresql.new()), user="guarded", password=SECRET)
    assert "refuses the user or the password in STOA_DATABASE_URL" in refused_by_the_commands(url)


@pytest.mark.soak
def test_a_wrong_password_in_the_query_is_told_without_it(postgresql: PostgreSQL) -> None:
    postgresql.demand_password("careful", "right")
    name = name_of(postgresql.new())
    query = f"host={postgresql.socket.parent}&user=careful&password=pa55@{SECRET}"
    line = refused_by_the_commands(f"postgresql:///{name}?{query}")
    assert f"{postgresql.socket.parent}/{name} refuses the user or the password" in line


@pytest.mark.parametrize("options", [[], ["--json"]], ids=["text", "json"])
def test_config_show_hides_passwords_in_queries(options: list[str]) -> None:
    database, valkey = (
        f"{scheme}://127.0.0.1:1/0?password={SECRET}" for scheme in ("postgresql", "redis")
    )
    shown = run_stoa("config", "show", *options, STOA_DATABASE_URL=database, STOA_VALKEY_URL=valkey)
    assert shown.code == 0, shown.err
    assert "pa55" not in shown.out
    assert "w@rd" not in shown.out


def test_a_database_that_is_not_there_is_refused(postgresql: PostgreSQL) -> None:
    assert "there is no database" in refused(postgresql.url("nowhere"))


def test_a_server_that_is_not_there_is_refused() -> None:
    with closing(socket()) as taken:
        taken.bind(("127.0.0.1", 0))  # and nobody listens
        port = taken.getsockname()[1]
        line = refused(f"postgresql://stoa:{SECRET.replace('/', '%2F')}@127.0.0.1:{port}/stoa")
    assert f"cannot reach 127.0.0.1:{port}/stoa" in line
    assert "is PostgreSQL running there?" in line


@pytest.mark.parametrize(
    "url",
    few(
        [
            f"postgresql://stoa:{SECRET}@127.0.0.1:5432/stoa",
            "postgresql://stoa:secret@127.0.0.1:port/stoa",
            "postgresql://stoa:secret@127.0.0.1:5432/stoa?sslmode=sometimes",
        ]
    ),
)
def test_an_address_that_cannot_be_read_is_refused(url: str) -> None:
    assert "STOA_DATABASE_URL" in refused_by_the_commands(url)


def test_a_user_who_may_not_make_tables_is_refused(postgresql: PostgreSQL) -> None:
    url = postgresql.empty()
    postgresql.do("CREATE ROLE visitor LOGIN")
    line = refused(postgresql.url(name_of(url), user="visitor"))
    assert "this user may not change the schema" in line


RIGHTS = "SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public"


def clerk_of(postgresql: PostgreSQL, name: str, *changes: str) -> str:
    """The address of a migrated database for a user who may use all tables but for `changes`."""
    url = postgresql.new()
    postgresql.do(f"CREATE ROLE {name} LOGIN")
    for statement in (f"GRANT {RIGHTS} TO {name}", *changes):
        postgresql.do(statement.format(name=name), url)
    return postgresql.url(name_of(url), user=name)


@pytest.mark.parametrize(
    ("right", "where", "first"),
    [
        ("INSERT, UPDATE, DELETE", "ALL TABLES IN SCHEMA public", ("INSERT", "account")),
        ("UPDATE, DELETE", "ALL TABLES IN SCHEMA public", ("UPDATE", "account")),
        ("UPDATE", "account", ("UPDATE", "account")),
        ("DELETE", "token", ("DELETE", "token")),
        ("INSERT", "posting", ("INSERT", "posting")),
    ],
)
def test_a_user_who_lacks_a_right_is_refused(
    postgresql: PostgreSQL, right: str, where: str, first: tuple[str, str]
) -> None:
    name = f"lacks_{right}_{where}".lower().replace(", ", "_").replace(" ", "_")
    line = refused(clerk_of(postgresql, name, f"REVOKE {right} ON {where} FROM {{name}}"))
    assert f"this user has no right to {first[0]} in the table {first[1]}; let the owner" in line
    assert "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public to" in line


def test_a_user_who_may_read_no_table_is_told_what_is_missing(postgresql: PostgreSQL) -> None:
    url = postgresql.new()
    postgresql.do("CREATE ROLE reads_nothing LOGIN")
    line = refused(postgresql.url(name_of(url), user="reads_nothing"))
    assert "permission denied for table stoa_migration; let the owner" in line


def test_a_user_who_may_not_wipe_is_told_so_instead_of_that_it_was_done(
    postgresql: PostgreSQL,
) -> None:
    url = clerk_of(postgresql, "may_not_wipe")
    with pytest.raises(StartRefused, match=r"vacuum .*pg_maintain"):
        asyncio.run(postgres.wipe_once(url))
    owner = postgresql.url(name_of(url))
    assert asyncio.run(postgres.wipe_once(owner))


@pytest.mark.parametrize("command", few([["audit"], ["doctor"], ["export", "out"]]))
def test_commands_say_in_one_line_which_right_a_user_lacks(
    postgresql: PostgreSQL, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: list[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    url = clerk_of(postgresql, f"lacks_for_{command[0]}", "REVOKE SELECT ON thread FROM {name}")
    done = run_stoa(*command, "--database-url", url)
    assert done.code == 1
    told = done.out if command == ["doctor"] else done.err
    assert "permission denied for table thread; let the owner of the database GRANT" in told
    assert "Traceback" not in done.err


@pytest.mark.parametrize(
    "changes",
    [
        (),
        ("REVOKE UPDATE, DELETE ON posting, ledger_transaction FROM {name}",),
    ],
    ids=["all", "as is needed"],
)
def test_a_user_who_may_only_use_a_migrated_database_can_serve_it(
    postgresql: PostgreSQL, tmp_path: Path, changes: tuple[str, ...]
) -> None:
    url = clerk_of(postgresql, f"clerk{len(changes)}", *changes)
    assert asyncio.run(postgres.migrate(url)) == []
    settings = Settings(**LIMITS_OFF, data_dir=str(tmp_path), database_url=url)
    with App(settings) as app, logged() as lines:
        asker, helper = app.agent("asker"), app.agent("helper")
        thread = asker.thread(bountyCredits=1, tags=["bread"])
        asker.accept(thread, helper.reply(thread)).ok()
        asker.thread(bountyCredits=1)
        app.clock.advance(90 * 86_400_000)
        app.run(app.stoa.upkeep.sweep())
        app.agent("asker").get("credits/balance").ok()
    assert [line for line in lines if line["level"] == "error"] == []


def test_a_database_that_does_not_keep_text_as_utf8_is_refused(postgresql: PostgreSQL) -> None:
    url = postgresql.empty("TEMPLATE template0 ENCODING 'SQL_ASCII' LOCALE 'C'")
    assert "keeps text as SQL_ASCII; make a database with ENCODING 'UTF8'" in refused(url)


class Older:
    """A way to the server on which it says that it is PostgreSQL 13."""

    def __init__(self, target: Path) -> None:
        self._target = target
        self._listener = create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        with suppress(OSError):  # closed with the test
            while True:
                with self._listener.accept()[0] as here, socket(AF_UNIX) as there:
                    there.connect(str(self._target))
                    back = threading.Thread(target=self._pass_on, args=(there, here))
                    back.start()
                    self._pass_on(here, there)
                    back.join()

    def _pass_on(self, source: socket, sink: socket) -> None:
        with suppress(OSError):
            while data := source.recv(65536):
                sink.sendall(data.replace(b"server_version\x0018.", b"server_version\x0013."))
        with suppress(OSError):
            sink.shutdown(SHUT_RDWR)

    def close(self) -> None:
        """Take no more connections."""
        self._listener.close()


@pytest.fixture
def older(postgresql: PostgreSQL) -> Iterator[Older]:
    with closing(Older(postgresql.socket)) as way:
        yield way


def test_an_old_server_is_refused(older: Older, postgresql: PostgreSQL) -> None:
    ((version,),) = asyncio.run(rows(postgresql.url(), "SHOW server_version"))
    minor = version.split()[0].partition(".")[2]
    assert minor != "0"
    line = refused(f"postgresql://postgres@127.0.0.1:{older.port}/postgres?sslmode=disable")
    assert f"is PostgreSQL 13.{minor}; Stoa needs 14 or newer" in line


def test_a_pool_that_forgets_prepared_statements_is_refused(postgresql: PostgreSQL) -> None:
    url = postgresql.new()
    with closing(Pooler(postgresql.socket)) as pool:
        through = f"postgresql://postgres@127.0.0.1:{pool.port}/{name_of(url)}?sslmode=disable"
        # What the first has prepared is there for the second.
        said = {run_stoa("serve", "--port", "0", STOA_DATABASE_URL=through).err for _ in range(2)}
    (line,) = said
    assert line.startswith(
        f"stoa: 127.0.0.1:{pool.port}/{name_of(url)} is behind a pool that keeps"
    )
    assert line.endswith("use PgBouncer 1.21 or newer with max_prepared_statements = 200\n")
    assert line.count("\n") == 1


def test_a_server_that_takes_no_writes_is_refused(postgresql: PostgreSQL) -> None:
    url = postgresql.new()
    postgresql.do(f"ALTER DATABASE {name_of(url)} SET default_transaction_read_only = on")
    assert "takes no writes; use the primary's address" in refused(url)


def test_an_older_schema_is_not_audited_but_migrated_first(postgresql: PostgreSQL) -> None:
    url = postgresql.empty()
    done = run_stoa("audit", STOA_DATABASE_URL=url)
    assert (done.code, done.err.count("run `stoa migrate` first")) == (1, 1)
    with pytest.raises(StartRefused):
        asyncio.run(postgres.read_once(url, int, lambda tx: tx.all("agents.get", id="")))


def test_a_database_that_is_lost_while_the_server_starts_is_told(postgresql: PostgreSQL) -> None:
    """Its one connection is that of the watch, so that none is left for the first write."""
    url = postgresql.new()
    postgresql.do("CREATE ROLE single LOGIN CONNECTION LIMIT 1")
    rights = "SELECT, INSERT, UPDATE, DELETE"
    postgresql.do(f"GRANT {rights} ON ALL TABLES IN SCHEMA public TO single", url)
    own = postgresql.url(name_of(url), user="single")
    ended = run_stoa("serve", "--port", "0", STOA_DATABASE_URL=own)
    assert ended.code == 1
    assert ended.err.startswith(f"stoa: {postgresql.socket.parent}/{name_of(url)} cannot be used")
    assert "too many connections" in ended.err
    assert ended.err.count("\n") == 1
