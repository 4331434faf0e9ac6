"""Backups of a SQLite file: copies that are made while it is served, and the way back."""

import errno
import fcntl
import os
import re
from collections.abc import Callable, Generator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

import apsw

from stoa.clock import Clock
from stoa.store import audit, backups, restoring
from stoa.store.engines import sqlite, sqlite_migrations
from stoa.store.engines.sqlite_file import connect, existing, locked, make_folder, prepare, sync
from stoa.store.tx import Restored, StartRefused

_PRIVATE = 0o600
_NOT_OTHERS = 0o770
_HEADER = re.compile(rb"SQLite format 3\x00..\x02\x02", re.DOTALL)
"""How a file with a write-ahead log begins."""
_HEADER_BYTES = 20
_COMPANIONS = ("-wal", "-shm", "-journal")


def back_up(file: Path, clock: Clock, folder: Path, keep: int) -> Path:
    """Copy a file, which a server may have open, into a folder; returns the copy.

    The copy gets its name when it has been audited and is on disk. Then the oldest are removed, so
    that `keep` are left; 0 keeps all. Raises `StartRefused` with nothing removed.
    """
    path = existing(file)
    name = backups.name(clock())
    with _told(f"no backup was made in {folder}"), _alone_in(folder):
        target, partial = folder / name, folder / f".{name}.partial"
        for left in folder.glob(".stoa-*.partial*"):  # of a backup that was killed
            left.unlink()
        with _unfinished(partial):
            like = path.stat()
            _copy(path, partial, like=like, clock=clock)
            _write_checksum(partial, target, like)
            _put(partial, target)
        if keep:
            _remove_oldest(folder, keep, target)
    return target


def restore(file: Path, clock: Clock, backup: Path) -> Restored:
    """Put a backup in the place of a file that no server has open, and keep what was there.

    Raises `StartRefused` with the file as it was.
    """
    source = _existing_backup(backup)
    with _told(f"{file} was not restored"):
        if backups.has_changed(source):
            said = f"{source} has changed since it was made: choose another backup"
            raise StartRefused(said)
    like = _like(file, source)
    is_new_folder = not file.parent.exists()
    with _told(f"{file} was not restored"), locked(file) as path:
        for name in (path.parent, f"{path}.lock") if is_new_folder else (f"{path}.lock",):
            os.chown(name, like.st_uid, like.st_gid)
        partial = path.with_name(f"{path.name}.restoring")
        with _unfinished(partial):
            _copy(source, partial, like=like, clock=clock, to_serve=True)
            kept = _keep(path, clock)
            _put(partial, path)
    return Restored(_taken_at(source), kept)


def _copy(
    source: Path, partial: Path, *, like: os.stat_result, clock: Clock, to_serve: bool = False
) -> None:
    """Copy one state of a file for this owner, and audit the copy. One that is to be served is
    brought to this program's schema, and its sessions end."""
    descriptor = _new(partial, like)
    try:
        with _copyable(source):
            _fill(source, partial, _check_any if to_serve else sqlite_migrations.check_current)
            if to_serve:
                prepare(partial)
                sqlite.write_once(partial, clock, restoring.begin_anew)
            _check(source, partial, clock)
        _close(partial)
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _fill(source: Path, partial: Path, check: Callable[[apsw.Connection, Path], None]) -> None:
    """Copy everything in one step: then writes to the source do not start the copy anew."""
    with (
        closing(connect(source, writer=False)) as there,
        closing(apsw.Connection(str(partial))) as here,
    ):
        check(there, source)
        sqlite_migrations.refuse_unfinished(there, source)
        here.execute("PRAGMA synchronous = OFF")  # it is synced as a whole
        with here.backup("main", there, "main") as copying:
            copying.step(-1)


def _check_any(connection: apsw.Connection, source: Path) -> None:
    """Raise `StartRefused` unless the file has a schema that this program knows."""
    sqlite_migrations.check(connection, source, "choose another backup")
    if not sqlite_migrations.version(connection):
        raise StartRefused(f"{source} is empty: choose another backup")


@contextmanager
def _copyable(source: Path) -> Generator[None]:
    """Name the file that is copied when it is no whole database, as the target is one."""
    try:
        yield
    except (apsw.NotADBError, apsw.CorruptError, apsw.CantOpenError) as error:
        said = f"{source} cannot be copied, and nothing was changed: {error}"
        raise StartRefused(said) from None


def _check(source: Path, partial: Path, clock: Clock) -> None:
    with closing(connect(partial, writer=False)) as connection:
        (sound,) = next(connection.execute("PRAGMA quick_check(1)"))
    if sound != "ok":
        raise StartRefused(f"{source} is damaged: {str(sound).splitlines()[-1]}")
    findings = sqlite.read_once(partial, clock, audit.run_all)
    for finding in findings:
        if finding.differences:
            raise StartRefused(
                f"the audit of a copy of {source} finds differences ({finding.check.meaning}): "
                "see `stoa audit`"
            )


