"""The one writer of the embedded engine, in a process of its own beside the server's.

The server has its interpreter to itself, and the writer another. A `Carrier` takes each piece of
work across: a call of an operation as plain values (`calls/perform.py`), any other as a pickle
of a function and its arguments, in which what both have had since before they parted (the services)
is only a number. What becomes of a group comes back in one frame, with the keys that it touched.

A writer that was killed, that hangs or whose storage has failed is replaced by another. Work that
was sent to it and has no answer is answered 503, as its outcome is unknown. Work that was not sent
waits for the next writer, up to `limits.WRITER_WAIT_MS`.
"""

import asyncio
from collections import deque
from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from stoa.clock import Clock
from stoa.domain import limits
from stoa.store.changes import EVERYTHING, Changes
from stoa.store.engines.frames import Carrier, frame
from stoa.store.engines.sqlite_groups import Outcome, release
from stoa.store.engines.sqlite_keeper import Keeper
from stoa.store.engines.sqlite_life import live
from stoa.store.engines.sqlite_spawner import Spawner
from stoa.store.tx import StartRefused, StoreUnavailable, Work

T = TypeVar("T")


class ProcessWriter:
    """The server's end. It lives on the event loop that it was started on."""

    def __init__(self, spawner: Spawner, carrier: Carrier, changes: Changes) -> None:
        self._keeper = Keeper(spawner, self)
        self._carrier = carrier
        self._changes = changes
        self._stopped = False
        self._refusal: str | None = None
        self._refusing: asyncio.TimerHandle | None = None
        self._outgoing: list[bytes] = []
        self._unsent: list[asyncio.Future[Any]] = []
        self._waiting: deque[asyncio.Future[Any]] = deque()
        self._loop = asyncio.get_running_loop()
        self._transport: asyncio.Transport | None = None

    @classmethod
    async def start(
        cls, path: Path, clock: Clock, changes: Changes, carrier: Carrier, lock: int
    ) -> "ProcessWriter":
        """Start the processes; the one that writes holds the descriptor `lock` until it has ended.
        There must be no other thread yet. Raises `StartRefused`, and leaves nothing behind then."""
        writer = cls(Spawner.start(partial(live, path, clock, carrier), lock), carrier, changes)
        try:
            await writer._keeper.start()
        except StoreUnavailable as error:
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
        return self._keeper.trouble

    @property
    def lost(self) -> bool:
        """Whether no writer will work until the server is started again."""
        return self._keeper.lost

    @property
    def process(self) -> int:
        """The process that writes, or the last one that did."""
        return self._keeper.process

    async def submit(self, work: Work[T]) -> T:
        """Run `work` in the next group; returns after its commit is on disk."""
        if self._refusal or self._stopped:
            raise StoreUnavailable(self._refusal or "the database is closed")
        framed = frame(self._carrier.pack(work))
        if not self._outgoing:  # what else is submitted in this turn of the loop goes with it
            self._loop.call_soon(self._flush)
        self._outgoing.append(framed)
        future = self._loop.create_future()
        self._unsent.append(future)
        return await future

    async def stop(self) -> None:
        """Finish what is queued and take no more."""
        self._stopped = True
        if outstanding := [*self._waiting, *self._unsent]:
            await asyncio.wait(outstanding)

    async def close(self) -> None:
        """Let the processes end, once this is stopped."""
        if self._refusing:
            self._refusing.cancel()
        self._waiting.clear()  # those who have gone
        await self._keeper.close()

    def _flush(self) -> None:
        """Send what is queued, unless there is no writer: then it goes to the next one."""
        if not self._transport or not self._outgoing:
            return
        frames, self._outgoing = self._outgoing, []
        self._waiting.extend(self._unsent)
        self._unsent.clear()
        self._transport.write(b"".join(frames))

    # --- What the keeper tells.

    def has_unanswered(self) -> bool:
        """Whether work was sent that has no answer yet."""
        return bool(self._waiting)

    def writer_ready(self, transport: asyncio.Transport) -> None:
        """A writer takes work. What the last one committed without a report is not known here."""
        if self._refusing:
            self._refusing.cancel()
        self._refusing = self._refusal = None
        self._changes.mark([EVERYTHING])
        self._transport = transport
        self._flush()

    def answered(self, outcomes: list[Outcome], touched: list[str]) -> None:
        """Answer the callers of the oldest works."""
        if touched:
            self._changes.mark(touched)
        for outcome in outcomes:
            release(self._waiting.popleft(), outcome)

    def writer_ended(self, reason: str) -> int:
        """Tell the callers of what was sent; returns how many. Others wait for a while."""
        self._transport = None
        self._changes.mark([EVERYTHING])
        unanswered = len(self._waiting)
        _fail(self._waiting, reason)
        self._waiting.clear()
        if not self._refusing:
            wait_s = limits.WRITER_WAIT_MS / 1000
            self._refusing = self._loop.call_later(wait_s, self.refuse, reason)
        return unanswered

    def refuse(self, reason: str) -> None:
        """Take no work until a writer is ready: callers are told at once."""
        self._refusal = reason
        self._outgoing = []
        _fail(self._unsent, reason)
        self._unsent.clear()


def _fail(futures: Iterable[asyncio.Future[Any]], reason: str) -> None:
    for future in futures:
        release(future, (None, StoreUnavailable(reason)))
