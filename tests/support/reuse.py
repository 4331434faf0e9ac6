"""Databases of PostgreSQL that tests use one after another, each as if it were new.

A new database, new connections to it and the first plans on them cost ten times what a test does
with them. So a database is emptied for the next test, and replaced when its shape has changed.
"""

import asyncio
from functools import partial
from typing import Any, Self

from stoa.app import Service
from stoa.clock import Clock
from stoa.operations.call import Services
from stoa.settings import Settings
from stoa.store.engines.postgres.connection import connect
from stoa.store.engines.postgres.pool import Pool
from stoa.store.engines.postgres.store import PostgresStore
from tests.support import database
from tests.support.loops import cancel_others, run_on
from tests.support.postgresql import PostgreSQL
from tests.support.steps import Through

_USES = 100
"""After so many tests what they deleted slows down the next."""

_KEPT = "kept"
"""What connections that stay open call themselves."""

_TABLES = "SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY 1"
_SEED = """
SELECT string_agg(
  format('INSERT INTO {name} SELECT * FROM jsonb_populate_record(NULL::{name}, %L);', to_jsonb(t)),
  ' ') FROM {name} t
"""
_OTHERS = """
SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity
WHERE datname = current_database() AND application_name <> $1
"""
# Every definition that was made, changed or removed since.
_SHAPE = "SELECT {}".format(
    ", ".join(
        f"(SELECT count(*) + sum(xmin::text::bigint) FROM {name} WHERE {key} >= 16384)"
        for name, key in (
            ("pg_attribute", "attrelid"),
            ("pg_class", "oid"),
            ("pg_constraint", "oid"),
            ("pg_index", "indexrelid"),
            ("pg_namespace", "oid"),
            ("pg_proc", "oid"),
            ("pg_trigger", "oid"),
        )
    )
)


class KeptStore(PostgresStore):
    """A store whose connections stay open for the next test. Nothing looks whether the server is
    there: tests that end it open stores of their own."""

    def __init__(self, url: str, clock: Clock, connections: int, timeout_s: int) -> None:
        super().__init__(url, clock, connections, timeout_s)
        self._pool = Pool(partial(connect, url, _KEPT), connections, timeout_s)

    def lend(self, clock: Clock) -> Self:
        """This store, with the clock of the next test, and without who listened in the last."""
        self._clock = clock
        self._signals.told.clear()
        return self

    async def close(self) -> None:
        """Keep the connections."""

    async def end(self) -> None:
        """Close it for good."""
        await super().close()


class Kept:
    """One database, its event loop and what is open on it."""

    def __init__(self, cluster: PostgreSQL) -> None:
        self._cluster = cluster
        self._uses = 0
        self._stores: dict[tuple[int, int, int], KeptStore] = {}
        self.url = cluster.new()
        self.runner = asyncio.Runner()
        self._connection = self.runner.run(connect(self.url, _KEPT))
        self._empty, self._shape = self.runner.run(self._look())
        database.KEPT[self.url] = self.ask

    def ask(self, sql: str, *values: Any) -> list[tuple[Any, ...]]:
        """Run a statement; its rows."""
        return run_on(self.runner, database.fetched(self._connection, sql, *values))

    async def _look(self) -> tuple[str, object]:
        names = [row[0] for row in await self._connection.fetch(_TABLES)]
        seeds = [await self._connection.fetchval(_SEED.format(name=name)) for name in names]
        steps = [
            "BEGIN; SET LOCAL session_replication_role = replica;",
            *(f"DELETE FROM {name};" for name in names),
            *filter(None, seeds),
            "SELECT setval(format('%I', sequencename), start_value, false) FROM pg_sequences;",
            "COMMIT; RESET ALL",
        ]
        return " ".join(steps), await self._connection.fetchrow(_SHAPE)

    async def open(
        self, settings: Settings, services: Services, clock: Clock, place: int, through: Through
    ) -> Service:
        """The application on this database, which `settings` name, and `through` another store to
        it; it shares nothing else with the ones at other places."""
        most = (settings.database_connections, settings.database_timeout_seconds)
        if (*most, place) not in self._stores:
            self._stores[*most, place] = KeptStore(self.url, clock, *most)
        store = self._stores[*most, place].lend(clock)
        return await Service.over(through(store), services, clock)

    def settle(self) -> None:
        """End what a test has left running on the loop."""
        run_on(self.runner, cancel_others())

    def renew(self) -> bool:
        """Make it as it was when it was new; whether that is possible."""
        self._uses += 1
        return self._uses < _USES and run_on(self.runner, self._renew())

    async def _renew(self) -> bool:
        await self._connection.fetch(_OTHERS, _KEPT)
        if await self._connection.fetchrow(_SHAPE) != self._shape:
            return False
        await self._connection.execute(self._empty)
        return True

    def drop(self) -> None:
        """Remove it."""
        del database.KEPT[self.url]
        self._connection.terminate()
        for store in self._stores.values():
            self.runner.run(store.end())
        self.runner.close()
        self._cluster.drop(self.url)


class Reused:
    """The databases that are lent now, and those that wait for the next test."""

    def __init__(self, cluster: PostgreSQL) -> None:
        self._cluster = cluster
        self._idle: list[Kept] = []
        self._lent: dict[str, Kept] = {}

    def take(self) -> str:
        """The address of a database that is as good as new."""
        kept = self._idle.pop() if self._idle else Kept(self._cluster)
        self._lent[kept.url] = kept
        return kept.url

    def __getitem__(self, url: str) -> Kept:
        """A database that is lent."""
        return self._lent[url]

    def give_back(self, url: str) -> None:
        """The next test may have it."""
        kept = self._lent.pop(url)
        if kept.renew():
            self._idle.append(kept)
        else:
            kept.drop()

    def end(self) -> None:
        """Remove them all."""
        for kept in (*self._idle, *self._lent.values()):
            kept.drop()
