"""`stoa backup` and `stoa restore` as an operator runs them, beside a server and without one."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest

from stoa.store.engines.backup_files import alone_in
from tests.support.command import run_stoa_here
from tests.support.keys import Key
from tests.support.postgresql import PostgreSQL
from tests.support.processes import until
from tests.support.server import Server


def token_of(server: Server) -> str:
    """Sign in; a token that is good now."""
    key = Key("operated")
    url = f"{server.url}/api/v1/auth"
    asked = httpx.post(f"{url}/challenge", json={"publicKey": key.public}, timeout=60)
    challenge = asked.json()["challenge"]
    signed = {"challenge": challenge, "signature": key.sign(challenge)}
    verified = httpx.post(f"{url}/verify", json={"publicKey": key.public, **signed}, timeout=60)
    return verified.json()["token"]


def status_of(server: Server, token: str) -> int:
    """What a personal call with this token is answered."""
    headers = {"Authorization": f"Bearer {token}"}
    return httpx.get(
        f"{server.url}/api/v1/credits/balance", headers=headers, timeout=60
    ).status_code


@pytest.mark.soak
def test_an_operator_backs_up_a_served_database_and_brings_it_back(
    start_server: Callable[..., Server], tmp_path: Path
) -> None:
    data, backups = tmp_path / "data", tmp_path / "backups"
    address = f"sqlite:///{data}/stoa.db"
    server = start_server(data)
    token = token_of(server)
    assert status_of(server, token) == 200
    made = run_stoa_here("backup", str(backups), "--keep", "2", "--data-dir", str(data))
    [file] = backups.glob("*.db")
    assert (made.code, made.out) == (0, f"database: {address}\nbackup:   {file}\n")
    described = json.loads(
        run_stoa_here("backup", str(backups), "--json", "--data-dir", str(data)).out
    )
    assert described == {"database": address, "file": str(max(backups.glob("*.db")))}
    refused = run_stoa_here("restore", str(file), "--data-dir", str(data))
    assert (refused.code, refused.err.count("\n")) == (1, 1)
    assert "another Stoa uses" in refused.err
    assert status_of(server, token) == 200
    server.stop()
    restored = json.loads(
        run_stoa_here("restore", str(file), "--json", "--data-dir", str(data)).out
    )
    kept = Path(restored.pop("kept"))
    taken_at = restored.pop("takenAt")
    assert taken_at.replace("-", "").replace(":", "")[:15] == file.name[5:20]
    assert restored == {"database": address, "file": str(file)}
    assert kept.parent == data
    again = start_server(data)
    assert status_of(again, token) == 401  # all sessions have ended
    assert status_of(again, token_of(again)) == 200


def test_postgresql_is_backed_up_where_a_file_names_it_and_brought_back(
    postgresql: PostgreSQL, tmp_path: Path
) -> None:
    url, empty, folder = postgresql.new(), postgresql.empty(), tmp_path / "backups"
    programs = {"PATH": f"{postgresql.programs}:{os.environ['PATH']}"}
    (tmp_path / "url").write_text(url)
    named = {"STOA_DATABASE_URL_FILE": str(tmp_path / "url"), **programs}
    made = run_stoa_here("backup", str(folder), "--keep", "2", **named)
    [file] = folder.glob("*.dump")
    assert (made.code, made.out) == (0, f"database: {url}\nbackup:   {file}\n"), made.err
    restored = run_stoa_here("restore", str(file), "--json", "--database-url", empty, **programs)
    told = json.loads(restored.out)
    assert told.pop("takenAt").replace("-", "").replace(":", "")[:15] == file.name[5:20]
    assert told == {"database": empty, "file": str(file), "kept": None}
    again = run_stoa_here("restore", str(file), "--database-url", empty, **programs)
    assert (again.code, again.err.count("\n")) == (1, 1)
    assert "is a database already" in again.err


def test_mistakes_are_one_line_and_make_nothing(tmp_path: Path) -> None:
    data = str(tmp_path / "data")
    missing = run_stoa_here("restore", str(tmp_path / "none.db"), "--data-dir", data)
    assert (missing.code, missing.err.count("\n")) == (1, 1)
    assert missing.out == f"database: sqlite:///{data}/stoa.db\n"
    assert "cannot read the backup" in missing.err
    assert not Path(data).exists()
    assert run_stoa_here("migrate", "--data-dir", data).code == 0
    (tmp_path / "file").write_text("")
    taken = run_stoa_here("backup", str(tmp_path / "file"), "--data-dir", data)
    assert (taken.code, taken.err.count("\n")) == (1, 1)
    assert f"no backup was made in {tmp_path}/file: " in taken.err


def made(folder: Path) -> dict[Path, bytes]:
    """The backups in a folder."""
    return {file: file.read_bytes() for file in folder.glob("*.db")}


@pytest.mark.parametrize("address", ["sqlite:///{0}/none.db", "postgresql://127.0.0.1:1/none"])
def test_a_database_that_is_not_reached_is_noted_beside_the_backups(
    tmp_path: Path, address: str
) -> None:
    done = run_stoa_here("backup", str(tmp_path), "--database-url", address.format(tmp_path))
    assert done.code == 1
    said = done.err.removeprefix("stoa: ").strip()
    noted = (tmp_path / ".failed").read_text()
    assert noted.partition("Z: ")[2].partition(":")[0] == said.partition(":")[0]


def test_a_backup_that_finds_another_one_on_its_way_is_not_noted_as_a_failure(
    tmp_path: Path,
) -> None:
    data, folder = str(tmp_path / "data"), tmp_path / "backups"
    assert run_stoa_here("migrate", "--data-dir", data).code == 0
    with alone_in(folder):
        done = run_stoa_here("backup", str(folder), "--data-dir", data)
    assert (done.code, done.err.count("\n")) == (1, 1)
    assert "another backup to it is being made" in done.err
    assert list(folder.iterdir()) == []


@pytest.mark.promise("B3")
def test_backups_are_made_at_intervals_until_the_command_is_stopped(tmp_path: Path) -> None:
    data, folder = tmp_path / "data", tmp_path / "backups"
    assert run_stoa_here("migrate", "--data-dir", str(data)).code == 0
    command = [sys.executable, "-m", "stoa", "backup", str(folder), "--every", "1s", "--keep", "2"]
    errors = tmp_path / "errors"
    with errors.open("w") as told:
        process = subprocess.Popen(
            [*command, "--data-dir", str(data)], stdout=subprocess.PIPE, stderr=told, text=True
        )
    assert process.stdout
    first = [process.stdout.readline() for _ in range(4)]
    assert first[0] == f"database: sqlite:///{data}/stoa.db\n"
    assert all(line.startswith(f"backup:   {folder}/stoa-") for line in first[1:])
    (data / "stoa.db").rename(data / "away.db")  # no backup can be made now
    until(lambda: "\n" in errors.read_text())  # and none is on its way any more
    kept = made(folder)
    assert len(kept) == 2
    until(lambda: errors.read_text().count("\n") > 1)
    assert made(folder) == kept
    said = errors.read_text().splitlines()
    assert all(line.startswith("stoa: ") for line in said)
    (data / "away.db").rename(data / "stoa.db")
    until(lambda: not {*folder.glob("*.db")} <= kept.keys())
    process.terminate()
    assert process.wait(60) == 0
    process.stdout.close()
    assert len(list(folder.glob("*.db"))) == 2


@pytest.mark.soak
def test_backups_go_on_where_what_is_said_cannot_be_written(tmp_path: Path) -> None:
    data, folder = tmp_path / "data", tmp_path / "backups"
    assert run_stoa_here("migrate", "--data-dir", str(data)).code == 0
    command = [sys.executable, "-m", "stoa", "backup", str(folder), "--every", "1s"]
    with Path("/dev/full").open("w") as full, (tmp_path / "errors").open("w") as errors:
        process = subprocess.Popen(
            [*command, "--data-dir", str(data)], stdout=full, stderr=errors, text=True
        )
    until(lambda: process.poll() is not None or len(list(folder.glob("*.db"))) > 1)
    process.terminate()
    assert (process.wait(60), (tmp_path / "errors").read_text()) == (0, "")


@pytest.mark.parametrize("every", ["1", "0h", "h", "1w", "-1h", "1.5h"])
def test_a_pause_that_cannot_be_read_is_refused(tmp_path: Path, every: str) -> None:
    done = run_stoa_here("backup", str(tmp_path / "backups"), "--every", every)
    assert done.code == 2
    assert "a number and s, m, h or d" in done.err
    assert not (tmp_path / "backups").exists()
