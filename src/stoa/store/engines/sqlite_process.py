"""The one writer of the embedded engine, in a process of its own beside the server's.

The server has its interpreter to itself, and the writer another. A `Carrier` takes each piece of
work across: a call of an operation as plain values (`calls/perform.py`), any other as a pickle
of a function and its arguments, in which what both have had since before they parted (the services)
is only a number. What becomes of a group comes back in one frame, with the keys that it touched.
"""

import asyncio
import gc
import os
import select
import signal
import socket
import traceback
from collections import deque
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, NoReturn, TypeVar

import apsw
import structlog

from stoa.clock import Clock
from stoa.domain.errors import Refusal
from stoa.store.changes import EVERYTHING, Changes
from stoa.store.engines.frames import Carrier, Frames, frame, packed, unpacked
from stoa.store.engines.sqlite_file import connect
from stoa.store.engines.sqlite_groups import GROUP_MAX, LOOK_S, Groups, Outcome, release
from stoa.store.tx import StartRefused, StoreUnavailable, Tx, Work

log = structlog.get_logger("stoa.store")

T = TypeVar("T")

_READ_BYTES = 1024 * 1024
_STREAMS = {0, 1, 2}  # what the process may write its log to
_LOOKASIDE = (1200, 500)
"""Pieces of memory that statements find without asking the system: bytes of each, and how many."""

_Report = tuple[list[Outcome], list[str], str | None]
"""What became of a group, what it touched, and why no more work is taken."""


class ProcessWriter(asyncio.Protocol):
    """The server's end. It lives on the event loop that it was started on."""

    def __init__(self, pid: int, carrier: Carrier, changes: Changes) -> None:
        self.trouble: str | None = None
        self._pid = pid
        self._carrier = carrier
        self._changes = changes
        self._stopped = False
        self._frames = Frames()
        self._outgoing: list[bytes] = []
        self._waiting: deque[asyncio.Future[Any]] = deque()
        self._loop = asyncio.get_running_loop()
        self._transport: asyncio.Transport | None = None
        self._lost = self._loop.create_future()

    @classmethod
    async def start(
        cls, path: Path, clock: Clock, changes: Changes, carrier: Carrier, lock: int
    ) -> "ProcessWriter":
        """Start the process, which holds the descriptor `lock` until it has ended. There must be no
        other thread yet. Raises `StartRefused`, and leaves nothing behind when it raises."""
        ours, theirs = socket.socketpair()
        pid = os.fork()
        if not pid:
            _live(path, clock, theirs, carrier, lock)
        theirs.close()
        writer = cls(pid, carrier, changes)
        try:
            if not ours.recv(1):
                raise StartRefused(f"the process that writes to {path} did not start")
            connected = writer._loop.create_unix_connection(lambda: writer, sock=ours)
            writer._transport, _ = await connected
        except BaseException:
            ours.close()  # nobody is there for the process any more, so it ends
            await asyncio.to_thread(os.waitpid, pid, 0)
            raise
        return writer

    async def submit(self, work: Work[T]) -> T:
        """Run `work` in the next group; returns after its commit is on disk."""
        if self.trouble or self._stopped:
            raise StoreUnavailable(self.trouble or "the database is closed")
        framed = frame(self._carrier.pack(work))
        if not self._outgoing:  # what else is submitted in this turn of the loop goes with it
            self._loop.call_soon(self._flush)
        self._outgoing.append(framed)
        future = self._loop.create_future()
        self._waiting.append(future)
        return await future

    async def stop(self) -> None:
        """Finish what is queued and take no more."""
        self._stopped = True
        if self._waiting:
            await asyncio.wait(self._waiting)

    async def close(self) -> None:
        """Let the process close its connection and end, once it is stopped."""
        self._waiting.clear()  # those who have gone
        if self._transport:
            self._transport.close()
        await self._lost
        await asyncio.to_thread(os.waitpid, self._pid, 0)

    def data_received(self, data: bytes) -> None:
        """The protocol's way to get what the process reports."""
        for content in self._frames.feed(data):
            report: _Report = unpacked(content)
            outcomes, touched, trouble = report
            if touched:
                self._changes.mark(touched)
            self.trouble = self.trouble or trouble
            for outcome in outcomes:
                release(self._waiting.popleft(), outcome)

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002
        """The protocol's way to learn that the process has ended."""
        self._lost.set_result(None)
        if self._stopped and not self._waiting:
            return
        self.trouble = "the process that writes has ended"
        log.error("writer lost", process=self._pid)
        self._changes.mark([EVERYTHING])
        while self._waiting:
            release(self._waiting.popleft(), (None, StoreUnavailable(self.trouble)))

    def _flush(self) -> None:
        frames, self._outgoing = self._outgoing, []
        if self._transport:
            self._transport.write(b"".join(frames))


