"""A health check of the database every few seconds, which also measures its clock."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress

from stoa.clock import Clock, SystemClock
from stoa.logs import log
from stoa.store.engines.postgres.connection import PostgresConnection
from stoa.store.engines.postgres.errors import said
from stoa.store.engines.postgres.migrations import VERSION
from stoa.store.tx import StoreUnavailable

OUTDATED = "a newer Stoa has migrated the database: this one only reads until it is upgraded"

EVERY_S = 2.0
_WHILE_GONE_S = 0.5
_ANSWER_S = 5.0
_NOW_US = "SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint"
_TRUSTED_US = 20_000  # a slower answer is too imprecise to measure the clock
_FIRST_TRUSTED_US = 5_000_000  # for the first measurement, if there is no better one
_FIRST_TRIES = 3


async def follow_time(connection: PostgresConnection, clock: Clock | None) -> None:
    """Adjust a system `clock` to the time of a database, as servers do; no other clock."""
    if isinstance(clock, SystemClock):
        theirs = int(await connection.fetchval(_NOW_US))
        clock.follow(theirs, clock.elapsed_us())


class ServerWatch:
    """Checks the database. `trouble` says why it cannot be used, and is None once it answers again.

    The checks have a separate connection, because those of a busy pool may all be in use. A system
    `clock` is adjusted to the time of the database; any other clock is not. `name` is the name of
    the database in the log. `outdated` is whether a newer program has brought it to a schema after
    the one `known`; 0 looks for none.
    """

    def __init__(
        self,
        connect: Callable[[], Awaitable[PostgresConnection]],
        clock: Clock | None,
        name: str,
        known: int = 0,
    ) -> None:
        self._connect = connect
        self._name, self._lost, self._back = name, f"{name} lost", f"{name} back"
        self._connection: PostgresConnection | None = None
        self._clock = clock if isinstance(clock, SystemClock) else None
        self._measured = self._stepped = False
        self._alarm = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self._known = known
        self.outdated = False
        self.trouble: str | None = None

    async def start(self) -> None:
        """Measure the clock, then start the regular checks. Raises `StoreUnavailable`."""
        for _ in range(_FIRST_TRIES):
            try:
                await self._measure()
            except Exception as error:
                raise StoreUnavailable(said(error)) from error
            if self._measured or not self._clock:
                return self.begin()
        raise StoreUnavailable(f"the {self._name} answers too late to tell the time")

    def begin(self) -> None:
        """Start the regular checks."""
        self._task = asyncio.create_task(self._run())

    def alarm(self) -> None:
        """Check now: a connection was lost."""
        self._alarm.set()

    async def stop(self) -> None:
        """Stop the checks."""
        if self._task:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
        self._leave()

    async def _run(self) -> None:
        while True:
            await self._look()
            # A minimum pause, even if alarms come more often.
            await asyncio.sleep(_WHILE_GONE_S)
            if self.trouble is None:
                with suppress(TimeoutError):
                    async with asyncio.timeout(EVERY_S):
                        await self._alarm.wait()
            self._alarm.clear()

    async def _look(self) -> None:
        trouble = None
        try:
            async with asyncio.timeout(_ANSWER_S):
                await self.compare(await self._measure())
        except TimeoutError:
            trouble = f"the {self._name} does not answer within {_ANSWER_S:g} s"
        except Exception as error:  # every error may be temporary
            trouble = f"the {self._name} cannot be used: {said(error)}"
        if trouble:
            self._leave()
        if trouble and not self.trouble:
            log.error(self._lost, reason=trouble)
        elif self.trouble and not trouble:
            log.warning(self._back)
        self.trouble = trouble

    async def compare(self, connection: PostgresConnection) -> None:
        """Look over this connection for a schema that this program does not know."""
        if self._known and not self.outdated:
            present = int(await connection.fetchval(VERSION))
            if present > self._known and not self.outdated:
                log.error("writing stopped", reason=OUTDATED, schema=present, known=self._known)
                self.outdated = True

    def _leave(self) -> None:
        if self._connection:
            self._connection.terminate()
            self._connection = None

    async def _measure(self) -> PostgresConnection:
        """Ask for the time of the database; the connection that was used."""
        connection = self._connection = self._connection or await self._connect()
        if self._clock is None:
            await connection.fetchval(_NOW_US)
            return connection
        before = self._clock.elapsed_us()
        theirs = int(await connection.fetchval(_NOW_US))
        after = self._clock.elapsed_us()
        if after - before <= (_TRUSTED_US if self._measured else _FIRST_TRUSTED_US):
            self._measured = True
            self._note_step(self._clock.follow(theirs, (before + after) // 2))
        return connection

    def _note_step(self, step_ms: int) -> None:
        if step_ms and not self._stepped:
            log.error("clock stepped", clock=self._name, ms=step_ms)
        elif self._stepped and not step_ms:
            log.warning("clock stepped back", clock=self._name)
        self._stepped = bool(step_ms)
