"""One database file: its folder, its lock against a second program, and connections to it."""

import fcntl
import os
import re
import time
from collections.abc import Generator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

import apsw

from stoa.clock import elapsed_ms
from stoa.store import unusable
from stoa.store.engines.migration_steps import EMPTY
from stoa.store.engines.sqlite import migrations as sqlite_migrations
from stoa.store.tx import DatabaseHeld, StartRefused

BUSY_MS = 5000
LOG_PAGES = 32_000
"""At so many pages (132 MB) the log is moved into the database: a page that changes often is copied
only once, and all copied pages are synced, which takes a tenth of a second."""
_LOG_BYTES = 144 * 1024 * 1024
"""A log of at most this length keeps its space on the disk, which costs less than taking new."""
_STATEMENTS = 128
"""How many prepared statements a connection caches. It searches them one by one at each use."""
_FLAGS = apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_NOMUTEX
"""A missing file is not replaced by an empty one. One thread at a time uses a connection, so it
needs no mutex, which SQLite would lock several times for each value that is read."""
_LOCK_MS = 1000
"""How long the writer process of a killed server may take to notice and to end."""

_HEADER = re.compile(rb"SQLite format 3\x00..\x02\x02", re.DOTALL)
"""The first bytes of a file with a write-ahead log."""
_HEADER_BYTES = 20
_HELD = "another Stoa uses {}: stop it if it is a server, or wait until it ends if it is a command"
_LOG_LOST = (
    "cannot open the database {0}: {0}-wal is missing, which may hold the last writes; put it "
    "back, restore a backup with `stoa restore FILE`, or remove {0}-shm to go on without them"
)
_REPLACED = "its file was removed or replaced while it was served"
_OPEN = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC


def connect(
    path: Path, *, writer: bool, cache_mb: int = 8, busy_ms: int = BUSY_MS
) -> apsw.Connection:
    """A connection with the settings that durability and isolation need.

    It keeps up to `cache_mb` megabytes of the pages it has read in memory, and waits `busy_ms` for
    another program that holds the file.
    """
    connection = apsw.Connection(str(path), _FLAGS, None, _STATEMENTS)
    try:
        connection.set_busy_timeout(busy_ms)
        _configure(connection, writer=writer, cache_mb=cache_mb)
    except BaseException:
        connection.close()
        raise
    return connection


def _configure(connection: apsw.Connection, *, writer: bool, cache_mb: int) -> None:
    connection.execute("PRAGMA schema_version")  # which says when the file is no database
    # Else a join is planned anew for every value that is bound, which takes longer than running it.
    connection.config(apsw.SQLITE_DBCONFIG_ENABLE_QPSG, 1)
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("PRAGMA temp_store = MEMORY")
    connection.execute(f"PRAGMA cache_size = {-1000 * cache_mb}")
    if writer:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA secure_delete = ON")  # what is erased must leave the file
        connection.execute("PRAGMA fullfsync = ON")
        connection.execute("PRAGMA checkpoint_fullfsync = ON")
        connection.execute(f"PRAGMA wal_autocheckpoint = {LOG_PAGES}")
        connection.execute(f"PRAGMA journal_size_limit = {_LOG_BYTES}")
    else:
        connection.execute("PRAGMA query_only = ON")
        connection.execute("PRAGMA wal_autocheckpoint = 0")


class FileReplaced(OSError):
    """The served file was removed or replaced."""


class ServedFile:
    """The file at `path` as it is now. SQLite goes on with a file that was removed or replaced, in
    which new rows would be lost."""

    def __init__(self, path: Path) -> None:
        self._path = str(path)
        found = path.stat()
        self._device, self._number = found.st_dev, found.st_ino

    def check(self) -> None:
        """Raise `FileReplaced` unless the same file is at the path. This is done before each
        commit."""
        try:
            found = os.stat(self._path)  # noqa: PTH116 - Path takes several times as long
        except OSError:
            raise FileReplaced(_REPLACED) from None
        if found.st_ino != self._number or found.st_dev != self._device:
            raise FileReplaced(_REPLACED)


def lock(path: Path) -> int:
    """Lock the file against a second program; returns the descriptor of the lock.

    Raises `StartRefused` when the folder cannot be used, `DatabaseHeld` when another program holds
    the file.
    """
    try:
        make_folder(path.parent)
        descriptor = os.open(f"{path}.lock", _OPEN, 0o600)
        give_to_owner(descriptor, path)
    except FileExistsError:
        raise StartRefused(f"cannot use the data folder {path.parent}: it is a file") from None
    except OSError as error:
        reason = unusable.why(error)
        if not unusable.is_known(error):
            reason += "; run this as the user of the service"
        said = f"cannot use the data folder {path.parent}: {reason}, or choose another --data-dir"
        raise StartRefused(said) from error
    deadline = elapsed_ms() + _LOCK_MS
    while not _taken(descriptor):
        if elapsed_ms() > deadline:
            os.close(descriptor)
            raise DatabaseHeld(_HELD.format(path))
        time.sleep(_LOCK_MS / 100_000)
    return descriptor


