"""Dumps of PostgreSQL: whole or not there, private, audited, and the way back."""

import asyncio
import os
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from stoa.clock import SystemClock
from stoa.configuration import for_programs
from stoa.settings import Settings
from stoa.store.engines.postgres import backups as postgres_backups
from stoa.store.engines.postgres import programs as programs_of
from stoa.store.engines.postgres import store as postgres
from stoa.store.engines.postgres.connection import analyze, opened
from stoa.store.engines.postgres.programs import without_password
from stoa.store.transfer import audit, backups
from stoa.store.tx import Restored, StartRefused
from tests.support.app import App
from tests.support.clock import DAY, VirtualClock
from tests.support.database import query, rows, table_names
from tests.support.limits_off import LIMITS_OFF
from tests.support.postgresql import PostgreSQL, name_of

PASSWORD = "hush @/:&% hush"
CLOCK = VirtualClock()
ENDED = {"token", "event_log_state"}
"""What a restore does not bring back: all sessions end, and all cursors."""


@pytest.fixture(autouse=True)
def programs(postgresql: PostgreSQL, monkeypatch: pytest.MonkeyPatch) -> None:
    """The programs of PostgreSQL are found."""
    monkeypatch.setenv("PATH", f"{postgresql.programs}:{os.environ['PATH']}")


def settings_of(url: str) -> Settings:
    """The settings of a server without limits."""
    return msgspec.convert({**LIMITS_OFF, "database_url": url}, Settings)


def ask(url: str, title: str) -> None:
    """Open a thread as a new agent, whose bounty moves credits."""
    with App(settings_of(url), VirtualClock()) as app:
        app.agent(title).thread(title, "Who knows?", bountyCredits=2)


def content(url: str) -> dict[str, list[str]]:
    """All rows of all tables."""
    settings = settings_of(url)
    return {
        name: sorted(map(str, query(settings, f"TABLE {name}"))) for name in table_names(settings)
    }


def back_up(url: str, folder: Path, keep: int = 0) -> Path:
    """A backup, a second after the last one."""
    CLOCK.advance(1000)
    return asyncio.run(postgres_backups.back_up(url, CLOCK, folder, keep, for_programs()))


def unchanged(url: str) -> tuple[str, str]:
    """An address with its password, and none beside it."""
    return url, ""


def restore(
    url: str, backup: Path, backup_dir: str = "", clock: SystemClock | None = None
) -> Restored:
    clock = clock or SystemClock()
    return asyncio.run(postgres_backups.restore(url, clock, backup, backup_dir, for_programs()))


