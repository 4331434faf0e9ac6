"""Who brings a database to the schema of the program: `stoa migrate` and a start, nobody else."""

import asyncio
import gc
import os
import shutil
import signal
from pathlib import Path

import httpx
import pytest

import stoa
from stoa.settings import Settings
from stoa.store.engines import engine_of
from stoa.store.engines.sqlite import migrations as sqlite_migrations
from tests.importers.conftest import SMALL
from tests.support.command import Finished, run_stoa, run_stoa_here
from tests.support.database import query, table_names
from tests.support.loaded import anew
from tests.support.postgresql import PostgreSQL
from tests.support.processes import until, workers
from tests.support.server import Server
from tests.support.soaking import few

LATER = "CREATE TABLE later (id TEXT PRIMARY KEY);\n"
NEWEST = sqlite_migrations.steps()[-1].number
IMPORT = ("import", "stackexchange", str(SMALL), "--direct", "--no-attribution", "--keys", "keys")
COMMANDS = [
    ("admin", "reports"),
    ("admin", "signups", "closed"),
    ("admin", "hide", "th_01arz3ndektsv4rrffq69g5fav", "--reason", "Advertising.", "--dry-run"),
    ("audit",),
    ("audit", "--resume"),
    ("backup", "backups"),
    ("copy", "--to", "sqlite:///copy/stoa.db"),
    ("export", "exported"),
    IMPORT,
]