def give_to_owner(descriptor: int, of: Path) -> None:
    """Give a file that root has made to the owner of a database or a folder, if it exists. SQLite
    does so with its log."""
    if os.geteuid() == 0 and of.exists():
        like = of.stat()
        os.fchown(descriptor, like.st_uid, like.st_gid)


def _taken(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def is_new(path: Path) -> bool:
    """Whether there is no database in this place, or an empty file."""
    return not path.exists() or not path.stat().st_size


def trace(path: Path) -> str | None:
    """A sign that there was a database in a place without one; None without a sign."""
    if path.exists():
        return f"{path} is there with 0 bytes"
    beside = (Path(f"{path}{end}") for end in (".lock", "-wal"))
    return next((f"{file} is there without it" for file in beside if file.exists()), None)


def existing(path: Path) -> Path:
    """The full path of a file with content. Raises `StartRefused` when there is none, or its log is
    missing."""
    try:
        path = path.resolve(strict=True)
        bytes_there = path.stat().st_size
        _refuse_lost_log(path)
    except FileNotFoundError:
        raise StartRefused(
            f"there is no database at {path}: name it with --config, --data-dir or --database-url, "
            "or make one with stoa migrate"
        ) from None
    except OSError as error:
        raise StartRefused(f"cannot use the database {path}: {unusable.why(error)}") from None
    if not bytes_there:
        raise StartRefused(EMPTY.format(where=path))
    return path


def _refuse_lost_log(path: Path) -> None:
    """Raise `StartRefused` where the log of a file was taken away.

    SQLite makes `-shm` after it, and removes it before, so there is none without the log. Another
    program may begin or end between two looks, so there is a third.
    """
    log, index = Path(f"{path}-wal"), Path(f"{path}-shm")
    if index.exists() and not log.exists() and index.exists() and has_log(path):
        raise StartRefused(_LOG_LOST.format(path))


def has_log(path: Path) -> bool:
    """Whether a file exists whose header names a log. SQLite deletes the log of any other, so that
    such a file is not opened."""
    with suppress(FileNotFoundError), path.open("rb") as file:
        return bool(_HEADER.fullmatch(file.read(_HEADER_BYTES)))
    return False


@contextmanager
def locked(path: Path) -> Generator[Path]:
    """Lock the file against a second program for a while; yields its full path. Raises as
    `lock`."""
    path = path.resolve()
    descriptor = lock(path)
    try:
        yield path
    finally:
        os.close(descriptor)


def prepare(path: Path) -> list[str]:
    """Bring a locked file to this program's schema; returns the names of the steps applied.

    Raises `StartRefused` when it is not ours, too new, without its log, cannot be used or is an
    unfinished copy; then it is unchanged.
    """
    with told(path):
        _refuse_lost_log(path)
        # It holds token hashes and the secret of challenges: no other user may read it.
        _make_private(path)
        with closing(apsw.Connection(str(path))) as present:
            sqlite_migrations.check(present, path)
            sqlite_migrations.refuse_unfinished(present, path)
        with closing(connect(path, writer=True)) as connection:
            if 0 < sqlite_migrations.version(connection) < sqlite_migrations.OVERWRITING:
                connection.execute("PRAGMA temp_store = FILE")
                connection.execute("VACUUM")  # which leaves out what was deleted before
            return sqlite_migrations.migrate(connection)


def _make_private(path: Path) -> None:
    """Make the file if it does not exist, for this user alone; an empty one is treated the same."""
    with opened(path, _OPEN) as descriptor:
        if not os.fstat(descriptor).st_size:
            os.fchmod(descriptor, 0o600)


def refuse_other(path: Path, *, unfinished: bool = False) -> None:
    """Raise `StartRefused` unless a locked file has this program's schema and, unless `unfinished`
    is right, is no unfinished copy."""
    with told(path), closing(apsw.Connection(str(existing(path)))) as present:
        sqlite_migrations.check_current(present, path)
        if not unfinished:
            sqlite_migrations.refuse_unfinished(present, path)


@contextmanager
def told(path: Path) -> Generator[None]:
    """Raise errors of opening a file as `StartRefused`."""
    try:
        yield
    except OSError as error:
        raise StartRefused(f"cannot open the database {path}: {unusable.why(error)}") from error
    except (apsw.CorruptError, apsw.NotADBError) as error:
        raise StartRefused(
            f"cannot open the database {path}: {error}; restore a backup with `stoa restore FILE`"
        ) from error
    except apsw.Error as error:
        reason = unusable.beside(path) or error
        raise StartRefused(f"cannot open the database {path}: {reason}") from error


def make_folder(folder: Path) -> None:
    """Make a folder and those above it, for this user alone. Raises OSError."""
    missing = [part for part in (folder, *folder.parents) if not part.exists()]
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    for made in missing:
        sync(made.parent)


def sync(folder: Path) -> None:
    """Sync the names in a folder to disk: a file that survives a power cut must be found again."""
    with opened(folder, os.O_RDONLY) as descriptor:
        os.fsync(descriptor)


@contextmanager
def opened(path: Path, flags: int) -> Generator[int]:
    """The descriptor of a file or a folder for a while; a new file is for this user alone."""
    descriptor = os.open(path, flags | os.O_CLOEXEC, 0o600)
    try:
        yield descriptor
    finally:
        os.close(descriptor)
