"""A process that forks writers for a server, which has threads and connections and must not fork.

It is itself a fork of the server, made before the server had any thread or connection. A request is
one byte with two descriptors: the writer's end of its connection to the server, and the lock on the
database, which a writer holds until it has ended. A former writer is killed before the next one is
forked: there is one at most. A writer that stays stopped (SIGSTOP) is killed as well; the system
tells its parent of that, however busy the machine is. When the server has gone, the writer has a
moment to end, and is killed otherwise: nothing that is left holds the lock.
"""

import asyncio
import gc
import os
import select
import signal
import socket
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import NoReturn

from stoa.clock import elapsed_ms
from stoa.domain import limits
from stoa.logs import log

_STREAMS = {0, 1, 2}  # what the processes may write their log to
_IGNORED = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGTSTP)
_PLAIN, _PROVE = b"w", b"p"
_BEAT = b"b"  # asked for and answered
_READ_BYTES = 4096
_PAUSE_S = 0.005

ProcessMain = Callable[[socket.socket, bool], NoReturn]
"""The main function of a writer: its connection to the server, and whether the storage failed."""


class Spawner:
    """The spawner as the server uses it. `link` becomes readable when the process has answered, and
    once it has ended."""

    def __init__(self, pid: int, link: socket.socket, lock: int) -> None:
        self.link = link
        self._pid = pid
        self._lock = lock

    @classmethod
    def start(cls, main: ProcessMain, lock: int, look_ms: int) -> "Spawner":
        """Fork the process, which looks at its writer every `look_ms`. No other thread may exist
        yet."""
        ours, theirs = socket.socketpair()
        pid = os.fork()
        if not pid:
            _main(theirs, main, look_ms)
        theirs.close()
        return cls(pid, ours, lock)

    def writer(self, *, prove: bool) -> socket.socket:
        """The connection to a new writer; a former one is killed first. Raises `OSError` when the
        process does not take the request."""
        ours, theirs = socket.socketpair()
        try:
            request = _PROVE if prove else _PLAIN
            given = [theirs.fileno(), self._lock]
            socket.send_fds(self.link, [request], given, socket.MSG_DONTWAIT)
        except OSError:
            ours.close()
            raise
        finally:
            theirs.close()
        return ours

    def ask_for_beat(self) -> None:
        """Let the process answer, if it is able to."""
        with suppress(OSError):  # it has ended, or has left many of these unread
            self.link.send(_BEAT, socket.MSG_DONTWAIT)

    def beats(self) -> bool:
        """Read the answers on `link`; False when the process has ended."""
        try:
            return bool(self.link.recv(_READ_BYTES, socket.MSG_DONTWAIT))
        except OSError:
            return False

    async def end(self) -> None:
        """Let the process end, and the writer with it."""
        self.link.close()
        await asyncio.to_thread(_reap, self._pid, limits.WORKER_END_MS)


def _reap(pid: int, grace_ms: int) -> int:
    """Wait until a child has ended, and kill it when that takes too long; 0 or how it ended without
    that: its exit code, or the negative number of a signal."""
    deadline = elapsed_ms() + grace_ms
    while True:
        ended, status = os.waitpid(pid, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status)
        if elapsed_ms() > deadline:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
            return 0
        time.sleep(_PAUSE_S)


# --- In the process.


def _main(link: socket.socket, main: ProcessMain, look_ms: int) -> NoReturn:
    status = 1
    try:
        _leave_the_server(keep={link.fileno()})
        _Parent(link, main, look_ms).run()
        status = 0
    except BaseException:
        log.exception("spawner failed")
    finally:
        os._exit(status)


def _leave_the_server(keep: set[int]) -> None:
    """Drop the signal handlers and descriptors inherited from the server."""
    signal.set_wakeup_fd(-1)
    for name in _IGNORED:
        signal.signal(name, signal.SIG_IGN)  # the server decides when to end
    gc.freeze()
    for descriptor in [int(entry.name) for entry in Path("/dev/fd").iterdir()]:
        if descriptor not in keep | _STREAMS:
            with suppress(OSError):  # the descriptor of the directory listing itself
                os.close(descriptor)


class _Parent:
    """Forks one writer after the other until the server has ended."""

    def __init__(self, link: socket.socket, main: ProcessMain, look_ms: int) -> None:
        self._link, self._look_s = link, look_ms / 1000
        self._main = main
        self._writer = 0
        self._is_stopped = False

    def run(self) -> None:
        """Handle the requests of the server."""
        while True:
            pause = self._look_s if self._writer else None
            if not select.select([self._link], [], [], pause)[0]:
                self._look()
                continue
            request, given = self._request()
            if not request:
                break
            if request == _BEAT:
                self._beat()
                continue
            self._end_writer(0)
            self._fork(given, prove=request == _PROVE)
        self._end_writer(limits.WRITER_END_MS)

    def _request(self) -> tuple[bytes, list[int]]:
        """A byte with its descriptors; no byte when the server has gone."""
        try:
            request, given, *_ = socket.recv_fds(self._link, 1, 2)
        except ConnectionResetError:  # it had not read all answers
            return b"", []
        return request, given

    def _beat(self) -> None:
        with suppress(OSError):  # the server has gone, or is stopped and reads nothing
            self._link.send(_BEAT, socket.MSG_DONTWAIT)

    def _fork(self, given: list[int], *, prove: bool) -> None:
        """A fork keeps both descriptors. If there is no memory for one, the server sees its
        connection end."""
        try:
            self._writer = os.fork()
        except OSError:
            log.exception("no writer was started")
        else:
            if not self._writer:
                self._link.close()
                self._main(socket.socket(fileno=given[0]), prove)
        for descriptor in given:
            os.close(descriptor)

    def _look(self) -> None:
        """Reap an ended writer, and kill one that was stopped (SIGSTOP) at two checks in a row."""
        changed, status = os.waitpid(self._writer, os.WNOHANG | os.WUNTRACED | os.WCONTINUED)
        if not changed:
            if self._is_stopped:
                self._end_writer(0)
        elif os.WIFSTOPPED(status) or os.WIFCONTINUED(status):
            self._is_stopped = os.WIFSTOPPED(status)
        else:
            self._forget_writer(os.waitstatus_to_exitcode(status))

    def _end_writer(self, grace_ms: int) -> None:
        """Wait for the end of the writer, if there is one, and kill it after `grace_ms`."""
        if self._writer:
            self._forget_writer(_reap(self._writer, grace_ms))

    def _forget_writer(self, code: int) -> None:
        if code:
            log.error("writer ended", process=self._writer, **_how(code))
        self._writer, self._is_stopped = 0, False


def _how(code: int) -> dict[str, int | str]:
    """The words for an exit code in the log; a negative one is the number of a signal."""
    return {"signal": signal.Signals(-code).name} if code < 0 else {"exit_code": code}
