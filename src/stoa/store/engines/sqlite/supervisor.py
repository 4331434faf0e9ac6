"""Supervises the writer process: notices that it has ended or hangs, and replaces it."""

import asyncio
from collections import deque
from typing import Protocol, cast

from stoa.clock import elapsed_ms
from stoa.domain import limits
from stoa.logs import log
from stoa.store.engines.frames import Frames, unpickled
from stoa.store.engines.sqlite.groups import WriteOutcome
from stoa.store.engines.sqlite.pace import WRITER_PACE, WriterPace
from stoa.store.engines.sqlite.spawner import Spawner
from stoa.store.engines.sqlite.writer_main import GroupReport
from stoa.store.tx import StoreUnavailable

TICK_MS = limits.SECOND_MS
_ENDED = "the process that writes has ended"
_HANGS = "the process that writes does not answer"
_NO_SPAWNER = "the process that starts writers has ended"
_SPAWNER_HANGS = "the process that starts writers does not answer"
_NO_WRITER = "no writer can be started"


class Queue(Protocol):
    """What the supervisor calls when the state of its writer changes."""

    def has_unanswered(self) -> bool:
        """Whether work was sent to the writer that has no outcome yet."""
        ...

    def writer_ready(self, transport: asyncio.Transport) -> None:
        """A writer is ready for work."""
        ...

    def answered(self, outcomes: list[WriteOutcome], touched: set[str]) -> None:
        """The outcomes of the oldest pieces of work, and the keys that they changed."""
        ...

    def writer_ended(self, reason: str) -> int:
        """The writer has ended; returns the number of pieces of work without an outcome."""
        ...

    def refuse(self, reason: str) -> None:
        """No writer will be ready soon: refuse all work."""
        ...


class Replacements:
    """The backoff before each replacement of a writer."""

    def __init__(self, pace: WriterPace = WRITER_PACE) -> None:
        self._pace = pace
        self._times: deque[int] = deque()

    def pause(self, now: int, *, storage: bool) -> int | None:
        """The backoff (ms) before the next replacement, which is counted; None after too many. It
        is longer with `storage`: the storage failed."""
        while self._times and self._times[0] <= now - limits.WRITER_WINDOW_MS:
            self._times.popleft()
        earlier = len(self._times)
        if earlier == limits.WRITER_REPLACEMENTS:
            return None
        self._times.append(now)
        if not earlier:
            return 0
        return self._pace.probe_ms if storage else self._pace.pause_ms << (earlier - 1)


class _Link(asyncio.Protocol):
    """The connection to one writer, with the state of that writer."""

    def __init__(self, supervisor: "WriterSupervisor") -> None:
        self.transport: asyncio.Transport | None = None
        self.is_ready = False
        self.silent_ms = 0
        self.trouble: str | None = None
        self.may_pass = False
        self.storage_failed = False
        self._supervisor = supervisor
        self._frames = Frames()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """The protocol's way to get its transport."""
        self.transport = cast(asyncio.Transport, transport)

    def data_received(self, data: bytes) -> None:
        """The protocol's way to get what the writer reports."""
        self.silent_ms = 0
        for content in self._frames.feed(data):
            self._supervisor.reported(self, unpickled(content))

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002
        """The protocol's way to learn that the writer has ended."""
        self._supervisor.ended(self)


