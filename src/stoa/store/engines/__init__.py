"""The engines behind one `Tx`, chosen by the address of the database."""

from contextlib import AbstractAsyncContextManager
from typing import TypeVar

from stoa.clock import Clock
from stoa.settings import Settings
from stoa.store.engines.frames import Carrier
from stoa.store.tx import Alone, Store, Work

T = TypeVar("T")

# Each engine is loaded only where it is used.


async def open_store(settings: Settings, clock: Clock, carrier: Carrier | None = None) -> Store:
    """Open the database inside the running event loop and bring it to this program's schema.

    With a `carrier`, which takes works to it, the embedded engine writes in a process of its own, a
    fork of this one. Raises `StartRefused` with one line that says why not.
    """
    if settings.on_postgresql:
        from stoa.store.engines.postgres import PostgresStore
        from stoa.store.engines.postgres_connection import refuse_unreadable_replica

        if settings.read_database_url:
            await refuse_unreadable_replica(settings.read_database_url)
        most = (settings.database_connections, settings.database_timeout_seconds)
        primary = await PostgresStore.open(settings.database_url, clock, *most)
        if not settings.read_database_url:
            return primary
        from stoa.store.engines.postgres_replica import ReplicatedStore

        replica = PostgresStore(settings.read_database_url, clock, *most, replica=True)
        store = ReplicatedStore(primary, replica, settings.read_lag_seconds)
        await store.start()
        return store
    from stoa.store.engines.sqlite import SqliteStore

    if carrier is None:
        return SqliteStore.open(settings.database_path, clock)
    return await SqliteStore.open_apart(settings.database_path, clock, carrier)


async def migrate(settings: Settings) -> list[str]:
    """Bring the database to this program's schema; returns the names of the steps applied.

    Raises `StartRefused` with one line that says why not.
    """
    if settings.on_postgresql:
        from stoa.store.engines import postgres

        return await postgres.migrate(settings.database_url)
    from stoa.store.engines import sqlite

    return sqlite.migrate(settings.database_path)


async def read_once(settings: Settings, clock: Clock, work: Work[T]) -> T:
    """Read a database that servers may have open. Raises `StartRefused` when there is none."""
    if settings.on_postgresql:
        from stoa.store.engines import postgres

        return await postgres.read_once(settings.database_url, clock, work)
    from stoa.store.engines import sqlite

    return sqlite.read_once(settings.database_path, clock, work)


async def write_once(settings: Settings, clock: Clock, work: Work[T]) -> T:
    """Change a database; the embedded one must not be open in a server. Raises `StartRefused`."""
    if settings.on_postgresql:
        from stoa.store.engines import postgres

        return await postgres.write_once(settings.database_url, clock, work)
    from stoa.store.engines import sqlite

    return sqlite.write_once(settings.database_path, clock, work)


def open_alone(settings: Settings) -> AbstractAsyncContextManager[Alone]:
    """A database that no server uses, brought to this program's schema. Raises `StartRefused`."""
    if settings.on_postgresql:
        from stoa.store.engines.postgres_alone import open_alone

        return open_alone(settings.database_url)
    from stoa.store.engines.sqlite_alone import open_alone

    return open_alone(settings.database_path)


def place(settings: Settings) -> str:
    """Where the database is, as it may be shown."""
    if settings.on_postgresql:
        from stoa.store.engines import postgres_connection

        return postgres_connection.place(settings.database_url)
    return str(settings.database_path)
