"""Backups of a SQLite file: copies that are made while it is served, and how they are restored."""

import os
from collections.abc import Callable, Generator, Mapping
from contextlib import closing, contextmanager, suppress
from pathlib import Path

import apsw

from stoa.clock import Clock
from stoa.store import purges, unusable
from stoa.store.engines import backup_files as files
from stoa.store.engines.sqlite import migrations as sqlite_migrations
from stoa.store.engines.sqlite import store as sqlite
from stoa.store.engines.sqlite.file import connect, existing, has_log, locked, prepare
from stoa.store.engines.sqlite.unused import pages_of
from stoa.store.purges import Purge
from stoa.store.transfer import audit, backups, purge_list, restoring
from stoa.store.transfer.audit import Finding
from stoa.store.tx import Restored, StartRefused

_PAGES_AT_ONCE = 4_000
"""16 MB."""
_NOT_COPIED = "{} cannot be copied, and nothing was changed: {}"
_COMPANIONS = ("-wal", "-shm", "-journal")
_BESIDE = (".lock", *_COMPANIONS)


def back_up(
    file: Path,
    clock: Clock,
    folder: Path,
    keep: int,
    environment: Mapping[str, str] | None = None,  # noqa: ARG001 - no program is run
) -> Path:
    """Copy a file, which a server may have open, into a folder; returns the copy.

    The copy gets its name when it has been audited and is on disk. Then the oldest are removed, so
    that `keep` are left; 0 keeps all. Raises `StartRefused` with nothing removed.
    """
    path = existing(file)
    name = backups.name(clock())
    with _told(f"no backup was made in {folder}"), files.alone_in(folder):
        target, partial = folder / name, folder / f".{name}.partial"
        with files.unfinished(partial, _BESIDE):
            like = path.stat()
            findings = _copy(path, partial, like=like, clock=clock)
            purge_list.keep(folder, sqlite.read_once(partial, clock, purges.every))
            files.write_checksum(partial, target, like)
            files.put(partial, target)
        if keep:
            files.remove_oldest(keep, target, in_use=audit.in_use(findings))
    return target


def restore(
    file: Path,
    clock: Clock,
    backup: Path,
    backup_dir: str = "",
    environment: Mapping[str, str] | None = None,  # noqa: ARG001
) -> Restored:
    """Replace a file that no server has open by a backup, and keep the old file; see
    `purge_list.known`.

    Raises `StartRefused` with the file unchanged.
    """
    source = files.existing_backup(backup)
    with _told(f"{file} was not restored"):
        files.refuse_changed(source)
        if backups.begins_well(source, "dump"):
            raise StartRefused(f"{source} is a dump of PostgreSQL: name its --database-url")
    like = (file if file.exists() else source).stat()  # whose owner and mode the new file gets
    is_new_folder = not file.parent.exists()
    with _told(f"{file} was not restored"), locked(file) as path:
        for name in (path.parent, f"{path}.lock") if is_new_folder else (f"{path}.lock",):
            os.chown(name, like.st_uid, like.st_gid)
        partial = path.with_name(f"{path.name}.restoring")
        with files.unfinished(partial, _BESIDE):
            erased = [*purge_list.known(source, backup_dir), *_erased_in(path)]
            _copy(source, partial, like=like, clock=clock, to_serve=erased)
            kept = _keep(path, clock)
            files.put(partial, path)
    return Restored(files.taken_at(source), kept)


def _copy(
    source: Path,
    partial: Path,
    *,
    like: os.stat_result,
    clock: Clock,
    to_serve: list[Purge] | None = None,
) -> list[Finding]:
    """Copy one state of a file for this owner; the findings of the copy's audit. One that is to be
    served is brought to this program's schema, its sessions end, and these purges are to be done in
    it."""
    with files.new_file(partial, like) as descriptor:
        with _copyable(source):
            check = sqlite_migrations.check_current if to_serve is None else _check_any
            _fill(source, partial, check, descriptor)
            if to_serve is not None:
                prepare(partial)
                sqlite.write_once(partial, clock, lambda tx: restoring.begin_anew(tx, to_serve))
            findings = _check(source, partial, clock)
        _close(partial)
    return findings