def _close(partial: Path) -> None:
    """Make one file of it, without a write-ahead log beside it."""
    with closing(apsw.Connection(str(partial))) as connection:
        connection.execute("PRAGMA journal_mode = DELETE").fetchall()


def _write_checksum(partial: Path, target: Path, like: os.stat_result) -> None:
    """Write the checksum that the backup will have, for the owner of the backup."""
    unnamed = partial.with_name(f"{partial.name}.sha256")
    with _unfinished(unnamed), os.fdopen(_new(unnamed, like), "w", encoding="ascii") as file:
        file.write(backups.checksum_line(partial, target.name))
        file.flush()
        os.fsync(file.fileno())
        unnamed.replace(backups.checksum_file(target))


def _new(path: Path, like: os.stat_result) -> int:
    """A new file, for the owner of another one."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, _PRIVATE)
    os.fchown(descriptor, like.st_uid, like.st_gid)
    os.fchmod(descriptor, like.st_mode & _NOT_OTHERS)
    return descriptor


def _put(partial: Path, target: Path) -> None:
    partial.replace(target)
    sync(target.parent)


def _keep(path: Path, clock: Clock) -> Path | None:
    """Give what is there a second name, and take away its companions, which would be read as those
    of the new file. Where there was a file at `path`, there is one at each moment."""
    kept = path.with_name(f"{path.name}.before-{backups.stamp(clock())}")
    was_there = path.exists()
    if was_there:
        _empty_log(path)
        os.link(path, kept)
    for companion in _COMPANIONS:  # of a file that is damaged or gone
        with suppress(FileNotFoundError):
            Path(f"{path}{companion}").replace(f"{kept}{companion}")
    return kept if was_there else None


def _empty_log(path: Path) -> None:
    """Write what is in the log into the file. SQLite deletes the log of a file whose header does
    not name one, so that such a file is not opened."""
    with path.open("rb") as file:
        has_log = _HEADER.fullmatch(file.read(_HEADER_BYTES))
    if has_log:
        with suppress(apsw.Error), closing(apsw.Connection(str(path))) as connection:
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()


def _remove_oldest(folder: Path, keep: int, made: Path) -> None:
    """Keep the new backup and the newest of the others, so many in all."""
    found = sorted(file for file in folder.glob("*.db") if backups.made_at(file.name))
    others = [file for file in found if file != made]
    for old in others[: max(0, len(others) - keep + 1)]:
        old.unlink()
        backups.checksum_file(old).unlink(missing_ok=True)


def _existing_backup(backup: Path) -> Path:
    try:
        return backup.resolve(strict=True)
    except OSError as error:
        raise StartRefused(f"cannot read the backup {backup}: {error.strerror}") from None


def _like(file: Path, source: Path) -> os.stat_result:
    """The file whose owner and mode the restored one gets."""
    return file.stat() if file.exists() else source.stat()


def _taken_at(source: Path) -> int:
    """When a backup was made, which its name tells unless it was given another."""
    made_at = backups.made_at(source.name)
    return source.stat().st_mtime_ns // 1_000_000 if made_at is None else made_at


@contextmanager
def _alone_in(folder: Path) -> Generator[None]:
    """Hold a folder, which is made if need be, against a second backup."""
    make_folder(folder)
    descriptor = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    finally:
        os.close(descriptor)


@contextmanager
def _unfinished(partial: Path) -> Generator[None]:
    """A file that is new, and gone afterwards unless it was given another name."""
    _discard(partial)
    try:
        yield
    finally:
        _discard(partial)


def _discard(partial: Path) -> None:
    for end in ("", ".lock", *_COMPANIONS):
        Path(f"{partial}{end}").unlink(missing_ok=True)


@contextmanager
def _told(outcome: str) -> Generator[None]:
    """Raise what goes wrong as `StartRefused`."""
    try:
        yield
    except BlockingIOError:
        raise StartRefused(f"{outcome}: another backup to it is being made") from None
    except apsw.FullError as error:  # of a copy SQLite itself says "not an error"
        raise StartRefused(f"{outcome}: the disk is full") from error
    except apsw.IOError as error:
        raise StartRefused(f"{outcome}: the disk cannot be read or written") from error
    except apsw.Error as error:
        raise StartRefused(f"{outcome}: {error}") from error
    except OSError as error:
        hint = "; run this as its owner" if error.errno == errno.EPERM else ""
        raise StartRefused(f"{outcome}: {error.strerror}{hint}") from error
