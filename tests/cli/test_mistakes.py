"""Plausible mistakes of an operator: each is one line that says what to do, and nothing is lost."""

import hashlib
import shutil
import socket
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

import pytest

from tests.support.command import Finished, run_stoa_here

NO_VARIABLES: Mapping[str, str] = MappingProxyType({})


class Mistake(NamedTuple):
    """A command with what is wrong about it. `{busy}` is a port that is taken."""

    command: str
    told: str
    file: str = ""
    variables: Mapping[str, str] = NO_VARIABLES


PUBLIC = {"STOA_BASE_URL": "https://a.example"}
CLUSTER = {"STOA_DATABASE_URL": "postgresql://stoa:x@127.0.0.1:1/stoa"}

MISTAKES = {
    "a setting is misspelt": Mistake("serve", "did you mean workers?", file="wokers = 2"),
    "a variable is misspelt": Mistake(
        "serve", "did you mean STOA_DATABASE_URL?", variables={"STOA_DATABSE_URL": "x"}
    ),
    "the file is no TOML": Mistake("serve", "stoa.toml is not TOML", file="port 8080"),
    "the file is not there": Mistake("serve --config nowhere.toml", "cannot read nowhere.toml"),
    "a port is too large": Mistake(
        "serve", "use a whole number from 0 to 65535", file="port = 99999"
    ),
    "a choice is unknown": Mistake(
        "serve", "invite, open (given: friends)", file='signups = "friends"'
    ),
    "a grant has three decimals": Mistake("serve", "two decimals", file="signup_grant = 1.234"),
    "a contact is no address": Mistake("serve", "use mailto:", file='contact = "ops"'),
    "a moderator's key is cut": Mistake("serve", "admin_keys", file='admin_keys = ["ab"]'),
    "a network is wrong": Mistake("serve", "trusted_proxies", file='trusted_proxies = ["10/33"]'),
    "the public address is not given": Mistake("serve --host 0.0.0.0", "STOA_BASE_URL must be set"),
    "the public address has a path": Mistake(
        "serve", "has the path /stoa", file='base_url = "https://a.example/stoa"'
    ),
    "two workers on SQLite": Mistake("serve --workers 2", "served by one process; use 1"),
    "two workers without Valkey": Mistake(
        "serve --workers 2", "STOA_VALKEY_URL must be set", variables=CLUSTER
    ),
    "an address names no database": Mistake(
        "serve", "names no database", variables={"STOA_DATABASE_URL": "postgresql://a@b:5432"}
    ),
    "a password has an @": Mistake(
        "serve", "percent-encoded", variables={"STOA_DATABASE_URL": "postgresql://a:p/@x@b/c"}
    ),
    "a value is given twice": Mistake(
        "serve", "leave out one of them", variables={**CLUSTER, "STOA_DATABASE_URL_FILE": "x"}
    ),
    "a file with a secret is not there": Mistake(
        "serve", "cannot read /nowhere", variables={"STOA_DATABASE_URL_FILE": "/nowhere"}
    ),
    "the port is taken": Mistake("serve --port {busy}", "choose another --port"),
    "the host is not this machine": Mistake(
        "serve --host 192.0.2.1", "choose another --host", variables=PUBLIC
    ),
    "the host has a port": Mistake("serve --host 127.0.0.1:8080", "the port is STOA_PORT"),
    "an IPv6 address has brackets": Mistake("serve --host [::1]", "such as 127.0.0.1 or ::1"),
    "the host is a URL": Mistake("serve --host http://a.example", "alone", variables=PUBLIC),
    "the folder of data cannot be written": Mistake(
        "serve --port 0 --data-dir /proc/self/stoa", "choose another --data-dir"
    ),
    "the database is cut short": Mistake("serve --port 0 --data-dir cut", "`stoa restore FILE`"),
    "backups go to a file": Mistake("backup notes.txt --data-dir data", "name a folder"),
    "a dump of PostgreSQL for SQLite": Mistake("restore a.dump --data-dir data", "PostgreSQL"),
    "a backup of SQLite for PostgreSQL": Mistake(
        "restore data/stoa.db", "a folder with --data-dir", variables=CLUSTER
    ),
    "a text for PostgreSQL": Mistake(
        "restore notes.txt", "is no dump of PostgreSQL", variables=CLUSTER
    ),
    "the database is not there": Mistake("audit --data-dir nowhere", "there is no database"),
    "PostgreSQL is not there": Mistake("audit", "is PostgreSQL running there?", variables=CLUSTER),
    "two databases are named": Mistake(
        "audit --data-dir data --database-url sqlite:///other.db", "--data-dir"
    ),
    "what is restored is no backup": Mistake("restore notes.txt --data-dir data", "notes.txt"),
    "the backup is not there": Mistake("restore nowhere.db --data-dir data", "nowhere.db"),
    "the backup has changed": Mistake(
        "restore backups/stoa-20261126T080000000Z.db --data-dir data", "has changed"
    ),
    "a time has no unit": Mistake("backup backups --every 5 --data-dir data", "--every"),
    "the copy goes to itself": Mistake(
        "copy --data-dir data", "same", variables={"STOA_COPY_TO": "sqlite:///data/stoa.db"}
    ),
    "an export would write over another": Mistake("export backups --data-dir data", "backups"),
    "no export is in the folder": Mistake("import export nowhere --data-dir data", "nowhere"),
    "a new database beside one": Mistake("serve --port 0 --new --data-dir data", "leave out --new"),
    "a backup is named by its folder": Mistake(
        "restore backups --data-dir data", "is a folder: name"
    ),
    "a backup is named by its checksum": Mistake(
        "restore backups/stoa-20261126T080000000Z.db.sha256 --data-dir data",
        "is the checksum of a backup: name backups/stoa-20261126T080000000Z.db",
    ),
    "a host to answer to is a URL": Mistake(
        "serve", "use host names alone", file='allowed_hosts = ["https://a.example"]'
    ),
    "an argument is left out": Mistake("backup", "`stoa backup --help` shows what it takes"),
    "an option is not known": Mistake("admin log --most 3", "`stoa admin log --help` shows"),
    "a command is not known": Mistake("foo", "'foo'; `stoa --help` shows what it takes"),
    "a command is nearly known": Mistake("bakup", "Did you mean 'backup'?"),
    "a port is not a number": Mistake("serve --port abc", "'--port': use a whole number"),
    "there is a word too many": Mistake("serve here", "`stoa serve --help` shows"),
    "nothing runs that could reload": Mistake("reload --port 1", "no Stoa answers"),
    "the documentation goes into a file": Mistake(
        "docs --build notes.txt", "cannot write to notes.txt: File exists"
    ),
    "the documentation is served at a port that is taken": Mistake(
        "docs --serve --port {busy}", "choose another --port"
    ),
    "the picture of a market goes to a folder that is not there": Mistake(
        "sim --days 1 --agents 8 --out nowhere/x.svg", "cannot write to nowhere/x.svg"
    ),
    "an id is no id": Mistake(
        "admin hide x --reason y --data-dir data", "a reply (`rp_…`), a job (`job_…`) or an agent"
    ),
    "an agent's id is wrong": Mistake(
        "admin endorse nobody --data-dir data", "not the id of an agent"
    ),
}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a database, one that is cut short, a changed backup, a dump and a note."""
    folder = tmp_path_factory.mktemp("mistakes")
    assert run_stoa_here("migrate", "--data-dir", str(folder / "data")).code == 0
    backups = folder / "backups"
    assert run_stoa_here("backup", str(backups), "--data-dir", str(folder / "data")).code == 0
    (backup,) = backups.glob("*.db")
    changed = backups / "stoa-20261126T080000000Z.db"
    shutil.copy(backup, changed)
    with changed.open("ab") as file:
        file.write(b"more")
    checksum = backup.with_name(f"{backup.name}.sha256").read_text()
    changed.with_name(f"{changed.name}.sha256").write_text(
        checksum.replace(backup.name, changed.name)
    )
    (folder / "notes.txt").write_text("not a backup")
    (folder / "a.dump").write_bytes(b"PGDMP\1")
    (folder / "cut").mkdir()
    (folder / "cut/stoa.db").write_bytes((folder / "data/stoa.db").read_bytes()[:5_000])
    return folder


@pytest.fixture
def busy() -> Iterator[int]:
    """A port that another program listens on."""
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        yield other.getsockname()[1]


def content(folder: Path) -> dict[str, str]:
    """What is in a folder; a log of SQLite that is empty counts as none."""
    return {
        str(file.relative_to(folder)): hashlib.sha256(file.read_bytes()).hexdigest()
        for file in sorted(folder.rglob("*"))
        if file.is_file() and not file.name.endswith(("-wal", "-shm", "-lock", ".lock"))
    }


@pytest.mark.promise("O6")
@pytest.mark.parametrize("what", MISTAKES)
def test_a_mistake_is_one_line_and_nothing_is_lost(
    what: str, made: Path, busy: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    mistake = MISTAKES[what]
    monkeypatch.chdir(made)
    if mistake.file:
        (made / "stoa.toml").write_text(mistake.file)
    before = content(made)
    done: Finished = run_stoa_here(*mistake.command.format(busy=busy).split(), **mistake.variables)
    assert content(made) == before
    (made / "stoa.toml").unlink(missing_ok=True)
    assert done.code != 0
    lines = done.err.strip().splitlines()
    assert len(lines) == 1, done.err
    assert mistake.told in lines[0]
    assert "Traceback" not in done.err
    assert len(lines[0]) <= 400


def test_there_are_as_many_as_an_operator_makes() -> None:
    assert len(MISTAKES) >= 25
