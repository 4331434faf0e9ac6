"""The single writer of the SQLite engine, in a separate process.

Server and writer each have a Python interpreter. A `WorkCodec` pickles each work: a call of an
operation as plain values (`calls/transaction.py`), other work as a function with its arguments.
Objects that both processes have since before the fork (the services) are replaced by a number. The
outcomes of a group come back in one message, with the keys that it changed.

A writer that was killed, hangs or has failed storage is replaced. Work that was sent to it without
an outcome is refused with 503, because its outcome is unknown. Work that was not sent yet waits for
the next writer, up to `WriterPace.wait_ms`.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any

from stoa.store.changes import EVERYTHING, Changes
from stoa.store.engines.frames import WorkCodec, frame
from stoa.store.engines.sqlite.groups import Groups, WriteOutcome, release
from stoa.store.engines.sqlite.pace import WRITER_PACE, WriterPace
from stoa.store.engines.sqlite.spawner import Spawner
from stoa.store.engines.sqlite.supervisor import WriterSupervisor
from stoa.store.engines.sqlite.writer_main import main
from stoa.store.tx import StartRefused, StoreUnavailable, T, Work, WritingStopped

_AT_ONCE = 16
"""How many callers get their outcomes in one turn of the event loop. In the turns between, other
calls are answered, and new writes are sent: else the writer waits for this process and this one for
the writer in turn."""


class ProcessWriter:
    """The writer as the server uses it, on the event loop that it was started on."""

    def __init__(
        self, spawner: Spawner, codec: WorkCodec, changes: Changes, pace: WriterPace
    ) -> None:
        self._supervisor, self._pace = WriterSupervisor(spawner, self, pace), pace
        self._codec = codec
        self._changes = changes
        self._stopped = False
        self._refusal: str | None = None
        self._refusing: asyncio.TimerHandle | None = None
        self._outgoing: list[bytes] = []
        self._unsent: list[asyncio.Future[Any]] = []
        self._waiting: deque[asyncio.Future[Any]] = deque()
        self._answered: deque[tuple[asyncio.Future[Any], WriteOutcome]] = deque()
        self._loop = asyncio.get_running_loop()
        self._transport: asyncio.Transport | None = None

    @classmethod
    async def start(
        cls,
        path: Path,
        connect: Callable[[], Groups],
        changes: Changes,
        codec: WorkCodec,
        lock: int,
        pace: WriterPace = WRITER_PACE,
    ) -> "ProcessWriter":
        """Start the processes. `connect` returns `Groups` with a new connection to the database at
        `path`. The writer holds the descriptor `lock` until it ends. No other thread may exist yet.
        Raises `StartRefused`; then no process is left."""
        run = partial(main, path, connect, codec, pace)
        writer = cls(Spawner.start(run, lock, pace.look_ms), codec, changes, pace)
        try:
            await writer._supervisor.start()
        except (StoreUnavailable, OSError) as error:
            await writer.close()
            said = f"the process that writes to {path} did not start: {error}"
            raise StartRefused(said) from error
        except BaseException:
            await writer.close()
            raise
        return writer

    @property
    def trouble(self) -> str | None:
        """Why no writer works now, or None."""
        return self._supervisor.trouble

    @property
    def lost(self) -> bool:
        """Whether only a restart of the server helps."""
        return self._supervisor.lost

    @property
    def process(self) -> int:
        """The process id of the current or the last writer."""
        return self._supervisor.process

    @property
    def waiting(self) -> int:
        """How many pieces of work have no outcome yet."""
        return len(self._unsent) + len(self._waiting)

    async def submit(self, work: Work[T]) -> T:
        """Run `work` in the next group; returns after its commit is on disk."""
        if self._stopped:
            raise StoreUnavailable("the database is closed")
        if self._refusal:
            raise WritingStopped(self._refusal)
        framed = frame(self._codec.encode(work))
        if not self._outgoing:  # work submitted in the same turn of the event loop is sent with it
            self._loop.call_soon(self._flush)
        self._outgoing.append(framed)
        future = self._loop.create_future()
        self._unsent.append(future)
        return await future

    async def stop(self) -> None:
        """Finish the queued work and accept no more."""
        self._stopped = True
        answered = (future for future, _ in self._answered)
        if outstanding := [*answered, *self._waiting, *self._unsent]:
            await asyncio.wait(outstanding)

    async def close(self) -> None:
        """End the processes. Call `stop` first."""
        if self._refusing:
            self._refusing.cancel()
        await self._supervisor.close()

    def _flush(self) -> None:
        """Send the queued work. Without a writer it stays queued for the next one."""
        if not self._transport or not self._outgoing:
            return
        frames, self._outgoing = self._outgoing, []
        self._waiting.extend(self._unsent)
        self._unsent.clear()
        self._transport.write(b"".join(frames))

    # --- Called by the supervisor.

    def has_unanswered(self) -> bool:
        """Whether work was sent that has no outcome yet."""
        return bool(self._waiting)

    def writer_ready(self, transport: asyncio.Transport) -> None:
        """A writer is ready. All cached answers are stale: the last writer may have made commits
        that it did not report."""
        if self._refusing:
            self._refusing.cancel()
        self._refusing = self._refusal = None
        self._changes.mark([EVERYTHING])
        self._transport = transport
        self._flush()

    def answered(self, outcomes: list[WriteOutcome], touched: set[str]) -> None:
        """Give the callers of the oldest pieces of work their outcomes."""
        if touched:
            self._changes.mark(touched)
        is_idle = not self._answered
        for outcome in outcomes:
            self._answered.append((self._waiting.popleft(), outcome))
        if is_idle:
            self._release_some()

    def _release_some(self) -> None:
        """Give some callers their outcomes now, and the rest in the next turns."""
        for _ in range(min(_AT_ONCE, len(self._answered))):
            release(*self._answered.popleft())
        if self._answered:
            self._loop.call_soon(self._release_some)

    def writer_ended(self, reason: str) -> int:
        """Fail the work that was sent; returns its number. Queued work waits for the next
        writer."""
        self._transport = None
        self._changes.mark([EVERYTHING])
        unanswered = len(self._waiting)
        _fail(self._waiting, reason)
        self._waiting.clear()
        if not self._refusing:
            wait_s = self._pace.wait_ms / 1000
            self._refusing = self._loop.call_later(wait_s, self.refuse, reason)
        return unanswered

    def refuse(self, reason: str) -> None:
        """Refuse all work at once until a writer is ready."""
        self._refusal = reason
        self._outgoing = []
        _fail(self._unsent, reason)
        self._unsent.clear()


def _fail(futures: Iterable[asyncio.Future[Any]], reason: str) -> None:
    for future in futures:
        release(future, (None, WritingStopped(reason)))
