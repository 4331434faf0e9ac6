"""Backups of the file of a service: whole, checked, kept in number, and the way back."""

import hashlib
import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import apsw
import pytest

from stoa.store.engines.sqlite import backups as sqlite_backups
from stoa.store.engines.sqlite import migrations as sqlite_migrations
from stoa.store.engines.sqlite import store as sqlite
from stoa.store.engines.sqlite.backups import back_up, restore
from stoa.store.transfer import audit, backups
from stoa.store.tx import StartRefused
from tests.support.app import Agent, App
from tests.support.clock import VirtualClock
from tests.support.database import opened, query
from tests.support.oauth_pages import led_to, register
from tests.support.storage import Operation, Storage


@pytest.fixture
def engine() -> str:
    """The engine whose backups these are."""
    return "sqlite"


@pytest.fixture
def storage() -> Iterator[Storage]:
    """Storage beneath every database of this process."""
    with Storage() as storage:
        yield storage


@pytest.fixture
def paid(stoa: App) -> Agent:
    """An agent who has asked something, with a bounty."""
    agent = stoa.agent("asker")
    agent.thread(bountyCredits=5)
    led_to(stoa, agent, register(stoa))
    return agent


@pytest.fixture
def file(stoa: App) -> Path:
    """The file of a service that runs."""
    return stoa.settings.database_path


def content(file: Path) -> dict[str, list[str]]:
    """Every row of every table."""
    with opened(file) as connection:
        names = [str(row[0]) for row in connection.execute("SELECT name FROM sqlite_schema")]
        tables = [str(row[1]) for row in connection.execute("PRAGMA table_list") if row[1] in names]
        return {
            name: sorted(map(repr, connection.execute(f"SELECT * FROM {name}")))
            for name in tables
            if not name.startswith("sqlite_")
        }


def titles(app: App) -> int:
    return len(query(app.settings, "SELECT id FROM thread"))


@pytest.mark.promise("D33")
@pytest.mark.usefixtures("paid")
def test_what_was_backed_up_while_served_is_the_same_after_it_was_destroyed_and_restored(
    stoa: App, file: Path, clock: VirtualClock, tmp_path: Path
) -> None:
    before = content(file)
    assert len(before["posting"]) > 2
    backup = back_up(file, clock, tmp_path / "backups", 0)
    assert content(backup) == before
    stoa.agent("later").thread()
    assert content(file) != before  # what came later is not in it
    stoa.close()
    shutil.rmtree(file.parent)
    restored = restore(file, clock, backup)
    assert (restored.taken_at, restored.kept) == (clock(), None)
    after = content(file)
    assert before.pop("token") != []
    assert after.pop("token") == []  # all sessions have ended
    assert before.pop("authorization_request") != []
    assert after.pop("authorization_request") == []  # and what would lead to one
    assert after.pop("event_log_state") != before.pop("event_log_state")  # cursors end too
    assert after == before
    findings = sqlite.read_once(file, clock, audit.run_all)
    assert [finding for finding in findings if finding.differences] == []
    assert sum(finding.checked for finding in findings) > 0


