"""Writes to one PostgreSQL from its own machine, whatever befalls it, and keeps what it was told.

`python -m tools.drill.witness` inside a node prints `asked` and the number of a row before it
writes it, `told` and the number when the commit was acknowledged, until its standard input ends.
"""

import asyncio
import subprocess
import sys
import time
from typing import Any, NamedTuple

import asyncpg

from tools.drill import patroni
from tools.drill.node import Node

_TABLE = "CREATE TABLE IF NOT EXISTS witness (id bigint PRIMARY KEY)"
_ROW = "INSERT INTO witness VALUES ($1)"
_WORDS = ("asked", "told")
_PAUSE_S = 0.05
_CONNECT_S = 2.0
_REFUSED = (OSError, asyncpg.PostgresError, asyncpg.InterfaceError, TimeoutError)


def administrator(port: int = patroni.DATABASE) -> str:
    """The superuser's own database, on this machine."""
    return f"postgresql://postgres:{patroni.PASSWORD}@127.0.0.1:{port}/postgres"


class Seen(NamedTuple):
    """The rows that a witness asked for, and those that it was told are kept."""

    asked: set[int]
    told: set[int]


class Witness:
    """A program on the node's machine, so that no cut keeps it from its PostgreSQL."""

    def __init__(self, node: Node) -> None:
        self._process = subprocess.Popen(
            node.inside(sys.executable, "-m", "tools.drill.witness"),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self._process.stdout
        self._first = self._process.stdout.readline() + self._process.stdout.readline()
        if not self._first:
            raise RuntimeError("the witness did not start")

    def end(self) -> Seen:
        """Stop it; what it has seen."""
        rest, _ = self._process.communicate()
        lines = [line.split() for line in (self._first + rest).splitlines()]
        rows = {word: {int(row) for what, row in lines if what == word} for word in _WORDS}
        return Seen(*rows.values())


async def prepare(database: str) -> None:
    """Make the witness's table."""
    connection = await asyncpg.connect(database)
    await connection.execute(_TABLE)
    await connection.close()


async def lost(database: str, told: set[int]) -> set[int]:
    """The rows among these that are not there."""
    connection = await asyncpg.connect(database)
    kept = {row["id"] for row in await connection.fetch("SELECT id FROM witness")}
    await connection.close()
    return told - kept


async def _write() -> None:
    connection: Any = None
    while True:
        row = time.monotonic_ns()
        _say("asked", row)
        try:
            connection = connection or await asyncpg.connect(administrator(), timeout=_CONNECT_S)
            await connection.execute(_ROW, row)
            _say("told", row)
        except _REFUSED:
            if connection:
                connection.terminate()
            connection = None
        await asyncio.sleep(_PAUSE_S)


def _say(what: str, row: int) -> None:
    sys.stdout.write(f"{what} {row}\n")
    sys.stdout.flush()


async def _until_told() -> None:
    writing = asyncio.create_task(_write())
    await asyncio.to_thread(sys.stdin.read)
    writing.cancel()


if __name__ == "__main__":
    asyncio.run(_until_told())