class WriterSupervisor:
    """Supervises the writers of one event loop. `trouble` says why no writer works now, or is None;
    `lost` is true if only a restart of the server helps; `process` is the writer's process id."""

    def __init__(self, spawner: Spawner, queue: Queue, pace: WriterPace) -> None:
        self.pace = pace
        self.trouble: str | None = None
        self.lost = False
        self.process = 0
        self._spawner = spawner
        self._queue = queue
        self._loop = asyncio.get_running_loop()
        self._started: asyncio.Future[None] = self._loop.create_future()
        self._link: _Link | None = None
        self._link_ended = asyncio.Event()
        self._replacements = Replacements(pace)
        self._prove = False
        self._stopped_at = 0
        self._spawner_silent_ms = 0
        self._closing = False
        self._connecting: asyncio.Task[None] | None = None
        self._ticking: asyncio.TimerHandle | None = None

    async def start(self) -> None:
        """Start the first writer. Raises `StoreUnavailable` when it does not start."""
        self._loop.add_reader(self._spawner.link, self._hear_spawner)
        await self._connect()
        self._tick()
        await self._started

    async def close(self) -> None:
        """End the writer, which closes its connection to the database first, and the spawner."""
        self._closing = True
        if self._ticking:
            self._ticking.cancel()
        if self._connecting:
            self._connecting.cancel()
            await asyncio.wait([self._connecting])
        if self._link and self._link.transport:
            self._link.transport.write_eof()
            await self._wait_for_end(self._link.transport)
        self._loop.remove_reader(self._spawner.link)
        await self._spawner.end()

    async def _wait_for_end(self, transport: asyncio.Transport) -> None:
        try:
            async with asyncio.timeout(limits.SHUTDOWN_GRACE_MS / 1000):
                await self._link_ended.wait()
        except TimeoutError:
            transport.abort()

    async def _connect(self) -> None:
        """Start a writer. It reports its process id once it is ready."""
        link = _Link(self)
        ours = self._spawner.writer(prove=self._prove)
        self._link = link
        self._link_ended.clear()
        try:
            await self._loop.create_unix_connection(lambda: link, sock=ours)
        except BaseException:
            self._link = None  # as when this is cancelled: the event loop has closed its transport
            ours.close()
            raise

    def reported(self, link: _Link, report: GroupReport | int) -> None:
        """Handle a report: the process id of a ready writer, or the outcomes of a group."""
        if isinstance(report, int):
            self._take(link, report)
            return
        outcomes, touched, trouble, may_pass = report
        self._queue.answered(outcomes, touched)
        if trouble:
            link.trouble, link.may_pass, link.storage_failed = trouble, may_pass, True
            self._send_no_more(trouble)

    def _take(self, link: _Link, process: int) -> None:
        if link.transport is None or self.lost:
            return
        link.is_ready, self._prove, self.process = True, False, process
        if self.trouble:
            self.trouble = None
            log.warning(
                "writing resumed", process=process, after_ms=elapsed_ms() - self._stopped_at
            )
        self._queue.writer_ready(link.transport)
        if not self._started.done():
            self._started.set_result(None)

    def ended(self, link: _Link) -> None:
        """A writer has ended: fail its pending work and schedule a replacement."""
        self._link = None
        self._link_ended.set()
        reason = link.trouble or _ENDED
        self._send_no_more(reason)
        if self._closing or self.lost:
            return
        if not self._started.done():
            self._started.set_exception(StoreUnavailable(reason))
            return
        self._prove = self._prove or link.storage_failed
        if link.may_pass:
            self._queue.refuse(reason)
            self._replace_in(self.pace.probe_ms)
            return
        pause = self._replacements.pause(elapsed_ms(), storage=link.storage_failed)
        if pause is None:
            self._give_up(reason)
        else:
            self._replace_in(pause)

    def _send_no_more(self, reason: str) -> None:
        """Stop sending work to a writer that has failed or ended."""
        unanswered = self._queue.writer_ended(reason)
        if self._closing or self.lost:
            return
        if self._started.done() and not self.trouble:
            self._stopped_at = elapsed_ms()
            log.error("writing stopped", reason=reason, process=self.process, unanswered=unanswered)
        self.trouble = reason

    def _replace_in(self, pause_ms: int) -> None:
        self._connecting = self._loop.create_task(self._reconnect(pause_ms / 1000))

    async def _reconnect(self, pause_s: float) -> None:
        await asyncio.sleep(pause_s)
        try:
            await self._connect()
        except OSError:
            self._give_up(_NO_WRITER)

    def _tick(self) -> None:
        self._ticking = self._loop.call_later(TICK_MS / 1000, self._tick)
        self._count_silence()
        self._look_at_spawner()

    def _count_silence(self) -> None:
        """Abort a writer that has been silent too long while it starts or has work. The time is
        counted in ticks, so that a pause of this event loop or the machine does not count."""
        link = self._link
        if link is None or link.transport is None:
            return
        if link.is_ready and not self._queue.has_unanswered():
            link.silent_ms = 0
            return
        link.silent_ms += TICK_MS
        if link.silent_ms >= self.pace.group_ms:
            link.trouble = _HANGS
            link.transport.abort()

    def _look_at_spawner(self) -> None:
        """Ask the process that starts writers for a beat, and count the ticks without one."""
        if self._spawner_silent_ms >= limits.HEARTBEATS_MISSED * limits.HEARTBEAT_MS:
            self._give_up(_SPAWNER_HANGS)
        self._spawner_silent_ms += TICK_MS
        self._spawner.ask_for_beat()

    def _hear_spawner(self) -> None:
        self._spawner_silent_ms = 0
        if not self._spawner.beats():
            self._loop.remove_reader(self._spawner.link)
            self._give_up(_NO_SPAWNER)

    def _give_up(self, reason: str) -> None:
        if self.lost:
            return
        self.trouble, self.lost = reason, True
        log.error("writer given up", reason=reason, recovery="the server ends to be restarted")
        self._queue.refuse(reason)
        if not self._started.done():
            self._started.set_exception(StoreUnavailable(reason))