def test_a_backup_is_of_one_moment_whatever_is_written_while_it_is_made(
    paid: Agent, file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, sync, writes = content(file), os.fsync, iter(range(3))

    def written_meanwhile(descriptor: int) -> None:
        if next(writes, None) is not None:
            paid.thread()
        sync(descriptor)

    monkeypatch.setattr(os, "fsync", written_meanwhile)
    copy = tmp_path / "copy.db"
    with copy.open("wb") as opened_copy:
        check = sqlite_migrations.check_current
        sqlite_backups._fill(file, copy, check, opened_copy.fileno(), at_once=20)  # pyright: ignore[reportPrivateUsage]
    assert next(writes, None) is None
    assert content(copy) == before


@pytest.mark.usefixtures("paid")
def test_a_restore_keeps_what_was_there_under_a_dated_name(
    stoa: App, file: Path, clock: VirtualClock, tmp_path: Path
) -> None:
    backup = back_up(file, clock, tmp_path / "backups", 0)
    stoa.agent("later").thread()
    now = content(file)
    stoa.close()
    file.chmod(0o640)
    kept = restore(file, clock, backup).kept
    assert kept
    assert kept.name.startswith(f"{file.name}.before-2")
    assert content(kept) == now
    assert len(content(file)["thread"]) == len(now["thread"]) - 1
    assert file.stat().st_mode & 0o777 == 0o640
    assert {path.name for path in file.parent.iterdir()} >= {file.name, kept.name}
    assert [path for path in file.parent.iterdir() if "restoring" in path.name] == []


def test_a_damaged_file_with_its_log_is_kept_and_replaced(
    stoa: App, file: Path, clock: VirtualClock, tmp_path: Path
) -> None:
    backup = back_up(file, clock, tmp_path / "backups", 0)
    stoa.close()
    file.write_bytes(b"no database" * 999)
    Path(f"{file}-wal").write_bytes(b"no log")
    kept = restore(file, clock, backup).kept
    assert kept
    assert kept.read_bytes() == b"no database" * 999
    assert Path(f"{kept}-wal").read_bytes() == b"no log"
    assert not Path(f"{file}-wal").exists()
    assert content(file)["agent"] == content(backup)["agent"]


def test_a_log_whose_file_is_gone_is_not_read_into_the_restored_one(
    stoa: App, file: Path, clock: VirtualClock, tmp_path: Path
) -> None:
    backup = back_up(file, clock, tmp_path / "backups", 0)
    stoa.agent("later")
    log = Path(f"{file}-wal").read_bytes()
    stoa.close()
    file.unlink()
    Path(f"{file}-wal").write_bytes(log)
    restore(file, clock, backup)
    assert content(file)["agent"] == content(backup)["agent"]
    [moved] = file.parent.glob("*.before-*-wal")
    assert moved.read_bytes() == log != b""


@pytest.mark.promise("D34")
@pytest.mark.usefixtures("paid")
def test_nothing_is_restored_while_the_file_is_served(
    stoa: App, file: Path, clock: VirtualClock, tmp_path: Path
) -> None:
    backup = back_up(file, clock, tmp_path / "backups", 0)
    threads = titles(stoa)
    stoa.agent("later").thread()
    with pytest.raises(StartRefused, match="another Stoa uses"):
        restore(file, clock, backup)
    assert titles(stoa) == threads + 1
    stoa.close()
    restore(file, clock, backup)
    assert titles(stoa) == threads


def with_checksum(*made: Path) -> set[Path]:
    """The files of these backups."""
    return {*made, *map(backups.checksum_file, made)}


def test_a_backup_and_its_checksum_are_as_private_as_the_database(
    file: Path, clock: VirtualClock, tmp_path: Path
) -> None:
    file.chmod(0o640)
    backup = back_up(file, clock, tmp_path / "new" / "backups", 0)
    made = with_checksum(backup)
    assert {(path.stat().st_mode & 0o777, path.stat().st_uid) for path in made} == {
        (0o640, file.stat().st_uid)
    }
    assert set(backup.parent.iterdir()) == made
    assert backup.parent.stat().st_mode & 0o077 == 0


def test_every_file_belongs_to_the_owner_of_the_database(
    stoa: App, file: Path, clock: VirtualClock, tmp_path: Path
) -> None:
    owner, group = (4321, 4322) if os.getuid() == 0 else (os.getuid(), os.getgid())
    os.chown(file, owner, group)  # only root may give files away
    backup = back_up(file, clock, tmp_path / "backups", 0)
    made = with_checksum(backup)
    assert {(path.stat().st_uid, path.stat().st_gid) for path in made} == {(owner, group)}
    stoa.close()
    restore(file, clock, backup)
    shutil.rmtree(file.parent)
    restore(file, clock, backup)
    owners = {path.stat().st_uid for path in (file.parent, *file.parent.iterdir())}
    assert owners == {owner}


def test_so_many_backups_are_kept_and_other_files_left_alone(
    file: Path, clock: VirtualClock, tmp_path: Path
) -> None:
    folder = tmp_path / "backups"
    folder.mkdir()
    (folder / "stoa-important.db").write_text("mine")
    (folder / ".stoa-20200101T000000000Z.db.partial").write_text("of a backup that was killed")
    made: list[Path] = []
    for _ in range(4):
        made.append(back_up(file, clock, folder, 2))
        clock.advance(1000)
    assert set(folder.iterdir()) == {*with_checksum(*made[-2:]), folder / "stoa-important.db"}
    clock.advance(-3_600_000)
    early = back_up(file, clock, folder, 1)  # the clock was set back
    assert set(folder.iterdir()) == {*with_checksum(early), folder / "stoa-important.db"}


@pytest.mark.usefixtures("paid")
def test_a_backup_of_an_empty_database_takes_the_place_of_no_other(
    stoa: App, file: Path, migrated_file: Path, clock: VirtualClock, tmp_path: Path
) -> None:
    folder, empty = tmp_path / "backups", tmp_path / "empty.db"
    shutil.copy(migrated_file, empty)
    stoa.agent("writer").thread(body="long " * 5000)  # more than fits where nothing is

    def made(source: Path) -> Path:
        clock.advance(1000)
        return back_up(source, clock, folder, 1)

    kept = made(file)
    first, last = made(empty), made(empty)
    assert set(folder.iterdir()) == with_checksum(kept, last)
    assert not first.exists()
    newest = made(file)
    assert set(folder.iterdir()) == with_checksum(newest)


def healthy(_operation: Operation, _path: str) -> None:
    """Nothing happens."""


@pytest.mark.promise("D35")
@pytest.mark.parametrize(
    ("fault", "said"),
    [
        (apsw.FullError, "the disk is full; make room on it"),
        (apsw.IOError, "the disk cannot be read or written"),
    ],
)
def test_a_disk_that_is_full_during_a_backup_loses_nothing_and_leaves_no_half_file(
    storage: Storage,
    migrated_file: Path,
    clock: VirtualClock,
    tmp_path: Path,
    fault: type[apsw.Error],
    said: str,
) -> None:
    file, folder = tmp_path / "stoa.db", tmp_path / "backups"
    shutil.copy(migrated_file, file)
    old = back_up(file, clock, folder, 1)
    clock.advance(1000)
    kept = old.read_bytes()

    def fail(operation: Operation, path: str) -> None:
        if operation == "write" and path.endswith(".partial"):
            raise fault("not an error")

    storage.fault = fail
    with pytest.raises(StartRefused, match=f"^no backup was made in {folder}: {said}$"):
        back_up(file, clock, folder, 1)
    assert set(folder.iterdir()) == with_checksum(old)
    assert old.read_bytes() == kept
    storage.fault = healthy
    new = back_up(file, clock, folder, 1)
    assert new != old
    assert set(folder.iterdir()) == with_checksum(new)


def test_a_disk_that_is_full_during_a_restore_leaves_the_file_as_it_was(
    storage: Storage, migrated_file: Path, clock: VirtualClock, tmp_path: Path
) -> None:
    file = tmp_path / "data" / "stoa.db"
    file.parent.mkdir()
    shutil.copy(migrated_file, file)
    backup = back_up(file, clock, tmp_path / "backups", 0)
    before = file.read_bytes()

    def fail(operation: Operation, path: str) -> None:
        if operation == "write" and "restoring" in path:
            raise apsw.FullError("not an error")

    storage.fault = fail
    with pytest.raises(StartRefused, match=r"was not restored: the disk is full; make room on it$"):
        restore(file, clock, backup)
    assert file.read_bytes() == before
    assert {path.name for path in file.parent.iterdir()} == {"stoa.db", "stoa.db.lock"}


def tampered(file: Path) -> None:
    with opened(file) as connection:
        connection.execute("UPDATE account SET balance = balance + 1 WHERE id = 'issuer'")


@pytest.mark.promise("D36")
def test_a_copy_whose_audit_finds_a_difference_is_no_backup_and_not_restored(
    stoa: App, file: Path, clock: VirtualClock, tmp_path: Path
) -> None:
    folder = tmp_path / "backups"
    backup = back_up(file, clock, folder, 1)
    clock.advance(1000)
    tampered(file)
    with pytest.raises(StartRefused, match=r"the audit of a copy of .* finds differences"):
        back_up(file, clock, folder, 1)
    assert set(folder.iterdir()) == with_checksum(backup)
    stoa.close()
    tampered(backup)
    backups.checksum_file(backup).unlink()
    before = content(file)
    with pytest.raises(StartRefused, match="finds differences"):
        restore(file, clock, backup)
    assert content(file) == before


def test_damage_that_no_audit_reads_is_found_before_there_is_a_backup(
    migrated_file: Path, clock: VirtualClock, tmp_path: Path
) -> None:
    file = tmp_path / "stoa.db"
    shutil.copy(migrated_file, file)
    root = "SELECT rootpage FROM sqlite_schema WHERE name = 'challenge_used_by_expiry'"
    with opened(file) as connection:
        ((page,),) = connection.execute(root).fetchall()
        size = connection.pragma("page_size")
    content = bytearray(file.read_bytes())
    content[(page - 1) * size : page * size] = b"?" * size
    file.write_bytes(content)
    with pytest.raises(StartRefused, match="is damaged: "):
        back_up(file, clock, tmp_path / "backups", 0)
    assert list((tmp_path / "backups").iterdir()) == []


def empty(file: Path) -> None:
    file.write_bytes(b"")


def cut(file: Path) -> None:
    file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])


