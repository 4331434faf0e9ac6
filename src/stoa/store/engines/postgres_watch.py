"""Looks every few seconds whether the database answers, and what its clock says."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress

import structlog

from stoa.clock import Clock, SystemClock
from stoa.store.engines.postgres_connection import Connection
from stoa.store.engines.postgres_errors import said
from stoa.store.tx import StoreUnavailable

log = structlog.get_logger("stoa.store")

EVERY_S = 2.0
_WHILE_GONE_S = 0.5
_ANSWER_S = 5.0
_NOW_US = "SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint"
_TRUSTED_US = 20_000  # an answer that took longer says too little about the time
_FIRST_TRUSTED_US = 5_000_000  # but the first one, where there is none better
_FIRST_TRIES = 3


class Watch:
    """`trouble` says why the database cannot be used now, and goes by itself.

    It asks on a connection of its own, since those of a busy pool may all be in use. A `clock` of
    the machine is told of the database's, to follow it; one that a test moves is left alone. The
    operator is told of the database by its `name`.
    """

    def __init__(
        self, connect: Callable[[], Awaitable[Connection]], clock: Clock | None, name: str
    ) -> None:
        self._connect = connect
        self._name, self._lost, self._back = name, f"{name} lost", f"{name} back"
        self._connection: Connection | None = None
        self._clock = clock if isinstance(clock, SystemClock) else None
        self._measured = self._stepped = False
        self._alarm = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self.trouble: str | None = None

    async def start(self) -> None:
        """Measure the clock, then go on looking. Raises `StoreUnavailable`."""
        for _ in range(_FIRST_TRIES):
            try:
                await self._measure()
            except Exception as error:
                raise StoreUnavailable(said(error)) from error
            if self._measured or not self._clock:
                return self.begin()
        raise StoreUnavailable(f"the {self._name} answers too late to tell the time")

    def begin(self) -> None:
        """Go on looking."""
        self._task = asyncio.create_task(self._run())

    def alarm(self) -> None:
        """A connection was lost: look now."""
        self._alarm.set()

    async def stop(self) -> None:
        """End the looking."""
        if self._task:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
        self._leave()

    async def _run(self) -> None:
        while True:
            await self._look()
            # Not at once, however often an alarm comes.
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
                await self._measure()
        except TimeoutError:
            trouble = f"the {self._name} does not answer within {_ANSWER_S:g} s"
        except Exception as error:  # whatever it is, it may pass
            trouble = f"the {self._name} cannot be used: {said(error)}"
        if trouble:
            self._leave()
        if trouble and not self.trouble:
            log.error(self._lost, reason=trouble)
        elif self.trouble and not trouble:
            log.warning(self._back)
        self.trouble = trouble

    def _leave(self) -> None:
        if self._connection:
            self._connection.terminate()
            self._connection = None

    async def _measure(self) -> None:
        if self._connection is None:
            self._connection = await self._connect()
        if self._clock is None:
            await self._connection.fetchval(_NOW_US)
            return
        before = self._clock.elapsed_us()
        theirs = int(await self._connection.fetchval(_NOW_US))
        after = self._clock.elapsed_us()
        if after - before <= (_TRUSTED_US if self._measured else _FIRST_TRUSTED_US):
            self._measured = True
            self._note_step(self._clock.follow(theirs, (before + after) // 2))

    def _note_step(self, step_ms: int) -> None:
        if step_ms and not self._stepped:
            log.error("clock stepped", clock=self._name, ms=step_ms)
        elif self._stepped and not step_ms:
            log.warning("clock stepped back", clock=self._name)
        self._stepped = bool(step_ms)
