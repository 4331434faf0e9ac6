"""`stoa doctor`: what is set up well passes, and each thing that is not is found."""

import json
import os
from collections.abc import Callable, Generator, Iterator
from contextlib import closing, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import apsw
import pytest

from stoa.clock import SystemClock
from stoa.settings import Settings
from stoa.store.transfer.backups import note_failure
from tests.support.app import App
from tests.support.backups import make_backup
from tests.support.clock import DAY, VirtualClock
from tests.support.command import run_stoa_here
from tests.support.limits_off import LIMITS_OFF
from tests.support.receiver import receiving
from tests.support.server import Server, free_port
from tests.support.soaking import few
from tests.support.valkey import Valkey

StartServer = Callable[..., Server]

_NOBODY = 65534


def variables(server: Server) -> dict[str, str]:
    """The environment in which a server's own settings are found."""
    _, port = server.address
    found = {"STOA_PORT": str(port), "STOA_DATA_DIR": str(server.data_dir)}
    if server.database.database_url:
        found["STOA_DATABASE_URL"] = server.database.database_url
    return found


def diagnose(*arguments: str, **environment: str) -> tuple[int, dict[str, Any]]:
    """The exit status and the checks by name."""
    done = run_stoa_here("doctor", "--json", *arguments, **environment)
    told = json.loads(done.out)
    assert set(told) == {"database", "checks"}
    for check in told["checks"]:
        assert set(check) == {"name", "status", "detail", "remedy"}
        assert (check["remedy"] is None) == (check["status"] == "ok")
    return done.code, {check["name"]: check for check in told["checks"]}


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server whose files tests leave as they were."""
    started = Server(tmp_path_factory.mktemp("doctor") / "server", LIMITS_OFF)
    yield started
    started.stop()


@pytest.fixture
def well(running: Server) -> dict[str, str]:
    """The environment of that server."""
    return variables(running)


@pytest.mark.costly
@pytest.mark.parametrize("engine", ["sqlite", "postgresql"])
def test_what_is_set_up_well_passes(engine: str, start_server: StartServer, tmp_path: Path) -> None:
    server = start_server()
    (tmp_path / "backups").mkdir(mode=0o700)
    make_backup(tmp_path / "backups", SystemClock()()).chmod(0o600)
    code, found = diagnose(**variables(server), STOA_BACKUP_DIR=str(tmp_path / "backups"))
    assert {name for name, check in found.items() if check["status"] != "ok"} == {"base_url"}
    assert found["base_url"]["status"] == "warn"  # it is loopback
    assert code == 0
    files = {"folder", "file", "disk"} if engine == "sqlite" else set[str]()
    others = {"settings", "schema", "clock", "audit", "purges", "base_url", "ready", "proxy"}
    others.add("backup")
    of_server = {"version", "pool", "bloat", "statements", "replication"}
    others |= of_server if engine == "postgresql" else set[str]()
    assert set(found) == files | others | {"backups"}
    assert "127.0.0.1" in found["proxy"]["detail"]


def test_text_has_a_line_for_each_check_and_its_remedy(well: dict[str, str]) -> None:
    done = run_stoa_here("doctor", **well)
    first, *lines = done.out.splitlines()
    assert first.startswith("database: sqlite:///")
    assert lines[0].startswith("ok    settings  ")
    backup = next(number for number, line in enumerate(lines) if line.startswith("warn  backup"))
    assert lines[backup + 1].split("-> ")[1].startswith("Make backups")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may give files away")
def test_a_file_of_another_user_beside_the_database_is_warned_of(tmp_path: Path) -> None:
    given = {"STOA_DATA_DIR": str(tmp_path / "data"), "STOA_PORT": str(free_port())}
    assert run_stoa_here("migrate", **given).code == 0
    assert diagnose(**given)[1]["file"]["status"] == "ok"
    lock = tmp_path / "data" / "stoa.db.lock"
    os.chown(lock, _NOBODY, -1)
    _, found = diagnose(**given)
    assert found["file"]["status"] == "warn"
    assert found["file"]["detail"].startswith(f"{lock} belongs to the user {_NOBODY}, ")


@pytest.mark.promise("O3")
def test_what_is_wrong_fails_with_a_remedy(
    well: dict[str, str], start_server: StartServer, tmp_path: Path
) -> None:
    # This command calls past the proxy here, from an address that is trusted.
    trusting = variables(start_server(trusted_proxies="127.0.0.1/32"))
    (tmp_path / "empty").mkdir()
    assert diagnose(**well)[0] == 0
    for name, wrong in {
        "proxy": trusting,
        "settings": {"STOA_TRUSTED_PROXIES": "0.0.0.0/0"},
        "backup": {"STOA_BACKUP_DIR": str(tmp_path / "empty")},
        "base_url": {"STOA_PORT": str(free_port())},
    }.items():
        code, found = diagnose(**well | wrong)
        assert (code, found[name]["status"]) == (1, "fail"), name


def test_a_file_of_settings_without_a_password_may_be_read_by_all(tmp_path: Path) -> None:
    file = tmp_path / "stoa.toml"
    for more, rows in (("", []), ('valkey_url = "redis://:secret@127.0.0.1:1"\n', ["fail"])):
        file.write_text(f'port = 1\ndata_dir = "{tmp_path}"\n{more}')
        file.chmod(0o644)
        told = json.loads(run_stoa_here("doctor", "--json", "--config", str(file)).out)
        found = [check["status"] for check in told["checks"] if check["name"] == "secrets"]
        assert found == rows


def test_a_file_that_others_can_read_fails(running: Server, well: dict[str, str]) -> None:
    file = running.database.database_path
    before = file.stat().st_mode
    file.chmod(0o644)
    code, found = diagnose(**well)
    file.chmod(before)
    assert (code, found["file"]["status"]) == (1, "fail")
    assert found["file"]["remedy"].startswith("Run: chmod o=")


def test_a_file_beside_a_database_whose_name_is_a_pattern_is_found(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/data[1].db"
    assert run_stoa_here("migrate", "--database-url", url).code == 0
    beside = tmp_path / "data[1].db.before-20261126T080000000Z"
    beside.touch()
    beside.chmod(0o644)
    _, found = diagnose(STOA_DATABASE_URL=url)
    assert found["file"]["status"] == "fail"


@pytest.mark.parametrize("suffix", few(["-wal", ".before-20261126T080000000Z"]))
def test_a_file_beside_the_database_that_others_can_read_fails(
    suffix: str, start_server: StartServer
) -> None:
    server = start_server()
    beside = server.database.database_path.with_name(f"stoa.db{suffix}")
    beside.touch()
    beside.chmod(0o644)
    code, found = diagnose(**variables(server))
    assert (code, found["file"]["status"]) == (1, "fail")
    assert found["file"]["remedy"] == f"Run: chmod o= {beside.resolve()}"


def test_backups_that_others_can_read_fail_and_so_does_a_folder_that_is_not_there(
    well: dict[str, str], tmp_path: Path
) -> None:
    folder = tmp_path / "backups"
    code, found = diagnose(**well, STOA_BACKUP_DIR=str(folder))
    assert (code, found["backup"]["status"]) == (1, "fail")
    assert found["backup"]["detail"].startswith(f"there is no folder {folder}")
    folder.mkdir(mode=0o700)
    now = SystemClock()()
    for age in range(2):
        make_backup(folder, now - age).chmod(0o604)
    code, found = diagnose(**well, STOA_BACKUP_DIR=str(folder))
    assert (code, found["backup"]["status"], found["backups"]["status"]) == (1, "ok", "fail")
    assert found["backups"]["detail"].endswith(" and 1 more, which holds secrets")
    assert found["backups"]["remedy"].count(str(folder)) == 2
    note_failure(folder, "the disk is full")
    _, found = diagnose(**well, STOA_BACKUP_DIR=str(folder))
    assert found["backup"]["status"] == "fail"
    assert found["backup"]["detail"].endswith("; the last one failed: the disk is full")


@pytest.mark.parametrize("where", ["variable", "credential", "config"])
def test_a_file_with_a_password_that_others_can_read_fails(where: str, tmp_path: Path) -> None:
    url = "redis://stoa:canary@127.0.0.1:1/0"
    file = tmp_path / "valkey_url"
    file.write_text(url, "utf-8")
    named = {"STOA_VALKEY_URL_FILE": str(file)}
    if where == "credential":
        named = {"CREDENTIALS_DIRECTORY": str(tmp_path)}
    arguments: list[str] = []
    if where == "config":
        named, arguments = {}, ["--config", str(file)]
        file.write_text(f'valkey_url = "{url}"', "utf-8")
    place = {"STOA_DATA_DIR": str(tmp_path / "none"), "STOA_PORT": str(free_port())}
    for mode, status in ((0o640, "ok"), (0o644, "fail")):
        file.chmod(mode)
        _, found = diagnose(*arguments, **named, **place)
        assert found["secrets"]["status"] == status
        assert str(file) in found["secrets"]["detail"]
        assert found["valkey"]["status"] == "fail"
        assert "canary" not in str(found)


def test_valkey_that_does_not_answer_fails(well: dict[str, str], own_valkey: Valkey) -> None:
    well = {**well, "STOA_VALKEY_URL": own_valkey.url}
    code, found = diagnose(**well)
    assert (code, found["valkey"]["status"]) == (0, "ok")
    own_valkey.kill()
    code, found = diagnose(**well)
    assert (code, found["valkey"]["status"]) == (1, "fail")
    assert "each process counts limits alone" in found["valkey"]["detail"]
    assert found["valkey"]["remedy"].startswith("Start Valkey")


def test_a_screening_endpoint_that_is_not_reached_fails(well: dict[str, str]) -> None:
    with receiving() as endpoint:
        url = f"http://localhost:{endpoint.port}/texts"
        given = {**well, "STOA_SCREEN_URL": url}
        _, found = diagnose(**given, STOA_WEBHOOKS_ALLOW="127.0.0.0/8,::1/128")
        assert found["screen"]["status"] == "ok"
        _, found = diagnose(**given, STOA_WEBHOOKS_ALLOW="10.0.0.0/8")
        assert found["screen"]["status"] == "fail"
        assert "posts are let through" in found["screen"]["detail"]
        assert "STOA_WEBHOOKS_ALLOW" in found["screen"]["remedy"]
        assert endpoint.received == []


def test_metrics_for_all_the_world_are_warned_of(tmp_path: Path) -> None:
    given = {"STOA_DATA_DIR": str(tmp_path / "none"), "STOA_PORT": str(free_port())}
    for metrics, status in {
        "127.0.0.1:9464": "ok",
        "0.0.0.0:9464": "warn",
        "[::]:9464": "warn",
    }.items():
        _, found = diagnose(**given, STOA_METRICS=metrics)
        assert found["settings"]["status"] == status, metrics


@contextmanager
def another_user(folder: Path) -> Generator[None]:
    """Work as a user who may not look into this folder."""
    folder.chmod(0)
    if is_root := os.geteuid() == 0:
        os.seteuid(_NOBODY)
    try:
        yield
    finally:
        if is_root:
            os.seteuid(0)
        folder.chmod(0o700)


def test_what_it_may_not_read_is_told_in_lines(tmp_path: Path) -> None:
    place = tmp_path / "closed"
    with App(Settings(data_dir=str(place / "data"), **LIMITS_OFF)) as app:
        app.agent("ada")
    (place / "backups").mkdir()
    given = {"STOA_DATA_DIR": str(place / "data"), "STOA_PORT": str(free_port())}
    given["STOA_BACKUP_DIR"] = str(place / "backups")
    diagnose(**given)  # loads what the other user may not
    with another_user(place):
        code, found = diagnose(**given)
    assert code == 1
    for name in ("file", "disk", "schema", "backup"):
        assert found[name]["status"] == "fail", name
        assert "ermission denied" in found[name]["detail"] or name == "schema", found[name]
        assert found[name]["remedy"]
    assert "if it is, give it that place" in found["backup"]["remedy"]


def test_a_folder_that_may_not_be_looked_into_is_told_by_every_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / "closed"
    place.mkdir()
    monkeypatch.chdir(place)
    run_stoa_here("config", "show")
    with another_user(place):
        done = run_stoa_here("config", "show")
    assert (done.code, done.err.count("\n")) == (1, 1)
    assert "cannot read stoa.toml: Permission denied; run this in another folder" in done.err


def test_a_ledger_that_differs_fails(well: dict[str, str], tmp_path: Path) -> None:
    with App(Settings(data_dir=str(tmp_path / "other"), **LIMITS_OFF)) as app:
        app.agent("ada")
        app.sql("UPDATE account SET balance = balance + 1 WHERE id = 'issuer'")
    code, found = diagnose(**well | {"STOA_DATA_DIR": str(tmp_path / "other")})
    assert (code, found["audit"]["status"]) == (1, "fail")
    assert "accounts" in found["audit"]["detail"]


def test_a_purge_that_is_not_done_fails(well: dict[str, str], tmp_path: Path) -> None:
    add = "INSERT INTO purge (id, whole, reason, created_at) VALUES (?, 0, 'Out of date.', ?)"
    now, ago = SystemClock()(), 600_000
    with App(Settings(data_dir=str(tmp_path / "other"), **LIMITS_OFF)) as app:
        app.sql(add, "th_new", now)
        app.sql(add, "th_old", now - ago)
    code, found = diagnose(**well | {"STOA_DATA_DIR": str(tmp_path / "other")})
    assert (code, found["purges"]["status"]) == (1, "fail")
    assert ("th_old" in found["purges"]["detail"], "th_new" in found["purges"]["detail"]) == (
        True,
        False,
    )


def test_what_was_purged_and_is_not_wiped_fails(well: dict[str, str], tmp_path: Path) -> None:
    add = "INSERT INTO purge VALUES ('th_old', 0, 'Out of date.', ?, ?, NULL)"
    now, ago = SystemClock()(), 600_000
    with App(Settings(data_dir=str(tmp_path / "other"), **LIMITS_OFF)) as app:
        app.sql(add, now - ago, now)
    code, found = diagnose(**well | {"STOA_DATA_DIR": str(tmp_path / "other")})
    assert (code, found["purges"]["status"]) == (1, "fail")
    assert found["purges"]["detail"].endswith("may still be in the files")


def test_rows_that_are_dated_in_the_future_fail(well: dict[str, str], tmp_path: Path) -> None:
    ahead = VirtualClock(SystemClock()() + DAY)
    with App(Settings(data_dir=str(tmp_path / "other"), **LIMITS_OFF), ahead) as app:
        app.agent("ada")
    code, found = diagnose(**well | {"STOA_DATA_DIR": str(tmp_path / "other")})
    assert (code, found["clock"]["status"]) == (1, "fail")
    assert found["clock"]["remedy"].endswith("is right now, this ends once that time has passed.")


def test_a_restore_that_is_dated_in_the_future_fails(well: dict[str, str], tmp_path: Path) -> None:
    with App(Settings(data_dir=str(tmp_path / "other"), **LIMITS_OFF)) as app:
        tomorrow = (SystemClock()() + DAY) // 1000
        app.sql("INSERT INTO event_log_state VALUES ('event', ?, 0)", tomorrow)
    code, found = diagnose(**well | {"STOA_DATA_DIR": str(tmp_path / "other")})
    assert (code, found["clock"]["status"]) == (1, "fail")
    assert found["clock"]["detail"].endswith("nobody can sign in until then")


def test_an_old_backup_fails(well: dict[str, str], tmp_path: Path) -> None:
    folder = tmp_path / "backups"
    folder.mkdir()
    make_backup(folder, SystemClock()() - 27 * 3600 * 1000)
    make_backup(folder, SystemClock()() + DAY)
    (folder / "notes.txt").touch()
    code, found = diagnose(**well, STOA_BACKUP_DIR=str(folder))
    assert (code, found["backup"]["status"]) == (1, "fail")


def test_another_program_at_the_address_of_the_server_is_told_in_one_line() -> None:
    with ThreadingHTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler) as other:
        Thread(target=other.serve_forever).start()
        code, found = diagnose(STOA_PORT=str(other.server_port))
        other.shutdown()
    assert (code, found["base_url"]["status"]) == (1, "fail")
    said = f"http://127.0.0.1:{other.server_port} says 501 to /healthz: is it Stoa?"
    assert found["base_url"]["detail"] == f"what answers at {said}"


def test_an_absent_database_and_wrong_settings_are_checks_too(tmp_path: Path) -> None:
    nowhere = {"STOA_DATA_DIR": str(tmp_path / "none"), "STOA_PORT": str(free_port())}
    code, found = diagnose(**nowhere, SSL_CERT_FILE=str(tmp_path / "none.pem"))
    assert (code, found["schema"]["status"], found["base_url"]["status"]) == (1, "fail", "fail")
    assert "none.pem, which SSL_CERT_FILE names" in found["base_url"]["detail"]
    assert not (tmp_path / "none").exists()
    code, found = diagnose(STOA_METRICS="9464")
    assert (code, found["settings"]["status"]) == (1, "fail")
    assert "STOA_METRICS" in found["settings"]["detail"]


def test_a_damaged_file_is_told_in_a_line(tmp_path: Path) -> None:
    data = tmp_path / "data"
    with App(Settings(data_dir=str(data), **LIMITS_OFF)) as app:
        app.agent("ada")
    damage(data / "stoa.db")
    code, found = diagnose(STOA_DATA_DIR=str(data), STOA_PORT=str(free_port()))
    assert (code, found["schema"]["status"]) == (1, "fail")
    assert f"{data}/stoa.db is damaged: restore a backup" in found["schema"]["detail"]
    audited = run_stoa_here("audit", "--data-dir", str(data))
    assert (audited.code, audited.err.count("\n")) == (1, 1)
    assert f"{data}/stoa.db is damaged: restore a backup" in audited.err


def damage(file: Path) -> None:
    """Write over the first page of a table, as a disk that goes bad does."""
    with closing(apsw.Connection(str(file))) as connection:
        sql = "SELECT rootpage FROM sqlite_schema WHERE name = 'account'"
        ((page,),) = connection.execute(sql).fetchall()
        size = connection.pragma("page_size")
    content = bytearray(file.read_bytes())
    content[(page - 1) * size : page * size] = b"?" * size
    file.write_bytes(content)


def test_a_caller_is_told_the_address_it_counts_as(stoa: App) -> None:
    assert stoa.get("/healthz?client", client="192.0.2.7").ok().json["client"] == "192.0.2.7"
    assert stoa.get("/healthz", client="192.0.2.7").ok().json == {"status": "ok"}