@pytest.fixture
def database(
    request: pytest.FixtureRequest, engine: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Settings:
    """A database without content, but with this program's schema."""
    monkeypatch.chdir(tmp_path)
    postgresql: PostgreSQL | None = None
    if engine == "postgresql":
        postgresql = request.getfixturevalue("postgresql")
    settings = Settings(
        data_dir=str(tmp_path / "data"), database_url=postgresql.new() if postgresql else ""
    )
    asyncio.run(engine_of(settings).migrate(settings))
    return settings


def named(database: Settings) -> list[str]:
    """The flags that name it."""
    if database.database_url:
        return ["--database-url", database.database_url]
    return ["--data-dir", database.data_dir]


def set_schema(database: Settings, number: int) -> None:
    """Let it say that it has this schema; that none of its tables is another does not show here."""
    if database.engine == "sqlite":
        query(database, f"PRAGMA user_version = {number}")
    elif number > NEWEST:
        query(database, "INSERT INTO stoa_migration (number, name) VALUES (?, 'later')", number)
    else:
        query(database, "DELETE FROM stoa_migration WHERE number > ?", number)


def refused(done: Finished) -> str:
    """The one line of a command that was refused."""
    assert (done.code, done.err.count("\n")) == (1, 1), done
    return done.err


@pytest.mark.costly
@pytest.mark.promise("D49")
@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_no_other_command_migrates(database: Settings, command: tuple[str, ...]) -> None:
    for number, told in ((NEWEST - 1, "run `stoa migrate --"), (NEWEST + 1, "a newer Stoa")):
        set_schema(database, number)
        assert told in refused(run_stoa_here(*command, *named(database)))
        version = "SELECT coalesce(max(number), 0) FROM stoa_migration"
        if database.engine == "sqlite":
            version = "PRAGMA user_version"
        assert query(database, version) == [(number,)]


@pytest.mark.parametrize("engine", ["sqlite"])
def test_a_command_that_does_not_look_works_on_an_older_database(
    database: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The control of the test above."""

    def refuse_none(*_: object) -> None:
        return

    set_schema(database, NEWEST - 1)
    monkeypatch.setattr(sqlite_migrations, "refuse_other", refuse_none)
    assert run_stoa_here("audit", *named(database)).code == 0


def test_migrate_says_in_one_line_what_it_did(database: Settings) -> None:
    where = engine_of(database).place(database)
    again = run_stoa_here("migrate", *named(database))
    assert again.out == f"{where} was up to date\n"


@pytest.mark.costly
@pytest.mark.promise("D42")
def test_a_process_uses_the_migrations_it_was_started_with(
    engine: str, tmp_path: Path, together: dict[str, str]
) -> None:
    shares = engine == "postgresql"
    program = tmp_path / "older" / "stoa"
    shutil.copytree(Path(stoa.__file__).parent, program, symlinks=True)
    given = {"workers": 2, **together} if shares else {}
    folder = program.parent / "data"
    server = Server(folder, given, how=anew)  # its folder comes before what is installed
    try:
        put_newer_step(program, engine)
        for worker in workers(server):
            os.kill(worker, signal.SIGKILL)
        until(lambda: server.log.count('"worker ended"') >= (2 if shares else 1))
        until(lambda: ready(server))
        if shares:
            done = run_stoa_here("reload", "--pid", str(server.process.pid))
            assert done.code == 0, done.err
        assert "later" not in table_names(server.database)
        assert '"database migrated"' not in server.log.partition('"worker ended"')[2]
    finally:
        server.stop()
    started = Server(folder, given, how=anew)  # which shows that it would have been found
    try:
        assert "later" in table_names(started.database)
        assert f"was brought from schema {NEWEST} to {NEWEST + 1}" in started.log
    finally:
        started.stop()


def put_newer_step(program: Path, engine: str) -> None:
    """Put a step of a later program there, as an upgrade under a running server does."""
    steps = program / "store" / "migrations" / engine
    (steps / f"{NEWEST + 1:04}_later.sql").write_text(LATER)


def ready(server: Server) -> bool:
    """Whether it serves."""
    try:
        return httpx.get(f"{server.url}/readyz", timeout=60).status_code == 200
    except httpx.HTTPError:
        return False


@pytest.mark.promise("D43")
@pytest.mark.parametrize("left", few(["0 bytes", "nothing"]))
def test_a_database_that_is_gone_is_not_made_anew_unasked(tmp_path: Path, left: str) -> None:
    data = tmp_path / "data"
    Server(data, {}).stop()
    file = data / "stoa.db"
    file.unlink()
    if left == "0 bytes":
        file.touch()
        file.chmod(0o644)
    told = refused(run_stoa("serve", "--port", "0", "--data-dir", str(data)))
    assert "there was one" in told
    assert "--new" in told
    assert not file.exists() or not file.stat().st_size
    made = run_stoa_here("migrate", "--data-dir", str(data))
    assert made.out == f"{file} is new, with schema {NEWEST}\n"
    assert file.stat().st_mode & 0o777 == 0o600
    told = refused(run_stoa("serve", "--port", "0", "--data-dir", str(data), "--new"))
    assert "leave out --new" in told


def test_a_database_whose_backups_are_there_is_not_made_anew(tmp_path: Path) -> None:
    """As when its disk is not there: then not even its folder shows that there was one."""
    run_stoa_here("migrate", "--data-dir", str(tmp_path / "data"))
    backups = tmp_path / "backups"
    run_stoa_here("backup", str(backups), "--data-dir", str(tmp_path / "data"))
    elsewhere = ("serve", "--port", "0", "--data-dir", str(tmp_path / "not mounted"))
    told = refused(run_stoa(*elsewhere, STOA_BACKUP_DIR=str(backups)))
    assert f"its newest backup in {backups} is of " in told
    assert not (tmp_path / "not mounted" / "stoa.db").exists()


def test_a_refused_start_leaves_the_collector_of_garbage_on(tmp_path: Path) -> None:
    (tmp_path / "stoa.db").write_text("no database, " * 100)
    told = refused(run_stoa_here("serve", "--port", "0", "--data-dir", str(tmp_path)))
    assert "not a database" in told
    assert gc.isenabled()


@pytest.mark.soak
def test_new_makes_a_new_database(tmp_path: Path) -> None:
    data = tmp_path / "data"
    Server(data, {}).stop()
    (data / "stoa.db").unlink()
    server = Server(data, {}, flags=["--new"])
    assert "is new, with schema" in server.log
    assert server.stop() == 0
