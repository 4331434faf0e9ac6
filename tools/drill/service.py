"""Stoa on the cluster: its database, its process, its load, and its audit."""

import asyncio
import subprocess
import sys
from pathlib import Path
from typing import Any

import asyncpg

from tests.support.limits_off import LIMITS_OFF
from tests.support.server import Server, environment
from tools.drill import balancer, patroni, witness
from tools.drill.cluster import Cluster
from tools.drill.log import LogReader
from tools.drill.paid import PaidLoad
from tools.drill.rounds import Stage

_GRANT = 1_000_000
_MANY = 1_000_000_000  # counted in Valkey, and never reached


class Service:
    """One Stoa with a database of its own, which it reaches at this port of this machine."""

    def __init__(self, cluster: Cluster, folder: Path, name: str, port: int, valkey: str) -> None:
        self._cluster = cluster
        self._valkey = valkey
        self._folder = folder / name
        self._name = name
        self._port = port
        self._server: Server | None = None
        self._log: LogReader | None = None

    async def start(self, workers: int, clients: int, pause_s: float) -> Stage:
        """Make the database, start, sign the clients in."""
        administrator = witness.administrator(balancer.WRITES)
        connection = await asyncpg.connect(administrator)
        await connection.execute(f"CREATE DATABASE {self._name} OWNER {balancer.USER}")
        await connection.close()
        settings = {
            **_limits(),
            "database_url": _url(self._port, self._name),
            "valkey_url": self._valkey,
            "workers": workers,
            "signup_grant": _GRANT,
        }
        self._server = await asyncio.to_thread(Server, self._folder, settings)
        load = PaidLoad(self._server.url, clients, pause_s)
        await load.sign_in()
        self._log = LogReader(self._server.url)
        await self._log.start()
        straight = _url(balancer.WRITES, self._name)
        by = "PgBouncer" if self._port == balancer.POOLED else "HAProxy"
        return Stage(self._cluster, load, self._log, straight, administrator, self._audit, by)

    async def stop(self) -> None:
        """End the reader and the process in order."""
        if self._log:
            await self._log.stop()
        if self._server:
            self._server.stop()

    def _audit(self) -> str:
        """What `stoa audit` prints when it finds a difference."""
        done = subprocess.run(
            [sys.executable, "-m", "stoa", "audit"],
            env=environment({"database_url": _url(balancer.WRITES, self._name)}),
            capture_output=True,
            text=True,
            check=False,
        )
        return f"{done.stdout}{done.stderr}" if done.returncode else ""


async def make_role() -> None:
    """The role that owns Stoa's databases."""
    connection = await asyncpg.connect(witness.administrator(balancer.WRITES))
    await connection.execute(f"CREATE ROLE {balancer.USER} LOGIN PASSWORD '{patroni.PASSWORD}'")
    await connection.close()


def _limits() -> dict[str, Any]:
    return LIMITS_OFF | {"limit_threads": _MANY, "limit_accepts": _MANY}


def _url(port: int, database: str) -> str:
    return f"postgresql://{balancer.USER}:{patroni.PASSWORD}@127.0.0.1:{port}/{database}"
