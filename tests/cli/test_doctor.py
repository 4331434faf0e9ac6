"""`stoa doctor`: what is set up well passes, and each thing that is not is found."""

import json
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import apsw
import pytest

from stoa.clock import SystemClock
from stoa.settings import LIMITS_OFF, Settings
from tests.support.app import App
from tests.support.backups import make_backup
from tests.support.clock import DAY, VirtualClock
from tests.support.command import run_stoa_here
from tests.support.server import Server, free_port

StartServer = Callable[..., Server]


def variables(server: Server) -> dict[str, str]:
    """The environment in which a server's own settings are found."""
    _, port = server.address
    found = {"STOA_PORT": str(port), "STOA_DATA_DIR": str(server.data_dir)}
    if server.database.database_url:
        found["STOA_DATABASE_URL"] = server.database.database_url
    return found


def diagnose(**environment: str) -> tuple[int, dict[str, Any]]:
    """The exit status and the checks by name."""
    done = run_stoa_here("doctor", "--json", **environment)
    told = json.loads(done.out)
    assert set(told) == {"database", "checks"}
    for check in told["checks"]:
        assert set(check) == {"name", "status", "detail", "remedy"}
        assert (check["remedy"] is None) == (check["status"] == "ok")
    return done.code, {check["name"]: check for check in told["checks"]}


@pytest.mark.parametrize("engine", ["sqlite", "postgresql"])
def test_what_is_set_up_well_passes(engine: str, start_server: StartServer, tmp_path: Path) -> None:
    server = start_server()
    (tmp_path / "backups").mkdir()
    make_backup(tmp_path / "backups", SystemClock()())
    code, found = diagnose(**variables(server), STOA_BACKUP_DIR=str(tmp_path / "backups"))
    assert {name for name, check in found.items() if check["status"] != "ok"} == {"base_url"}
    assert found["base_url"]["status"] == "warn"  # it is loopback
    assert code == 0
    files = {"folder", "file", "disk"} if engine == "sqlite" else set[str]()
    others = {"settings", "schema", "clock", "audit", "base_url", "ready", "proxy", "backup"}
    assert set(found) == files | others
    assert "127.0.0.1" in found["proxy"]["detail"]


def test_text_has_a_line_for_each_check_and_its_remedy(start_server: StartServer) -> None:
    done = run_stoa_here("doctor", **variables(start_server()))
    first, *lines = done.out.splitlines()
    assert first.startswith("database: sqlite:///")
    assert lines[0].startswith("ok    settings  ")
    backup = next(number for number, line in enumerate(lines) if line.startswith("warn  backup"))
    assert lines[backup + 1].split("-> ")[1].startswith("Make backups")


@pytest.mark.promise("O3")
def test_what_is_wrong_fails_with_a_remedy(start_server: StartServer, tmp_path: Path) -> None:
    well = variables(start_server())
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


def test_a_file_that_others_can_read_fails(start_server: StartServer) -> None:
    server = start_server()
    server.database.database_path.chmod(0o644)
    code, found = diagnose(**variables(server))
    assert (code, found["file"]["status"]) == (1, "fail")
    assert found["file"]["remedy"].startswith("Run: chmod o=")


def test_a_ledger_that_differs_fails(start_server: StartServer, tmp_path: Path) -> None:
    server = start_server()
    with App(Settings(data_dir=str(tmp_path / "other"), **LIMITS_OFF)) as app:
        app.agent("ada")
        app.sql("UPDATE account SET balance = balance + 1 WHERE id = 'issuer'")
    code, found = diagnose(**variables(server) | {"STOA_DATA_DIR": str(tmp_path / "other")})
    assert (code, found["audit"]["status"]) == (1, "fail")
    assert "accounts" in found["audit"]["detail"]


def test_rows_that_are_dated_in_the_future_fail(start_server: StartServer, tmp_path: Path) -> None:
    server = start_server()
    ahead = VirtualClock(SystemClock()() + DAY)
    with App(Settings(data_dir=str(tmp_path / "other"), **LIMITS_OFF), ahead) as app:
        app.agent("ada")
    code, found = diagnose(**variables(server) | {"STOA_DATA_DIR": str(tmp_path / "other")})
    assert (code, found["clock"]["status"]) == (1, "fail")


def test_an_old_backup_fails(start_server: StartServer, tmp_path: Path) -> None:
    folder = tmp_path / "backups"
    folder.mkdir()
    make_backup(folder, SystemClock()() - 27 * 3600 * 1000)
    make_backup(folder, SystemClock()() + DAY)
    (folder / "notes.txt").touch()
    code, found = diagnose(**variables(start_server()), STOA_BACKUP_DIR=str(folder))
    assert (code, found["backup"]["status"]) == (1, "fail")


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