def of_something_else(file: Path) -> None:
    file.write_bytes(b"\x89PNG" * 9999)


def damaged_in_the_middle(file: Path) -> None:
    content = bytearray(file.read_bytes())
    middle = len(content) // 2
    content[middle : middle + 20_000] = b"?" * 20_000
    file.write_bytes(content)


def of_another_program(file: Path) -> None:
    file.unlink()
    with opened(file) as connection:
        connection.execute("CREATE TABLE note (text TEXT)")


def newer(file: Path) -> None:
    with opened(file) as connection:
        connection.pragma("user_version", sqlite_migrations.steps()[-1].number + 1)


def another(file: Path) -> None:
    with opened(file) as connection:
        connection.pragma("application_id", 1)


def with_another_title(file: Path) -> None:
    """As a disk that goes bad does it: SQLite sees nothing wrong."""
    old, new = b"A title to change", b"A title to chance"
    content = file.read_bytes()
    assert old in content
    file.write_bytes(content.replace(old, new))


@pytest.mark.promise("D37")
def test_a_backup_that_has_changed_is_refused_and_changes_nothing(
    stoa: App, file: Path, clock: VirtualClock, tmp_path: Path
) -> None:
    stoa.agent("ada").thread(title="A title to change")
    backup = back_up(file, clock, tmp_path / "backups", 0)
    line = backups.checksum_file(backup).read_text()
    assert line == f"{hashlib.sha256(backup.read_bytes()).hexdigest()}  {backup.name}\n"
    stoa.close()
    before = content(file)
    with_another_title(backup)
    with pytest.raises(StartRefused, match="has changed since it was made: choose another backup"):
        restore(file, clock, backup)
    assert content(file) == before
    backups.checksum_file(backup).write_bytes(b"\xff\0")
    with pytest.raises(StartRefused, match="has changed"):
        restore(file, clock, backup)
    backups.checksum_file(backup).unlink()
    restore(file, clock, backup)  # nothing else finds it
    assert content(file) != before


HARM = [
    *(Path.unlink, empty, cut, of_something_else, damaged_in_the_middle),
    *(of_another_program, newer, another),
]


@pytest.mark.parametrize("harm", HARM)
def test_what_is_no_whole_backup_is_refused_and_changes_nothing(
    migrated_file: Path, clock: VirtualClock, tmp_path: Path, harm: Callable[[Path], None]
) -> None:
    file = tmp_path / "data" / "stoa.db"
    file.parent.mkdir()
    shutil.copy(migrated_file, file)
    backup = back_up(file, clock, tmp_path / "backups", 0)
    backups.checksum_file(backup).unlink()
    harm(backup)
    before = file.read_bytes()
    with pytest.raises(StartRefused) as told:
        restore(file, clock, backup)
    assert "\n" not in str(told.value)
    assert str(backup) in str(told.value)
    assert file.read_bytes() == before
    assert {path.name for path in file.parent.iterdir()} <= {"stoa.db", "stoa.db.lock"}
