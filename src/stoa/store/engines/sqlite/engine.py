"""The embedded engine in the registry of engines: one SQLite file."""

from collections.abc import Callable, Coroutine, Sequence
from pathlib import Path
from typing import Any, Concatenate, ParamSpec, TypeVar

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
from stoa.store.tx import DatabaseHealth, StartRefused

P = ParamSpec("P")
R = TypeVar("R")

SHARED = False


def _at(work: Callable[Concatenate[Path, P], R]) -> Callable[Concatenate[Settings, P], R]:
    """The function of `Engine` that does this work on the file in the settings."""

    def at(settings: Settings, /, *args: P.args, **values: P.kwargs) -> R:
        return work(settings.database_path, *args, **values)

    return at


def _once(
    work: Callable[Concatenate[Path, P], R],
) -> Callable[Concatenate[Settings, P], Coroutine[Any, Any, R]]:
    """The same, without waiting. It raises errors of the file or its disk as `StartRefused`."""

    async def once(settings: Settings, /, *args: P.args, **values: P.kwargs) -> R:
        path = settings.database_path
        try:
            return work(path, *args, **values)
        except BENIGN:
            raise
        except (apsw.CorruptError, apsw.NotADBError) as error:
            raise StartRefused(f"{path} is damaged: restore a backup ({error})") from error
        except apsw.Error as error:
            raise StartRefused(f"cannot use the database {path}: {error}") from error

    return once


migrate = _once(sqlite.migrate)
is_new = _once(sqlite_file.is_new)
refuse_absent = _once(sqlite_file.existing)
read_once = _once(sqlite.read_once)
write_once = _once(sqlite.write_once)
wipe_once = _once(sqlite.wipe_once)
back_up = _once(sqlite_backups.back_up)
restore = _once(sqlite_backups.restore)
trace = _at(sqlite_file.trace)
place = _at(str)
open_source = _at(sqlite_copying.open_source)
open_alone = _at(sqlite_alone.open_alone)
open_target = _at(sqlite_copying.open_target)


async def open_store(
    settings: Settings,
    clock: Clock,
    shared: Sequence[object] = (),
    commits: Commits | None = None,
) -> SqliteStore:
    path, timeout_s = settings.database_path, settings.database_timeout_seconds
    codec = WorkCodec(shared) if shared else None
    return await SqliteStore.open(path, clock, codec, commits, timeout_s)


async def refuse_unreadable(settings: Settings) -> None:
    """There is no replica."""


async def health(settings: Settings) -> DatabaseHealth | None:  # noqa: ARG001 - it has no server
    return None
