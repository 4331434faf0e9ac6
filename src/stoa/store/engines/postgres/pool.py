"""The connections of one process: a bounded number, handed to one transaction at a time.

The pool of asyncpg is not used: it makes a transaction slower by the time of one statement, lets
any number of callers wait, and keeps connections to a server that no longer answers.
"""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from contextlib import suppress

from stoa.store.engines.postgres.connection import PostgresConnection
from stoa.store.tx import StoreUnavailable

WAITING_PER_CONNECTION = 20
"""The number of transactions that may wait for each connection; more are refused at once."""


class Busy(StoreUnavailable):
    """Every connection is in use and too many wait, or one waited too long."""


class Pool:
    """At most `size` connections, opened when needed. A caller that waits longer than `timeout`
    seconds gets `Busy`."""

    def __init__(
        self, connect: Callable[[], Awaitable[PostgresConnection]], size: int, timeout: float
    ) -> None:
        self._connect = connect
        self._free = size
        self._timeout = timeout
        self._most_waiting = size * WAITING_PER_CONNECTION
        self._idle: list[PostgresConnection] = []
        # Each is given a connection, or None: leave to open one.
        self._waiting: deque[asyncio.Future[PostgresConnection | None]] = deque()
        self._used: set[PostgresConnection] = set()
        self._given = asyncio.Event()
        self._closed = False

    @property
    def waiting(self) -> int:
        """How many transactions wait for a connection."""
        return len(self._waiting)

    @property
    def used(self) -> int:
        """How many connections are in use."""
        return len(self._used)

    async def take(self) -> PostgresConnection:
        """An exclusive connection, until it is given back or dropped.

        Raises `Busy`, or what opening a connection raises.
        """
        if self._closed:
            raise StoreUnavailable("the database is closed")
        connection = self._open_idle()
        if connection is None and self._free:
            self._free -= 1
        elif connection is None:
            connection = await self._wait()
        if connection is None:
            connection = await self._open()
        self._used.add(connection)
        return connection

    def give(self, connection: PostgresConnection) -> None:
        """Return a connection. One that is closed or left in a transaction is closed, which rolls
        back its work."""
        self._used.discard(connection)
        self._given.set()
        if connection.is_closed() or connection.is_in_transaction() or self._closed:
            self._end(connection)
        elif not self._hand(connection):
            self._idle.append(connection)

    def drop_idle(self) -> None:
        """Close every idle connection, after the server became a primary or a standby."""
        while self._idle:
            self._end(self._idle.pop())

    async def close(self) -> None:
        """Refuse waiting callers, let running transactions finish, and close all connections."""
        self._closed = True
        while self._waiting:
            _refuse(self._waiting.popleft(), StoreUnavailable("the database is closed"))
        self.drop_idle()
        with suppress(TimeoutError):
            async with asyncio.timeout(self._timeout):
                while self._used:
                    await self._given.wait()
                    self._given.clear()
        for connection in self._used:
            connection.terminate()

    def _open_idle(self) -> PostgresConnection | None:
        """The most recently used connection, whose caches are most likely warm."""
        while self._idle:
            connection = self._idle.pop()
            if not connection.is_closed():
                return connection
            self._free += 1
        return None

    async def _open(self) -> PostgresConnection:
        try:
            return await self._connect()
        except BaseException:
            self._release()
            raise

    async def _wait(self) -> PostgresConnection | None:
        if len(self._waiting) >= self._most_waiting:
            raise Busy("every connection is in use and too many calls wait for one")
        loop = asyncio.get_running_loop()
        future: asyncio.Future[PostgresConnection | None] = loop.create_future()
        self._waiting.append(future)
        slow = Busy("every connection stayed in use for too long")
        timer = loop.call_later(self._timeout, _refuse, future, slow)
        try:
            return await future
        except asyncio.CancelledError:
            if future.done() and not future.cancelled() and not future.exception():
                self._pass_on(future.result())
            raise
        finally:
            timer.cancel()

    def _pass_on(self, given: PostgresConnection | None) -> None:
        """Give a connection whose caller was cancelled to another caller."""
        if given is None:
            self._release()
        else:
            self.give(given)

    def _hand(self, given: PostgresConnection | None) -> bool:
        while self._waiting:
            future = self._waiting.popleft()
            if not future.done():
                future.set_result(given)
                return True
        return False

    def _end(self, connection: PostgresConnection) -> None:
        connection.terminate()
        self._release()

    def _release(self) -> None:
        """Allow one more connection to be opened."""
        if not self._hand(None):
            self._free += 1


def _refuse(future: asyncio.Future[PostgresConnection | None], error: StoreUnavailable) -> None:
    if not future.done():
        future.set_exception(error)