def _live(path: Path, clock: Clock, link: socket.socket, carrier: Carrier, lock: int) -> NoReturn:
    """The life of the process, from its fork to its end."""
    status = 1
    try:
        _leave_the_server(keep={link.fileno(), lock})
        _be_one_thread()
        groups = Groups(connect(path, writer=True), clock)
        link.sendall(b"!")
        _serve(groups, link, carrier)
        groups.close()
        status = 0
    except ConnectionError:
        status = 0  # the server was killed: what nobody waits for any more is undone or on disk
    except BaseException:
        log.exception("writer failed")
    finally:
        os._exit(status)


def _leave_the_server(keep: set[int]) -> None:
    """Keep nothing of the process this is a fork of: no signal, no file but its own."""
    signal.set_wakeup_fd(-1)
    for name in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(name, signal.SIG_IGN)  # the server says when to end
    gc.freeze()
    for descriptor in [int(entry.name) for entry in Path("/dev/fd").iterdir()]:
        if descriptor not in keep | _STREAMS:
            with suppress(OSError):  # that of the list itself
                os.close(descriptor)


def _be_one_thread() -> None:
    """Let SQLite go without locks between threads, of which a statement would take hundreds."""
    apsw.shutdown()
    apsw.config(apsw.SQLITE_CONFIG_SINGLETHREAD)
    apsw.config(apsw.SQLITE_CONFIG_LOOKASIDE, *_LOOKASIDE)
    apsw.initialize()


def _serve(groups: Groups, link: socket.socket, carrier: Carrier) -> None:
    """Commit what comes in, all that has come since the last commit together."""
    frames = Frames()
    while True:
        if not select.select([link], [], [], LOOK_S)[0]:
            groups.look()
            _report(groups, link, [])
            continue
        data = link.recv(_READ_BYTES)
        if not data:
            return
        works = [partial(_run, carrier, content) for content in frames.feed(data)]
        for first in range(0, len(works), GROUP_MAX):
            _report(groups, link, groups.commit(works[first : first + GROUP_MAX]))


async def _run(carrier: Carrier, content: memoryview, tx: Tx) -> Any:
    return await carrier.unpack(content)(tx)


def _report(groups: Groups, link: socket.socket, outcomes: list[Outcome]) -> None:
    touched = groups.take_touched()
    if outcomes or touched:
        portable = [(result, error and _portable(error)) for result, error in outcomes]
        report: _Report = (portable, touched, groups.trouble)
        link.sendall(frame(packed(report)))


def _portable(error: Exception) -> Exception:
    """An error as it can cross; what was not expected says where it comes from."""
    if isinstance(error, Refusal | StoreUnavailable):
        return error
    said = "".join(traceback.format_exception(error))
    try:
        unpacked(packed(error))
    except Exception:  # noqa: BLE001 - an error may hold, and may want to be made of, anything
        error = RuntimeError(f"the work ended with {type(error).__name__}")
    error.add_note(said)
    return error