def instead(folder: Path, program: str, script: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a script be found before this program, which it may run as REAL."""
    real = next(
        Path(place) / program
        for place in os.environ["PATH"].split(":")
        if (Path(place) / program).exists()
    )
    before = folder / "before"
    before.mkdir(exist_ok=True)
    (before / program).write_text(f"#!/bin/sh\n{script.replace('REAL', str(real))}\n")
    (before / program).chmod(0o755)
    monkeypatch.setenv("PATH", f"{before}:{os.environ['PATH']}")


@pytest.mark.promise("D44")
def test_what_was_dumped_is_the_same_after_it_was_restored(
    postgresql: PostgreSQL, tmp_path: Path
) -> None:
    url, restored, folder = postgresql.new(), postgresql.empty(), tmp_path / "new" / "backups"
    ask(url, "Before")
    before = content(url)
    backup = back_up(url, folder)
    ask(url, "After")
    assert restore(restored, backup) == Restored(CLOCK(), None)
    after = content(restored)
    assert before["token"] != []
    assert after["token"] == []
    assert {name for name, held in before.items() if after[name] != held} == ENDED
    made = {backup, backups.checksum_file(backup)}
    assert set(folder.iterdir()) == made
    assert {file.stat().st_mode & 0o777 for file in made} == {0o600}
    assert backups.newest(str(folder), CLOCK()) == CLOCK()


def test_a_restore_from_a_machine_whose_clock_is_ahead_refuses_no_challenge_of_today(
    postgresql: PostgreSQL, tmp_path: Path
) -> None:
    backup, restored = back_up(postgresql.new(), tmp_path), postgresql.empty()
    ahead = SystemClock(machine_us=lambda: time.time_ns() // 1000 + 1000 * DAY)
    restore(restored, backup, clock=ahead)
    ((epoch,),) = asyncio.run(rows(restored, "SELECT epoch FROM event_log_state"))
    assert abs(epoch - time.time()) < DAY / 2000


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may give files away")
def test_a_dump_that_root_makes_is_for_the_owner_of_the_folder(
    postgresql: PostgreSQL, tmp_path: Path
) -> None:
    os.chown(tmp_path, 4321, 4322)
    backup = back_up(postgresql.new(), tmp_path)
    assert {file.stat().st_uid for file in (backup, backups.checksum_file(backup))} == {4321}


def test_a_list_of_purges_that_cannot_be_read_keeps_a_restore_from_beginning(
    postgresql: PostgreSQL, tmp_path: Path
) -> None:
    backup, target = back_up(postgresql.new(), tmp_path / "backups"), postgresql.empty()
    unreadable = tmp_path / "kept" / "purge-list.jsonl"
    unreadable.mkdir(parents=True)
    with pytest.raises(StartRefused, match="was not restored: Is a directory"):
        restore(target, backup, str(unreadable.parent))
    restore(target, backup, str(backup))  # is no folder


@pytest.mark.soak
def test_newer_programs_fill_the_oldest_server(oldest: PostgreSQL, tmp_path: Path) -> None:
    """pg_restore 17 and newer says what an older server does not know."""
    url, restored = oldest.empty(), oldest.empty()
    ask(url, "SET transaction_timeout = 0;")  # which is no setting here
    restore(restored, back_up(url, tmp_path))
    before, after = content(url), content(restored)
    assert before["thread"] != []
    assert {name for name, held in before.items() if after[name] != held} == ENDED


def test_counting_what_tables_hold_warns_of_no_others(postgresql: PostgreSQL) -> None:
    """A restore and a copy end with it, as a user who owns these tables alone."""
    postgresql.demand_password("counts", PASSWORD)
    postgresql.do("CREATE DATABASE counted OWNER counts")
    url = postgresql.url("counted", user="counts", password=PASSWORD)
    asyncio.run(postgres.migrate(url))

    async def warned(count: Callable[[Any], Awaitable[object]]) -> int:
        warnings = list[object]()
        async with opened(url) as connection:
            connection.add_log_listener(lambda _, message: warnings.append(message))
            await count(connection)
        return len(warnings)

    assert asyncio.run(warned(analyze)) == 0
    assert asyncio.run(warned(lambda connection: connection.execute("ANALYZE"))) > 0


@pytest.mark.promise("D45")
def test_no_argument_of_a_program_holds_the_password(
    postgresql: PostgreSQL, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    user = "backed_up"
    postgresql.demand_password(user, PASSWORD)
    database = name_of(postgresql.new())
    postgresql.do(f"GRANT pg_read_all_data TO {user}")
    told = tmp_path / "told"
    instead(tmp_path, "pg_dump", f'printf "%s\\n" "$@" >{told}; exec REAL "$@"', monkeypatch)
    url = postgresql.url(database, user=user, password=PASSWORD)
    back_up(url, tmp_path / "backups")
    assert f"--dbname=postgresql://{user}@/{database}?host=" in told.read_text()
    assert "hush" not in told.read_text()
    with pytest.raises(StartRefused, match="password"):  # without which nobody is let in
        back_up(postgresql.url(database, user=user), tmp_path / "backups")
    monkeypatch.setattr(programs_of, "without_password", unchanged)  # the control
    back_up(url, tmp_path / "backups")
    assert "hush" in told.read_text()


@pytest.mark.promise("D46")
@pytest.mark.parametrize(
    ("program", "script", "said"),
    [
        ("pg_dump", 'REAL "$@"; echo "pg_dump: error: no room" >&2; exit 1', "no room"),
        ("pg_dump", 'REAL "$@"; for last; do :; done; truncate -s -20 {partial}', "pg_restore: "),
        ("pg_dump", 'echo "aborting because of server version mismatch" >&2; exit 1', "newer one"),
        ("pg_dump", "exit 3", "pg_dump ended with status 3"),
        ("pg_restore", "exit 1", "pg_restore ended with status 1"),
    ],
)
def test_a_dump_that_is_not_whole_gets_no_name(
    postgresql: PostgreSQL,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    program: str,
    script: str,
    said: str,
) -> None:
    url, folder = postgresql.new(), tmp_path / "backups"
    old = back_up(url, folder)
    kept = set(folder.iterdir())
    partial = folder / ".stoa-*.partial"
    instead(tmp_path, program, script.replace("{partial}", str(partial)), monkeypatch)
    with pytest.raises(StartRefused, match=said):
        back_up(url, folder, keep=1)
    assert set(folder.iterdir()) == kept
    assert not backups.has_changed(old)


def test_a_dump_that_is_not_read_through_gets_a_name(
    postgresql: PostgreSQL, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The control of the test above: half a dump takes the place of the last good one."""
    url, folder = postgresql.new(), tmp_path / "backups"
    ask(url, "Kept")
    old = back_up(url, folder)
    cut = f'REAL "$@"; truncate -s -20 {folder}/.stoa-*.partial'
    instead(tmp_path, "pg_dump", cut, monkeypatch)
    instead(tmp_path, "pg_restore", "exit 0", monkeypatch)
    back_up(url, folder, keep=1)
    assert not old.exists()


def test_a_program_that_is_not_there_is_named(
    postgresql: PostgreSQL, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = postgresql.new()
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(StartRefused, match=r"^pg_dump is not found: install the client programs"):
        back_up(url, tmp_path / "backups")


def test_a_database_whose_audit_finds_a_difference_is_not_backed_up(
    postgresql: PostgreSQL, tmp_path: Path
) -> None:
    ask(url := postgresql.new(), "Spoiled")
    postgresql.do("UPDATE account SET balance = balance + 1 WHERE id = 'issuer'", url)
    with pytest.raises(StartRefused, match="finds differences"):
        back_up(url, tmp_path)
    assert list(tmp_path.glob("*.dump")) == []


def changed(backup: Path) -> None:
    backup.write_bytes(backup.read_bytes() + b"?")


def no_dump(backup: Path) -> None:
    backup.write_bytes(b"no dump")
    backups.checksum_file(backup).unlink()


def half(backup: Path) -> None:
    backup.write_bytes(backup.read_bytes()[: backup.stat().st_size // 2])
    backups.checksum_file(backup).unlink()


@pytest.mark.parametrize(
    ("damage", "said"),
    [(changed, "has changed"), (no_dump, "is no dump"), (half, "pg_restore: ")],
)
def test_a_backup_that_is_damaged_leaves_the_database_empty(
    postgresql: PostgreSQL, tmp_path: Path, damage: Callable[[Path], None], said: str
) -> None:
    backup, target = back_up(postgresql.new(), tmp_path), postgresql.empty()
    damage(backup)
    with pytest.raises(StartRefused, match=said):
        restore(target, backup)
    assert asyncio.run(rows(target, "SELECT 1 FROM pg_tables WHERE schemaname = 'public'")) == []
    restore(target, back_up(postgresql.new(), tmp_path))


@pytest.mark.parametrize("end", ["exit 1", "kill -9 $$"])
def test_a_dump_that_is_read_half_way_fills_nothing_in(
    postgresql: PostgreSQL, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, end: str
) -> None:
    backup, target = back_up(postgresql.new(), tmp_path), postgresql.empty()
    instead(tmp_path, "pg_restore", f"REAL \"$@\" | sed '/^);$/q'; {end}", monkeypatch)
    with pytest.raises(StartRefused):
        restore(target, backup)
    assert table_names(settings_of(target)) == []


@pytest.mark.promise("D47")
def test_a_backup_of_an_empty_database_takes_the_place_of_no_other(
    postgresql: PostgreSQL, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    full, empty, folder = postgresql.new(), postgresql.new(), tmp_path / "backups"
    ask(full, "Kept")
    kept = back_up(full, folder)
    first, last = back_up(empty, folder, keep=1), back_up(empty, folder, keep=1)
    assert set(folder.glob("*.dump")) == {kept, last}
    assert not first.exists()
    newest = back_up(full, folder, keep=1)
    assert set(folder.glob("*.dump")) == {newest}
    monkeypatch.setattr(audit, "in_use", bool)  # the control: nobody looks
    last = back_up(empty, folder, keep=1)
    assert set(folder.glob("*.dump")) == {last}


@pytest.mark.parametrize(
    ("url", "address", "password"),
    [
        ("postgresql://a:b%40c@h:1,i:2/d", "postgresql://a@h:1,i:2/d", "b@c"),
        (
            "postgresql://a@h/d?password=x%26y&sslmode=require",
            "postgresql://a@h/d?sslmode=require",
            "x&y",
        ),
        ("postgresql://h/d?user=a&password=p", "postgresql://h/d?user=a", "p"),
        ("postgresql://a@/d?host=/run/p", "postgresql://a@/d?host=/run/p", ""),
        ("postgresql://h/d?sslpassword=p", "postgresql://h/d", ""),
    ],
)
def test_an_address_is_given_without_its_password(url: str, address: str, password: str) -> None:
    assert without_password(url) == (address, password)
