"""Which files of a folder are backups, and how old the newest is."""

import resource
from pathlib import Path

import pytest

from stoa.store.transfer import backups
from stoa.store.transfer.backups import made_at, name, newest
from tests.support.backups import make_backup
from tests.support.clock import DAY, SECOND, START


def test_the_name_of_a_backup_tells_when_it_was_made() -> None:
    assert made_at("stoa-20260102T030405006Z.db") == 1_767_323_045_006
    assert made_at("stoa-20260102T030405Z.dump") == 1_767_323_045_000
    for other in (
        "stoa-20261302T030405006Z.db",
        "stoa-20260102T030405006Z.txt",
        "stoa-20260102.db",
        ".stoa-20260102T030405006Z.db",
        "stoa-20260102T030405006Z.db.partial",
        "notes.txt",
    ):
        assert made_at(other) is None


@pytest.mark.promise("B4")
def test_only_what_is_named_and_begins_like_a_backup_counts(tmp_path: Path) -> None:
    folder = str(tmp_path)
    assert newest("", START) is None
    assert newest(str(tmp_path / "none"), START) is None
    assert newest(folder, START) is None
    (tmp_path / name(START + 1)).touch()
    (tmp_path / name(START + 2).replace(".db", ".dump")).write_text("nothing of the kind")
    (tmp_path / name(START + 3)).mkdir()
    (tmp_path / "newest").touch()
    later = START + DAY
    assert newest(folder, later) is None
    make_backup(tmp_path, START)
    make_backup(tmp_path, START - 1)
    assert newest(folder, later) == START
    (tmp_path / "stoa-20261124T030405Z.dump").write_bytes(b"PGDMP and so on")
    dumped = made_at("stoa-20261124T030405Z.dump")
    assert dumped
    assert newest(folder, dumped) == dumped


def test_a_failure_is_noticed_where_the_disk_has_no_room_for_its_reason(tmp_path: Path) -> None:
    most = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, most[1]))
    try:
        backups.note_failure(tmp_path, "The disk is full.")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, most)
    assert "full?" in (backups.failure(str(tmp_path)) or "")
    backups.note_failure(tmp_path, "The reason.")
    assert backups.failure(str(tmp_path)) == "The reason."
    backups.forget_failure(tmp_path)
    assert backups.failure(str(tmp_path)) is None


def test_what_is_dated_in_the_future_is_not_the_newest_backup(tmp_path: Path) -> None:
    """It was made while the clock was wrong, and would hide for so long that none are made."""
    make_backup(tmp_path, START + DAY)
    assert newest(str(tmp_path), START) is None
    make_backup(tmp_path, START - DAY)
    assert newest(str(tmp_path), START) == START - DAY
    make_backup(tmp_path, START + SECOND)  # as clocks of two machines differ
    assert newest(str(tmp_path), START) == START + SECOND
    assert newest(str(tmp_path), START + DAY) == START + DAY
