"""The way to back up PostgreSQL that the page on operating gives, with the real programs of it."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from stoa.clock import SystemClock
from stoa.settings import Settings
from stoa.store.transfer import backups
from tests.support.app import App
from tests.support.clock import DAY, VirtualClock
from tests.support.database import query
from tests.support.ledger import broken
from tests.support.limits_off import LIMITS_OFF
from tests.support.postgresql import PostgreSQL, name_of
from tests.support.processes import until
from tools.docs import ROOT

SECTION = (
    (ROOT / "docs/operating/keep.md")
    .read_text("utf-8")
    .partition("\n## Backup on PostgreSQL\n")[2]
    .partition("\n## ")[0]
)


def blocks(language: str) -> list[str]:
    """The blocks of one language."""
    return re.findall(rf"^```{language}\n(.*?)^```$", SECTION, re.MULTILINE | re.DOTALL)


@pytest.fixture
def cluster() -> Iterator[PostgreSQL]:
    """A server of its own, whose settings a test changes."""
    running = PostgreSQL(durable=True)
    yield running
    running.stop()


@pytest.fixture
def folder(cluster: PostgreSQL) -> Path:
    """A folder that the user of the server may write to, as the data of the server is."""
    made = cluster.folder / "operator"
    made.mkdir()
    (made / "backups").mkdir()
    for path in (made, made / "backups"):
        shutil.chown(path, cluster.system_user or os.getuid())
    return made


def run(
    cluster: PostgreSQL, folder: Path, block: str, user: str | None = None, **variables: str
) -> None:
    """Run a block in that folder, as this user or as another."""
    path = f"{cluster.programs}:{Path(sys.executable).parent}:{os.environ['PATH']}"
    kept = {name: text for name, text in os.environ.items() if not name.startswith("STOA_")}
    subprocess.run(
        ["sh", "-eu", "-c", block],
        cwd=folder,
        env={**kept, "PATH": path, "HOME": str(folder), **variables},
        check=True,
        user=user,
        capture_output=True,
    )


def ask(url: str, title: str) -> None:
    """Open a thread as a new agent."""
    with App(settings_of(url), VirtualClock()) as app:
        app.agent(title).thread(title, "Who knows?")


def settings_of(url: str) -> Settings:
    """The settings of a server without limits."""
    return msgspec.convert({**LIMITS_OFF, "database_url": url}, Settings)


def found_in(url: str) -> tuple[list[str], list[tuple[Any, ...]]]:
    """The titles of the threads there, and the tokens."""
    titles = query(settings_of(url), "SELECT title FROM thread ORDER BY id")
    return [title for (title,) in titles], query(settings_of(url), "SELECT hash FROM token")


def epoch_of(url: str) -> int:
    """The epoch of the log of events there."""
    return query(settings_of(url), "SELECT coalesce(max(epoch), 0) FROM event_log_state")[0][0]


@pytest.mark.promise("B11")
def test_a_dump_is_restored_as_the_page_says_and_counts_as_a_backup(
    cluster: PostgreSQL, folder: Path
) -> None:
    url, restored = cluster.new(), cluster.empty()
    ask(url, "Before the dump")
    (folder / "backups/stoa-20000101T000000Z.dump").touch()  # an older one, not restored
    dump, restore, *_ = blocks("sh")
    (folder / "url").write_text(url)
    run(cluster, folder, dump, STOA_DATABASE_URL_FILE=str(folder / "url"))
    now = SystemClock()()
    newest = backups.newest(str(folder / "backups"), now)
    assert newest is not None
    assert abs(now - newest) < DAY
    ask(url, "After the dump")
    run(cluster, folder, restore, RESTORED=restored)
    assert found_in(restored) == (["Before the dump"], [])
    titles, tokens = found_in(url)
    assert (titles, len(tokens)) == (["Before the dump", "After the dump"], 2)


def test_a_dump_is_restored_beside_containers_as_their_page_says(
    cluster: PostgreSQL, folder: Path
) -> None:
    cluster.do("CREATE ROLE stoa SUPERUSER LOGIN")
    cluster.do(f"CREATE DATABASE stoa OWNER stoa TEMPLATE {name_of(cluster.new())}")
    url, restored = (cluster.url(name, user="stoa") for name in ("stoa", "restored"))
    page = (ROOT / "docs/operating/releases.md").read_text("utf-8")
    inside = r"docker compose -f full.yaml exec -T postgresql (.+(?:\n +.+)*)"
    dump, *restore = re.findall(inside, page)
    assert [command.split()[0] for command in restore] == ["createdb", "pg_restore", "psql"]
    ask(url, "Before the dump")
    begun = epoch_of(url)
    for command in (dump, *restore):
        run(cluster, folder, command, PGHOST=str(cluster.socket.parent))
    assert found_in(restored) == (["Before the dump"], [])
    assert epoch_of(restored) > begun
    assert broken(settings_of(restored)) == {}


@pytest.mark.soak
@pytest.mark.long
def test_the_archived_log_brings_back_what_was_written_after_the_base_backup(
    cluster: PostgreSQL, folder: Path
) -> None:
    archive, recover = (text.replace("WAL", str(folder / "wal")) for text in blocks("ini"))
    user = cluster.system_user
    run(cluster, folder, "mkdir wal", user)
    with (cluster.folder / "data" / "postgresql.conf").open("a") as configured:
        configured.write(archive)
    cluster.crash()
    cluster.start()
    url = cluster.new()
    *_, base, end_sessions = blocks("sh")
    run(cluster, folder, base, user, STOA_DATABASE_URL=cluster.url())
    ask(url, "After the base backup")
    cluster.do("SELECT pg_switch_wal()")
    until(lambda: has_archived(cluster))
    run(cluster, folder, "touch base/recovery.signal; mkdir socket", user)
    with (folder / "base" / "postgresql.conf").open("a") as configured:
        configured.write(recover)
    start = 'pg_ctl -w -D base -l log -o \'-h "" -k "$PWD/socket"\' start'
    run(cluster, folder, start, user)
    try:
        there = f"postgresql://postgres@/{name_of(url)}?host={folder}/socket"
        until(lambda: not query(settings_of(there), "SELECT pg_is_in_recovery()")[0][0])
        assert found_in(there)[0] == ["After the base backup"]
        run(cluster, folder, end_sessions, RESTORED=there)
        assert found_in(there) == (["After the base backup"], [])
    finally:
        run(cluster, folder, "pg_ctl -w -m immediate -D base stop", user)


def has_archived(cluster: PostgreSQL) -> bool:
    """Whether all finished files of the log are in the archive."""
    waiting = cluster.folder / "data" / "pg_wal" / "archive_status"
    return not list(waiting.glob("*.ready"))
