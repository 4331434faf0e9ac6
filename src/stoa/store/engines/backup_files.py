"""The files of backups, for each engine: an incomplete file never has the name of a backup."""

import errno
import fcntl
import os
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path

from stoa.store import unusable
from stoa.store.engines.sqlite.file import give_to_owner, make_folder, opened, sync
from stoa.store.transfer import backups
from stoa.store.transfer.audit import Finding
from stoa.store.transfer.backups import BackupRuns
from stoa.store.tx import StartRefused

_NOT_OTHERS = 0o770


@contextmanager
def told(outcome: str) -> Generator[None]:
    """Raise errors of files or their disk as `StartRefused`, and of a folder that another backup
    holds as `BackupRuns`."""
    try:
        yield
    except BlockingIOError:
        raise BackupRuns(f"{outcome}: another backup to it is being made") from None
    except OSError as error:
        raise StartRefused(f"{outcome}: {unusable.why(error)}") from error


@contextmanager
def alone_in(folder: Path) -> Generator[None]:
    """Lock a folder, which is made if need be, against a second backup, and remove the remains of a
    killed one."""
    if folder.is_file():
        raise NotADirectoryError(errno.ENOTDIR, "this is a file; name a folder")
    make_folder(folder)
    with opened(folder, os.O_RDONLY) as descriptor:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        for left in folder.glob(".stoa-*.partial*"):
            left.unlink()
        yield


@contextmanager
def new_file(path: Path, like: os.stat_result | None) -> Generator[int]:
    """The descriptor of a new file for the owner of another one or, without one, for the owner of
    the folder alone. What is written is on the disk at the end."""
    with opened(path, os.O_RDWR | os.O_CREAT | os.O_EXCL) as descriptor:
        if like:
            os.fchown(descriptor, like.st_uid, like.st_gid)
            os.fchmod(descriptor, like.st_mode & _NOT_OTHERS)
        else:
            give_to_owner(descriptor, path.parent)
        yield descriptor
        os.fsync(descriptor)


@contextmanager
def unfinished(partial: Path, companions: Sequence[str] = ()) -> Generator[None]:
    """A new file, removed at the end unless it was given another name."""
    _discard(partial, companions)
    try:
        yield
    finally:
        _discard(partial, companions)


def _discard(partial: Path, companions: Sequence[str]) -> None:
    for end in ("", *companions):
        Path(f"{partial}{end}").unlink(missing_ok=True)


def write_checksum(partial: Path, target: Path, like: os.stat_result | None) -> None:
    """Write the checksum that the backup will have, for the owner of the backup."""
    unnamed = partial.with_name(f"{partial.name}.sha256")
    with unfinished(unnamed):
        with new_file(unnamed, like):
            unnamed.write_text(backups.checksum_line(partial, target.name), encoding="ascii")
        unnamed.replace(backups.checksum_file(target))


def put(partial: Path, target: Path) -> None:
    """Give a complete file its name."""
    partial.replace(target)
    sync(target.parent)


def remove_oldest(keep: int, made: Path, *, in_use: bool) -> None:
    """Keep the new backup and the newest others, so many valid ones in all.

    A file that does not begin like a backup does not count. A backup of a database that is not
    `in_use`, as after its file was lost, replaces none that is larger.
    """
    found = sorted(file for file in made.parent.glob(f"*{made.suffix}") if file != made)
    good = [file for file in found if backups.made_at(file.name) and backups.begins_well(file)]
    most = made.stat().st_size
    for old in good[: max(0, len(good) - keep + 1)]:
        if in_use or old.stat().st_size <= most:
            old.unlink()
            backups.checksum_file(old).unlink(missing_ok=True)


def existing_backup(backup: Path) -> Path:
    """The full path of a backup. Raises `StartRefused` when it cannot be read."""
    try:
        found = backup.resolve(strict=True)
    except OSError as error:
        raise StartRefused(f"cannot read the backup {backup}: {unusable.why(error)}") from None
    if found.suffix == ".sha256":
        raise StartRefused(f"{backup} is the checksum of a backup: name {backup.with_suffix('')}")
    if found.is_dir():
        raise StartRefused(f"{backup} is a folder: name one of the backups in it")
    return found


def refuse_changed(source: Path) -> None:
    """Raise `StartRefused` for a backup that does not match its checksum."""
    if backups.has_changed(source):
        raise StartRefused(f"{source} has changed since it was made: choose another backup")


def refuse_differences(source: object, findings: Sequence[Finding]) -> None:
    """Raise `StartRefused` when an audit has found a difference."""
    for finding in findings:
        if finding.differences:
            raise StartRefused(
                f"the audit of a copy of {source} finds differences ({finding.check.meaning}): "
                "see `stoa audit`"
            )


def taken_at(source: Path) -> int:
    """When a backup was made, by its name if it has not been renamed."""
    made_at = backups.made_at(source.name)
    return source.stat().st_mtime_ns // 1_000_000 if made_at is None else made_at
