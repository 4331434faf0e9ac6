"""PostgreSQL as the registry knows it: one database, with a replica or without."""

from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import TypeVar

from stoa.clock import Clock
from stoa.metrics import Commits
from stoa.settings import Settings
from stoa.store.engines.migration_steps import EMPTY
from stoa.store.engines.postgres import alone as postgres_alone
from stoa.store.engines.postgres import backups as postgres_backups
from stoa.store.engines.postgres import connection as postgres_connection
from stoa.store.engines.postgres import copying as postgres_copying
from stoa.store.engines.postgres import health as postgres_health
from stoa.store.engines.postgres import store as postgres
from stoa.store.engines.postgres.replica import ReplicatedStore
from stoa.store.engines.postgres.store import PostgresStore
from stoa.store.transfer.copying import CopySource, Target
from stoa.store.tx import Alone, DatabaseHealth, Restored, StartRefused, Store, Work

T = TypeVar("T")

SHARED = True


async def open_store(
    settings: Settings,
    clock: Clock,
    shared: Sequence[object] = (),  # noqa: ARG001 - every process writes for itself
    commits: Commits | None = None,
) -> Store:
    """See `Engine`."""
    most = (settings.database_connections, settings.database_timeout_seconds)
    if not settings.read_database_url:
        return await PostgresStore.open(settings.database_url, clock, *most, commits)
    primary = await PostgresStore.open(settings.database_url, clock, *most, commits)
    replica = PostgresStore(settings.read_database_url, clock, *most, replica=True)
    store = ReplicatedStore(primary, replica, settings.read_lag_seconds)
    await store.start()
    return store


async def refuse_unreadable(settings: Settings) -> None:
    """See `Engine`."""
    if settings.read_database_url:
        await postgres_connection.refuse_unreadable_replica(settings.read_database_url)


async def migrate(settings: Settings) -> list[str]:
    """See `Engine`."""
    return await postgres.migrate(settings.database_url)


async def is_new(settings: Settings) -> bool:
    """See `Engine`."""
    return not await postgres.version(settings.database_url)


def trace(settings: Settings) -> str | None:  # noqa: ARG001 - an empty database has no past
    """See `Engine`."""
    return None


async def refuse_absent(settings: Settings) -> None:
    """See `Engine`."""
    if await is_new(settings):
        raise StartRefused(EMPTY.format(where=place(settings)))


async def health(settings: Settings) -> DatabaseHealth | None:
    """See `Engine`."""
    return await postgres_health.look(settings.database_url)


async def read_once(settings: Settings, clock: Clock, work: Work[T]) -> T:
    """See `Engine`."""
    return await postgres.read_once(settings.database_url, clock, work)


async def write_once(settings: Settings, clock: Clock, work: Work[T]) -> T:
    """See `Engine`."""
    return await postgres.write_once(settings.database_url, clock, work)


async def wipe_once(settings: Settings) -> bool:
    """See `Engine`."""
    return await postgres.wipe_once(settings.database_url)


async def back_up(
    settings: Settings,
    clock: Clock,
    folder: Path,
    keep: int,
    environment: Mapping[str, str],
) -> Path:
    """See `Engine`."""
    return await postgres_backups.back_up(settings.database_url, clock, folder, keep, environment)


async def restore(
    settings: Settings,
    clock: Clock,
    file: Path,
    environment: Mapping[str, str],
) -> Restored:
    """See `Engine`."""
    return await postgres_backups.restore(
        settings.database_url, clock, file, settings.backup_dir, environment
    )


def place(settings: Settings) -> str:
    """See `Engine`."""
    return postgres_connection.place(settings.database_url)


def open_source(settings: Settings, clock: Clock) -> AbstractAsyncContextManager[CopySource]:
    """See `Engine`."""
    return postgres_copying.open_source(settings.database_url, clock)


def open_alone(
    settings: Settings,
    *,
    disposable: bool = False,  # noqa: ARG001 - the server of the database decides
) -> AbstractAsyncContextManager[Alone]:
    """See `Engine`."""
    return postgres_alone.open_alone(settings.database_url)


def open_target(settings: Settings, clock: Clock) -> AbstractAsyncContextManager[Target]:
    """See `Engine`."""
    return postgres_copying.open_target(settings.database_url, clock)