def _erased_in(path: Path) -> list[Purge]:
    """The purges of the database that is replaced, as far as it can still be read."""
    if not has_log(path):
        return []
    try:
        with closing(connect(path, writer=False)) as there:
            rows = there.execute("SELECT id, whole, reason, created_at FROM purge").fetchall()
            return [Purge(*row) for row in rows]
    except apsw.Error:
        return []


def _fill(
    source: Path,
    partial: Path,
    check: Callable[[apsw.Connection, Path], None],
    descriptor: int,
    at_once: int = _PAGES_AT_ONCE,
) -> None:
    """Copy everything as it is in one snapshot: else each write to the source would start the copy
    anew. So many pages at once are copied and synced, as a server beside it would wait for
    gigabytes at its next sync."""
    with (
        closing(connect(source, writer=False)) as there,
        closing(apsw.Connection(str(partial))) as here,
    ):
        there.execute("BEGIN")
        check(there, source)
        sqlite_migrations.refuse_unfinished(there, source)
        here.execute("PRAGMA synchronous = OFF")
        with here.backup("main", there, "main") as copying:
            while not copying.done:
                copying.step(at_once)
                os.fsync(descriptor)


def _check_any(connection: apsw.Connection, source: Path) -> None:
    """Raise `StartRefused` unless the file has a schema that this program knows."""
    sqlite_migrations.check(connection, source, "choose another backup")
    if not sqlite_migrations.version(connection):
        raise StartRefused(f"{source} is empty: choose another backup")


@contextmanager
def _copyable(source: Path) -> Generator[None]:
    """Name the copied file when it is no complete database, as for the target."""
    try:
        yield
    except (apsw.NotADBError, apsw.CorruptError) as error:
        raise StartRefused(_NOT_COPIED.format(source, error)) from None
    except (apsw.CantOpenError, apsw.IOError) as error:
        hindrance = unusable.beside(source)
        if hindrance is None and isinstance(error, apsw.IOError):
            raise  # it may be the disk of the copy
        raise StartRefused(_NOT_COPIED.format(source, hindrance or error)) from None


def _check(source: Path, partial: Path, clock: Clock) -> list[Finding]:
    """Refuse a copy that is damaged or in which the audit finds a difference."""
    with closing(connect(partial, writer=False)) as connection:
        (sound,) = next(connection.execute("PRAGMA quick_check(1)"))
    if sound != "ok":
        raise StartRefused(f"{source} is damaged: {str(sound).splitlines()[-1]}")
    findings = sqlite.read_once(partial, clock, audit.run_all)
    files.refuse_differences(source, findings)
    return findings


def _close(partial: Path) -> None:
    """Turn it into one file, without a write-ahead log beside it and without erased bytes."""
    with closing(apsw.Connection(str(partial))) as connection:
        connection.execute("PRAGMA journal_mode = DELETE").fetchall()
        with pages_of(connection, partial) as pages, suppress(apsw.TooBigError):
            for some in pages.to_overwrite():
                pages.overwrite(some)


def _keep(path: Path, clock: Clock) -> Path | None:
    """Give the old file a second name, and remove the files beside it, which would be read as those
    of the new one. If there was a file at `path`, there is one at each moment."""
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
    """Move the log into the file."""
    if has_log(path):
        with suppress(apsw.Error), closing(apsw.Connection(str(path))) as connection:
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()


@contextmanager
def _told(outcome: str) -> Generator[None]:
    """Raise errors as `StartRefused`."""
    try:
        with files.told(outcome):
            yield
    except apsw.FullError as error:  # of a copy SQLite itself says "not an error"
        raise StartRefused(f"{outcome}: the disk is full; make room on it") from error
    except apsw.IOError as error:
        raise StartRefused(f"{outcome}: the disk cannot be read or written") from error
    except apsw.Error as error:
        raise StartRefused(f"{outcome}: {error}") from error
