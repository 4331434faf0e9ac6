"""A streaming replica of a PostgreSQL of the tests' own, which can be held back."""

import asyncio
import os
import pwd
import time
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

from tests.support.database import rows
from tests.support.postgresql import PostgreSQL, name_of

_SOON_S = 60
# A message that is flushed, and with it all that was logged before: the commit of a NOTIFY alone
# waits for the next flush, and a consistency token may name a place behind it.
_FLUSH = "SELECT pg_logical_emit_message(false, 'test', '', true)::text"


class Replica:
    """Another cluster in the primary's folder that follows it; each has a name of its own."""

    def __init__(self, primary: PostgreSQL, name: str = "replica") -> None:
        self._primary = primary
        self._data, self._socket = primary.folder / name, primary.folder / f"{name}-at"
        for folder in (self._data, self._socket):
            folder.mkdir(mode=0o700)
            if user := primary.system_user:
                owner = pwd.getpwnam(user)
                os.chown(folder, owner.pw_uid, owner.pw_gid)
        source = ("-h", str(primary.socket.parent), "-U", "postgres")
        primary.run("pg_basebackup", "-R", "-c", "fast", "-D", str(self._data), *source)
        self.start()

    def _control(self, *arguments: str) -> None:
        self._primary.run("pg_ctl", "-w", "-D", str(self._data), *arguments)

    def start(self) -> None:
        """Start it, and wait until it is up."""
        options = f'-h "" -k {self._socket}'
        self._control("-l", str(self._data / "log"), "-o", options, "start")

    def stop(self) -> None:
        """End it."""
        self._control("-m", "immediate", "stop")

    def promote(self) -> None:
        """Make it a primary, with what it has."""
        self._control("promote")

    def set(self, setting: str) -> None:
        """Change one of its own settings: `name = value`."""
        for statement in (f"ALTER SYSTEM SET {setting}", "SELECT pg_reload_conf()"):
            asyncio.run(rows(self.url(self._primary.url()), statement))

    @property
    def host(self) -> str:
        """Where it listens."""
        return str(self._socket)

    def url(self, primary_url: str) -> str:
        """The address of the replica of a database."""
        return f"postgresql://postgres@/{name_of(primary_url)}?host={self._socket}"

    @contextmanager
    def held(self) -> Generator[None]:
        """Let it show nothing new for a while; at the end it has followed."""
        self.catch_up()
        self._ask("SELECT pg_wal_replay_pause()")
        self._wait("SELECT pg_get_wal_replay_pause_state() = 'paused'")
        try:
            yield
        finally:
            self._ask("SELECT pg_wal_replay_resume()")
            self.catch_up()

    def catch_up(self) -> None:
        """Wait until it has replayed all that the primary has logged by now."""
        now = asyncio.run(rows(self._primary.url(), _FLUSH))[0][0]
        self._wait(f"SELECT pg_last_wal_replay_lsn() >= '{now}'")

    def _ask(self, statement: str) -> Any:
        return asyncio.run(rows(self.url(self._primary.url()), statement))[0][0]

    def _wait(self, statement: str) -> None:
        until = time.monotonic() + _SOON_S
        while not self._ask(statement):
            assert time.monotonic() < until, statement
