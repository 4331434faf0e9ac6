"""The embedded engine as the registry knows it: one SQLite file."""

from collections.abc import Generator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, contextmanager
from pathlib import Path
from typing import TypeVar

import apsw

from stoa.clock import Clock
from stoa.metrics import Commits
from stoa.settings import Settings
from stoa.store.engines.frames import WorkCodec
from stoa.store.engines.sqlite import alone as sqlite_alone
from stoa.store.engines.sqlite import backups as sqlite_backups
from stoa.store.engines.sqlite import copying as sqlite_copying
from stoa.store.engines.sqlite import file as sqlite_file
from stoa.store.engines.sqlite import store as sqlite
from stoa.store.engines.sqlite.store import SqliteStore
from stoa.store.engines.sqlite.tx import BENIGN
from stoa.store.transfer.copying import CopySource, Target
from stoa.store.tx import Alone, DatabaseHealth, Restored, StartRefused, Work

T = TypeVar("T")

SHARED = False


async def open_store(
    settings: Settings,
    clock: Clock,
    shared: Sequence[object] = (),
    commits: Commits | None = None,
) -> SqliteStore:
    """See `Engine`."""
    path, timeout_s = settings.database_path, settings.database_timeout_seconds
    if not shared:
        return SqliteStore.open(path, clock, commits, timeout_s)
    return await SqliteStore.open_apart(path, clock, WorkCodec(shared), commits, timeout_s)


async def refuse_unreadable(settings: Settings) -> None:
    """See `Engine`."""


async def migrate(settings: Settings) -> list[str]:
    """See `Engine`."""
    return sqlite.migrate(settings.database_path)


async def is_new(settings: Settings) -> bool:
    """See `Engine`."""
    return sqlite_file.is_new(settings.database_path)


async def health(settings: Settings) -> DatabaseHealth | None:  # noqa: ARG001 - it has no server
    """See `Engine`."""
    return None


def trace(settings: Settings) -> str | None:
    """See `Engine`."""
    return sqlite_file.trace(settings.database_path)


async def refuse_absent(settings: Settings) -> None:
    """See `Engine`."""
    sqlite_file.existing(settings.database_path)


async def read_once(settings: Settings, clock: Clock, work: Work[T]) -> T:
    """See `Engine`."""
    with _told(settings.database_path):
        return sqlite.read_once(settings.database_path, clock, work)


async def write_once(settings: Settings, clock: Clock, work: Work[T]) -> T:
    """See `Engine`."""
    with _told(settings.database_path):
        return sqlite.write_once(settings.database_path, clock, work)


async def wipe_once(settings: Settings) -> bool:
    """See `Engine`."""
    with _told(settings.database_path):
        return sqlite.wipe_once(settings.database_path)


async def back_up(
    settings: Settings,
    clock: Clock,
    folder: Path,
    keep: int,
    environment: Mapping[str, str],  # noqa: ARG001 - no program is run
) -> Path:
    """See `Engine`."""
    return sqlite_backups.back_up(settings.database_path, clock, folder, keep)


async def restore(
    settings: Settings,
    clock: Clock,
    file: Path,
    environment: Mapping[str, str],  # noqa: ARG001 - no program is run
) -> Restored:
    """See `Engine`."""
    return sqlite_backups.restore(settings.database_path, clock, file, settings.backup_dir)


def place(settings: Settings) -> str:
    """See `Engine`."""
    return str(settings.database_path)


def open_source(settings: Settings, clock: Clock) -> AbstractAsyncContextManager[CopySource]:
    """See `Engine`."""
    return sqlite_copying.open_source(settings.database_path, clock)


def open_alone(
    settings: Settings, *, disposable: bool = False
) -> AbstractAsyncContextManager[Alone]:
    """See `Engine`."""
    return sqlite_alone.open_alone(settings.database_path, disposable=disposable)


def open_target(settings: Settings, clock: Clock) -> AbstractAsyncContextManager[Target]:
    """See `Engine`."""
    return sqlite_copying.open_target(settings.database_path, clock)


@contextmanager
def _told(path: Path) -> Generator[None]:
    """Raise what the file or its disk does to a work as `StartRefused`."""
    try:
        yield
    except BENIGN:
        raise
    except (apsw.CorruptError, apsw.NotADBError) as error:
        raise StartRefused(f"{path} is damaged: restore a backup ({error})") from error
    except apsw.Error as error:
        raise StartRefused(f"cannot use the database {path}: {error}") from error
