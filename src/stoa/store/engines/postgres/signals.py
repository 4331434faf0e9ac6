"""Tells the processes of one database of new events, with LISTEN and NOTIFY.

A transaction with a NOTIFY holds a lock of the whole server while it commits, so that commits would
wait for each other's disk and standbys. So a process notifies after its commits, once for many. If
a notification is lost with a process or a connection, waiting calls find the events anyway: they
also look for new ones four times a second.
"""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress

from stoa.store.engines.postgres.connection import PostgresConnection

CHANNEL = "stoa_events"
_NOTIFY = f"NOTIFY {CHANNEL}"
_PAUSE_S = 0.02
_AGAIN_S = 0.5


class Signals:
    """One connection of a process that listens and notifies. All of `told` are called for each
    signal, of this process or another."""

    def __init__(self, connect: Callable[[], Awaitable[PostgresConnection]]) -> None:
        self._connect = connect
        self._wrote = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self.told: list[Callable[[], None]] = []

    def begin(self) -> None:
        """Connect in the background, again and again if need be."""
        self._task = asyncio.create_task(self._run())

    def wrote(self) -> None:
        """Tell that this process has committed events."""
        self._wrote.set()
        self._tell()

    async def stop(self) -> None:
        """Close the connection."""
        if self._task:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    def _tell(self, *_: object) -> None:
        for told in self.told:
            told()

    async def _run(self) -> None:
        while True:
            with suppress(Exception):  # the watch of the database says that it is gone
                await self._serve(await self._connect())
            await asyncio.sleep(_AGAIN_S)

    async def _serve(self, connection: PostgresConnection) -> None:
        try:
            await connection.add_listener(CHANNEL, self._tell)
            connection.add_termination_listener(lambda _: self._wrote.set())
            self._tell()  # of what came before
            while not connection.is_closed():
                await self._wrote.wait()
                self._wrote.clear()
                await connection.execute(_NOTIFY)
                await asyncio.sleep(_PAUSE_S)
        finally:
            connection.terminate()
