"""Who meets a file, a folder or a disk that cannot be used is told what to do about it."""

import errno
import os
from pathlib import Path

import pytest

from stoa.cli.ending import end_with
from stoa.store import unusable
from tests.support.command import run_stoa_here


@pytest.mark.parametrize(
    ("number", "told"),
    [
        (errno.EACCES, "Permission denied; run this as the user of the service"),
        (errno.EPERM, "Operation not permitted; run this as its owner"),
        (errno.EROFS, "Read-only file system; make that disk writable"),
        (errno.ENOSPC, "No space left on device; make room on that disk"),
        (errno.EISDIR, "Is a directory"),
    ],
)
def test_what_keeps_a_file_from_being_used_is_told_with_what_to_do(number: int, told: str) -> None:
    assert unusable.why(OSError(number, os.strerror(number))) == told


def test_a_folder_that_is_gone_takes_no_files(tmp_path: Path) -> None:
    told = unusable.beside(tmp_path / "gone" / "stoa.db")
    assert told == "files beside it cannot be made: No such file or directory"


@pytest.mark.parametrize("number", [errno.EACCES, errno.EROFS, errno.ENOSPC])
def test_a_command_that_cannot_write_a_file_ends_with_one_line(
    number: int, capfd: pytest.CaptureFixture[str]
) -> None:
    def command() -> int:
        raise OSError(number, os.strerror(number), "site/index.html")

    with pytest.raises(SystemExit) as ended:
        end_with(command)
    assert ended.value.code == 1
    said = capfd.readouterr().err
    assert said.startswith(f"stoa: site/index.html: {os.strerror(number)}; ")
    assert said.count("\n") == 1


def test_an_error_of_the_system_that_no_operator_can_mend_shows_where_it_happened() -> None:
    def command() -> int:
        raise OSError(errno.EBADF, os.strerror(errno.EBADF))

    with pytest.raises(OSError, match="Bad file"):
        end_with(command)


READ_ONLY = ("Read-only file system", "make that disk writable")
FULL = ("No space left on device", "make room on that disk")
FOREIGN = ("Permission denied", "run this as the user of the service")


@pytest.mark.parametrize(
    ("flags", "allowed", "free", "told"),
    [
        (os.ST_RDONLY, True, 1000, READ_ONLY),
        (0, False, 1000, FOREIGN),
        (0, True, 0, FULL),
        (0, True, 1000, None),
    ],
)
def test_a_database_in_a_folder_that_takes_no_files_says_so_though_sqlite_does_not(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    flags: int,
    allowed: bool,
    free: int,
    told: tuple[str, str] | None,
) -> None:
    data = tmp_path / "data"
    assert run_stoa_here("migrate", "--data-dir", str(data)).code == 0
    for end in ("-wal", "-shm"):
        (data / f"stoa.db{end}").unlink(missing_ok=True)
    (data / "stoa.db-wal").mkdir()  # which SQLite cannot open
    disk = os.statvfs_result((1, 1, 9, free, free, 9, 9, 9, flags, 255))

    def statvfs(_folder: Path) -> os.statvfs_result:
        return disk

    def access(folder: Path, mode: int) -> bool:
        return allowed or (folder, mode) != (data, os.W_OK | os.X_OK)

    monkeypatch.setattr(os, "statvfs", statvfs)
    monkeypatch.setattr(os, "access", access)
    for command in ("audit", "export new", "backup backups", "admin log", "copy --to sqlite:///c"):
        monkeypatch.chdir(tmp_path)
        done = run_stoa_here(*command.split(), "--data-dir", str(data))
        assert (done.code, done.err.count("\n")) == (1, 1), command
        said = "; ".join(told) if told else "unable to open database file"
        assert said in done.err, command
    assert "files beside it" not in done.err or told
