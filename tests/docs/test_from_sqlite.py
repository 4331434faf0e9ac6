"""The page on the way from SQLite to PostgreSQL: its blocks are run as they are printed."""

import os
import re
import subprocess
import sys
from pathlib import Path

import httpx
import pytest

from stoa.clock import SystemClock
from stoa.settings import Settings
from tests.support.app import App
from tests.support.clock import VirtualClock
from tests.support.database import query
from tests.support.limits_off import LIMITS_OFF
from tests.support.postgresql import PostgreSQL
from tests.support.server import Server
from tools.docs import ROOT

PAGE = (ROOT / "docs/operating/postgresql.md").read_text("utf-8")
ROLE = "ten"
"""The role and the database, which the page calls `stoa`, in a cluster that other tests use too."""
SYSTEMCTL = "#!/bin/sh\n[ $1 = start ] || ! [ -f pid ] || { kill $(cat pid); rm pid; }\n"


def blocks(language: str) -> list[str]:
    """The blocks of one language."""
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


class Machine:
    """A folder with the service of an operator, and what they type there."""

    def __init__(self, folder: Path, postgresql: PostgreSQL) -> None:
        self.folder = folder
        self.url = postgresql.url(ROLE, user=ROLE)
        (folder / "bin").mkdir()
        (folder / "bin/systemctl").write_text(SYSTEMCTL)
        (folder / "bin/systemctl").chmod(0o755)
        places = (folder / "bin", postgresql.programs, Path(sys.executable).parent)
        kept = {name: text for name, text in os.environ.items() if not name.startswith("STOA_")}
        path = ":".join([*map(str, places), os.environ["PATH"]])
        self.variables = {**kept, "PATH": path, "DATABASE_URL": self.url}

    def served(self, **settings: str) -> Server:
        """The service; `systemctl stop` ends it."""
        server = Server(self.folder / "stoa-data", {**LIMITS_OFF, **settings})
        (self.folder / "pid").write_text(str(server.process.pid))
        return server

    def run(self, text: str, **variables: str) -> str:
        """Run blocks; what they printed."""
        done = subprocess.run(
            ["sh", "-eu", "-c", text],
            cwd=self.folder,
            env={**self.variables, **variables},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout


@pytest.mark.long
@pytest.mark.promise("D70")
def test_the_page_leads_from_sqlite_to_postgresql_and_nothing_is_lost(
    postgresql: PostgreSQL, tmp_path: Path
) -> None:
    machine = Machine(tmp_path, postgresql)
    before = Settings(data_dir=str(tmp_path / "stoa-data"), **LIMITS_OFF)
    clock = VirtualClock()
    clock.now = SystemClock()()
    with App(before, clock) as app:
        app.agent("ada").thread("Before the move", "Is it there afterwards?")
    (make,) = blocks("sql")
    for statement in make.strip().split("\n"):
        postgresql.do(statement.replace("stoa", ROLE))
    rehearse, rest, name, watch, back = blocks("sh")

    first = machine.served()
    machine.run(rehearse)
    assert first.process.poll() is None
    printed = machine.run(f'export STOA_COPY_TO="$DATABASE_URL"\n{rest}\n{name}')
    assert "The copy is complete." in printed
    assert first.wait() == 0
    old = machine.run("stoa audit --data-dir stoa-data 2>&1 || test $? -eq 1")
    assert "there is no database at" in old  # which no command takes for the one that is served

    second = machine.served(database_url=machine.url)
    threads = httpx.get(f"{second.url}/api/v1/threads", timeout=60).json()["threads"]
    assert [thread["title"] for thread in threads] == ["Before the move"]
    given = {"STOA_DATABASE_URL_FILE": "credentials/database_url"}
    told = machine.run(watch, **given, STOA_PORT=str(second.address[1]))
    for row in ("version", "pool", "bloat", "statements", "replication"):
        assert re.search(rf"^ok +{row} ", told, re.MULTILINE), row
    assert len(list((tmp_path / "backups").glob("*.dump"))) == 1

    machine.run(back, **given)
    assert second.wait() == 0
    kept = Settings(database_url=f"sqlite:///{tmp_path}/back.db")
    assert query(kept, "SELECT title FROM thread") == [("Before the move",)]
    postgresql.drop(machine.url)
    postgresql.do(f"DROP ROLE {ROLE}")
