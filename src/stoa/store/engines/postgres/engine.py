"""PostgreSQL in the registry of engines: one database, with or without a replica."""

from collections.abc import Callable, Sequence
from typing import Concatenate, ParamSpec, TypeVar

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
from stoa.store.tx import StartRefused, Store

P = ParamSpec("P")
R = TypeVar("R")

SHARED = True


def _at(work: Callable[Concatenate[str, P], R]) -> Callable[Concatenate[Settings, P], R]:
    """The function of `Engine` that does this work at the address in the settings."""

    def at(settings: Settings, /, *args: P.args, **values: P.kwargs) -> R:
        return work(settings.database_url, *args, **values)

    return at


migrate = _at(postgres.migrate)
health = _at(postgres_health.look)
read_once = _at(postgres.read_once)
write_once = _at(postgres.write_once)
wipe_once = _at(postgres.wipe_once)
back_up = _at(postgres_backups.back_up)
restore = _at(postgres_backups.restore)
place = _at(postgres_connection.place)
open_source = _at(postgres_copying.open_source)
open_alone = _at(postgres_alone.open_alone)
open_target = _at(postgres_copying.open_target)


async def open_store(
    settings: Settings,
    clock: Clock,
    shared: Sequence[object] = (),  # noqa: ARG001 - every process writes for itself
    commits: Commits | None = None,
) -> Store:
    most = (settings.database_connections, settings.database_timeout_seconds)
    primary = (settings.database_url, clock, *most)
    if not settings.read_database_url:
        return await PostgresStore(*primary, commits=commits).start()
    replica = PostgresStore(settings.read_database_url, clock, *most, replica=True)
    store = ReplicatedStore(replica, settings.read_lag_seconds, *primary, commits=commits)
    return await store.start()


async def refuse_unreadable(settings: Settings) -> None:
    if settings.read_database_url:
        await postgres_connection.refuse_unreadable_replica(settings.read_database_url)


async def is_new(settings: Settings) -> bool:
    return not await postgres.version(settings.database_url)


def trace(settings: Settings) -> str | None:  # noqa: ARG001 - an empty database has no past
    return None


async def refuse_absent(settings: Settings) -> None:
    if await is_new(settings):
        raise StartRefused(EMPTY.format(where=place(settings)))
