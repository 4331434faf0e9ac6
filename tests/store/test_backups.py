"""Which files of a folder are backups, and how old the newest is."""

from pathlib import Path

import pytest

from stoa.store.backups import made_at, newest
from tests.support.backups import make_backup
from tests.support.clock import START


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
    assert newest("") is None
    assert newest(str(tmp_path / "none")) is None
    assert newest(folder) is None
    (tmp_path / "stoa-99990102T030405006Z.db").touch()
    (tmp_path / "stoa-99990102T030405Z.dump").write_text("nothing of the kind")
    (tmp_path / "stoa-99990102T030406006Z.db").mkdir()
    (tmp_path / "newest").touch()
    assert newest(folder) is None
    make_backup(tmp_path, START)
    make_backup(tmp_path, START - 1)
    assert newest(folder) == START
    (tmp_path / "stoa-99980102T030405Z.dump").write_bytes(b"PGDMP and so on")
    assert newest(folder) == made_at("stoa-99980102T030405Z.dump")
